#include "permanent/ryser_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "core/error.hpp"
#include "core/modular.hpp"
#include "core/stopwatch.hpp"
#include "permanent/bound.hpp"
#include "permanent/cuda/kernel_choice.hpp"
#include "permanent/cuda/kernel_source.hpp"
#include "permanent/cuda/kernel_sum.hpp"
#include "permanent/cuda/precompiled.hpp"
#include "permanent/cuda/task_run.hpp"
#include "permanent/subsets.hpp"

namespace matchcount {
namespace {

using namespace subsets;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Leaves that a thread walks: some milliseconds of work, so that the end of a run is even, against a start of about
// bits * rows additions.
constexpr double log2_operations_of_chunk = 19.6;
constexpr int largest_walk = 18;
// Threads that should have work before chunks grow.
constexpr int log2_wanted_chunks = 17;
// Products of rows stay within 2^+-500.
constexpr double log2_ratio = 50;
// A special entry so small that the row's uncertainty passes this share of it is no floor for the row's magnitude.
constexpr double poor_floor = 0x1p-32;
// Patterns of this density and more keep pairs by their ends: at n = 40, dense 2.18 s in place of 2.44 on one H200,
// density 0.5 0.617 in place of 0.615 with an error bound five times as large.
constexpr double dense = 0.75;
// What the entries' roundings may do to a permanent without negative entries before floors bound it better.
constexpr double poor_perturbation = 0x1p-24;

int walk_bits(const gpu::WalkPlan& plan) {
  const auto bits = static_cast<int>(plan.order.bit_column.size());
  const int wanted = static_cast<int>(log2_operations_of_chunk - std::log2(std::max(plan.operations_per_leaf, 0.5)));
  return std::max(plan.inner_bits, std::min({wanted, largest_walk, bits - log2_wanted_chunks}));
}

template <class Entry, class Magnitude>
gpu::WalkMatrix magnitudes_of(const Block<Entry>& block, const Magnitude& magnitude) {
  gpu::WalkMatrix matrix;
  matrix.size = block.pattern.num_rows();
  matrix.magnitude.assign(std::size_t{matrix.size} * matrix.size, 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id)
    matrix.magnitude[std::size_t{edges[id].row} * matrix.size + edges[id].column] = magnitude(id);
  return matrix;
}

// What is left to decide, and what the report tells, once the order is known.
void settle_walk(gpu::KernelInput& input, GpuReport& report) {
  input.walk_bits = walk_bits(input.plan);
  report.inner_bits = input.plan.inner_bits;
  report.operations_per_leaf = input.plan.operations_per_leaf;
  report.log2_leaves = static_cast<double>(input.plan.order.bit_column.size());
}

double operations(const gpu::WalkPlan& plan) {
  return std::ldexp(plan.operations_per_leaf, static_cast<int>(plan.order.bit_column.size()));
}

gpu::Arithmetic arithmetic_of(Precision precision, bool is_complex) {
  const bool wide = precision == Precision::double_double || precision == Precision::automatic ||
                    (is_complex && precision == Precision::compensated);
  if (is_complex) return wide ? gpu::Arithmetic::complex_double : gpu::Arithmetic::complex;
  return wide                                  ? gpu::Arithmetic::double_double
         : precision == Precision::compensated ? gpu::Arithmetic::compensated
                                               : gpu::Arithmetic::real;
}

std::string_view name_of(gpu::Arithmetic arithmetic) {
  switch (arithmetic) {
    case gpu::Arithmetic::real:
      return "doubles";
    case gpu::Arithmetic::compensated:
      return "compensated doubles";
    case gpu::Arithmetic::double_double:
      return "double-doubles";
    case gpu::Arithmetic::complex:
      return "complex doubles";
    case gpu::Arithmetic::complex_double:
      return "complex double-doubles";
    case gpu::Arithmetic::exact:
      break;
  }
  return "integers";
}

// Whether some special entry is too small beside the uncertainty of its row.
bool poor_special(const Scaled& scaled, const RyserPlan& plan) {
  if (plan.special_column == unmatched) return false;
  for (std::size_t row = 0; row < scaled.special_bound.size(); ++row) {
    const double entry = scaled.special_bound[row];
    if (entry > 0 && scaled.row_error[row] + scaled.special_error[row] > poor_floor * entry) return true;
  }
  return false;
}

bool nonnegative(const Block<RealEntry>& block) {
  return std::all_of(block.entries.begin(), block.entries.end(),
                     [](const RealEntry& entry) { return entry.value.hi >= 0; });
}
bool nonnegative(const Block<ComplexEntry>&) { return false; }

// Relative to a permanent without negative entries, what their errors add up to.
double perturbation(const Scaled& scaled) {
  double log_factor = 0;
  for (const double error : scaled.relative_error) log_factor += std::log1p(error);
  return std::expm1(log_factor) * (1 + 0x1p-40);
}

template <class Entry>
Sum sum_of_fields(const Block<Entry>& block, const RyserPlan& given, Precision precision, const RunOptions& run,
                  const gpu::Precompiled& precompiled, const gpu::TaskRunner& runner, GpuReport& report) {
  constexpr bool is_complex = std::is_same_v<Entry, ComplexEntry>;
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_sum(block);
  if (has_empty_line(block.pattern)) return {};
  require_plan(block.pattern, given);
  Stopwatch stopwatch;
  gpu::KernelInput input;
  input.numbers.arithmetic = arithmetic_of(precision, is_complex);
  const bool wide = input.numbers.components() > (is_complex ? 2 : 1);
  input.magnitudes = magnitudes_of(block, [](EdgeId) { return 1.0; });
  RyserPlan order = tame_plan(block, given);
  input.numbers.floors = !nonnegative(block);
  report.precompiled =
      precompiled(operations(gpu::plan_precompiled(input.magnitudes, order, input.numbers, 0)), input.numbers);
  const auto places = static_cast<double>(input.magnitudes.magnitude.size());
  const bool has_ends = !is_complex && !wide && static_cast<double>(block.entries.size()) >= dense * places;
  Scaled scaled;
  for (;;) {
    input.numbers.unit_special = true;
    input.numbers.ends = has_ends && !input.numbers.floors && !report.precompiled;
    input.plan = report.precompiled
                     ? gpu::plan_precompiled(input.magnitudes, order, input.numbers, 0)
                     : gpu::plan_walk(input.magnitudes, order, input.numbers, run.seed, resolve_num_threads(run));
    scaled = scale_entries(block, input.plan.order, wide, log2_ratio);
    if (!input.numbers.floors) {
      if (perturbation(scaled) < poor_perturbation) break;
      input.numbers.floors = true;
    } else {
      if (!poor_special(scaled, input.plan.order)) break;
      order.bit_column.push_back(order.special_column);
      order.special_column = unmatched;
    }
  }
  input.numbers.unit_special = scaled.unit_special;
  const auto n = static_cast<std::size_t>(input.magnitudes.size);
  const auto width = static_cast<std::size_t>(scaled.components);
  input.values.resize(n * n);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    auto& value = input.values[edges[id].row * n + edges[id].column];
    for (std::size_t c = 0; c < width; ++c) value[c] = scaled.value[id * width + c];
  }
  input.row_bound = scaled.row_bound;
  input.row_rms = scaled.row_rms;
  input.row_error = scaled.row_error;
  input.special_value = scaled.special_bound;
  input.special_error = scaled.special_error;
  input.skip_zeros = scaled.exact_zeros;
  settle_walk(input, report);
  report.plan_s += stopwatch.lap();

