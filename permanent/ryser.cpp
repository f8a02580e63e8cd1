// What surrounds the inner loops: the numbers that go in, the residues or real sums that come out, and the error bound.
//
// Signs instead of sets: with every column's sign d_j = +-1, the fixed column's +1, N the number of other columns
// outside the special one,
//   perm(A) = 2^-N sum over d of (prod_j d_j) F1(x(d)),   x_i(d) = sum_{j != c} d_j a_ij,
//   F1(x) = sum_i a_ic prod_{k != i} x_k   (without a special column c: prod_k x_k).
// These are twice the row sums of Nijenhuis and Wilf, so integers stay integers; 2^-N is exact modulo odd primes.
//
// The error bound for reals. Each row is scaled by a power of two to R_i = sum_{j != c} |a_ij| in [1/2, 1), or, where
// that is tame, by 1 / a_ic. Its entries are then rounded to multiples of 2^-53 (double-double: high parts so, low
// parts to multiples of 2^-101) times the power of two above R_i, so that every sum of them with any signs is exact. No
// error builds up along the walk; what is left is
//   (1) the entries: |a*_ij - a_ij| <= D_ij, known: the rounding that was made, plus what the input is uncertain by;
//   (2) the roundings of products, at most `depth` of them between a row sum and a block's sum, each at most u relative
//   to the
//       magnitudes that are multiplied and added (u = 2^-53; 2^-102 for double-double; 4 times that for complex);
//   (3) the sums over blocks, chunks and lanes.
// Beside each product the kernel carries Y = prod_i y_i, y_i = max(|x_i|, f_i), with the floor f_i a quarter of the
// root of sum_j a_ij^2, which is what x_i is over random signs; this costs little of Y and makes an error of x_i small
// against y_i: e_i = sum_{j != c} D_ij / f_i. Every monomial of F1 is |a_ic| prod_{k != i} |x_k| <= (|a_ic| / f_i) Y,
// so with K = sum_i |a_ic| / f_i, K' = sum_i D_ic / f_i (1 and 0 without a special column) the leaf's true and computed
// terms differ by
//   at most Y (prod_i (1 + e_i) ((1 + u)^depth K + K') - K).
// Sums of it over all leaves give the bound. (3) is at most 2^-80 Y K for sums by two_sum; three levels of
// double-double sums add 400 to the depth. Underflow is below all of this: Y >= 2^-372, since f_i >= 2^-6, and a
// product that underflows errs by at most 2^-1074. Skipped subtrees have Y at most the node's Y times 2^bits prod R_i:
// such terms are computed as 0, as they are without skipping, and belong to the same bound. To keep that sharp, reals
// skip only where the entries are exact to 2^-80 (integers and short binary fractions), where their e_i is tiny.

#include "permanent/ryser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/modular.hpp"
#include "permanent/bound.hpp"
#include "permanent/cpu/ryser_program.hpp"

