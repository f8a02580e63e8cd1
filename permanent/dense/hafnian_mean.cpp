// With m_i for how often vertex i is taken, N in all, the hafnian is the product of all m_i! times the coefficient of
// the product of x_i^m_i in q^(N/2) / (N/2)!, q = 1/2 sum a_ij x_i x_j over all i and j; with loops, in the sum over k
// of q^k l^(N - 2k) / (k! (N - 2k)!), l = sum a_ii x_i. That coefficient is a sum over roots of unity (points.hpp).
// For m_i = 1 this is Kan's formula (2008, doi:10.1016/j.jmva.2007.01.013).
//
// The error is that of permanent_mean.cpp, with 1/2 sum |a_ij| and sum |a_ii| for R.

#include "permanent/dense/hafnian_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/cpu/dispatch.hpp"
#include "permanent/dense/cpu/point_kernel.hpp"

namespace matchcount::dense {
namespace {

using Complex = std::complex<double>;

constexpr double hafnian_roundoff = 0x1p-53;
constexpr std::size_t first_line = 2;  // of the numbers of a level: q, l, and by line the derivative of q

double larger_component(Complex entry) { return std::max(std::fabs(entry.real()), std::fabs(entry.imag())); }

// Puts a value into [vector][number][component][lane].
void put(std::vector<double>& lanes, std::uint64_t point, std::size_t numbers, std::size_t number, Complex value) {
  double* const to =
      lanes.data() + (point / Points::num_lanes * numbers + number) * 2 * Points::num_lanes + point % Points::num_lanes;
  to[0] = value.real();
  to[Points::num_lanes] = value.imag();
}

}  // namespace

HafnianMean::HafnianMean(std::span<const std::uint32_t> times, bool loops)
    : points_(times), loops_(loops), half_(points_.size / 2), place_(times.size()) {
  std::size_t place = first_line;
  for (const auto* coordinates : {&points_.inner, &points_.outer}) {
    for (const Points::Coordinate& coordinate : *coordinates) place_[coordinate.line] = place++;
  }
  place_[points_.fixed_line] = place;
  // half_! / (k! (N - 2k)!).
  coefficient_.assign(half_ + 1, 1);
  for (std::size_t k = half_; k-- > 0;) {
    const auto left = static_cast<double>(points_.size - 2 * k);
    coefficient_[k] = coefficient_[k + 1] * static_cast<double>(k + 1) / (left * (left - 1));
  }
  // The coordinates of a block's points, one after the other.
  const std::size_t num_inner = points_.inner.size();
  coordinate_.resize(static_cast<std::size_t>(points_.num_vectors()) * num_inner * 2 * Points::num_lanes);
  std::uint64_t stride = 1;
  for (std::size_t i = 0; i < num_inner; ++i) {
    const std::vector<Complex>& root = points_.inner[i].root;
    for (std::uint64_t point = 0; point < points_.num_inner; ++point)
      put(coordinate_, point, num_inner, i, root[point / stride % root.size()]);
    stride *= root.size();
  }
}

// Scales so that each vertex counts as often as it is taken: of the sums of magnitudes |a_ij| r_i r_j, and |a_ii| r_i
// of loops, line i then has about m_i (Sinkhorn's iteration). Scales are powers of 2.
std::optional<HafnianMean::Matrix> HafnianMean::scaled(std::span<const Complex> entries) const {
  constexpr int rounds = 8;
  const std::size_t n = points_.num_lines();
  Matrix matrix{{entries.begin(), entries.end()}, std::vector<Complex>(n), 0};
  double between = 0, loop = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (loops_) matrix.loops[i] = entries[i * n + i];
    loop = std::max(loop, larger_component(matrix.loops[i]));
    for (std::size_t j = 0; j < n; ++j) between = std::max(between, larger_component(entries[i * n + j]));
  }
  if (between == 0 && loop == 0) return std::nullopt;
  int first = std::numeric_limits<int>::min();
  if (between != 0) first = static_cast<int>(std::floor((std::ilogb(between) + 2) / 2.0));
  if (loop != 0) first = std::max(first, std::ilogb(loop) + 1);
  const auto multiply = [&](std::size_t i, int power) {
    scale(matrix.pairs.data() + i * n, n, 1, power);
    scale(matrix.pairs.data() + i, n, n, power);
    scale(matrix.loops.data() + i, 1, 1, power);
    matrix.exponent -= static_cast<double>(power) * points_.times[i];
  };
  for (std::size_t i = 0; i < n; ++i) multiply(i, -first);
  std::vector<double> by_line(n, 1.0);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = modulus(matrix.loops[i]);
      for (std::size_t j = 0; j < n; ++j) sum += modulus(matrix.pairs[i * n + j]) * by_line[j];
      if (sum == 0) return std::nullopt;
      by_line[i] = std::sqrt(by_line[i] * points_.times[i] / sum);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double power = std::isnormal(by_line[i]) ? std::round(std::log2(by_line[i])) : 0;
    multiply(i, std::clamp(static_cast<int>(power), -largest_balance, largest_balance));
  }
  return matrix;
}

