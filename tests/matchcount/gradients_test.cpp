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

template <class T>
std::vector<T> random_symmetric(Random& random, std::size_t n, bool sparse) {
  std::vector<T> entries = random_entries<T>(random, n * n, sparse);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < u; ++v) entries[u * n + v] = entries[v * n + u];
  }
  return entries;
}

// Sums over what the first vertex is matched with.
template <class T>
T slow_hafnian(const std::vector<T>& a, std::size_t n, bool loops) {
  if (n == 0) return T(1);
  T sum = loops ? a[0] * slow_hafnian(without(a, n, {0}, {0}), n - 1, loops) : T(0);
  for (std::size_t v = 1; v < n; ++v) sum += a[v] * slow_hafnian(without(a, n, {0, v}, {0, v}), n - 2, loops);
  return sum;
}

template <class T>
void check_hafnians(std::uint64_t seed, std::size_t n, bool sparse) {
  INFO("seed " << seed << ", n " << n);
  Random random(seed);
  const std::vector<T> matrix = random_symmetric<T>(random, n, sparse);
  for (const bool loops : {false, true}) {
    const Gradients<T> found = hafnian_gradients<T>(matrix, n, loops);
    double scale = 1;
    for (const T& derivative : found.derivatives) scale = std::max(scale, std::abs(derivative));
    require_near(found.values[0], found.errors[0], slow_hafnian(matrix, n, loops), 1e4 * scale);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        T truth(0);
        if (i != j) truth = slow_hafnian(without(matrix, n, {i, j}, {i, j}), n - 2, loops) * 0.5;
        if (i == j && loops) truth = slow_hafnian(without(matrix, n, {i}, {i}), n - 1, loops);
        require_near(found.derivatives[i * n + j], found.derivative_errors[i * n + j], truth, 1e4 * scale);
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

TEST_CASE("derivatives of hafnians are the hafnians of what an edge or a loop leaves", "[gradients]") {
  for (const std::size_t n : {1, 2, 3, 4, 5, 6, 7, 8}) {
    check_hafnians<double>(500 + n, n, false);
    check_hafnians<double>(600 + n, n, true);
    check_hafnians<Complex>(700 + n, n, false);
    check_hafnians<Complex>(800 + n, n, true);
  }
}

TEST_CASE("a loop hafnian is the sum of what a vertex is matched with times the derivatives", "[gradients]") {
  for (const std::size_t n : {19, 26}) {
    Random random(n);
    const std::vector<double> entries = random_symmetric<double>(random, n, false);
    RunOptions run;
    run.num_threads = 3;
    const auto found = hafnian_gradients<double>(entries, n, true);
    REQUIRE(hafnian_gradients<double>(entries, n, true, run).derivatives == found.derivatives);
    double sum = 0, error = found.errors[0];
    for (std::size_t j = 0; j < n; ++j) {
      const double term = entries[3 * n + j] * found.derivatives[3 * n + j] * (j == 3 ? 1 : 2);
      sum += term;
      error += 6 * found.derivative_errors[3 * n + j] + 1e-14 * std::fabs(term);
    }
    REQUIRE(std::fabs(sum - found.values[0]) <= error);
    REQUIRE(error <= 1e-6 * std::fabs(sum));
  }
}

TEST_CASE("derivatives of hafnians bear small entries and refuse what is not symmetric", "[gradients]") {
  const std::vector<double> small{0, 1e-200, 1e-200, 0};
  const auto found = hafnian_gradients<double>(small, 2);
  REQUIRE(found.derivatives == std::vector<double>{0, 0.5, 0.5, 0});
  const auto none = hafnian_gradients<double>(std::vector<double>(4, 0.0), 2, true);
  REQUIRE(none.values[0] == 0);
  REQUIRE(none.derivatives == std::vector<double>{0, 0.5, 0.5, 0});
  REQUIRE_THROWS_AS(hafnian_gradients<double>(std::vector<double>{0, 1, 2, 0}, 2), InputError);
  REQUIRE_THROWS_AS(hafnian_gradients<double>(std::vector<double>(81 * 81, 1.0), 81, true), Unable);
}