  const gpu::Kernel kernel =
      report.precompiled ? gpu::make_precompiled_kernel(input) : gpu::make_generated_kernel(input);
  report.compile_s = stopwatch.lap();
  gpu::TaskSums sums;
  sums.description = std::string(name_of(input.numbers.arithmetic));
  sums.record = [&](std::uint64_t, std::span<const std::byte> of_tasks) {
    PairwiseSum total;
    for (std::size_t at = 0; at < of_tasks.size(); at += kernel.out_bytes) {
      double out[5];
      std::memcpy(out, of_tasks.data() + at, sizeof out);
      total.add({{out[0], out[1]}, {out[2], out[3]}, out[4], 0});
    }
    return as_bytes(total.total());
  };
  sums.merge = merge_partial;
  Partial sum = as_partial(runner(kernel, report, sums));
  if (kernel.negated) {
    sum.re = -sum.re;
    sum.im = -sum.im;
  }
  const double size = std::hypot(sum.re.hi, sum.im.hi);
  const double bulk = std::ldexp(sum.magnitude, static_cast<int>(kernel.log2_size_scale));
  double leaf_error = bulk * kernel.error_per_size;
  if (!input.numbers.floors) leaf_error += (size + leaf_error) * perturbation(scaled) * (1 + 2 * poor_perturbation);
  // Magnitudes that left the range of their arithmetic bound nothing.
  if (!(bulk >= size * (1 - 0x1p-9))) leaf_error = infinity;
  // The scale is a product of at most 62 factors, each product within 2^-99.
  const double error = (leaf_error + size * 0x1p-92) * magnitude(scaled.scale) * (1 + 0x1p-40);
  const ComplexDoubleDouble value = ComplexDoubleDouble{sum.re, sum.im} * scaled.scale;
  const std::int64_t exponent = scaled.exponent - static_cast<std::int64_t>(input.plan.order.bit_column.size()) -
                                static_cast<std::int64_t>(kernel.doubled);
  Sum result;
  result.re = ScaledReal(value.re, exponent);
  result.im = ScaledReal(value.im, exponent);
  if (error > 0 || std::isnan(error)) {
    result.log2_error = std::isfinite(error) ? std::log2(error) + static_cast<double>(exponent) + 1e-9 : infinity;
  }
  return result;
}

gpu::TaskRunner runner_on(const std::vector<DeviceInfo>& devices, const RunOptions& run, Watch& watch) {
  if (devices.empty()) throw InputError("no device", "at least one");
  return [&, contexts = gpu::start_contexts(devices)](const gpu::Kernel& kernel, GpuReport& report,
                                                      const gpu::TaskSums& sums) {
    return gpu::run_tasks(kernel, devices, contexts, run, watch, report, sums);
  };
}

gpu::Precompiled choice_of(KernelKind kind, const std::vector<DeviceInfo>& devices) {
  return [kind, &devices](double operations, const gpu::Numbers& numbers) {
    if (kind == KernelKind::automatic) return gpu::precompiled_pays(operations, numbers, devices);
    const bool possible = std::all_of(devices.begin(), devices.end(), gpu::precompiled_for);
    if (kind == KernelKind::precompiled && !possible && built_with_cuda())
      throw Unable("no precompiled kernels for compute capability " + std::to_string(devices.front().major) + "." +
                   std::to_string(devices.front().minor) + " are in this build");
    return kind == KernelKind::precompiled;
  };
}

// A sum of 96 bits, two's complement.
Integer signed_sum(const std::byte* bytes) {
  std::array<std::uint32_t, 3> words;
  std::memcpy(words.data(), bytes, sizeof words);
  Integer sum;
  import_bits(sum, words.begin(), words.end(), 32, false);
  return words[2] >> 31 ? Integer(sum - (Integer(1) << 96)) : sum;
}

// Records of integers.
Bytes integers_as_bytes(const std::vector<Integer>& integers) {
  ByteWriter out;
  for (const Integer& integer : integers) {
    out.put(static_cast<std::uint8_t>(integer < 0));
    std::vector<std::uint8_t> magnitude;
    export_bits(Integer(abs(integer)), std::back_inserter(magnitude), 8, false);
    out.put_vector(magnitude);
  }
  return out.take();
}
std::vector<Integer> integers_of(const Bytes& record) {
  std::vector<Integer> integers;
  for (ByteReader in(record); !in.at_end();) {
    const bool negative = in.get<std::uint8_t>() != 0;
    const auto magnitude = in.get_vector<std::uint8_t>();
    Integer integer;
    import_bits(integer, magnitude.begin(), magnitude.end(), 8, false);
    integers.push_back(negative ? Integer(-integer) : integer);
  }
  return integers;
}
std::vector<Integer> plus(std::vector<Integer> a, const std::vector<Integer>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b.at(i);
  return a;
}

// Modulo primes; see precompiled.hpp.
Integer sum_by_primes(const gpu::KernelInput& input, double log2_bound, const gpu::TaskRunner& runner,
                      GpuReport& report) {
  const gpu::ExactKernel exact = gpu::make_precompiled_exact(input, log2_bound);
  const std::size_t num_primes = exact.primes.size();
  gpu::TaskSums sums;
  sums.description = "integers modulo " + std::to_string(num_primes) + " primes";
  // One integer for each prime.
  sums.record = [&](std::uint64_t task, std::span<const std::byte> of_tasks) {
    std::vector<Integer> totals(num_primes, 0);
    for (std::size_t at = 0; at < of_tasks.size(); at += exact.kernel.out_bytes, ++task) {
      const std::size_t first = task / exact.tasks_of_pass * exact.primes_of_pass;
      for (std::size_t i = 0; i < exact.primes_of_pass; ++i)
        totals[first + i] += signed_sum(of_tasks.data() + at + 12 * i);
    }
    return integers_as_bytes(totals);
  };
  sums.merge = [](const Bytes& earlier, const Bytes& later) {
    return integers_as_bytes(plus(integers_of(earlier), integers_of(later)));
  };
  const std::vector<Integer> totals = integers_of(runner(exact.kernel, report, sums));
  const std::uint64_t bits = input.plan.order.bit_column.size();
  std::vector<std::uint64_t> residues;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const std::uint64_t prime = exact.primes[i];
    Integer residue = (exact.kernel.negated ? Integer(-totals[i]) : totals[i]) % prime;
    if (residue < 0) residue += prime;
    residues.push_back(
        multiply_mod(static_cast<std::uint64_t>(residue), inverse_mod(power_mod(2, bits, prime), prime), prime));
  }
  const Integer result = chinese_remainder(residues, exact.primes);
  if (result != 0 && log2_abs(result) > log2_bound + 1e-6)
    throw DeviceError("residues came back of an integer above 2^" + std::to_string(log2_bound) +
                      ", which bounds the permanent: a device computes wrongly");
  return result;
}

