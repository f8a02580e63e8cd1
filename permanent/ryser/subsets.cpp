#include "permanent/ryser/subsets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace matchcount::subsets {
namespace {

// f(S) = sum over j in S of a[|S| - 1][j] f(S - j), for a few rows.
template <class T, class EntryOf>
T permanent_of_small(const BipartiteGraph& pattern, const EntryOf& entry_of) {
  const Vertex n = pattern.num_rows();
  std::vector<T> f(std::size_t{1} << n, T(0));
  f[0] = T(1);
  for (std::size_t set = 0; set + 1 < f.size(); ++set) {
    const auto row = static_cast<Vertex>(std::popcount(set));
    EdgeId edge = pattern.row_begin(row);
    for (const Vertex column : pattern.row(row)) {
      const std::size_t bit = std::size_t{1} << column;
      if ((set & bit) == 0) f[set | bit] += f[set] * entry_of(row, edge);
      ++edge;
    }
  }
  return f.back();
}

template <class Entry>
using NumberOf = decltype(Entry{}.value);

DoubleDouble divided(DoubleDouble a, DoubleDouble b) { return a / b; }
ComplexDoubleDouble divided(ComplexDoubleDouble a, ComplexDoubleDouble b) {
  const DoubleDouble norm = b.re * b.re + b.im * b.im;
  const ComplexDoubleDouble product = a * ComplexDoubleDouble{b.re, -b.im};
  return {product.re / norm, product.im / norm};
}

// value as a multiple of the grid: the double or double-double that is kept goes to `parts`; returns the rounding's
// size.
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

// Rounds one entry; the components go to parts.
double round_entry(DoubleDouble a, int grid, bool double_double, double* parts) {
  return round_to_grid(a, grid, double_double, parts);
}
double round_entry(ComplexDoubleDouble a, int grid, bool double_double, double* parts) {
  return round_to_grid(a.re, grid, double_double, parts) +
         round_to_grid(a.im, grid, double_double, parts + (double_double ? 2 : 1));
}

Partial operator+(const Partial& a, const Partial& b) {
  return {a.re + b.re, a.im + b.im, a.magnitude + b.magnitude, a.skipped + b.skipped};
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
Integer small_exact(const Block<std::int64_t>& block) {
  return permanent_of_small<Integer>(block.pattern, [&](Vertex, EdgeId edge) { return Integer(block.entries[edge]); });
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
Scaled scale_entries(const Block<Entry>& block, const RyserPlan& plan, bool double_double, double log2_ratio) {
  using Number = NumberOf<Entry>;
  constexpr bool is_complex = std::is_same_v<Number, ComplexDoubleDouble>;
  constexpr double input_uncertainty = 0x1p-100;
  const Vertex n = block.pattern.num_rows();
  const std::vector<Edge> edges = block.pattern.edges();
  const bool has_special = plan.special_column != unmatched;

  std::vector<double> sum(n, 0);  // of |re| + |im| outside the special column
  std::vector<std::optional<Entry>> special(n);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Vertex row = plan_row(plan, edges[id]);
    if (in_special_column(plan, edges[id]))
      special[row] = block.entries[id];
    else
      sum[row] += sum_of_magnitudes(block.entries[id].value);
  }
  double log2_spread = 0;
  bool unit = has_special;
  for (Vertex row = 0; row < n && unit; ++row) {
    if (!special[row]) continue;
    const double size = sum_of_magnitudes(special[row]->value);
    const double ratio = sum[row] / size;
    unit = std::fabs(std::log2(ratio)) < log2_ratio;
    if (unit) log2_spread += std::fabs(std::log2(ratio));
  }
  unit = unit && log2_spread < 10 * log2_ratio;

  Scaled c;
  c.components = (is_complex ? 2 : 1) * (double_double ? 2 : 1);
  const auto width = static_cast<std::size_t>(c.components);
  c.unit_special = unit;
  c.value.assign(edges.size() * width, 0);
  c.row_bound.assign(n, 0);
  c.special_bound.assign(n, 0);
  std::vector<int> shift(n, 0), grid(n, 0);
  for (Vertex row = 0; row < n; ++row) {
    double bound = sum[row];
    if (unit && special[row]) {
      // |re q| + |im q| <= sqrt(2) |q|, and |special| is at least its own such sum over sqrt(2).
      bound = sum[row] / sum_of_magnitudes(special[row]->value) * (is_complex ? 2 : 1);
    } else {
      shift[row] = bound > 0 ? std::ilogb(bound) + 1
                             : (special[row] ? std::ilogb(sum_of_magnitudes(special[row]->value)) + 1 : 0);
      bound = std::ldexp(bound, -shift[row]);
      c.exponent += shift[row];
    }
    grid[row] = (bound > 0 ? std::ilogb(bound * 1.0001) + 1 : 0) - 53;
  }
  std::vector<double> squares(n, 0);
  c.row_rms.assign(n, 0);
  c.row_error.assign(n, 0);
  c.special_error.assign(n, 0);
  c.relative_error.assign(n, 0);
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Vertex row = plan_row(plan, edges[id]);
    const Entry& entry = block.entries[id];
    double* parts = c.value.data() + id * width;
    double uncertainty = input_uncertainty * std::max(entry.magnitude, sum_of_magnitudes(entry.value));
    Number value = entry.value;
    const bool is_special = in_special_column(plan, edges[id]);
    if (unit && special[row]) {
      const double size = magnitude(special[row]->value);
      uncertainty /= size;
      if (is_special) {
        value = Number(1.0);
      } else {
        value = divided(value, special[row]->value);
        uncertainty += 0x1p-97 * sum_of_magnitudes(value);
      }
    } else {
      value = scaled_by(value, -shift[row]);
      uncertainty = std::ldexp(uncertainty, -shift[row]);
    }
    if (is_special) {
      // Not part of a row sum: rounded to the arithmetic's own precision only.
      double largest = sum_of_magnitudes(value);
      uncertainty += round_entry(value, std::ilogb(largest) + 1 - 53, double_double, parts);
      c.special_bound[row] = largest;
      c.special_error[row] = uncertainty * (1 + 0x1p-40);
      c.relative_error[row] = std::max(c.relative_error[row], uncertainty / magnitude(value));
    } else {
      uncertainty += round_entry(value, grid[row], double_double, parts);
      const double size = magnitude(value);
      c.row_bound[row] += sum_of_magnitudes(value);
      squares[row] += size * size;
      c.row_error[row] += uncertainty * (1 + 0x1p-40);
      c.relative_error[row] = std::max(c.relative_error[row], uncertainty / size);
    }
  }
  double largest_error = 0;
  for (Vertex row = 0; row < n; ++row) {
    c.row_bound[row] *= 1 + 0x1p-40;
    c.row_rms[row] = std::sqrt(squares[row]);
    if (c.row_error[row] > 0) largest_error = std::max(largest_error, c.row_error[row] / c.row_rms[row]);
    if (unit && special[row]) {
      const ComplexDoubleDouble factor(special[row]->value);
      c.scale *= factor;
      const double size = magnitude(c.scale);
      const int e = std::ilogb(size);
      c.scale = ldexp(c.scale, -e);
      c.exponent += e;
    }
  }
  c.exact_zeros = largest_error < 0x1p-82;
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
  const auto value = permanent_of_small<Number>(
      pattern, [&](Vertex row, EdgeId edge) { return scaled_by(block.entries[edge].value, shift[row]); });
  const auto bound =
      permanent_of_small<double>(pattern, [&](Vertex row, EdgeId edge) { return std::ldexp(size[edge], shift[row]); });
  Sum sum;
  const ComplexDoubleDouble complex_value(value);
  sum.re = ScaledReal(complex_value.re, exponent);
  sum.im = ScaledReal(complex_value.im, exponent);
  if (bound > 0 && n > 0) {
    sum.log2_error = std::log2(bound * (n * (n + 3)) * 0x1p-97) + static_cast<double>(exponent) + 1e-9;
  }
  return sum;
}

void PairwiseSum::add(Partial value) {
  for (auto& level : levels_) {
    if (!level) {
      level = value;
      return;
    }
    value = *level + value;
    level.reset();
  }
}

Partial PairwiseSum::total() const {
  Partial sum;
  for (const auto& level : levels_) {
    if (level) sum = *level + sum;
  }
  return sum;
}

Bytes as_bytes(const Partial& sum) {
  ByteWriter out;
  for (const double part : {sum.re.hi, sum.re.lo, sum.im.hi, sum.im.lo, sum.magnitude, sum.skipped}) out.put(part);
  return out.take();
}

Partial as_partial(const Bytes& record) {
  ByteReader in(record);
  std::array<double, 6> parts;
  for (double& part : parts) part = in.get<double>();
  return {{parts[0], parts[1]}, {parts[2], parts[3]}, parts[4], parts[5]};
}

Bytes merge_partial(const Bytes& earlier, const Bytes& later) {
  return as_bytes(as_partial(earlier) + as_partial(later));
}

template Scaled scale_entries(const Block<RealEntry>&, const RyserPlan&, bool, double);
template Scaled scale_entries(const Block<ComplexEntry>&, const RyserPlan&, bool, double);
template RyserPlan tame_plan(const Block<RealEntry>&, const RyserPlan&);
template RyserPlan tame_plan(const Block<ComplexEntry>&, const RyserPlan&);
template Sum small_sum(const Block<RealEntry>&);
template Sum small_sum(const Block<ComplexEntry>&);

}  // namespace matchcount::subsets
