#include "photonics/gradients.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
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
  const Gradients<T> found = permanent_gradients(entries, n);
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
  for (std::size_t v = 1; v < n; ++v) {
    if (a[v] != T(0)) sum += a[v] * slow_hafnian(without(a, n, {0, v}, {0, v}), n - 2, loops);
  }
  return sum;
}

template <class T>
void check_hafnians(std::uint64_t seed, std::size_t n, bool sparse, Precision precision = Precision::automatic) {
  INFO("seed " << seed << ", n " << n);
  Random random(seed);
  const std::vector<T> matrix = random_symmetric<T>(random, n, sparse);
  const RunOptions run{.precision = precision};
  for (const bool loops : {false, true}) {
    const Gradients<T> found = hafnian_gradients(matrix, n, loops, run);
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

// Requires that derivatives in doubles, by an expansion, and in double-doubles, by pairs of vertices, are as near as
// their bounds say, on any number of threads and for all instruction sets.
template <class T>
void check_large_hafnian(const std::vector<T>& matrix, std::size_t n, bool loops) {
  INFO("n " << n << ", loops " << loops);
  RunOptions run{.precision = Precision::double_double};
  const Gradients<T> exact = hafnian_gradients(matrix, n, loops, run);
  run.precision = Precision::automatic;
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    run.max_isa = isa;
    run.num_threads = 1;
    const Gradients<T> found = hafnian_gradients(matrix, n, loops, run);
    run.num_threads = 2;
    const Gradients<T> on_two = hafnian_gradients(matrix, n, loops, run);
    REQUIRE(on_two.derivatives == found.derivatives);
    REQUIRE(on_two.derivative_errors == found.derivative_errors);
    REQUIRE(std::abs(found.values[0] - exact.values[0]) <= found.errors[0] + exact.errors[0]);
    for (std::size_t i = 0; i < n * n; ++i)
      REQUIRE(std::abs(found.derivatives[i] - exact.derivatives[i]) <=
              found.derivative_errors[i] + exact.derivative_errors[i]);
  }
}

// Sums over all sets of modes, each by an inverse of its own; of the derivatives that by entry (i, j), and by loop i.
struct SlowTorontonian {
  double value = 0;
  std::vector<Complex> derivatives, loop_derivatives;
};
SlowTorontonian slow_torontonian(const std::vector<Complex>& o, std::size_t modes, const std::vector<Complex>& loop) {
  const std::size_t all = 2 * modes;
  SlowTorontonian slow{0, std::vector<Complex>(all * all), std::vector<Complex>(all)};
  for (std::size_t set = 0; set < std::size_t{1} << modes; ++set) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < all; ++i) {
      if (set >> i % modes & 1) rows.push_back(i);
    }
    const std::size_t k = rows.size();
    std::vector<Complex> a(2 * k * k);  // beside it the unit matrix, which becomes the inverse
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) a[i * 2 * k + j] = (i == j ? 1.0 : 0.0) - o[rows[i] * all + rows[j]];
      a[i * 2 * k + k + i] = 1;
    }
    Complex det = 1;
    for (std::size_t p = 0; p < k; ++p) {
      const Complex pivot = a[p * 2 * k + p];
      det *= pivot;
      for (std::size_t j = 0; j < 2 * k; ++j) a[p * 2 * k + j] /= pivot;
      for (std::size_t i = 0; i < k; ++i) {
        const Complex multiple = i == p ? 0 : a[i * 2 * k + p];
        for (std::size_t j = 0; j < 2 * k; ++j) a[i * 2 * k + j] -= multiple * a[p * 2 * k + j];
      }
    }
    const auto inverse = [&](std::size_t i, std::size_t j) { return a[i * 2 * k + k + j]; };
    std::vector<Complex> solved(k);  // the inverse times conj(loop)
    Complex exponent = 0;
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) solved[i] += inverse(i, j) * std::conj(loop[rows[j]]);
      exponent += loop[rows[i]] * solved[i] / 2.0;
    }
    const double sign = (modes - k / 2) % 2 == 0 ? 1 : -1;
    const double term = sign * std::exp(exponent.real()) / std::sqrt(det.real());
    slow.value += term;
    for (std::size_t i = 0; i < k; ++i) {
      slow.loop_derivatives[rows[i]] += term * solved[i];
      for (std::size_t j = 0; j < k; ++j)
        slow.derivatives[rows[i] * all + rows[j]] += term / 2 * (inverse(j, i) + std::conj(solved[i]) * solved[j]);
    }
  }
  return slow;
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
    const RunOptions run{.num_threads = 3};
    const auto found = permanent_gradients(entries, n);
    REQUIRE(permanent_gradients(entries, n, run).derivatives == found.derivatives);
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
  const auto found = permanent_gradients(scaled, 2);
  for (std::size_t i = 0; i < 4; ++i)
    require_near(found.derivatives[i], found.derivative_errors[i], scaled[3 - i], scaled[3 - i]);
  const std::vector<double> zeros(16, 0);
  const auto none = permanent_gradients(zeros, 4);
  REQUIRE(none.values[0] == 0);
  for (const double derivative : none.derivatives) REQUIRE(std::fabs(derivative) < 1e-300);
  REQUIRE_THROWS_AS(permanent_gradients(std::vector<double>{1e200, 1, 1, 1e200}, 2), Unable);
  REQUIRE_THROWS_AS(permanent_gradients(std::vector<double>{1, 2, 3}, 2), InputError);
  REQUIRE_THROWS_AS(permanent_gradients(std::vector<double>{1, 2, 3, HUGE_VAL}, 2), InputError);
  REQUIRE_THROWS_AS(permanent_gradients(std::vector<double>{}, 0), InputError);
}