// Modulo a power of two; see kernel_source.hpp.
Integer sum_by_words(const gpu::KernelInput& input, const gpu::TaskRunner& runner, GpuReport& report) {
  Stopwatch stopwatch;
  const gpu::Kernel kernel = gpu::make_generated_kernel(input);
  report.compile_s = stopwatch.lap();
  gpu::TaskSums sums;
  sums.description = "integers modulo 2^" + std::to_string(32 * input.numbers.words);
  sums.record = [&](std::uint64_t, std::span<const std::byte> of_tasks) {
    Integer total = 0;
    for (std::size_t at = 0; at < of_tasks.size(); at += kernel.out_bytes) {
      std::vector<std::uint32_t> words(kernel.out_bytes / 4);
      std::memcpy(words.data(), of_tasks.data() + at, kernel.out_bytes);
      Integer sum;
      import_bits(sum, words.begin(), words.end(), 32, false);
      total += sum;
    }
    return integers_as_bytes({total});
  };
  sums.merge = [](const Bytes& earlier, const Bytes& later) {
    return integers_as_bytes(plus(integers_of(earlier), integers_of(later)));
  };
  Integer total = integers_of(runner(kernel, report, sums)).at(0);
  const Integer modulus = Integer(1) << static_cast<unsigned>(32 * input.numbers.words);
  total %= modulus;
  if (total > modulus / 2) total -= modulus;
  if (kernel.negated) total = -total;
  const auto bits = static_cast<unsigned>(input.plan.order.bit_column.size());
  const Integer result = total >> bits;
  if (Integer(result << bits) != total)
    throw DeviceError("a sum over " + std::to_string(bits) + " bits came back that 2^" + std::to_string(bits) +
                      " does not divide: a device computes wrongly");
  return result;
}

}  // namespace

