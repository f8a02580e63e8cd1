// Let A be the real matrix, m its rows, D its diagonal and q the least eigenvalue of D^-1/2 A D^-1/2; that
// of a principal submatrix is not less. Elimination finds, whatever the set S, the factors of A_S + E, |E_ij| <= g_i
// sqrt(A_ii A_jj) for i >= j: an entry is summed to once for each row behind its own, its sums of products and all that
// is left on its way are not larger than that root. What a row is multiplied by is an inverse and a product, off by 2
// u, of double-doubles by 4.3 u, and products with it, and entries as doubles, are rounded once. So g_i = (m - 1 - i +
// 4) u, of double-doubles (m - 1 - i + 5.3) u, i from 0; all are below g = (m + 10) u (Demmel 1989, LAPACK working note
// 14). What A itself may differ by, scaled alike, has a Frobenius norm d. Eigenvalues of A_S^-1/2 E A_S^-1/2 are at
// most r = (m g + d) / q. With c_i = A_ii (A^-1)_ii, which is not less in a submatrix, its trace and its Frobenius norm
// are at most
//   t = (sum of g_i (c_i + 2 sqrt(c_i) (sum of sqrt(c_j), j < i))) + d (sum of c_i),
// so that |log det(A_S + E) - log det A_S| <= t + t^2 / (2 (1 - r)). The same of A with a row more, that of the loops
// v: where Q = v^T A^-1 v, which is not less than that of a submatrix, and e is the norm of what v may differ by,
// scaled by D^-1/2, v_S^T A_S^-1 v_S is right to
//   (sqrt(Q) + b)^2 / (1 - r) - Q,  b = (g sqrt(m Q) + e) / sqrt(q).
// Factors that modes multiply a term by, and sums of terms, are rounded in proportion to the sum of the terms'
// magnitudes, which is found beside them. For q: elimination finds numbers whose roots differ from those of c_i', which
// are the same of A + E, by at most g sqrt(m c_i' / q'), where q' >= 1 / (sum of c_i') and |q - q'| <= m g. (Proofs
// from factors as they were computed: Rump 2006, doi:10.1007/s10543-006-0056-1.)

#include "photonics/torontonian/cpu/torontonian_bound.hpp"

#include <algorithm>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/value.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"

namespace matchcount::torontonian_bound {
namespace {

namespace kernel = torontonian_kernel;

constexpr double most_exponent = 300;  // which keeps terms within doubles
// Counts what a row is multiplied by, products with that, and entries as doubles: see above.
template <class T>
constexpr double roundings_of_multiples = std::is_same_v<T, double> ? 4 : 5.3;

// Holds e_i^T A^-1 e_i for each row, and v^T A^-1 v.
struct Squares {
  double rows[4 * kernel::max_modes];
  double loops = 0;
};

// Eliminates A in doubles. Returns whether every pivot is above 0.
bool eliminate_in_doubles(const Problem& problem, const RunContext& run, Squares& found) {
  const std::size_t size = problem.size(), lanes = kernel::num_lanes, padded = (size + lanes - 1) / lanes * lanes;
  const std::size_t stride = 2 * padded + (problem.loops.empty() ? 0 : lanes);
  Room<1 << 12> room((size + 1) * stride);
  double *const squares = room.data(), *const rows = squares + stride;
  std::fill_n(squares, (size + 1) * stride, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) rows[i * stride + j] = problem.entries[i * (i + 1) / 2 + j].hi;
    rows[i * stride + padded + i] = 1;
    if (!problem.loops.empty()) rows[i * stride + 2 * padded] = problem.loops[i].hi;
  }
  const auto& kernels = kernels_for<kernel::Kernels>(run.options().max_isa);
  if (!kernels.eliminate(rows, static_cast<int>(size), static_cast<int>(stride), squares)) return false;
  std::copy_n(squares + padded, size, found.rows);
  if (!problem.loops.empty()) found.loops = squares[2 * padded];
  return true;
}

// The same in double-doubles.
bool eliminate(const Problem& problem, const RunContext& run, Squares& found) {
  const std::size_t size = problem.size();
  std::vector<DoubleDouble> a = problem.entries, vectors(size * size);
  for (std::size_t i = 0; i < size; ++i) vectors[i * (size + 1)] = 1;
  vectors.insert(vectors.end(), problem.loops.begin(), problem.loops.end());
  std::vector<double> squares(vectors.size() / size);
  for (std::size_t u = size; u-- > 0;) {
    if (u % 16 == 0) run.check();
    const DoubleDouble* pivots = a.data() + u * (u + 1) / 2;
    if (!(pivots[u].hi > 0)) return false;
    const DoubleDouble inverse = DoubleDouble(1) / pivots[u];
    const auto subtract = [&](DoubleDouble multiple, DoubleDouble* row, std::size_t count) {
      for (std::size_t j = 0; j < count; ++j) row[j] = row[j] - multiple * pivots[j];
    };
    for (std::size_t i = 0; i < u; ++i) subtract(pivots[i] * inverse, a.data() + i * (i + 1) / 2, i + 1);
    for (std::size_t k = 0; k < squares.size(); ++k) {
      DoubleDouble* vector = vectors.data() + k * size;
      if (vector[u] == DoubleDouble(0)) continue;
      const DoubleDouble multiple = vector[u] * inverse;
      squares[k] += (vector[u] * multiple).hi;
      subtract(multiple, vector, u);
    }
  }
  std::copy_n(squares.begin(), size, found.rows);
  if (!problem.loops.empty()) found.loops = squares.back();
  return true;
}

}  // namespace

template <class T>
bool find_bounds(Problem& problem, const RunContext& run) {
  Squares found;
  if (!(std::is_same_v<T, double> ? eliminate_in_doubles : eliminate)(problem, run, found)) return false;
  const std::size_t size = problem.size();
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += found.rows[i] * problem.diagonal(i).hi;
  Roundings roundings(problem, unit_of<T>);
  const double root = 1 / std::sqrt(sum * (1 + 0x1p-30)) - roundings.g * std::sqrt(roundings.size);
  problem.least = root * root - roundings.g * roundings.size;
  roundings = Roundings(problem, unit_of<T>);
  if (!(root > 0 && problem.least > 0 && roundings.r < 0.25)) return false;
  // An error found from a number that has it: four times that from the true one, where r is below 1/4, is above it.
  const auto most = [&](double square, double loops_error) {
    return (square + 4 * roundings.of_squares(problem.least, square, loops_error)) * (1 + 0x1p-30);
  };
  // The error of c_i is in proportion to it.
  const double more = most(1, 0);
  double roots = 0;
  problem.pairs = problem.squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double square = found.rows[i] * problem.diagonal(i).hi * more, root_of_it = std::sqrt(square);
    problem.pairs += (static_cast<double>(size - 1 - i) + roundings_of_multiples<T>)*(square + 2 * root_of_it * roots);
    problem.squares += square;
    roots += root_of_it;
  }
  if (problem.loops.empty()) return true;
  problem.exponent = problem.factor * most(found.loops, problem.loops_error);
  if (!(problem.exponent < most_exponent))
    throw Unable("a loop so large that terms of the loop torontonian reach exp(" + rounded_up(problem.exponent, 3) +
                 "): up to exp(300) is taken");
  return true;
}

template bool find_bounds<double>(Problem&, const RunContext&);
template bool find_bounds<DoubleDouble>(Problem&, const RunContext&);

}  // namespace matchcount::torontonian_bound