TEST_CASE("products with powers of two have the bits that ldexp has") {
  for (const double a : {1.0, -4.0 / 3, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1.5p-1060, -0x1p-1074, 0.0, -0.0}) {
    for (int exponent = -2200; exponent <= 2200; ++exponent)
      REQUIRE(std::bit_cast<std::uint64_t>(times_power_of_2(a, exponent)) ==
              std::bit_cast<std::uint64_t>(std::ldexp(a, exponent)));
  }
}

TEST_CASE("derivatives of hafnians are the hafnians of what an edge or a loop leaves", "[gradients]") {
  for (const std::size_t n : {1, 2, 3, 4, 5, 6, 7, 8}) {
    check_hafnians<double>(500 + n, n, false);
    check_hafnians<double>(600 + n, n, true);
    check_hafnians<Complex>(700 + n, n, false);
    check_hafnians<Complex>(800 + n, n, true);
  }
}

TEST_CASE("derivatives of hafnians of a dozen vertices are those of the minors in either way", "[gradients]") {
  for (const std::size_t n : {3, 4, 5, 8, 9}) {
    check_hafnians<double>(900 + n, n, n > 5, Precision::double_double);
    check_hafnians<Complex>(1000 + n, n, true, Precision::double_double);
    check_hafnians<double>(1100 + n, n, true, Precision::float64);
    check_hafnians<Complex>(1200 + n, n, n > 5, Precision::float64);
  }
  check_hafnians<double>(1300, 9, false);
  for (const std::size_t n : {9, 10, 11, 12}) {
    check_hafnians<double>(1400 + n, n, true);
    if (n < 12) check_hafnians<Complex>(1500 + n, n, true);
  }
}

TEST_CASE("derivatives by expansions are those by pairs of vertices", "[gradients]") {
  for (const std::size_t n : {15, 16, 20, 24}) {
    for (const bool loops : {false, true}) {
      if (n == 24 && loops) continue;
      Random random(1600 + n);
      check_large_hafnian(random_symmetric<double>(random, n, false), n, loops);
      std::vector<Complex> matrix = random_symmetric<Complex>(random, n, true);
      if (n < 24) check_large_hafnian(matrix, n, loops);
      for (std::size_t j = 0; j < n; ++j) matrix[5 * n + j] = matrix[j * n + 5] = 0;
      if (n < 20) check_large_hafnian(matrix, n, loops);
    }
  }
}

