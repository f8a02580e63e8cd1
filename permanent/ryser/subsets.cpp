#include "permanent/ryser/subsets.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/cpu/forced_inline.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount::subsets {
namespace {

constexpr std::size_t most_sets = std::size_t{1} << (smallest_size - 1);

// Computes f(S) = sum over j in S of a[|S| - 1][j] f(S - j), for a few rows; entries by edge id.
template <class T>
MATCHCOUNT_INLINE T permanent_over_sets(const BipartiteGraph& pattern, const std::vector<T>& entries) {
  const Vertex n = pattern.num_rows();
  const std::size_t full = (std::size_t{1} << n) - 1;
  std::array<T, most_sets> f;
  std::fill_n(f.begin(), full + 1, T(0));
  f[0] = T(1);
  std::array<Vertex, most_sets> ones;
  ones[0] = 0;
  for (std::size_t set = 0; set < full; ++set) {
    if (set > 0) ones[set] = ones[set & (set - 1)] + 1;
    const T* entry = entries.data() + pattern.row_begin(ones[set]);
    for (const Vertex column : pattern.row(ones[set])) {
      const std::size_t bit = std::size_t{1} << column;
      if ((set & bit) == 0) f[set | bit] += f[set] * *entry;
      ++entry;
    }
  }
  return f[full];
}

// The same bits, sooner: a product's rounding error is one instruction there.
#ifdef MATCHCOUNT_ISA_X86
template <class T>
[[gnu::target("avx2,fma")]] T permanent_with_fma(const BipartiteGraph& pattern, const std::vector<T>& entries) {
  return permanent_over_sets(pattern, entries);
}
#endif

template <class T>
T permanent_of_small(const BipartiteGraph& pattern, const std::vector<T>& entries) {
#ifdef MATCHCOUNT_ISA_X86
  static const bool has_fma = detected_isa() >= Isa::avx2;
  if (has_fma) return permanent_with_fma(pattern, entries);
#endif
  return permanent_over_sets(pattern, entries);
}

template <class Entry>
using NumberOf = decltype(Entry{}.value);

DoubleDouble divided(DoubleDouble a, DoubleDouble b) { return a / b; }
ComplexDoubleDouble divided(ComplexDoubleDouble a, ComplexDoubleDouble b) {
  const DoubleDouble norm = b.re * b.re + b.im * b.im;
  const ComplexDoubleDouble product = a * ComplexDoubleDouble{b.re, -b.im};
  return {product.re / norm, product.im / norm};
}

// Rounds value to a multiple of the grid: the double or double-double that is kept goes to `parts`; returns the
// rounding's size.
double round_to_grid(DoubleDouble value, int grid_exponent, bool double_double, double* parts) {
  const double high = std::ldexp(std::nearbyint(std::ldexp(value.hi, -grid_exponent)), grid_exponent);
  const DoubleDouble rest = two_sum(value.hi - high, value.lo);
  parts[0] = high;
  if (!double_double) return std::fabs(rest.hi);
  const double low = std::ldexp(std::nearbyint(std::ldexp(rest.hi, 48 - grid_exponent)), grid_exponent - 48);
  parts[1] = low;
  return std::fabs(rest.hi - low) + std::fabs(rest.lo);
}

double sum_of_magnitudes(DoubleDouble a) { return std::fabs(a.hi); }
double sum_of_magnitudes(ComplexDoubleDouble a) { return std::fabs(a.re.hi) + std::fabs(a.im.hi); }
DoubleDouble scaled_by(DoubleDouble a, int e) { return ldexp(a, e); }
ComplexDoubleDouble scaled_by(ComplexDoubleDouble a, int e) { return ldexp(a, e); }

double own_magnitude(DoubleDouble value) { return value.hi; }
double own_magnitude(const ComplexDoubleDouble& value) { return magnitude(value); }

// Rounds one entry; the components go to parts.
double round_entry(DoubleDouble a, int grid, bool double_double, double* parts) {
  return round_to_grid(a, grid, double_double, parts);
}
double round_entry(ComplexDoubleDouble a, int grid, bool double_double, double* parts) {
  return round_to_grid(a.re, grid, double_double, parts) +
         round_to_grid(a.im, grid, double_double, parts + (double_double ? 2 : 1));
}

// Holds, by row, |re| + |im| of the entries outside the special column, and the special entry.
template <class Entry>
struct RowSizes {
  std::vector<double> sum;
  std::vector<std::optional<Entry>> special;
};
template <class Entry>
RowSizes<Entry> row_sizes(const Block<Entry>& block, const RyserPlan& plan) {
  const Vertex n = block.pattern.num_rows();
  const std::vector<Edge> edges = block.pattern.edges();
  RowSizes<Entry> rows{std::vector<double>(n, 0), std::vector<std::optional<Entry>>(n)};
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Vertex row = plan_row(plan, edges[id]);
    if (in_special_column(plan, edges[id]))
      rows.special[row] = block.entries[id];
    else
      rows.sum[row] += sum_of_magnitudes(block.entries[id].value);
  }
  return rows;
}

