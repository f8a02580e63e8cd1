#include "permanent/ryser/cuda/precompiled.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/numbers/integer.hpp"
#include "core/numbers/residue.hpp"
#include "permanent/ryser/cuda/row_errors.hpp"
#include "permanent/ryser/cuda/walk_frame.hpp"
#include "permanent/ryser/subsets.hpp"

namespace matchcount::gpu {
namespace {

// The share of a device's peak that precompiled kernels reach: 0.41 (dense, double) to 0.95 (complex double-double) on
// an H200, at n = 27 to 36.
constexpr double precompiled_efficiency = 0.45;
constexpr double least_compile_s = 0.15;
// Products of integers are written out word by word: NVRTC took 0.8 s at 6 words, 17 to 27 s at 40 on a busy machine.
constexpr double compile_s_of_square_word = 0.006;

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 48;
constexpr double checking_bits = 20;
constexpr std::size_t most_primes = 4;  // of a pass
// Products in a double that residues are multiplied by (precompiled_walk.cuh), less what log2 rounds.
constexpr double exact_bits = 48.999;
// Row sums of a block of threads: several blocks are to fit into a multiprocessor.
constexpr std::size_t wanted_shared_bytes = 48 << 10;

int low_bits(const Numbers& numbers) { return numbers.exact() || numbers.is_doubled() ? 2 : 3; }

// By arithmetic.
constexpr const char* kernel_names[] = {"sum_real", "sum_compensated", "sum_double_double", "sum_complex",
                                        "sum_complex_double"};

// Rows in the kernel's order, in groups.
struct Layout {
  std::vector<int> row;        // of the plan, by place
  std::vector<int> first_row;  // by group, and the end
  std::array<int, WalkFrame::num_sections + 1> first_group{};
  bool residues = false;  // exact: row sums do not fit

  int rows_of(int section) const {
    return first_row[static_cast<std::size_t>(first_group[static_cast<std::size_t>(section) + 1])] -
           first_row[static_cast<std::size_t>(first_group[static_cast<std::size_t>(section)])];
  }
  int groups_of(int section) const {
    return first_group[static_cast<std::size_t>(section) + 1] - first_group[static_cast<std::size_t>(section)];
  }
};

Layout lay_out(const WalkMatrix& matrix, const RyserPlan& order, const Numbers& numbers) {
  const Vertex n = matrix.size;
  Layout layout;
  std::vector<int> section(n);
  std::vector<double> bits(n);  // exact: log2 of row sum and special entry
  const std::size_t num_low = std::min(static_cast<std::size_t>(low_bits(numbers)), order.bit_column.size());
  for (Vertex row = 0; row < n; ++row) {
    bool moving = order.variant == Method::ryser;
    for (std::size_t bit = 0; bit < num_low; ++bit)
      moving = moving || matrix.at(row, order.bit_column[bit], order.transposed) != 0;
    const bool special =
        order.special_column != unmatched && matrix.at(row, order.special_column, order.transposed) != 0;
    section[row] = special ? (moving ? WalkFrame::special_moving : WalkFrame::special_still)
                           : (moving ? WalkFrame::plain_moving : WalkFrame::plain_still);
    double sum = 0;
    for (Vertex column = 0; column < n; ++column) sum += matrix.at(row, column, order.transposed);
    bits[row] = std::log2(std::max(sum, 1.0));
    layout.residues = layout.residues || (numbers.exact() && bits[row] > exact_bits);
  }
  for (int s = 0; s < WalkFrame::num_sections; ++s) {
    layout.first_group[static_cast<std::size_t>(s)] = static_cast<int>(layout.first_row.size());
    double filled = std::numeric_limits<double>::infinity();
    const bool special = s == WalkFrame::special_still || s == WalkFrame::special_moving;
    for (Vertex row = 0; row < n; ++row) {
      if (section[row] != s) continue;
      // Pairs of reals: the whole section forms one group.
      const double size = numbers.exact() ? (layout.residues ? 1 : bits[row] / exact_bits)
                          : special       ? 0
                                          : 1.0 / WalkFrame::field_group;
      if (filled + size > 1) {
        layout.first_row.push_back(static_cast<int>(layout.row.size()));
        filled = 0;
      }
      filled += size;
      layout.row.push_back(static_cast<int>(row));
    }
  }
  layout.first_group.back() = static_cast<int>(layout.first_row.size());
  layout.first_row.push_back(static_cast<int>(layout.row.size()));
  return layout;
}

// Additions and multiplications of a leaf, of one pass: the kernel's text counted, loads and loops included roughly.
double pass_operations(const WalkMatrix& matrix, const RyserPlan& order, const Numbers& numbers, const Layout& layout,
                       std::size_t primes) {
  double flip = 6, plain = 2, special = 3, plain_group = 3, special_group = 0, leaf = 10;
  switch (numbers.arithmetic) {
    case Arithmetic::double_double:
      flip = 9, plain = 16, special = 70, plain_group = 11, leaf = 100;
      break;
    case Arithmetic::complex:
      flip = 9, plain = 6, plain_group = 8, leaf = 20;
      break;
    case Arithmetic::complex_double:
      flip = 15, plain = 90, plain_group = 90, leaf = 250;
      break;
    case Arithmetic::exact:
      special = 4, plain_group = 5.0 * static_cast<double>(primes);
      special_group = 21.0 * static_cast<double>(primes), leaf = 25.0 * static_cast<double>(primes);
      break;
    default:
      break;
  }
  const auto rows = [&](int plain_section, int special_section) {
    return plain * layout.rows_of(plain_section) + special * layout.rows_of(special_section) +
           plain_group * layout.groups_of(plain_section) + special_group * layout.groups_of(special_section);
  };
  const int low = low_bits(numbers);
  double block = 60 + rows(WalkFrame::plain_still, WalkFrame::special_still), often = 1;
  for (std::size_t bit = static_cast<std::size_t>(low); bit < order.bit_column.size(); ++bit) {
    often /= 2;
    double touched = 0;
    for (Vertex row = 0; row < matrix.size; ++row)
      touched += matrix.at(row, order.bit_column[bit], order.transposed) != 0;
    block += often * (touched * flip + 20);
  }
  return rows(WalkFrame::plain_moving, WalkFrame::special_moving) + leaf + block / (1 << low);
}

struct Passes {
  std::vector<std::uint64_t> primes;
  std::size_t primes_of_pass = 1;
  double operations = 0;  // of a leaf, all passes