TEST_CASE("derivatives of a hafnian of no negative entry have as many digits as it", "[gradients]") {
  for (const std::size_t n : {4, 12, 20, 26}) {
    Random random(n);
    std::vector<double> matrix = random_symmetric<double>(random, n, false);
    for (double& entry : matrix) entry = std::fabs(entry) + 1;
    for (const bool loops : {false, true}) {
      const auto found = hafnian_gradients(matrix, n, loops);
      const double of_value = found.errors[0] / found.values[0];
      REQUIRE(of_value < 1e-13);
      const auto hafnian = hafnians(matrix, n, loops);
      REQUIRE(found.errors[0] <= std::exp2(hafnian[0].log2_error) * 1.01);
      for (std::size_t i = 0; i < n * n; ++i) {
        if (i % (n + 1) == 0 && !loops) continue;
        REQUIRE(found.derivative_errors[i] <= 1.3 * of_value * found.derivatives[i]);
      }
    }
  }
}

TEST_CASE("derivatives of a hafnian whose levels are shared among threads are those of one thread", "[gradients]") {
  Random random(31);
  std::vector<double> matrix = random_symmetric<double>(random, 31, false);
  for (double& entry : matrix) entry = std::fabs(entry);
  RunOptions run{.num_threads = 1};
  const auto found = hafnian_gradients(matrix, 31, true, run);
  run.num_threads = 3;
  const auto on_three = hafnian_gradients(matrix, 31, true, run);
  REQUIRE(on_three.values == found.values);
  REQUIRE(on_three.derivatives == found.derivatives);
  double sum = 0;
  for (std::size_t j = 0; j < 31; ++j) sum += matrix[7 * 31 + j] * found.derivatives[7 * 31 + j] * (j == 7 ? 1 : 2);
  REQUIRE(std::fabs(sum - found.values[0]) <= 1e-12 * sum);
}

TEST_CASE("derivatives of hafnians bear entries of any size, and matrices without any", "[gradients]") {
  for (const std::size_t n : {4, 5, 6, 7}) {
    for (const bool loops : {false, true}) {
      INFO("n " << n << ", loops " << loops);
      Random random(1700 + n);
      std::vector<double> matrix = random_symmetric<double>(random, n, true);
      const std::vector<double> scale{1e150, 1e-150, 1e-75, 1e75, 1, 1e-30};
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v <= u; ++v) {
          matrix[u * n + v] *= scale[random.below(scale.size())] * (n > 5 ? 1e-100 : 1);
          if (u == v) matrix[u * n + u] = std::clamp(matrix[u * n + u], -1e75, 1e75);
          matrix[v * n + u] = matrix[u * n + v];
        }
      }
      const auto found = hafnian_gradients(matrix, n, loops);
      REQUIRE(std::fabs(found.values[0] - slow_hafnian(matrix, n, loops)) <= found.errors[0]);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          double truth = 0;
          if (i != j) truth = slow_hafnian(without(matrix, n, {i, j}, {i, j}), n - 2, loops) / 2;
          if (i == j && loops) truth = slow_hafnian(without(matrix, n, {i}, {i}), n - 1, loops);
          const double error = found.derivative_errors[i * n + j];
          REQUIRE(std::fabs(found.derivatives[i * n + j] - truth) <= error + 1e-15 * std::fabs(truth));
        }
      }
    }
  }
  for (const std::size_t n : {4, 9, 20}) {
    const auto none = hafnian_gradients(std::vector<double>(n * n, 0.0), n, true);
    REQUIRE(none.values[0] == 0);
    for (const double derivative : none.derivatives) REQUIRE(derivative == 0);
  }
}

TEST_CASE("derivatives of hafnians keep to limits", "[gradients]") {
  const std::vector<double> large(32 * 32, 0.5);
  RunOptions run;
  test::StepClock clock;
  clock.end_at_look(10, run);
  REQUIRE_THROWS_AS(hafnian_gradients(large, 32, true, run), Unable);
  clock.stop_at_look(10, run);
  REQUIRE_THROWS_AS(hafnian_gradients(large, 32, true, run), Cancelled);
  // Without memory for an expansion pairs of vertices find them.
  Random random(1800);
  const std::vector<double> matrix = random_symmetric<double>(random, 20, false);
  const RunOptions little{.memory_limit_bytes = 100000};
  const RunOptions by_pairs{.precision = Precision::double_double};
  REQUIRE(hafnian_gradients(matrix, 20, true, little).derivatives ==
          hafnian_gradients(matrix, 20, true, by_pairs).derivatives);
}