// Says whether rows may be divided by their special entries.
template <class Entry>
bool may_divide(const RowSizes<Entry>& rows, double log2_ratio) {
  double log2_spread = 0;
  for (std::size_t row = 0; row < rows.sum.size(); ++row) {
    if (!rows.special[row]) continue;
    const double ratio = rows.sum[row] / sum_of_magnitudes(rows.special[row]->value);
    if (!(std::fabs(std::log2(ratio)) < log2_ratio)) return false;
    log2_spread += std::fabs(std::log2(ratio));
  }
  return log2_spread < 10 * log2_ratio;
}

// RowScale holds a row's divisor, its special entry or a power of two, and the grid that its entries are rounded to
// then.
template <class Entry>
struct RowScale {
  std::optional<Entry> divisor;
  int shift = 0;
  int grid = 0;
};
template <class Entry>
std::vector<RowScale<Entry>> row_scales(const RowSizes<Entry>& rows, bool divide) {
  constexpr bool is_complex = std::is_same_v<NumberOf<Entry>, ComplexDoubleDouble>;
  std::vector<RowScale<Entry>> scales(rows.sum.size());
  for (std::size_t row = 0; row < scales.size(); ++row) {
    RowScale<Entry>& scale = scales[row];
    double bound = rows.sum[row];
    const auto& special = rows.special[row];
    if (divide && special) {
      scale.divisor = special;
      // |re q| + |im q| <= sqrt(2) |q|, and |special| is at least its own such sum over sqrt(2).
      bound = bound / sum_of_magnitudes(special->value) * (is_complex ? 2 : 1);
    } else {
      if (bound > 0)
        scale.shift = std::ilogb(bound) + 1;
      else if (special)
        scale.shift = std::ilogb(sum_of_magnitudes(special->value)) + 1;
      bound = std::ldexp(bound, -scale.shift);
    }
    scale.grid = (bound > 0 ? std::ilogb(bound * 1.0001) + 1 : 0) - 53;
  }
  return scales;
}

// An entry over its row's scale, not rounded yet, and what it may differ from the truth.
template <class Number>
struct Quotient {
  Number value;
  double uncertainty;
};
template <class Entry>
Quotient<NumberOf<Entry>> over_scale(const Entry& entry, const RowScale<Entry>& scale, bool is_special) {
  using Number = NumberOf<Entry>;
  constexpr double input_uncertainty = 0x1p-100;
  double uncertainty = input_uncertainty * std::max(entry.magnitude, sum_of_magnitudes(entry.value));
  if (!scale.divisor) return {scaled_by(entry.value, -scale.shift), std::ldexp(uncertainty, -scale.shift)};
  uncertainty /= magnitude(scale.divisor->value);
  if (is_special) return {Number(1.0), uncertainty};
  const Number value = divided(entry.value, scale.divisor->value);
  return {value, uncertainty + 0x1p-97 * sum_of_magnitudes(value)};
}

// Writes the entries, and by row how large they are and how wrong.
template <class Entry>
void round_entries(const Block<Entry>& block, const RyserPlan& plan, const std::vector<RowScale<Entry>>& scales,
                   bool double_double, ScaledEntries& c) {
  const std::size_t n = scales.size(), width = static_cast<std::size_t>(c.components);
  const std::vector<Edge> edges = block.pattern.edges();
  c.value.assign(edges.size() * width, 0);
  for (auto* of_rows : {&c.row_bound, &c.row_rms, &c.row_error, &c.special_bound, &c.special_error, &c.relative_error})
    of_rows->assign(n, 0);
  std::vector<double> squares(n, 0);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Vertex row = plan_row(plan, edges[id]);
    const bool is_special = in_special_column(plan, edges[id]);
    auto [value, uncertainty] = over_scale(block.entries[id], scales[row], is_special);
    double* parts = c.value.data() + id * width;
    if (is_special) {
      // The special entry is no part of a row sum: it is rounded to the arithmetic's own precision only.
      double largest = sum_of_magnitudes(value);
      uncertainty += round_entry(value, std::ilogb(largest) + 1 - 53, double_double, parts);
      c.special_bound[row] = largest;
      c.special_error[row] = uncertainty * (1 + 0x1p-40);
      c.relative_error[row] = std::max(c.relative_error[row], uncertainty / magnitude(value));
    } else {
      uncertainty += round_entry(value, scales[row].grid, double_double, parts);
      const double size = magnitude(value);
      c.row_bound[row] += sum_of_magnitudes(value);
      squares[row] += size * size;
      c.row_error[row] += uncertainty * (1 + 0x1p-40);
      c.relative_error[row] = std::max(c.relative_error[row], uncertainty / size);
    }
  }
  double largest_error = 0;
  for (std::size_t row = 0; row < n; ++row) {
    c.row_bound[row] *= 1 + 0x1p-40;
    c.row_rms[row] = std::sqrt(squares[row]);
    if (c.row_error[row] > 0) largest_error = std::max(largest_error, c.row_error[row] / c.row_rms[row]);
  }
  c.exact_zeros = largest_error < 0x1p-82;
}

}  // namespace