  std::size_t count() const { return primes.size() / primes_of_pass; }
};

Passes plan_passes(const WalkMatrix& matrix, const RyserPlan& order, const Numbers& numbers, const Layout& layout,
                   double log2_bound) {
  const double bits = log2_bound + checking_bits;
  std::vector<std::uint64_t> candidates =
      primes_below(prime_limit, static_cast<std::size_t>((bits + 1) / 47.99) + 2 + most_primes);
  const std::size_t needed = primes_needed(bits, candidates);
  Passes best;
  for (std::size_t count = 1; count <= (layout.residues ? 1 : most_primes); ++count) {
    const std::size_t passes = (needed + count - 1) / count;
    const double operations = static_cast<double>(passes) * pass_operations(matrix, order, numbers, layout, count);
    if (best.primes.empty() || operations < best.operations) {
      best.primes.assign(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(passes * count));
      best.primes_of_pass = count;
      best.operations = operations;
    }
  }
  return best;
}

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// WalkBuilder holds what both kinds of numbers have in common.
class WalkBuilder {
 public:
  WalkBuilder(const KernelInput& input, const Layout& layout)
      : in_(input), order_(input.plan.order), layout_(layout), n_(input.magnitudes.size) {}

  WalkFrame frame() const {
    WalkFrame frame{};
    frame.rows = static_cast<int>(n_);
    frame.bits = static_cast<int>(order_.bit_column.size());
    frame.walk_bits = in_.walk_bits;
    frame.has_special = order_.special_column != unmatched;
    frame.unit_special = in_.numbers.unit_special;
    frame.floors = in_.numbers.floors;
    frame.skip_zeros = in_.skip_zeros && order_.variant != Method::ryser;
    std::copy(layout_.first_group.begin(), layout_.first_group.end(), frame.first_group);
    std::copy(layout_.first_row.begin(), layout_.first_row.end(), frame.first_row);
    return frame;
  }

  // Appends rows in the order of places: number(row, column) as bytes; base and columns, twice the entries in the
  // latter.
  template <class Append>
  void append_rows(std::vector<std::byte>& base, std::vector<std::byte>& columns, std::vector<std::byte>& special,
                   const Append& append_combination) const {
    for (const int row : layout_.row) {
      std::vector<std::pair<std::size_t, int>> terms{{place(row, order_.fixed_column), 1}};
      for (const Vertex column : order_.bit_column) terms.emplace_back(place(row, column), -1);
      append_combination(base, terms);
      if (order_.special_column != unmatched)
        append_combination(special, {{place(row, order_.special_column), 1}});
      else
        append_combination(special, {});
    }
    for (const Vertex column : order_.bit_column) {
      for (const int row : layout_.row) append_combination(columns, {{place(row, column), 2}});
    }
  }