TEST_CASE("derivatives that doubles leave less than nine digits are found in double-doubles", "[gradients]") {
  constexpr std::size_t n = 28;
  Random random(1850);
  std::vector<double> matrix = random_symmetric<double>(random, n, false);
  for (std::size_t j = 0; j < n; ++j) matrix[5 * n + j] = matrix[j * n + 5] = 0;  // so that the hafnian has no digit
  const RunOptions run{.precision = Precision::double_double};
  const auto found = hafnian_gradients(matrix, n);
  REQUIRE(found.values[0] == 0);
  REQUIRE(found.derivatives == hafnian_gradients(matrix, n, false, run).derivatives);
  REQUIRE(found.derivative_errors[5] <= 1e-9 * std::fabs(found.derivatives[5]));
}

TEST_CASE("derivatives of many hafnians are those of each", "[gradients]") {
  Random random(1900);
  constexpr std::size_t n = 14, count = 40;
  std::vector<Complex> all;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<Complex> one = random_symmetric<Complex>(random, n, i % 2 == 0);
    all.insert(all.end(), one.begin(), one.end());
  }
  const auto found = hafnian_gradients(all, n, true, {.num_threads = 2});
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const Complex> one = std::span(all).subspan(i * n * n, n * n);
    const auto alone = hafnian_gradients(one, n, true);
    REQUIRE(found.values[i] == alone.values[0]);
    REQUIRE(std::ranges::equal(std::span(found.derivatives).subspan(i * n * n, n * n), alone.derivatives));
  }
}

