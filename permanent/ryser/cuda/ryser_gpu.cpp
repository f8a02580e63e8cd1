#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/numbers/residue.hpp"
#include "core/stopwatch.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/costs.hpp"
#include "permanent/ryser/cpu/ryser_program.hpp"
#include "permanent/ryser/cuda/kernel_source.hpp"
#include "permanent/ryser/cuda/kernel_sum.hpp"
#include "permanent/ryser/cuda/walk_plan.hpp"
#include "permanent/ryser/exact_cells.hpp"
#include "permanent/ryser/ryser_gpu.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount {

namespace {

using namespace subsets;

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
// A permanent without negative entries is bounded by floors beyond this perturbation by the entries' roundings.
constexpr double poor_perturbation = 0x1p-24;

int walk_bits(const gpu::WalkPlan& plan, int most) {
  const auto bits = static_cast<int>(plan.order.bit_column.size());
  const int wanted = static_cast<int>(log2_operations_of_chunk - std::log2(std::max(plan.operations_per_leaf, 0.5)));
  return std::max(plan.inner_bits, std::min({wanted, most, bits - log2_wanted_chunks}));
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

// Decides, once the order is known, what was left to decide and what the report tells.
void settle_walk(gpu::KernelInput& input, GpuReport& report, int most_walk_bits = largest_walk) {
  input.walk_bits = walk_bits(input.plan, most_walk_bits);
  report.inner_bits = input.plan.inner_bits;
  report.operations_per_leaf = input.plan.operations_per_leaf;
  report.log2_leaves = static_cast<double>(input.plan.order.bit_column.size());
}

gpu::Arithmetic arithmetic_of(Precision precision, bool is_complex) {
  const bool wide = precision == Precision::double_double || precision == Precision::automatic ||
                    (is_complex && precision == Precision::compensated);
  if (is_complex) return wide ? gpu::Arithmetic::complex_double : gpu::Arithmetic::complex;
  return wide                                  ? gpu::Arithmetic::double_double
         : precision == Precision::compensated ? gpu::Arithmetic::compensated
                                               : gpu::Arithmetic::real;
}

// Says whether some special entry is too small beside the uncertainty of its row.
bool poor_special(const ScaledEntries& scaled, const RyserPlan& plan) {
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

// Returns, relative to a permanent without negative entries, what their errors add up to.
double perturbation(const ScaledEntries& scaled) {
  double log_factor = 0;
  for (const double error : scaled.relative_error) log_factor += std::log1p(error);
  return std::expm1(log_factor) * (1 + 0x1p-40);
}

// Describes all that sums of its tasks depend on.
std::string description_of(const gpu::Kernel& kernel) {
  Hash hash;
  hash.add_text(kernel.source);
  hash.add_text(kernel.name);
  hash.add(kernel.threads);
  hash.add(kernel.num_chunks);
  for (const auto& bytes : kernel.data) hash.add_bytes(bytes);
  return "kernel " + hash.hex().substr(0, 16);
}

// Chooses the order and what is carried, and scales the entries for them: with floors under row sums where signs, or
// errors of entries, ask for them, and without a special column where its entries are too small.
template <class Entry>
ScaledEntries choose_walk(const Block<Entry>& block, const RyserPlan& given, const RunContext& run,
                          gpu::KernelInput& input) {
  constexpr bool is_complex = std::is_same_v<Entry, ComplexEntry>;
  const bool wide = input.numbers.components() > (is_complex ? 2 : 1);
  input.magnitudes = magnitudes_of(block, [](EdgeId) { return 1.0; });
  RyserPlan order = tame_plan(block, given);
  input.numbers.floors = !nonnegative(block);
  const auto places = static_cast<double>(input.magnitudes.magnitude.size());
  const bool has_ends = !is_complex && !wide && static_cast<double>(block.entries.size()) >= dense * places;
  for (;;) {
    input.numbers.unit_special = true;
    input.numbers.ends = has_ends && !input.numbers.floors;
    input.plan = gpu::plan_walk(input.magnitudes, order, input.numbers, run.options().seed, run.num_threads());
    ScaledEntries scaled = scale_entries(block, input.plan.order, wide, log2_ratio);
    if (!input.numbers.floors) {
      if (perturbation(scaled) < poor_perturbation) return scaled;
      input.numbers.floors = true;
    } else {
      if (!poor_special(scaled, input.plan.order)) return scaled;
      order.bit_column.push_back(order.special_column);
      order.special_column = unmatched;
    }
  }
}

// The entries, as the kernel's matrix, and what is known of its rows.
void put_entries(const BipartiteGraph& pattern, const ScaledEntries& scaled, gpu::KernelInput& input) {
  input.numbers.unit_special = scaled.unit_special;
  const auto n = static_cast<std::size_t>(input.magnitudes.size);
  const auto width = static_cast<std::size_t>(scaled.components);
  input.values.resize(n * n);
  const std::vector<Edge> edges = pattern.edges();
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
}

// Names the work whose progress is reported.
void set_progress(const RyserPlan& order, gpu::TaskSums& sums) {
  sums.method = to_string(order.variant);
  sums.amount = std::exp2(order.bit_column.size());
}

// Sums all tasks of a kernel, before the scale.
Partial sum_of_tasks(const gpu::Kernel& kernel, gpu::Arithmetic arithmetic, const RyserPlan& order,
                     const RunContext& run, const gpu::TaskRunner& runner, GpuReport& report) {
  gpu::TaskSums sums;
  set_progress(order, sums);
  sums.job.name = run.part();
  sums.job.description = std::string(name_of(arithmetic)) + " on GPUs, " + description_of(kernel);
  sums.job.num_pieces = kernel.num_tasks;
  sums.job.merge = added_records<Partial>;
  sums.record = [&](std::span<const std::byte> of_tasks) {
    PairwiseSum total;
    for (std::size_t at = 0; at < of_tasks.size(); at += kernel.out_bytes) {
      double out[5];
      std::memcpy(out, of_tasks.data() + at, sizeof out);
      total.add({{out[0], out[1]}, {out[2], out[3]}, out[4], 0});
    }
    return to_bytes(total.total());
  };
  Partial sum = from_bytes<Partial>(runner(kernel, report, sums));
  if (kernel.negated) {
    sum.re = -sum.re;
    sum.im = -sum.im;
  }
  return sum;
}

// Returns the sum, back at the block's scale, with the bound on its error.
Sum with_bound(const Partial& sum, const gpu::Kernel& kernel, const gpu::KernelInput& input,
               const ScaledEntries& scaled) {
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

template <class Entry>
Sum sum_of_fields(const Block<Entry>& block, const RyserPlan& given, Precision precision, const RunContext& run,
                  const gpu::TaskRunner& runner, GpuReport& report) {
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_sum(block);
  if (has_empty_line(block.pattern)) return {};
  require_plan(block.pattern, given);
  Stopwatch stopwatch;
  gpu::KernelInput input;
  input.numbers.arithmetic = arithmetic_of(precision, std::is_same_v<Entry, ComplexEntry>);
  const ScaledEntries scaled = choose_walk(block, given, run, input);
  put_entries(block.pattern, scaled, input);
  settle_walk(input, report);
  report.plan_s += stopwatch.lap();

  const gpu::Kernel kernel = gpu::make_kernel(input);
  report.compile_s = stopwatch.lap();
  return with_bound(sum_of_tasks(kernel, input.numbers.arithmetic, input.plan.order, run, runner, report), kernel,
                    input, scaled);
}

gpu::TaskRunner runner_on(const std::vector<DeviceInfo>& devices, const RunContext& run) {
  if (devices.empty()) throw InputError("no device", "at least one");
  return
      [&, contexts = start_contexts(devices)](const gpu::Kernel& kernel, GpuReport& report, const gpu::TaskSums& sums) {
        return gpu::run_tasks(kernel, devices, contexts, run, report, sums);
      };
}

// Reads two's complement, of so many bytes: a multiple of 4.
Integer signed_integer(const std::byte* bytes, std::size_t size) {
  std::vector<std::uint32_t> words(size / 4);
  std::memcpy(words.data(), bytes, size);
  Integer value = from_magnitude(words);
  return words.back() >> 31 ? value - (Integer(1) << 8 * size) : value;
}

// Counts the words of 32 bits for integers of at most 2^log2_bound and their sign.
int words_for(double log2_bound) { return static_cast<int>((log2_bound + 2) / 32) + 1; }

// Sums all cells modulo a power of two; see kernel_source.hpp.
Bytes sum_of_cells(const gpu::KernelInput& input, const Cells& cells, const RunContext& run,
                   const gpu::TaskRunner& runner, GpuReport& report) {
  Stopwatch stopwatch;
  const gpu::Kernel kernel = gpu::make_kernel(input);
  report.compile_s = stopwatch.lap();
  gpu::TaskSums sums;
  set_progress(input.plan.order, sums);
  sums.job = cells_job(cells, run);
  sums.tasks_of_piece = kernel.num_tasks / cells.num_cells();
  sums.record = [&](std::span<const std::byte> of_tasks) {
    Integer total = 0;
    for (std::size_t at = 0; at < of_tasks.size(); at += kernel.out_bytes)
      total += signed_integer(of_tasks.data() + at, kernel.out_bytes);
    return cell_record(kernel.negated ? Integer(-total) : total, cells.modulus);
  };
  return runner(kernel, report, sums);
}

}  // namespace

GpuCost gpu_cost(const BipartiteGraph& pattern, const RyserPlan& plan, WeightKind kind, Precision precision,
                 double log2_bound, const std::vector<DeviceInfo>& devices) {
  namespace costs = ryser_costs::gpu;
  // Summed on the host: there are fewer bits than a block of a kernel has.
  if (pattern.num_rows() < subsets::smallest_size)
    return {plan.operations_per_leaf, static_cast<double>(plan.bit_column.size()), costs::start_s};
  gpu::Numbers numbers;
  const bool wide = precision == Precision::double_double || precision == Precision::automatic;
  if (kind == WeightKind::complex)
    numbers.arithmetic = precision == Precision::float64 ? gpu::Arithmetic::complex : gpu::Arithmetic::complex_double;
  else if (kind == WeightKind::real)
    numbers.arithmetic = wide ? gpu::Arithmetic::double_double : gpu::Arithmetic::real;
  else
    numbers.arithmetic = gpu::Arithmetic::exact;
  gpu::WalkMatrix matrix;
  matrix.size = pattern.num_rows();
  matrix.magnitude.assign(std::size_t{matrix.size} * matrix.size, 0);
  // Entries as large as the bound makes them on the whole.
  double log2_rows = 0;
  for (Vertex row = 0; row < matrix.size; ++row)
    log2_rows += std::log2(std::max<double>(1, static_cast<double>(pattern.row(row).size())));
  const double entry = std::exp2(std::max(0.0, (log2_bound - log2_rows) / std::max<double>(1, matrix.size)));
  for (const Edge& edge : pattern.edges())
    matrix.magnitude[std::size_t{edge.row} * matrix.size + edge.column] = std::min(entry, 0x1p62);
  if (numbers.exact()) numbers.words = static_cast<int>((log2_bound + matrix.size + 2) / 32) + 1;

  RyserPlan order = plan;
  if (order.special_column != unmatched && !numbers.has_pairs()) {
    order.bit_column.push_back(order.special_column);
    order.special_column = unmatched;
  }
  GpuCost cost;
  cost.log2_leaves = static_cast<double>(order.bit_column.size());
  cost.operations_per_leaf = std::numeric_limits<double>::infinity();
  const int most = order.variant == Method::sparyser ? 0 : std::min<int>(4, static_cast<int>(cost.log2_leaves));
  for (int bits = 0; bits <= most; ++bits)
    cost.operations_per_leaf = std::min(cost.operations_per_leaf, gpu::walk_cost(matrix, order, bits, numbers));
  cost.seconds =
      costs::start_s + costs::search_s + costs::least_compile_s +
      cost.operations_per_leaf * std::exp2(cost.log2_leaves) / (costs::efficiency * operations_per_second(devices));
  if (numbers.exact()) cost.seconds += costs::compile_s_of_square_word * numbers.words * numbers.words;
  return cost;
}

namespace gpu {

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunContext& run,
                   const TaskRunner& runner, GpuReport& report) {
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_exact(block);
  const double log2_bound = log2_sum_bound(block);
  if (log2_bound == -infinity) return 0;
  require_plan(block.pattern, plan);
  Stopwatch stopwatch;
  gpu::KernelInput input;
  input.numbers.arithmetic = gpu::Arithmetic::exact;
  input.magnitudes = magnitudes_of(block, [&](EdgeId id) { return std::fabs(static_cast<double>(block.entries[id])); });
  // 2^bits times the permanent.
  const int own_words = words_for(log2_bound + static_cast<double>(block.pattern.num_rows()));
  input.numbers.words = own_words;
  input.numbers.unit_special = false;
  input.plan = gpu::plan_walk(input.magnitudes, plan, input.numbers, run.options().seed, run.num_threads());
  input.skip_zeros = true;
  const auto n = static_cast<std::size_t>(input.magnitudes.size);
  input.integers.assign(n * n, 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) input.integers[edges[id].row * n + edges[id].column] = block.entries[id];
  settle_walk(input, report);

  constexpr int log2_threads = std::countr_zero(gpu::Kernel::most_threads);
  const auto bits = static_cast<int>(input.plan.order.bit_column.size());
  const int cell_bits = std::min(bits, std::max(smallest_cell, input.walk_bits + log2_threads));
  const Integer own_modulus = Integer(1) << static_cast<unsigned>(32 * own_words);
  const Cells mine = cells_of(input.plan.order, cell_bits, own_modulus);
  const Cells cells = agreed_cells(block.pattern, log2_bound, run, [&] { return mine; });
  if (cells != mine) {
    if (cells.modulus != own_modulus) input.numbers.words = words_for(log2_cell_bound(block, cells));
    input.plan = gpu::plan_walk_within(input.magnitudes, arranged(input.plan.order, cells), input.numbers,
                                       run.options().seed, run.num_threads(), cells.cell_bits());
    settle_walk(input, report, cells.num_cells() == 1 ? largest_walk : cells.cell_bits() - log2_threads);
  }
  input.numbers.unit_special = std::all_of(edges.begin(), edges.end(), [&, id = EdgeId{0}](const Edge& edge) mutable {
    const std::int64_t entry = block.entries[id++];
    return !in_special_column(input.plan.order, edge) || entry == 1;
  });
  report.plan_s += stopwatch.lap();
  return permanent_of(sum_of_cells(input, cells, run, runner, report), cells, log2_bound);
}

RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunContext& run,
                     const TaskRunner& runner, GpuReport& report) {
  const Sum sum = sum_of_fields(block, plan, precision, run, runner, report);
  return {sum.re, sum.log2_error};
}

ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunContext& run, const TaskRunner& runner, GpuReport& report) {
  const Sum sum = sum_of_fields(block, plan, precision, run, runner, report);
  return {{sum.re, sum.im}, sum.log2_error};
}

}  // namespace gpu

Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const std::vector<DeviceInfo>& devices,
                        const RunContext& run, GpuReport* report) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, run, runner_on(devices, run), report ? *report : unused);
}

RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const std::vector<DeviceInfo>& devices, const RunContext& run, GpuReport* report) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, precision, run, runner_on(devices, run), report ? *report : unused);
}

ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const std::vector<DeviceInfo>& devices, const RunContext& run, GpuReport* report) {
  GpuReport unused;
  return gpu::kernel_sum(block, plan, precision, run, runner_on(devices, run), report ? *report : unused);
}

}  // namespace matchcount