  // Sets frame.first_touched.
  std::vector<std::byte> touched(WalkFrame& frame) const {
    std::vector<std::byte> list;
    for (std::size_t bit = 0; bit < order_.bit_column.size(); ++bit) {
      frame.first_touched[bit] = static_cast<int>(list.size());
      for (std::size_t at = 0; at < n_; ++at) {
        if (in_.magnitudes.magnitude[place(layout_.row[at], order_.bit_column[bit])] != 0)
          list.push_back(static_cast<std::byte>(at));
      }
    }
    frame.first_touched[order_.bit_column.size()] = static_cast<int>(list.size());
    return list;
  }

  // Threads, shared memory and chunks, for rows of so many bytes. Sets frame.log2_pass_chunks.
  void size(Kernel& kernel, WalkFrame& frame, std::size_t row_bytes, std::size_t passes) const {
    kernel.threads = Kernel::most_threads;
    while (kernel.threads > 32 && kernel.threads * n_ * row_bytes > wanted_shared_bytes) kernel.threads /= 2;
    kernel.shared_bytes =
        static_cast<unsigned>((kernel.threads + static_cast<unsigned>(low_bits(in_.numbers)) + 1) * n_ * row_bytes);
    frame.log2_pass_chunks = std::max(frame.bits - frame.walk_bits, std::countr_zero(kernel.threads));
    kernel.num_chunks = std::uint64_t{passes} << frame.log2_pass_chunks;
    kernel.passes = passes;
    kernel.negated = frame.bits % 2 != 0;
    append(kernel.parameter, frame);
  }

 private:
  std::size_t place(int row, Vertex column) const {
    const auto r = static_cast<std::size_t>(row);
    return order_.transposed ? std::size_t{column} * n_ + r : r * n_ + column;
  }

