#include "matchcount/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

using namespace matchcount;

namespace {

using Complex = std::complex<double>;

// Integers up to 3, of complex numbers in both parts: sums of products of nine of them are exact in doubles.
template <class T>
std::vector<T> random_entries(Random& random, std::size_t count, bool sparse) {
  const auto integer = [&] { return static_cast<double>(random.below(7)) - 3; };
  std::vector<T> entries;
  for (std::size_t i = 0; i < count; ++i) {
    T entry = integer();
    if constexpr (!std::is_same_v<T, double>) entry = {entry.real(), integer()};
    entries.push_back(sparse && random.below(2) == 0 ? T(0) : entry);
  }
  return entries;
}

// Returns the matrix without some rows and columns.
template <class T>
std::vector<T> without(const std::vector<T>& matrix, std::size_t n, const std::vector<std::size_t>& rows,
                       const std::vector<std::size_t>& columns) {
  std::vector<T> minor;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (std::ranges::count(rows, i) + std::ranges::count(columns, j) == 0) minor.push_back(matrix[i * n + j]);
    }
  }
  return minor;
}

// Within its bound of the truth, which supports so many digits of numbers of this scale.
template <class T>
void require_near(T value, double error, T truth, double scale) {
  REQUIRE(std::abs(value - truth) <= error);
  REQUIRE(error <= 1e-9 * scale);
}

template <class T>
void check_permanents(std::uint64_t seed, std::size_t n, bool sparse) {
  INFO("seed " << seed << ", n " << n);
  Random random(seed);
  constexpr std::size_t count = 3;
  const std::vector<T> entries = random_entries<T>(random, count * n * n, sparse);
  const Gradients<T> found = permanent_gradients<T>(entries, n);
  double scale = 0;
  for (const T& derivative : found.derivatives) scale = std::max({scale, std::abs(derivative), 1.0});
  for (std::size_t m = 0; m < count; ++m) {
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(m * n * n);
    const std::vector<T> matrix(first, first + static_cast<std::ptrdiff_t>(n * n));
    require_near(found.values[m], found.errors[m], reference::permanent_by_subsets(matrix, n), 1e3 * scale);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = m * n * n + i * n + j;
        require_near(found.derivatives[at], found.derivative_errors[at],
                     reference::permanent_by_subsets(without(matrix, n, {i}, {j}), n - 1), 1e3 * scale);
      }
    }
  }
}

}  // namespace

TEST_CASE("derivatives of permanents are the permanents of the minors", "[gradients]") {
  for (const std::size_t n : {1, 2, 3, 5, 7, 8, 9}) {
    check_permanents<double>(100 + n, n, false);
    check_permanents<double>(200 + n, n, true);
    check_permanents<Complex>(300 + n, n, false);
    check_permanents<Complex>(400 + n, n, true);
  }
}

TEST_CASE("a permanent is the sum of a row's entries times their derivatives", "[gradients]") {
  for (const std::size_t n : {17, 19}) {
    Random random(n);
    const std::vector<Complex> entries = random_entries<Complex>(random, n * n, false);
    RunOptions run;
    run.num_threads = 3;
    const auto found = permanent_gradients<Complex>(entries, n);
    REQUIRE(permanent_gradients<Complex>(entries, n, run).derivatives == found.derivatives);
    Complex sum = 0;
    double error = found.errors[0];
    for (std::size_t j = 0; j < n; ++j) {
      sum += entries[3 * n + j] * found.derivatives[3 * n + j];
      error += std::abs(entries[3 * n + j]) * (found.derivative_errors[3 * n + j] + 1e-14 * std::abs(sum));
    }
    REQUIRE(std::abs(sum - found.values[0]) <= error);
  }
}

TEST_CASE("derivatives of permanents bear rows and columns of any size, and of zeros", "[gradients]") {
  const std::vector<double> scaled{1e200, 2e-150, 3e100, 4e-250};
  const auto found = permanent_gradients<double>(scaled, 2);
  for (std::size_t i = 0; i < 4; ++i)
    require_near(found.derivatives[i], found.derivative_errors[i], scaled[3 - i], scaled[3 - i]);
  const std::vector<double> zeros(16, 0);
  const auto none = permanent_gradients<double>(zeros, 4);
  REQUIRE(none.values[0] == 0);
  for (const double derivative : none.derivatives) REQUIRE(std::fabs(derivative) < 1e-300);
  REQUIRE_THROWS_AS(permanent_gradients<double>(std::vector<double>{1e200, 1, 1, 1e200}, 2), Unable);
  REQUIRE_THROWS_AS(permanent_gradients<double>(std::vector<double>{1, 2, 3}, 2), InputError);
  REQUIRE_THROWS_AS(permanent_gradients<double>(std::vector<double>{1, 2, 3, HUGE_VAL}, 2), InputError);
  REQUIRE_THROWS_AS(permanent_gradients<double>(std::vector<double>{}, 0), InputError);
}