TEST_CASE("a loop hafnian is the sum of what a vertex is matched with times the derivatives", "[gradients]") {
  for (const std::size_t n : {19, 26}) {
    Random random(n);
    const std::vector<double> entries = random_symmetric<double>(random, n, false);
    const RunOptions run{.num_threads = 3};
    const auto found = hafnian_gradients(entries, n, true);
    REQUIRE(hafnian_gradients(entries, n, true, run).derivatives == found.derivatives);
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
  const auto found = hafnian_gradients(small, 2);
  REQUIRE(found.derivatives == std::vector<double>{0, 0.5, 0.5, 0});
  const auto none = hafnian_gradients(std::vector<double>(4, 0.0), 2, true);
  REQUIRE(none.values[0] == 0);
  REQUIRE(none.derivatives == std::vector<double>{0, 0.5, 0.5, 0});
  REQUIRE_THROWS_AS(hafnian_gradients(std::vector<double>{0, 1, 2, 0}, 2), InputError);
  REQUIRE_THROWS_AS(hafnian_gradients(std::vector<double>(81 * 81, 1.0), 81, true), Unable);
}

TEST_CASE("derivatives of torontonians are sums of inverses", "[gradients]") {
  for (const std::size_t modes : {1, 2, 3, 4, 5}) {
    for (const bool has_loops : {false, true}) {
      for (const int shape : {0, 1, 2}) {  // real, of a physical state, Hermitian
        INFO("modes " << modes << ", loops " << has_loops << ", shape " << shape);
        Random random(900 + modes);
        const std::size_t all = 2 * modes;
        std::vector<Complex> o = random_entries<Complex>(random, all * all, false);
        std::vector<Complex> loop = random_entries<Complex>(random, all, false);
        for (Complex& entry : o)
          entry = Complex(entry.real(), shape == 0 ? 0 : entry.imag()) * (0.125 / static_cast<double>(all));
        for (Complex& entry : loop)
          entry = Complex(entry.real(), shape == 0 ? 0 : entry.imag()) * (has_loops ? 0.25 : 0.0);
        const std::vector<Complex> made = o, made_loop = loop;
        const auto turned = [&](std::size_t i) { return (i + modes) % all; };
        for (std::size_t i = 0; i < all; ++i) {
          if (shape == 1) loop[i] = made_loop[i] + std::conj(made_loop[turned(i)]);
          for (std::size_t j = 0; j < all; ++j) {
            o[i * all + j] = made[i * all + j] + std::conj(made[j * all + i]);
            if (shape == 1)
              o[i * all + j] += std::conj(made[turned(i) * all + turned(j)]) + made[turned(j) * all + turned(i)];
          }
        }
        // Sums of four numbers in another order may be no mirror images of each other to the last bit.
        for (std::size_t i = 0; i < all; ++i) {
          o[i * all + i] = o[i * all + i].real();
          for (std::size_t j = 0; j < i; ++j) o[i * all + j] = std::conj(o[j * all + i]);
        }
        const SlowTorontonian slow = slow_torontonian(o, modes, loop);
        const RunOptions run{.num_threads = 2};
        const auto found = torontonian_gradients(o, all, has_loops ? loop : std::vector<Complex>{}, {}, {}, run);
        REQUIRE(std::fabs(found.values[0] - slow.value) < 1e-12 * (1 + std::fabs(slow.value)));
        for (std::size_t i = 0; i < all * all; ++i)
          REQUIRE(std::abs(found.derivatives[i] - slow.derivatives[i]) < 1e-11 * (1 + std::abs(slow.derivatives[i])));
        for (std::size_t i = 0; has_loops && i < all; ++i)
          REQUIRE(std::abs(found.loop_derivatives[i] - slow.loop_derivatives[i]) < 1e-11 * (1 + std::abs(loop[i])));
      }
    }
  }
}

TEST_CASE("torontonians of many modes have one value and derivatives on any number of threads", "[gradients]") {
  const std::size_t modes = 13, all = 2 * modes;
  std::vector<double> o(all * all);
  double product = 1;
  for (std::size_t i = 0; i < all; ++i) {
    o[i * (all + 1)] = 0.5 + 0.01 * static_cast<double>(i);
  }
  for (std::size_t i = 0; i < modes; ++i)
    product *= 1 / std::sqrt((1 - o[i * (all + 1)]) * (1 - o[(i + modes) * (all + 1)])) - 1;
  const auto found = torontonian_gradients(o, all);
  REQUIRE(torontonian_gradients(o, all, {}, {}, {}, {.num_threads = 3}).derivatives == found.derivatives);
  REQUIRE(std::fabs(found.values[0] - product) < 1e-9 * product);
  const double root = 1 / std::sqrt((1 - o[0]) * (1 - o[modes * (all + 1)]));
  REQUIRE(std::fabs(found.derivatives[0] - product / (root - 1) * root / 2 / (1 - o[0])) < 1e-9 * product);
  REQUIRE_THROWS_AS(torontonian_gradients(std::vector<double>{2, 0, 0, 2}, 2), InputError);
  REQUIRE_THROWS_AS(torontonian_gradients(std::vector<double>{0, 0.1, 0.2, 0}, 2), InputError);
  REQUIRE_THROWS_AS(torontonian_gradients(std::vector<double>(4, 0.0), 2, std::vector<double>(3, 0.0)), InputError);
}

TEST_CASE("all instruction sets find the same derivatives but for roundings", "[gradients]") {
  Random random(31);
  for (const std::size_t n : {9, 12}) {
    const std::vector<Complex> matrix = random_entries<Complex>(random, n * n, false);
    const std::vector<Complex> symmetric = random_symmetric<Complex>(random, n, false);
    std::vector<double> small(4 * n * n);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        small[i * 2 * n + j] = small[j * 2 * n + i] = 0.02 * static_cast<double>(random.below(5)) - 0.04;
    }
    const std::vector<double> loop(2 * n, 0.25);
    const auto found = [&](Isa isa, Precision precision) {
      RunOptions run{.max_isa = isa};
      std::vector<double> all;
      const auto put = [&](const std::vector<Complex>& numbers) {
        for (const Complex& z : numbers) all.insert(all.end(), {z.real(), z.imag()});
      };
      put(permanent_gradients(matrix, n, run).derivatives);
      const auto torontonian = torontonian_gradients(small, 2 * n, loop, small, loop, run);
      all.insert(all.end(), torontonian.derivatives.begin(), torontonian.derivatives.end());
      run.precision = precision;
      put(hafnian_gradients(symmetric, n, true, run).derivatives);
      return all;
    };
    const std::vector<double> plain = found(Isa::baseline, Precision::double_double);
    double largest = 0;
    for (const double value : plain) largest = std::max(largest, std::fabs(value));
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      for (const Precision precision : {Precision::float64, Precision::double_double}) {
        const std::vector<double> other = found(isa, precision);
        for (std::size_t i = 0; i < plain.size(); ++i) REQUIRE(std::fabs(other[i] - plain[i]) <= 1e-13 * largest);
      }
    }
  }
}