void require_square(const BipartiteGraph& pattern, std::size_t num_entries) {
  if (pattern.num_rows() != pattern.num_columns() || num_entries != pattern.num_edges()) {
    throw InputError(std::to_string(pattern.num_rows()) + " x " + std::to_string(pattern.num_columns()) +
                         " block with " + std::to_string(num_entries) + " entries",
                     "a square block with one entry an edge");
  }
  if (pattern.num_rows() > largest_size) {
    throw Unable("inclusion-exclusion is limited to n = " + std::to_string(largest_size) +
                 ", this block has n = " + std::to_string(pattern.num_rows()));
  }
}

bool has_empty_line(const BipartiteGraph& pattern) {
  for (Vertex v = 0; v < pattern.num_rows(); ++v) {
    if (pattern.row(v).empty() || pattern.column(v).empty()) return true;
  }
  return false;
}

bool in_special_column(const RyserPlan& plan, const Edge& edge) {
  return plan.special_column != unmatched && (plan.transposed ? edge.row : edge.column) == plan.special_column;
}
Vertex plan_row(const RyserPlan& plan, const Edge& edge) { return plan.transposed ? edge.column : edge.row; }

void require_plan(const BipartiteGraph& pattern, const RyserPlan& plan) {
  const Vertex n = pattern.num_rows();
  std::vector<bool> used(n, false);
  auto use = [&](Vertex column) {
    if (column >= n || used[column]) throw InputError("a plan for another matrix", "a plan of this block");
    used[column] = true;
  };
  for (const Vertex column : plan.bit_column) use(column);
  use(plan.fixed_column);
  if (plan.special_column != unmatched) use(plan.special_column);
  if (std::find(used.begin(), used.end(), false) != used.end())
    throw InputError("a plan for another matrix", "a plan of this block");
}

std::vector<std::uint64_t> primes_for(double log2_bound) {
  return matchcount::primes_for(std::max(log2_bound, 0.0), std::uint64_t{1} << 50);
}

double balanced_residue(std::int64_t value, std::uint64_t prime) {
  const std::uint64_t residue = residue_of(value, prime);
  return residue > prime / 2 ? -static_cast<double>(prime - residue) : static_cast<double>(residue);
}

Integer small_exact(const Block<std::int64_t>& block) {
  // A bound on every sum of products of some first rows, as no row's sum counts less than 1.
  constexpr double largest_in_word = 0x1p62;
  double bound = 1;
  for (Vertex row = 0; row < block.pattern.num_rows(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < block.pattern.row(row).size(); ++i)
      sum += std::fabs(static_cast<double>(block.entries[block.pattern.row_begin(row) + i]));
    bound *= std::max(1.0, sum);
  }
  if (bound < largest_in_word) return permanent_over_sets(block.pattern, block.entries);
  return permanent_over_sets(block.pattern, std::vector<Integer>(block.entries.begin(), block.entries.end()));
}

template <class Entry>
RyserPlan tame_plan(const Block<Entry>& block, const RyserPlan& plan) {
  if (plan.special_column == unmatched) return plan;
  std::vector<double> sum(block.pattern.num_rows(), 0), special(block.pattern.num_rows(), 0);
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    auto& target = in_special_column(plan, edges[id]) ? special : sum;
    target[plan_row(plan, edges[id])] += sum_of_magnitudes(block.entries[id].value);
  }
  RyserPlan tame = plan;
  for (std::size_t row = 0; row < sum.size(); ++row) {
    if (sum[row] > 0 && special[row] > 0x1p300 * sum[row]) {
      tame.bit_column.push_back(plan.special_column);
      tame.special_column = unmatched;
      break;
    }
  }
  return tame;
}