namespace matchcount {
namespace {

namespace kernel = ryser_kernel;

constexpr Vertex largest_size = 62;
// Below this size (and the bits that the kernels unroll) subsets are summed directly.
constexpr Vertex smallest_size = 9;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t prime_limit = std::uint64_t{1} << 50;

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

// f(S) = sum over j in S of a[|S| - 1][j] f(S - j), for a few rows.
template <class T, class EntryOf>
T permanent_of_small(const BipartiteGraph& pattern, const EntryOf& entry_of) {
  const Vertex n = pattern.num_rows();
  std::vector<T> f(std::size_t{1} << n, T(0.0));
  f[0] = T(1.0);
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

// Columns of the plan as rows of the pattern, where it is transposed.
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

// ---- Exact.

Integer small_exact(const Block<std::int64_t>& block) {
  return permanent_of_small<Integer>(block.pattern, [&](Vertex, EdgeId edge) { return Integer(block.entries[edge]); });
}

std::uint64_t residue_of(double balanced, std::uint64_t prime) {
  const auto value = static_cast<std::int64_t>(balanced);
  return value < 0 ? prime - static_cast<std::uint64_t>(-value) : static_cast<std::uint64_t>(value);
}

double balanced_residue(std::int64_t value, std::uint64_t prime) {
  const auto p = static_cast<std::int64_t>(prime);
  std::int64_t r = value % p;
  if (r > p / 2) r -= p;
  if (r < -(p / 2)) r += p;
  return static_cast<double>(r);
}

// Entries and bounds as they are; row_bound above 2^50 means that the exact arithmetic does not apply.
kernel::Coefficients exact_coefficients(const Block<std::int64_t>& block, const RyserPlan& plan) {
  const Vertex n = block.pattern.num_rows();
  kernel::Coefficients c;
  c.row_bound.assign(n, 0);
  c.special_bound.assign(n, 0);
  c.skip_zeros = true;
  c.exact = true;
  c.unit_special = true;
  const std::vector<Edge> edges = block.pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const auto value = static_cast<double>(block.entries[id]);
    c.value.push_back(value);
    if (in_special_column(plan, edges[id])) {
      c.special_bound[plan_row(plan, edges[id])] = std::fabs(value);
      c.unit_special = c.unit_special && value == 1;
    } else {
      c.row_bound[plan_row(plan, edges[id])] += std::fabs(value);
    }
  }
  return c;
}

struct Residues {
  std::vector<std::uint64_t> primes;
  std::vector<std::uint64_t> totals;  // sums over all leaves
};

void add_residues(const kernel::ChunkSum& sum, std::size_t first, std::size_t count, Residues& residues) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t prime = residues.primes[first + k];
    std::uint64_t& total = residues.totals[first + k];
    for (const double residue : sum.residue[k]) total = (total + residue_of(residue, prime)) % prime;
  }
}

// ---- Reals and complex numbers.

struct Scaled {
  kernel::Coefficients coefficients;
  double product_error = 0;        // prod (1 + e_i) - 1
  double special_weight = 1;       // K
  double special_error = 0;        // K'
  ComplexDoubleDouble scale{1.0};  // perm = scale * 2^exponent * sum over leaves
  std::int64_t exponent = 0;
};

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

template <class Entry>
using NumberOf = decltype(Entry{}.value);

// The plan, with the special column as one more bit where some row is so small outside it that the scaled special entry
// might overflow a product.
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

// Scales and rounds the entries, and gathers what the error bound needs.
template <class Entry>
Scaled scale_entries(const Block<Entry>& block, const RyserPlan& plan, bool double_double) {
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
  // Division by the special entry saves a multiplication a row and leaf; only where the row sums stay near 1.
  double log2_spread = 0;
  bool unit = has_special;
  for (Vertex row = 0; row < n && unit; ++row) {
    if (!special[row]) continue;
    const double size = sum_of_magnitudes(special[row]->value);
    const double ratio = sum[row] / size;
    unit = ratio > 0x1p-10 && ratio < 0x1p10;
    if (unit) log2_spread += std::fabs(std::log2(ratio));
  }
  unit = unit && log2_spread < 100;

  Scaled out;
  kernel::Coefficients& c = out.coefficients;
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
      out.exponent += shift[row];
    }
    grid[row] = (bound > 0 ? std::ilogb(bound * 1.0001) + 1 : 0) - 53;
  }
  std::vector<double> squares(n, 0), errors(n, 0), special_errors(n, 0);
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
      special_errors[row] = uncertainty * (1 + 0x1p-40);
    } else {
      uncertainty += round_entry(value, grid[row], double_double, parts);
      const double size = magnitude(value);
      c.row_bound[row] += sum_of_magnitudes(value);
      squares[row] += size * size;
      errors[row] += uncertainty * (1 + 0x1p-40);
    }
  }
  out.special_weight = has_special ? 0 : 1;
  double largest_error = 0;
  double log_product = 0;
  c.floor.assign(n, 0);
  for (Vertex row = 0; row < n; ++row) {
    c.row_bound[row] *= 1 + 0x1p-40;
    c.floor[row] = std::sqrt(squares[row]) / 4;
    if (c.floor[row] == 0) c.floor[row] = std::max(c.special_bound[row], 0x1p-6);
    const double relative = errors[row] / c.floor[row];
    largest_error = std::max(largest_error, relative);
    log_product += std::log1p(relative);
    out.special_weight += c.special_bound[row] / c.floor[row];
    out.special_error += special_errors[row] / c.floor[row];
    if (unit && special[row]) {
      const ComplexDoubleDouble factor(special[row]->value);
      out.scale *= factor;
      const double size = magnitude(out.scale);
      const int e = std::ilogb(size);
      out.scale = ldexp(out.scale, -e);
      out.exponent += e;
    }
  }
  out.product_error = std::expm1(log_product);
  c.skip_zeros = largest_error < 0x1p-80;
  return out;
}