// Returns the share of a block's own coordinates in q and l.
std::vector<double> HafnianMean::inner_forms(const Matrix& matrix) const {
  const std::size_t n = points_.num_lines();
  std::vector<double> lanes(static_cast<std::size_t>(points_.num_vectors()) * 2 * 2 * Points::num_lanes);
  std::vector<Complex> x(points_.inner.size());
  for (std::uint64_t point = 0; point < points_.num_inner; ++point) {
    Complex q = 0, l = 0;
    std::uint64_t rest = point;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Points::Coordinate& coordinate = points_.inner[i];
      x[i] = coordinate.root[rest % coordinate.root.size()];
      rest /= coordinate.root.size();
      Complex derivative = 0.5 * matrix.pairs[coordinate.line * (n + 1)] * x[i];
      for (std::size_t j = 0; j < i; ++j)
        derivative += matrix.pairs[coordinate.line * n + points_.inner[j].line] * x[j];
      q += derivative * x[i];
      l += matrix.loops[coordinate.line] * x[i];
    }
    put(lanes, point, 2, 0, q);
    put(lanes, point, 2, 1, l);
  }
  return lanes;
}

// Returns the relative error of the mean of sizes. q has a product and a sum for each line, and as many derivatives
// themselves.
double HafnianMean::relative_error() const {
  const auto lines = static_cast<double>(points_.num_lines()), size = static_cast<double>(points_.size);
  const double of_pairs = (2 * lines + 20) / pair_share(), of_loops = loops_ ? (lines + 8) / loop_share() : 0;
  const double of_sum = static_cast<double>(points_.num_vectors()) + static_cast<double>(blocks_of_part) + 64;
  return (1.01 * (static_cast<double>(half_) * of_pairs + size * of_loops) + 12 * (size + lines) + of_sum) *
         hafnian_roundoff;
}

Mean HafnianMean::of(std::span<const Complex> entries, const RunContext& run, int num_threads) const {
  if (!std::ranges::all_of(entries, [](Complex entry) { return is_moderate(entry); })) return {};
  const std::optional<Matrix> found = scaled(entries);
  if (!found) return {0, 0, 0};
  const Matrix& matrix = *found;
  const std::size_t n = points_.num_lines();
  double pairs_size = 0, loops_size = 0;
  for (const Complex entry : matrix.pairs) pairs_size += std::abs(entry) / 2;
  for (const Complex entry : matrix.loops) loops_size += std::abs(entry);
  // Squares of smaller forms would be lost, and the bound with them.
  if (!is_moderate(pairs_size) || !is_moderate(loops_size)) return {};
  const std::vector<double> inner = inner_forms(matrix);
  const point_kernel::Pairs pairs{points_.num_vectors(),     static_cast<int>(points_.inner.size()),
                                  coordinate_.data(),        inner.data(),
                                  points_.weights(2).data(), static_cast<unsigned>(half_),
                                  points_.size % 2 != 0,     loops_ ? coefficient_.data() : nullptr,
                                  pairs_size * pair_share(), loops_size * loop_share()};
  const auto step = [&](const Points::Coordinate& coordinate, std::size_t power, const Complex* from, Complex* to) {
    const Complex x = coordinate.root[power];
    const Complex* const line = matrix.pairs.data() + coordinate.line * n;
    to[0] = from[0] + (from[place_[coordinate.line]] + 0.5 * line[coordinate.line] * x) * x;
    to[1] = from[1] + matrix.loops[coordinate.line] * x;
    for (std::size_t i = 0; i < n; ++i) to[place_[i]] = from[place_[i]] + line[i] * x;
  };
  std::vector<Complex> start(first_line + n);
  const Complex* const fixed = matrix.pairs.data() + points_.fixed_line * n;
  start[0] = 0.5 * fixed[points_.fixed_line];
  start[1] = matrix.loops[points_.fixed_line];
  for (std::size_t i = 0; i < n; ++i) start[place_[i]] = fixed[i];
  const point_kernel::SumPairs sum_pairs = kernels_for<point_kernel::Kernels>(run.options().max_isa).pairs;
  const auto of_block = [&](const Complex* base) {
    double out[3];
    sum_pairs(pairs, reinterpret_cast<const double*>(base), out);
    return Part<Complex>{{out[0], out[1]}, out[2]};
  };
  const double work = static_cast<double>(points_.inner.size() + 4 + (loops_ ? 3 * half_ : 0));
  const Part<Complex> sum = sum_over_blocks(points_, start, step, of_block, work, run, num_threads);
  DoubleDouble factor = points_.factorials / DoubleDouble(num_points());
  for (std::size_t i = 2; i <= half_; ++i) factor /= DoubleDouble(static_cast<double>(i));
  return {sum.value * factor.hi, relative_error() * factor.hi * sum.size, matrix.exponent};
}

}  // namespace matchcount::dense
