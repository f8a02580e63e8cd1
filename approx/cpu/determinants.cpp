#include "approx/cpu/determinants.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/numbers/infinity.hpp"
#include "core/random.hpp"

namespace matchcount {
namespace {

// Returns the logarithm of |det|, by elimination with partial pivoting; the matrix is used up.
template <class Number>
double log_of_determinant(std::vector<Number>& matrix, std::size_t n, const std::function<void()>& poll) {
  double log_value = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (poll && k % 16 == 0) poll();
    std::size_t best = k;
    for (std::size_t r = k + 1; r < n; ++r) {
      if (std::abs(matrix[r * n + k]) > std::abs(matrix[best * n + k])) best = r;
    }
    const Number pivot = matrix[best * n + k];
    if (pivot == Number{}) return minus_infinity;
    log_value += std::log(std::abs(pivot));
    if (best != k) std::swap_ranges(&matrix[k * n + k], &matrix[k * n] + n, &matrix[best * n + k]);
    for (std::size_t r = k + 1; r < n; ++r) {
      const Number factor = matrix[r * n + k] / pivot;
      if (factor == Number{}) continue;
      for (std::size_t c = k + 1; c < n; ++c) matrix[r * n + c] -= factor * matrix[k * n + c];
    }
  }
  return log_value;
}

double random_unit(Random& random, double) { return random.below(2) == 0 ? -1 : 1; }
std::complex<double> random_unit(Random& random, std::complex<double>) {
  constexpr double half_root = 0.86602540378443864676;  // of 3
  constexpr std::array<std::complex<double>, 3> roots{{{1, 0}, {-0.5, half_root}, {-0.5, -half_root}}};
  return roots[random.below(3)];
}

}  // namespace

DeterminantSampler::DeterminantSampler(const Problem& problem, bool cube_roots)
    : problem_(problem),
      order_(problem.bipartite ? problem.size : problem.num_vertices()),
      are_ones_(std::ranges::all_of(problem.weight, [](double weight) { return weight == 1; })),
      cube_roots_(cube_roots) {
  const std::size_t size = std::size_t{order_} * order_;
  cube_roots ? roots_.resize(size) : signs_.resize(size);
}

double DeterminantSampler::bytes(const Problem& problem, bool cube_roots) {
  const double order = problem.bipartite ? problem.size : problem.num_vertices();
  return order * order * static_cast<double>(cube_roots ? sizeof(std::complex<double>) : sizeof(double));
}

template <class Number>
double DeterminantSampler::log_of(std::vector<Number>& matrix, std::uint64_t seed, std::uint64_t i,
                                  const std::function<void()>& poll) {
  std::ranges::fill(matrix, Number{});
  Random random(seed, i);
  for (std::uint32_t v = 0; v < order_; ++v) {
    for (std::uint32_t s = problem_.offset[v]; s < problem_.offset[v + 1]; ++s) {
      const std::uint32_t other = problem_.target[s];
      if (!problem_.bipartite && other < v) continue;
      const Number entry = random_unit(random, Number{}) * std::sqrt(problem_.weight[s]);
      const std::uint32_t column = problem_.bipartite ? other - problem_.size : other;
      matrix[std::size_t{v} * order_ + column] = entry;
      if (!problem_.bipartite) matrix[std::size_t{column} * order_ + v] = -entry;
    }
  }
  work_ += std::uint64_t{order_} * order_ * order_ / 12 + 1;
  return log_of_determinant(matrix, order_, poll);
}

double DeterminantSampler::log_sample(std::uint64_t seed, std::uint64_t i, const std::function<void()>& poll) {
  const double log_value = cube_roots_ ? log_of(roots_, seed, i, poll) : log_of(signs_, seed, i, poll);
  // An integer that is 0 may be left below 1/2 by rounding.
  if (!cube_roots_ && are_ones_ && log_value < std::log(0.5)) return minus_infinity;
  return problem_.bipartite ? 2 * log_value : log_value;
}

}  // namespace matchcount
