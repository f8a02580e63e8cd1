// The matrix is made real first. Where conj(O_ij) = O_(i+n, j+n) and conj(O_(i, j+n)) = O_(i+n, j), a unitary 2 x 2
// matrix on each mode (ladder operators to quadratures) does that, and leaves the determinants alone; else a complex
// entry becomes a 2 x 2 block of reals, whose determinants are squares, and a mode has four rows. The kernel eliminates
// without pivots, as Cholesky.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/amounts.hpp"
#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "photonics/torontonian/torontonian_sum.hpp"

namespace matchcount::torontonian_sum {
namespace {

// Diagonals of I - O between 2^-60 and 2^60 keep all numbers on the way within doubles.
constexpr double most_diagonal = 0x1p60;
// Holds entries of O, and what each may differ by.
struct Entries {
  std::size_t n = 0;  // modes
  std::vector<ComplexDoubleDouble> values, loops;
  std::vector<double> errors, loop_errors;
  std::size_t at(std::size_t i, std::size_t j) const { return i * 2 * n + j; }
};

// Returns |z| or up to half as much more.
double size_of(const ComplexDoubleDouble& z) { return (std::fabs(z.re.hi) + std::fabs(z.im.hi)) * (1 + 0x1p-40); }
// Returns what a number of this size may differ by that is right to entry_error.
double error_of(double size, double entry_error) { return (entry_error + 0x1p-100) * size + 0x1p-1000; }
ComplexDoubleDouble conj(const ComplexDoubleDouble& z) { return {z.re, -z.im}; }
ComplexDoubleDouble mean(const ComplexDoubleDouble& a, const ComplexDoubleDouble& b) {
  if (a == b) return a;
  const ComplexDoubleDouble sum = a + b;
  return {{sum.re.hi / 2, sum.re.lo / 2}, {sum.im.hi / 2, sum.im.lo / 2}};
}

// Finds the largest excess of |a - b| over a tolerance, and where.
struct Difference {
  double size = 0;
  std::size_t i = 0, j = 0;
  bool within = true;
  void look(const ComplexDoubleDouble& a, const ComplexDoubleDouble& b, const TorontonianOptions& options,
            std::size_t row, std::size_t column) {
    if (a == b) return;
    const double difference = magnitude(a - b);
    within = within && difference <= options.atol + options.rtol * std::max(magnitude(a), magnitude(b));
    if (!(difference > size)) return;
    size = difference;
    i = row;
    j = column;
  }
};

// Makes `values` Hermitian, which they are within the tolerance.
void make_hermitian(Entries& o, const TorontonianOptions& options) {
  Difference difference;
  for (std::size_t i = 0; i < 2 * o.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      ComplexDoubleDouble &a = o.values[o.at(i, j)], &b = o.values[o.at(j, i)];
      difference.look(a, conj(b), options, i, j);
      if (a == conj(b)) continue;
      const double half = size_of(a - conj(b)) / 2;
      a = mean(a, conj(b));
      b = conj(a);
      o.errors[o.at(i, j)] += half;
      o.errors[o.at(j, i)] = std::max(o.errors[o.at(i, j)], o.errors[o.at(j, i)] + half);
    }
  }
  if (difference.within) return;
  throw InputError("a matrix whose entries (" + std::to_string(difference.i + 1) + ", " +
                       std::to_string(difference.j + 1) + ") and (" + std::to_string(difference.j + 1) + ", " +
                       std::to_string(difference.i + 1) + "), counted from 1, are not conjugate, by " +
                       rounded_up(difference.size, 3),
                   "a Hermitian one: (O + O.conj().T) / 2, or a tolerance rtol or atol");
}

// Says whether ladder operators become quadratures.
bool is_physical(const Entries& o, const TorontonianOptions& options) {
  Difference difference;
  for (std::size_t i = 0; i < o.n; ++i) {
    if (!o.loops.empty()) difference.look(o.loops[i], conj(o.loops[i + o.n]), options, i, i);
    for (std::size_t j = 0; j < o.n; ++j) {
      difference.look(o.values[o.at(i, j)], conj(o.values[o.at(i + o.n, j + o.n)]), options, i, j);
      difference.look(o.values[o.at(i, j + o.n)], conj(o.values[o.at(i + o.n, j)]), options, i, j);
    }
  }
  return difference.within;
}

bool is_real(const Entries& o) {
  const auto real = [](const ComplexDoubleDouble& z) { return z.im.hi == 0; };
  return std::ranges::all_of(o.values, real) && std::ranges::all_of(o.loops, real);
}

// Requires that this may stand on the diagonal of a row of I - O.
void require_diagonal(double diagonal, std::size_t row) {
  if (!(diagonal > 0))
    throw InputError("I - O that is not positive definite: row " + std::to_string(row + 1) + " of it as reals has " +
                         std::to_string(diagonal) + " on the diagonal",
                     "eigenvalues of O below 1");
  if (!(diagonal >= 1 / most_diagonal && diagonal <= most_diagonal))
    throw Unable("a diagonal entry of I - O of " + rounded_up(diagonal, 3) + ": torontonians take 2^-60 to 2^60");
}

// Fills a problem from the entry of I - O at rows i >= j of the real matrix, and from that of its loops; both with what
// they may differ by.
template <class Entry, class Loop>
void fill(Problem& problem, bool has_loops, const Entry& entry, const Loop& loop) {
  const std::size_t size = problem.size();
  std::vector<double> inverse_roots(size), errors;
  errors.reserve(size * (size + 1) / 2);
  problem.entries.reserve(size * (size + 1) / 2);
  double squares = 0, loop_squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      auto [value, error] = entry(i, j);
      if (i == j) value = DoubleDouble(1) + value;
      problem.entries.push_back(value);
      errors.push_back(error + (i == j ? 0x1p-100 : 0));
    }
    const double diagonal = problem.entries.back().hi;
    require_diagonal(diagonal, i);
    inverse_roots[i] = 1 / std::sqrt(diagonal);
    for (std::size_t j = 0; j <= i; ++j) {
      const double scaled = errors[i * (i + 1) / 2 + j] * (inverse_roots[i] * inverse_roots[j]);
      squares += (i == j ? 1 : 2) * scaled * scaled;
    }
    if (!has_loops) continue;
    const auto [value, error] = loop(i);
    problem.loops.push_back(value);
    loop_squares += error * error / diagonal;
  }
  problem.entries_error = std::sqrt(squares) * (1 + 0x1p-30);
  problem.loops_error = std::sqrt(loop_squares) * (1 + 0x1p-30);
}