template <class Entry>
ScaledEntries scale_entries(const Block<Entry>& block, const RyserPlan& plan, bool double_double, double log2_ratio) {
  constexpr bool is_complex = std::is_same_v<NumberOf<Entry>, ComplexDoubleDouble>;
  const RowSizes<Entry> rows = row_sizes(block, plan);
  ScaledEntries c;
  c.components = (is_complex ? 2 : 1) * (double_double ? 2 : 1);
  c.unit_special = plan.special_column != unmatched && may_divide(rows, log2_ratio);
  const std::vector<RowScale<Entry>> scales = row_scales(rows, c.unit_special);
  round_entries(block, plan, scales, double_double, c);
  for (const RowScale<Entry>& scale : scales) {
    c.row_shift.push_back(scale.shift);
    c.exponent += scale.shift;
    if (!scale.divisor) continue;
    c.scale *= ComplexDoubleDouble(scale.divisor->value);
    const int e = std::ilogb(magnitude(c.scale));
    c.scale = ldexp(c.scale, -e);
    c.exponent += e;
  }
  return c;
}

template <class Entry>
Sum small_sum(const Block<Entry>& block) {
  // Every permutation's product meets at most n (n + 2) roundings of 2^-100 (complex: of 2^-98), and its entries' own.
  using Number = NumberOf<Entry>;
  const BipartiteGraph& pattern = block.pattern;
  const Vertex n = pattern.num_rows();
  std::vector<double> size(block.entries.size());
  for (std::size_t i = 0; i < size.size(); ++i) {
    size[i] = std::max(block.entries[i].magnitude, sum_of_magnitudes(block.entries[i].value));
  }
  std::vector<int> shift(n, 0);
  std::int64_t exponent = 0;
  for (Vertex row = 0; row < n; ++row) {
    double largest = 0;
    for (EdgeId edge = pattern.row_begin(row); edge < pattern.row_begin(row) + pattern.row(row).size(); ++edge) {
      largest = std::max(largest, size[edge]);
    }
    if (largest == 0) return {};
    shift[row] = -std::ilogb(largest);
    exponent -= shift[row];
  }
  std::vector<Number> scaled(size.size());
  for (Vertex row = 0; row < n; ++row) {
    for (EdgeId edge = pattern.row_begin(row); edge < pattern.row_begin(row) + pattern.row(row).size(); ++edge) {
      const bool as_is = shift[row] == 0;
      scaled[edge] = as_is ? block.entries[edge].value : scaled_by(block.entries[edge].value, shift[row]);
      if (!as_is) size[edge] = std::ldexp(size[edge], shift[row]);
    }
  }
  const Number value = permanent_of_small(pattern, scaled);
  const double bound =
      is_own_magnitude(block.entries) ? own_magnitude(value) * (1 + 0x1p-20) : permanent_of_small(pattern, size);
  Sum sum;
  const ComplexDoubleDouble complex_value(value);
  sum.re = ScaledReal(complex_value.re, exponent);
  sum.im = ScaledReal(complex_value.im, exponent);
  if (bound > 0 && n > 0) {
    sum.log2_error = std::log2(bound * (n * (n + 3)) * 0x1p-97) + static_cast<double>(exponent) + 1e-9;
  }
  return sum;
}

void Partial::add(const Partial& later) {
  re = re + later.re;
  im = im + later.im;
  magnitude += later.magnitude;
  skipped += later.skipped;
}

void PairwiseSum::add(Partial value) {
  for (auto& level : levels_) {
    if (!level) {
      level = value;
      return;
    }
    level->add(value);
    value = *std::exchange(level, std::nullopt);
  }
}

Partial PairwiseSum::total() const {
  Partial sum;
  for (const auto& level : levels_) {
    if (!level) continue;
    Partial earlier = *level;
    earlier.add(sum);
    sum = earlier;
  }
  return sum;
}

template ScaledEntries scale_entries(const Block<RealEntry>&, const RyserPlan&, bool, double);
template ScaledEntries scale_entries(const Block<ComplexEntry>&, const RyserPlan&, bool, double);
template RyserPlan tame_plan(const Block<RealEntry>&, const RyserPlan&);
template RyserPlan tame_plan(const Block<ComplexEntry>&, const RyserPlan&);
template Sum small_sum(const Block<RealEntry>&);
template Sum small_sum(const Block<ComplexEntry>&);

}  // namespace matchcount::subsets