  const KernelInput& in_;
  const RyserPlan& order_;
  const Layout& layout_;
  std::size_t n_;
};

using Terms = std::vector<std::pair<std::size_t, int>>;

}  // namespace

double compile_seconds(const Numbers& numbers) {
  return least_compile_s + (numbers.exact() ? compile_s_of_square_word * numbers.words * numbers.words : 0);
}

double precompiled_seconds(double operations, const std::vector<DeviceInfo>& devices) {
  if (!std::all_of(devices.begin(), devices.end(), precompiled_for)) return std::numeric_limits<double>::infinity();
  return operations / (precompiled_efficiency * operations_per_second(devices));
}

bool precompiled_pays(double operations, const Numbers& numbers, const std::vector<DeviceInfo>& devices) {
  const double seconds = precompiled_seconds(operations, devices);
  return seconds < (kernel_compiler_found() ? compile_seconds(numbers) : std::numeric_limits<double>::infinity());
}

WalkPlan plan_precompiled(const WalkMatrix& matrix, const RyserPlan& order, const Numbers& numbers, double log2_bound) {
  WalkPlan plan{order, low_bits(numbers), 0};
  if (order.special_column != unmatched && !numbers.has_pairs()) {
    plan.order.bit_column.push_back(order.special_column);
    plan.order.special_column = unmatched;
  }
  const Layout layout = lay_out(matrix, plan.order, numbers);
  plan.operations_per_leaf = numbers.exact() ? plan_passes(matrix, plan.order, numbers, layout, log2_bound).operations
                                             : pass_operations(matrix, plan.order, numbers, layout, 0);
  return plan;
}

Kernel make_precompiled_kernel(const KernelInput& input) {
  const Layout layout = lay_out(input.magnitudes, input.plan.order, input.numbers);
  const WalkBuilder builder(input, layout);
  WalkFrame frame = builder.frame();
  std::uint64_t plain_rows = 0, special_rows = 0;
  const auto rows_of_group = [&](int group) {
    std::uint64_t set = 0;
    const auto g = static_cast<std::size_t>(group);
    for (int at = layout.first_row[g]; at < layout.first_row[g + 1]; ++at)
      set |= std::uint64_t{1} << layout.row[static_cast<std::size_t>(at)];
    return set;
  };
  const int num_groups = frame.first_group[WalkFrame::num_sections];
  const auto is_plain = [&](int group) {
    return (group >= frame.first_group[WalkFrame::plain_still] &&
            group < frame.first_group[WalkFrame::plain_still + 1]) ||
           group >= frame.first_group[WalkFrame::plain_moving];
  };
  for (int group = 0; group < num_groups; ++group)
    (is_plain(group) ? plain_rows : special_rows) |= rows_of_group(group);
  RowErrors errors(input, special_rows);
  for (int group = 0; group < num_groups; ++group) {
    if (is_plain(group)) errors.include(rows_of_group(group));
  }
  double skipped = 1 << low_bits(input.numbers);
  for (int group = 0; group < num_groups; ++group) {
    const std::uint64_t rows = rows_of_group(group);
    if (is_plain(group)) {
      frame.scale[group] = input.numbers.floors ? errors.scale(rows) : 1;
      frame.floor[group] = errors.floor_of(rows);
    }
    if (group < frame.first_group[WalkFrame::special_moving]) continue;
    double bound = is_plain(group) ? frame.scale[group] : 1;
    for (std::uint64_t rest = rows; rest != 0; rest &= rest - 1) {
      const auto row = static_cast<std::size_t>(std::countr_zero(rest));
      bound *= input.row_bound[row] + (is_plain(group) ? 0 : input.special_value[row]);
    }
    skipped *= bound + (is_plain(group) ? frame.floor[group] : 0);
  }
  frame.skipped_size = skipped * (1 + 0x1p-40);

  const auto components = static_cast<std::size_t>(input.numbers.components());
  std::vector<std::byte> base, columns, special;
  builder.append_rows(base, columns, special, [&](std::vector<std::byte>& out, const Terms& terms) {
    std::array<double, 4> sum{};
    for (const auto& [at, factor] : terms) {
      for (std::size_t c = 0; c < components; ++c) sum[c] += factor * input.values[at][c];
    }
    for (std::size_t c = 0; c < components; ++c) append(out, sum[c]);
  });
  Kernel kernel;
  kernel.name = kernel_names[static_cast<int>(input.numbers.arithmetic)];
  kernel.out_bytes = 5 * sizeof(double);
  std::vector<std::byte> touched = builder.touched(frame);
  kernel.data = {std::move(base), std::move(columns), std::move(special), {}, std::move(touched)};
  builder.size(kernel, frame, components * sizeof(double), 1);
  // Roundings of a leaf: three for a row's product, one for its group's; a block's own products, its sum of leaves, and
  // sums over a few blocks and over chunks.
  const double depth = 4.0 * static_cast<double>(input.magnitudes.size) + 64;
  kernel.log2_size_scale = input.numbers.floors ? -errors.log2_scale(plain_rows) : 0;
  kernel.error_per_size = errors.error_per_size(depth * input.numbers.unit_roundoff());
  return kernel;
}

ExactKernel make_precompiled_exact(const KernelInput& input, double log2_bound) {
  const Layout layout = lay_out(input.magnitudes, input.plan.order, input.numbers);
  const Passes passes = plan_passes(input.magnitudes, input.plan.order, input.numbers, layout, log2_bound);
  const WalkBuilder builder(input, layout);
  WalkFrame frame = builder.frame();
  std::vector<std::byte> base, columns, special, moduli;
  for (const std::uint64_t prime : passes.primes) {
    append(moduli, static_cast<double>(prime));
    append(moduli, 1 / static_cast<double>(prime));
  }
  // Residues modulo each prime, or integers as they are.
  for (const std::uint64_t prime : layout.residues ? passes.primes : std::vector<std::uint64_t>{0}) {
    const auto number = [&](std::int64_t value) {
      return prime == 0 ? value : static_cast<std::int64_t>(subsets::balanced_residue(value, prime));
    };
    builder.append_rows(base, columns, special, [&](std::vector<std::byte>& out, const Terms& terms) {
      std::int64_t sum = 0;  // of at most 62 residues below 2^49
      for (const auto& [at, factor] : terms) sum += factor * number(input.integers[at]);
      append(out, static_cast<double>(number(sum)));
    });
  }
  ExactKernel exact;
  exact.primes = passes.primes;
  exact.primes_of_pass = passes.primes_of_pass;
  Kernel& kernel = exact.kernel;
  kernel.name = layout.residues ? "sum_residues" : "sum_exact_" + std::to_string(passes.primes_of_pass);
  kernel.out_bytes = 12 * passes.primes_of_pass;
  std::vector<std::byte> touched = builder.touched(frame);
  kernel.data = {std::move(base), std::move(columns), std::move(special), std::move(moduli), std::move(touched)};
  builder.size(kernel, frame, sizeof(double), passes.count());
  return exact;
}

}  // namespace matchcount::gpu