Problem problem_from(Entries o, const TorontonianOptions& options) {
  make_hermitian(o, options);
  struct Uncertain {
    DoubleDouble value;
    double error;
  };
  const std::size_t n = o.n;
  Problem problem;
  problem.num_modes = n;
  const bool has_loops = !o.loops.empty();
  // The loops are v = conj(g), since g^T (I - O)^-1 conj(g) is v^H A^-1 v.
  const bool real = is_real(o);
  if (!real && is_physical(o, options)) {
    problem.factor = 1;
    fill(
        problem, has_loops,
        [&](std::size_t i, std::size_t j) {
          const std::size_t k = i / 2, l = j / 2;
          const std::size_t at_p = o.at(k, l), at_r = o.at(k + n, l + n), at_q = o.at(k, l + n), at_s = o.at(k + n, l);
          const ComplexDoubleDouble p = mean(o.values[at_p], conj(o.values[at_r]));
          const ComplexDoubleDouble q = mean(o.values[at_q], conj(o.values[at_s]));
          const DoubleDouble value =
              i % 2 == 0 ? (j % 2 == 0 ? p.re + q.re : q.im - p.im) : (j % 2 == 0 ? p.im + q.im : p.re - q.re);
          return Uncertain{-value, std::max(o.errors[at_p], o.errors[at_r]) + std::max(o.errors[at_q], o.errors[at_s]) +
                                       size_of(o.values[at_p] - p) + size_of(o.values[at_q] - q)};
        },
        [&](std::size_t i) {
          const ComplexDoubleDouble v = mean(o.loops[i / 2], conj(o.loops[i / 2 + n]));
          return Uncertain{i % 2 == 0 ? v.re : -v.im,
                           std::max(o.loop_errors[i / 2], o.loop_errors[i / 2 + n]) + size_of(o.loops[i / 2] - v)};
        });
    return problem;
  }
  // Entries of complex matrices become [[re, -im], [im, re]].
  problem.rows = real ? 2 : 4;
  const auto is_lower = [&](std::size_t i) { return !real && i % 4 >= 2; };
  std::vector<std::size_t> row;  // those of mode after mode
  for (std::size_t i = 0; i < problem.size(); ++i) row.push_back(i / problem.rows + i % 2 * n);
  fill(
      problem, has_loops,
      [&](std::size_t i, std::size_t j) {
        const std::size_t at = o.at(row[i], row[j]);
        const ComplexDoubleDouble& z = o.values[at];
        return Uncertain{-(is_lower(i) == is_lower(j) ? z.re : is_lower(i) ? z.im : -z.im), o.errors[at]};
      },
      [&](std::size_t i) {
        const ComplexDoubleDouble& z = o.loops[row[i]];
        return Uncertain{is_lower(i) ? -z.im : z.re, o.loop_errors[row[i]]};
      });
  return problem;
}