namespace gpu {

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunOptions& run,
                   const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report) {
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_exact(block);
  const double log2_bound = log2_permanent_bound(block);
  if (log2_bound == -infinity) return 0;
  require_plan(block.pattern, plan);
  Stopwatch stopwatch;
  gpu::KernelInput input;
  input.numbers.arithmetic = gpu::Arithmetic::exact;
  input.magnitudes = magnitudes_of(block, [&](EdgeId id) { return std::fabs(static_cast<double>(block.entries[id])); });
  // 2^bits times the permanent, and a sign.
  const double sum_bits = log2_bound + static_cast<double>(block.pattern.num_rows()) + 2;
  input.numbers.words = static_cast<int>(sum_bits / 32) + 1;
  input.numbers.unit_special = false;
  input.plan = gpu::plan_precompiled(input.magnitudes, plan, input.numbers, log2_bound);
  report.precompiled = precompiled(operations(input.plan), input.numbers);
  if (!report.precompiled)
    input.plan = gpu::plan_walk(input.magnitudes, plan, input.numbers, run.seed, resolve_num_threads(run));
  input.skip_zeros = true;
  const auto n = static_cast<std::size_t>(input.magnitudes.size);
  input.integers.assign(n * n, 0);
  const std::vector<Edge> edges = block.pattern.edges();
  bool unit = true;
  for (EdgeId id = 0; id < edges.size(); ++id) {
    input.integers[edges[id].row * n + edges[id].column] = block.entries[id];
    if (in_special_column(input.plan.order, edges[id])) unit = unit && block.entries[id] == 1;
  }
  input.numbers.unit_special = unit;
  settle_walk(input, report);
  report.plan_s += stopwatch.lap();
  return report.precompiled ? sum_by_primes(input, log2_bound, runner, report) : sum_by_words(input, runner, report);
}

RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunOptions& run,
                     const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report) {
  const Sum sum = sum_of_fields(block, plan, precision, run, precompiled, runner, report);
  return {sum.re, sum.log2_error};
}

ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunOptions& run, const Precompiled& precompiled, const TaskRunner& runner,
                        GpuReport& report) {
  const Sum sum = sum_of_fields(block, plan, precision, run, precompiled, runner, report);
  return {{sum.re, sum.im}, sum.log2_error};
}

}  // namespace gpu

Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const std::vector<DeviceInfo>& devices,
                        const RunOptions& run, Watch& watch, GpuReport* report, const GpuOptions& options) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, run, choice_of(options.kernels, devices), runner_on(devices, run, watch),
                         report ? *report : unused);
}

RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const std::vector<DeviceInfo>& devices, const RunOptions& run, Watch& watch,
                          GpuReport* report, const GpuOptions& options) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, precision, run, choice_of(options.kernels, devices),
                         runner_on(devices, run, watch), report ? *report : unused);
}

ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const std::vector<DeviceInfo>& devices, const RunOptions& run, Watch& watch,
                             GpuReport* report, const GpuOptions& options) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, precision, run, choice_of(options.kernels, devices),
                         runner_on(devices, run, watch), report ? *report : unused);
}

}  // namespace matchcount
