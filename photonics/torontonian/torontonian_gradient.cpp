// The matrix is made real as for torontonians (torontonian.cpp), a mode's rows one beside the other: as it is; where it
// is that of a physical state, by quadratures; else with 2 x 2 blocks of reals. Derivatives come back by the same
// linear map, transposed. Where O has a symmetry that leaves torontonians alone, so have its derivatives: they are
// those by real matrices, or by such of physical states.

#include "photonics/torontonian/torontonian_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/numbers/pair.hpp"
#include "photonics/derivatives/ordered_sum.hpp"
#include "photonics/torontonian/cpu/torontonian_kernel.hpp"

namespace matchcount {
namespace {

namespace kernel = torontonian_kernel;
using Complex = std::complex<double>;

enum class Shape { real, physical, complex };

// A matrix and a loop, or what they change by.
struct Numbers {
  std::size_t n = 0;  // modes
  std::vector<Complex> entries, loop;

  template <class T>
  Numbers(std::size_t rows, const T* first, const T* first_loop)
      : n(rows / 2), entries(first, first + rows * rows), loop(first_loop, first_loop + (first_loop ? rows : 0)) {}
  Complex at(std::size_t i, std::size_t j) const { return entries[i * 2 * n + j]; }

  void require_hermitian() const {
    for (std::size_t i = 0; i < 2 * n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (!(at(i, j) == std::conj(at(j, i))))
          throw InputError("a matrix whose entries (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                               ") and (" + std::to_string(j + 1) + ", " + std::to_string(i + 1) +
                               "), counted from 1, are not conjugate",
                           "a Hermitian one: (O + O.conj().T) / 2");
      }
    }
  }
  bool fits(Shape shape) const {
    if (shape == Shape::complex) return true;
    if (shape == Shape::real) {
      const auto is_real = [](Complex z) { return z.imag() == 0; };
      return std::ranges::all_of(entries, is_real) && std::ranges::all_of(loop, is_real);
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!loop.empty() && loop[i] != std::conj(loop[i + n])) return false;
      for (std::size_t j = 0; j < n; ++j) {
        if (at(i, j) != std::conj(at(i + n, j + n)) || at(i, j + n) != std::conj(at(i + n, j))) return false;
      }
    }
    return true;
  }
  // Returns the entry of the real matrix for -O, and of the loops.
  double real_entry(Shape shape, std::size_t i, std::size_t j) const {
    if (shape == Shape::physical) {
      const Complex p = at(i / 2, j / 2), q = at(i / 2, j / 2 + n);
      if (i % 2 == 0) return j % 2 == 0 ? -p.real() - q.real() : p.imag() - q.imag();
      return j % 2 == 0 ? -p.imag() - q.imag() : q.real() - p.real();
    }
    const Complex z = at(row(shape, i), row(shape, j));
    const bool lower_i = is_lower(shape, i), lower_j = is_lower(shape, j);
    return lower_i == lower_j ? -z.real() : lower_i ? -z.imag() : z.imag();
  }
  double real_loop(Shape shape, std::size_t i) const {
    if (shape == Shape::physical) return i % 2 == 0 ? loop[i / 2].real() : -loop[i / 2].imag();
    const Complex z = loop[row(shape, i)];
    return is_lower(shape, i) ? -z.imag() : z.real();
  }
  std::size_t row(Shape shape, std::size_t i) const { return i / (shape == Shape::complex ? 4 : 2) + i % 2 * n; }
  static bool is_lower(Shape shape, std::size_t i) { return shape == Shape::complex && i % 4 >= 2; }
};

// Holds sums over lanes and pieces, [number][part].
struct Sums {
  std::vector<DoubleDouble> numbers;
  void add(const Sums& other) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] += other.numbers[i];
  }
};