// Makes the problem of doubles that are symmetric and finite; nothing of others. They are exact, and so is 1 less them.
std::optional<Problem> symmetric_problem(std::span<const double> o, std::size_t size, std::span<const double> loop) {
  // Sums up differences: a number that is not finite differs from itself. Rows do not wait for each other.
  double differences = 0;
  for (const double value : loop) differences += value - value;
  for (std::size_t i = 0; i < size; ++i) {
    double of_row = 0;
    for (std::size_t j = 0; j <= i; ++j) of_row += std::fabs(o[i * size + j] - o[j * size + i]);
    differences += of_row;
  }
  if (differences != 0) return std::nullopt;
  Problem problem;
  const std::size_t n = problem.num_modes = size / 2;
  problem.entries.resize(size * (size + 1) / 2);
  DoubleDouble* to = problem.entries.data();
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = o.data() + (i / 2 + i % 2 * n) * size;
    for (std::size_t l = 0; l < i / 2; ++l) {
      (to++)->hi = -row[l];
      (to++)->hi = -row[l + n];
    }
    if (i % 2 == 1) (to++)->hi = -row[i / 2];
    *to = two_sum(1, -row[i / 2 + i % 2 * n]);
    require_diagonal((to++)->hi, i);
  }
  problem.loops.resize(loop.size());
  for (std::size_t i = 0; i < loop.size(); ++i) problem.loops[i].hi = loop[i / 2 + i % 2 * n];
  return problem;
}

// Makes entries that are right to entry_error of their magnitudes.
Entries entries_of(std::size_t rows, std::vector<ComplexDoubleDouble> values, std::vector<ComplexDoubleDouble> loops,
                   double entry_error) {
  const auto errors = [&](const std::vector<ComplexDoubleDouble>& numbers) {
    std::vector<double> result;
    result.reserve(numbers.size());
    for (const ComplexDoubleDouble& z : numbers) {
      if (!isfinite(z.re) || !isfinite(z.im)) throw InputError("an entry that is not finite", "finite numbers");
      result.push_back(error_of(size_of(z), entry_error));
    }
    return result;
  };
  Entries entries{rows / 2, std::move(values), std::move(loops), {}, {}};
  entries.errors = errors(entries.values);
  entries.loop_errors = errors(entries.loops);
  return entries;
}

ComplexDoubleDouble widened(double value) { return value; }
ComplexDoubleDouble widened(const std::complex<double>& value) { return {value.real(), value.imag()}; }

}  // namespace

void require_shape(std::size_t rows, std::size_t num_entries, std::size_t num_loops) {
  if (rows % 2 != 0 || num_entries != rows * rows)
    throw InputError(std::to_string(rows) + " rows and " + std::to_string(num_entries) + " entries",
                     "a square matrix of two rows a mode");
  if (num_loops != 0 && num_loops != rows)
    throw InputError("a loop of " + std::to_string(num_loops) + " numbers", "one for each row");
}

template <class T>
Problem problem_of(std::span<const T> entries, std::size_t rows, std::span<const T> loop,
                   const TorontonianOptions& options) {
  const auto widen = [](std::span<const T> values) {
    std::vector<ComplexDoubleDouble> result;
    result.reserve(values.size());
    for (const T& value : values) result.push_back(widened(value));
    return result;
  };
  if constexpr (std::is_same_v<T, double>) {
    if (std::optional<Problem> problem = symmetric_problem(entries, rows, loop)) return *std::move(problem);
  }
  return problem_from(entries_of(rows, widen(entries), widen(loop), 0), options);
}
template Problem problem_of(std::span<const double>, std::size_t, std::span<const double>, const TorontonianOptions&);
template Problem problem_of(std::span<const std::complex<double>>, std::size_t, std::span<const std::complex<double>>,
                            const TorontonianOptions&);

Problem problem_of(const Matrix& matrix, bool has_loop, std::span<const Rational> fractions,
                   const TorontonianOptions& options) {
  const std::size_t rows = matrix.num_rows();
  std::vector<ComplexDoubleDouble> values(rows * rows), loop(has_loop ? rows : 0);
  for (Vertex r = 0; r < rows; ++r) {
    EdgeId edge = matrix.row_begin(r);
    for (const Vertex c : matrix.row(r)) {
      std::visit(
          [&](const auto& weights) {
            ComplexDoubleDouble& value = c < rows ? values[r * rows + c] : loop[r];
            if constexpr (std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) {
              value = 1;
            } else if constexpr (std::is_same_v<std::decay_t<decltype(weights[0])>, std::int64_t>) {
              const ScaledReal real = fractions.empty()
                                          ? nearest_real(Integer(weights[edge]))
                                          : nearest_real(fractions[static_cast<std::size_t>(weights[edge])]);
              value = ldexp(real.mantissa, static_cast<int>(std::clamp<std::int64_t>(real.exponent, -1100, 1100)));
            } else {
              value = weights[edge];
            }
          },
          matrix.weights());
      ++edge;
    }
  }
  return problem_from(entries_of(rows, std::move(values), std::move(loop), entry_roundoff), options);
}

}  // namespace matchcount::torontonian_sum