// Sums of chunks, added in pairs of equal size so that the error grows with the logarithm of their number.
struct Partial {
  DoubleDouble re, im;
  double magnitude = 0;
  double skipped = 0;
};
Partial operator+(const Partial& a, const Partial& b) {
  return {a.re + b.re, a.im + b.im, a.magnitude + b.magnitude, a.skipped + b.skipped};
}
class PairwiseSum {
 public:
  void add(Partial value) {
    for (auto& level : levels_) {
      if (!level) {
        level = value;
        return;
      }
      value = *level + value;
      level.reset();
    }
  }
  Partial total() const {
    Partial sum;
    for (const auto& level : levels_) {
      if (level) sum = *level + sum;
    }
    return sum;
  }

 private:
  std::array<std::optional<Partial>, 64> levels_;
};

struct Sum {
  ScaledReal re, im;
  double log2_error = -infinity;
};

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

template <class Entry>
Sum sum_reals(const Block<Entry>& block, const RyserPlan& given, Precision precision, const RunOptions& run,
              Watch& watch) {
  constexpr bool is_complex = std::is_same_v<NumberOf<Entry>, ComplexDoubleDouble>;
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_sum(block);
  if (has_empty_line(block.pattern)) return {};
  require_plan(block.pattern, given);
  const RyserPlan plan = tame_plan(block, given);
  const bool double_double = precision == Precision::double_double || precision == Precision::automatic ||
                             (is_complex && precision == Precision::compensated);
  const Scaled scaled = scale_entries(block, plan, double_double);
  const kernel::Kernels& kernels = kernel::kernels_for(run.max_isa);
  const auto arithmetic = is_complex
                              ? (double_double ? kernel::Arithmetic::complex_double : kernel::Arithmetic::complex)
                          : double_double                       ? kernel::Arithmetic::double_double
                          : precision == Precision::compensated ? kernel::Arithmetic::compensated
                                                                : kernel::Arithmetic::real;
  const kernel::BuiltProgram built(block.pattern, plan, scaled.coefficients, kernels.block_bits);
  const kernel::ChunkKernel chunk_kernel =
      kernels.field[static_cast<int>(arithmetic)][scaled.coefficients.unit_special ? 1 : 0];
  PairwiseSum total;
  kernel::for_each_chunk(built, chunk_kernel, run, watch, 0, 1, [&](const kernel::ChunkSum& sum) {
    Partial chunk;
    for (std::size_t lane = 0; lane < kernel::num_lanes; ++lane) {
      chunk.re += two_sum(sum.value[0][lane], sum.value[1][lane]);
      chunk.im += two_sum(sum.value[2][lane], sum.value[3][lane]);
      chunk.magnitude += sum.magnitude[lane];
      chunk.skipped += sum.skipped[lane];
    }
    total.add(chunk);
  });
  const Partial sum = total.total();

  const double unit_roundoff = (double_double ? 0x1p-102 : 0x1p-53) * (is_complex ? 4 : 1);
  const double depth = built.depth() + (double_double ? 500 : 0);
  const double products = std::expm1(depth * std::log1p(unit_roundoff));
  const double k = scaled.special_weight;
  const double per_magnitude = scaled.product_error * (k + scaled.special_error) + scaled.special_error +
                               (1 + scaled.product_error) * products * k + 0x1p-80 * (double_double ? 0 : k);
  const double leaf_error = (sum.magnitude + sum.skipped) * (1 + 0x1p-20) * per_magnitude;
  // The scale is a product of at most 62 factors, each product within 2^-99.
  const double size = std::hypot(sum.re.hi, sum.im.hi);
  const double error = (leaf_error + size * 0x1p-92) * magnitude(scaled.scale) * (1 + 0x1p-40);
  const ComplexDoubleDouble value = ComplexDoubleDouble{sum.re, sum.im} * scaled.scale;
  const std::int64_t exponent = scaled.exponent - built.num_bits();
  Sum result;
  result.re = ScaledReal(value.re, exponent);
  result.im = ScaledReal(value.im, exponent);
  if (error > 0) result.log2_error = std::log2(error) + static_cast<double>(exponent) + 1e-9;
  return result;
}

}  // namespace

Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const RunOptions& run, Watch& watch) {
  require_square(block.pattern, block.entries.size());
  if (block.pattern.num_rows() < smallest_size) return small_exact(block);
  const double log2_bound = log2_permanent_bound(block);
  if (log2_bound == -infinity) return 0;
  require_plan(block.pattern, plan);

  const std::vector<std::uint64_t> candidates =
      primes_below(prime_limit, static_cast<std::size_t>((log2_bound + 1) / 49.99) + 2);
  const std::size_t num_primes = primes_needed(log2_bound, candidates);
  Residues residues{{candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(num_primes)},
                    std::vector<std::uint64_t>(num_primes, 0)};
  const kernel::Kernels& kernels = kernel::kernels_for(run.max_isa);
  kernel::Coefficients coefficients = exact_coefficients(block, plan);
  const auto too_large = [](double bound) { return bound > 0x1p50; };
  const bool modular = std::any_of(coefficients.row_bound.begin(), coefficients.row_bound.end(), too_large) ||
                       std::any_of(coefficients.special_bound.begin(), coefficients.special_bound.end(), too_large);
  const std::size_t per_pass = modular ? 1 : kernel::max_primes;
  const std::size_t num_passes = (num_primes + per_pass - 1) / per_pass;
  for (std::size_t pass = 0; pass < num_passes; ++pass) {
    const std::size_t first = num_primes * pass / num_passes;
    const std::size_t count = num_primes * (pass + 1) / num_passes - first;
    if (modular) {
      coefficients.exact = false;
      coefficients.modulus = static_cast<double>(residues.primes[first]);
      for (std::size_t i = 0; i < block.entries.size(); ++i) {
        coefficients.value[i] = balanced_residue(block.entries[i], residues.primes[first]);
      }
    }
    kernel::BuiltProgram built(block.pattern, plan, coefficients, kernels.block_bits);
    built.set_primes(residues.primes.data() + first, static_cast<int>(count));
    const int unit = coefficients.unit_special ? 1 : 0;
    const kernel::ChunkKernel chunk_kernel =
        modular ? kernels.field[static_cast<int>(kernel::Arithmetic::modular)][unit] : kernels.exact[count - 1][unit];
    kernel::for_each_chunk(built, chunk_kernel, run, watch, static_cast<double>(pass), static_cast<double>(num_passes),
                           [&](const kernel::ChunkSum& sum) { add_residues(sum, first, count, residues); });
  }
  const auto num_bits = static_cast<std::uint64_t>(plan.bit_column.size());
  for (std::size_t k = 0; k < num_primes; ++k) {
    const std::uint64_t prime = residues.primes[k];
    residues.totals[k] = multiply_mod(residues.totals[k], inverse_mod(power_mod(2, num_bits, prime), prime), prime);
  }
  return chinese_remainder(residues.totals, residues.primes);
}

RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const RunOptions& run, Watch& watch) {
  const Sum sum = sum_reals(block, plan, precision, run, watch);
  return {sum.re, sum.log2_error};
}

ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const RunOptions& run, Watch& watch) {
  const Sum sum = sum_reals(block, plan, precision, run, watch);
  return {{sum.re, sum.im}, sum.log2_error};
}

}  // namespace matchcount