// Eliminates a real matrix, which is positive definite, and returns v^T A^-1 v.
double square_by(std::vector<double> lower, std::vector<double> v, std::size_t size) {
  double square = 0;
  for (std::size_t u = size; u-- > 0;) {
    const double* pivots = lower.data() + u * (u + 1) / 2;
    if (!(pivots[u] > 0))
      throw InputError("I - O that is not positive definite, or too near to a matrix that is not",
                       "eigenvalues of O below 1");
    for (std::size_t i = 0; i < u; ++i) {
      const double multiple = pivots[i] / pivots[u];
      double* row = lower.data() + i * (i + 1) / 2;
      for (std::size_t j = 0; j <= i; ++j) row[j] -= multiple * pivots[j];
    }
    if (v.empty()) continue;
    const double multiple = v[u] / pivots[u];
    square += v[u] * multiple;
    for (std::size_t j = 0; j < u; ++j) v[j] -= multiple * pivots[j];
  }
  return square;
}

}  // namespace

template <class T>
void torontonian_gradient(const TorontonianQuestion<T>& question, const RunContext& run, int num_threads, double& value,
                          T* derivatives, T* loop_derivatives) {
  if (question.rows % 2 != 0)
    throw InputError(std::to_string(question.rows) + " rows", "a square matrix of two rows a mode");
  const Numbers given(question.rows, question.entries, question.loop);
  given.require_hermitian();
  const bool is_dual = question.along || question.loop_along, has_loops = question.loop != nullptr;
  const std::vector<T> zeros(question.rows * question.rows);
  const Numbers direction(question.rows, question.along ? question.along : zeros.data(),
                          question.loop_along ? question.loop_along
                          : has_loops         ? zeros.data()
                                              : nullptr);
  direction.require_hermitian();
  const std::size_t n = given.n, all = question.rows;
  if (n > kernel::max_modes) throw Unable("a torontonian of " + std::to_string(n) + " modes: 60 at most");

  const auto fits = [&](Shape one) { return given.fits(one) && direction.fits(one); };
  const Shape shape = fits(Shape::real) ? Shape::real : fits(Shape::physical) ? Shape::physical : Shape::complex;
  const std::size_t rows = shape == Shape::complex ? 4 : 2, size = rows * n, parts = is_dual ? 2 : 1;
  std::vector<double> entries, loops, plain, plain_loops;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      plain.push_back((i == j ? 1 : 0) + given.real_entry(shape, i, j));
      entries.push_back(plain.back());
      if (is_dual) entries.push_back(direction.real_entry(shape, i, j));
    }
    if (!has_loops) continue;
    plain_loops.push_back(given.real_loop(shape, i));
    loops.push_back(plain_loops.back());
    if (is_dual) loops.push_back(direction.real_loop(shape, i));
  }
  kernel::Problem problem{static_cast<int>(n), static_cast<int>(rows), entries.data(),
                          has_loops ? loops.data() : nullptr, shape == Shape::physical ? 1.0 : 0.5};
  const double exponent = problem.factor * square_by(plain, plain_loops, size) * (1 + 0x1p-20);
  if (!(exponent < 300))
    throw Unable("a loop so large that terms of the loop torontonian reach exp(" + std::to_string(exponent) + ")");
  while (std::ldexp(exponent, -problem.squarings) > 0.25) ++problem.squarings;

  constexpr int piece_bits = 13;  // of each lane, some tenths of a millisecond
  const double seconds =
      std::ldexp(2e-8 * (rows == 4 ? 8 : 1) * (has_loops ? 2 : 1) * static_cast<double>(parts * parts),
                 static_cast<int>(n)) /
      num_threads;
  if (seconds > run.seconds_left())
    throw OverLimit(
        "derivatives of a torontonian of " + std::to_string(n) + " modes take about " + time_amount(seconds), seconds,
        0);
  const int lane_bits = std::min(kernel::log2_lanes, static_cast<int>(n));
  const int path_bits = std::max(0, static_cast<int>(n) - lane_bits - piece_bits);
  const std::size_t num_entries = size * (size + 1) / 2, num_numbers = 1 + num_entries + (has_loops ? size : 0);
  const auto& kernels = kernels_for<kernel::GradientKernels>(run.options().max_isa);
  const kernel::GradientKernel derive = (is_dual ? kernels.dual : kernels.real)[rows / 4];
  const Sums sums = ordered_sum(num_threads, std::uint64_t{1} << path_bits, [&](std::uint64_t path) {
    run.check();
    constexpr std::align_val_t alignment{64};
    const std::unique_ptr<double, void (*)(double*)> scratch(
        static_cast<double*>(::operator new(kernel::gradient_scratch_size(n, rows, parts) * sizeof(double), alignment)),
        [](double* memory) { ::operator delete(memory, alignment); });
    std::vector<double> lanes(num_numbers * parts * kernel::num_lanes);
    derive(problem, {path, path_bits, lane_bits}, scratch.get(), lanes.data(),
           lanes.data() + parts * kernel::num_lanes);
    Sums found{std::vector<DoubleDouble>(num_numbers * parts)};
    for (std::size_t i = 0; i < found.numbers.size(); ++i) {
      const double* of_lanes = lanes.data() + i * kernel::num_lanes;
      found.numbers[i] = std::accumulate(of_lanes, of_lanes + (std::size_t{1} << lane_bits), 0.0);
    }
    return found;
  });

  const auto number = [&](std::size_t i) { return sums.numbers[i * parts + parts - 1].hi; };
  value = number(0);
  if (!std::isfinite(value)) throw Unable("the terms of this torontonian leave the range of doubles");
  // By entries of the real matrix, and by loops.
  const auto by = [&](std::size_t i, std::size_t j) {
    return number(1 + std::max(i, j) * (std::max(i, j) + 1) / 2 + std::min(i, j));
  };
  const auto by_loop = [&](std::size_t i) { return number(1 + num_entries + i); };
  const auto put = [](Complex z, T& to) {
    if constexpr (std::is_same_v<T, double>) to = z.real();
    if constexpr (!std::is_same_v<T, double>) to = z;
  };
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t a = rows * k;
    for (std::size_t l = 0; l < n; ++l) {
      const std::size_t b = rows * l;
      T &p = derivatives[k * all + l], &q = derivatives[k * all + l + n], &r = derivatives[(k + n) * all + l],
        &s = derivatives[(k + n) * all + l + n];
      if (shape == Shape::physical) {
        const Complex of_p(-(by(a, b) + by(a + 1, b + 1)) / 2, (by(a + 1, b) - by(a, b + 1)) / 2);
        const Complex of_q(-(by(a, b) - by(a + 1, b + 1)) / 2, (by(a, b + 1) + by(a + 1, b)) / 2);
        put(of_p, p);
        put(of_q, q);
        put(std::conj(of_q), r);
        put(std::conj(of_p), s);
        continue;
      }
      const auto of = [&](std::size_t i, std::size_t j) {
        if (shape == Shape::real) return Complex(-by(i, j));
        return Complex(-(by(i, j) + by(i + 2, j + 2)), by(i + 2, j) - by(i, j + 2));
      };
      put(of(a, b), p);
      put(of(a, b + 1), q);
      put(of(a + 1, b), r);
      put(of(a + 1, b + 1), s);
    }
    if (!has_loops) continue;
    const Complex first(by_loop(a), shape == Shape::real ? 0 : by_loop(a + rows / 2));
    put(shape == Shape::physical ? first / 2.0 : first, loop_derivatives[k]);
    if (shape == Shape::physical) {
      put(std::conj(first / 2.0), loop_derivatives[k + n]);
    } else {
      put({by_loop(a + 1), shape == Shape::real ? 0 : by_loop(a + 3)}, loop_derivatives[k + n]);
    }
  }
}

template void torontonian_gradient(const TorontonianQuestion<double>&, const RunContext&, int, double&, double*,
                                   double*);
template void torontonian_gradient(const TorontonianQuestion<Complex>&, const RunContext&, int, double&, Complex*,
                                   Complex*);

}  // namespace matchcount
