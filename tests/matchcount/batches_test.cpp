#include "matchcount/batches.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matchcount/count.hpp"
#include "support/batches.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/oracles.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Complex = std::complex<double>;

}  // namespace

TEST_CASE("permanents of a batch are those of its matrices by definition, at every size and on every instruction set") {
  Random random(7);
  for (std::size_t n = 1; n <= 9; ++n) {
    CAPTURE(n);
    const std::size_t count = 5;
    const auto entries = random_integers(random, count * n * n, 3, n % 2 == 0);
    std::vector<Integer> truth;
    for (std::size_t i = 0; i < count; ++i) {
      const auto matrix = big({entries.begin() + i * n * n, entries.begin() + (i + 1) * n * n});
      truth.push_back(reference::permanent_by_expansion(matrix, n));
    }
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const RunOptions run{.max_isa = isa};
      CHECK(permanents(entries, n, run) == truth);
      const auto values = permanents(reals(entries), n, run);
      for (std::size_t i = 0; i < count; ++i) CHECK(is_within(values[i], truth[i], n % 2 == 0 ? 0.05 : 1e-12));
    }
  }
}

TEST_CASE("matrices side by side have their permanents, within bounds, whatever stands beside them") {
  Random random(17);
  const auto by_definition = [](const Complex* a, std::size_t n) {  // exact, of small Gaussian integers
    std::vector<Complex> sums(std::size_t{1} << n);
    sums[0] = 1;
    for (std::size_t set = 1; set < sums.size(); ++set) {
      const auto row = static_cast<std::size_t>(std::popcount(set)) - 1;
      for (std::size_t j = 0; j < n; ++j) {
        if ((set >> j & 1) != 0) sums[set] += a[row * n + j] * sums[set - (std::size_t{1} << j)];
      }
    }
    return sums.back();
  };
  const auto part = [&] { return static_cast<double>(random.below(7)) - 3; };
  for (std::size_t n = 2; n <= 12; ++n) {
    for (const std::size_t count : {2u, 8u, 13u}) {
      CAPTURE(n, count);
      std::vector<Complex> entries;
      for (std::size_t i = 0; i < count * n * n; ++i) entries.emplace_back(part(), part());
      std::vector<Complex> truth;
      for (std::size_t i = 0; i < count; ++i) truth.push_back(by_definition(entries.data() + i * n * n, n));
      // Rows that others beside them can't follow: no entry, positive ones, and such as leave the range.
      std::vector<double> scale(count, 1);
      for (std::size_t j = 0; j < n; ++j) {
        if (count > 2) entries[n * n + j * n] = 0;
        if (count > 8) entries[9 * n * n + j] *= scale[9] = 0x1p900;
      }
      if (count > 2) truth[1] = 0;
      for (std::size_t i = 2 * n * n; i < 3 * n * n && count > 2; ++i) entries[i] = std::abs(entries[i].real());
      if (count > 2) truth[2] = by_definition(entries.data() + 2 * n * n, n);
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
        const auto values = permanents(std::span<const Complex>(entries), n, {.max_isa = isa});
        for (std::size_t i = 0; i < count; ++i) {
          const int exponent = scale[i] == 1 ? 0 : -900;
          const auto part_of = [&](const ScaledReal& value) {
            return ScaledReal(value.mantissa, value.exponent + exponent).to_double();
          };
          const Complex found(part_of(values[i].value.re), part_of(values[i].value.im));
          const double error = std::exp2(values[i].log2_error + exponent);
          CHECK(std::abs(found - truth[i]) <= error);
          CHECK(error <= 1e-7 * std::abs(truth[i]) + 1e-9);
        }
      }
    }
  }
}

TEST_CASE("permanents of larger matrices are those by subsets, with entries that 64 bits do not hold the products of") {
  Random random(8);
  for (const std::size_t n : {12, 14, 16, 17}) {
    for (const int bits : {1, 4, 12, 40}) {
      CAPTURE(n, bits);
      const auto entries = random_integers(random, n * n, bits, bits != 4);
      const Integer truth = reference::permanent_by_subsets(big(entries), n);
      CHECK(permanents(entries, n)[0] == truth);
      CHECK(is_within(permanents(reals(entries), n)[0], truth, 0.05));
    }
  }
}

TEST_CASE("a permanent beyond 16 rows is that of the front door") {
  Random random(9);
  const auto entries = random_integers(random, 22 * 22, 2, false);
  const auto truth = permanent(BipartiteGraph::from_dense(22, 22, entries));
  CHECK(permanents(entries, 22)[0] == std::get<Integer>(truth.value));
  CHECK(is_within(permanents(reals(entries), 22)[0], std::get<Integer>(truth.value), 1e-9));
}

TEST_CASE("hafnians of a batch are those of its matrices by definition, whatever stands on the diagonal") {
  Random random(11);
  for (const std::size_t n : {1, 2, 3, 4, 6, 8, 10, 12}) {
    CAPTURE(n);
    const std::size_t count = 3;
    std::vector<std::int64_t> entries;
    std::vector<Integer> truth, with_loops;
    for (std::size_t i = 0; i < count; ++i) {
      const auto matrix = symmetric(random_integers(random, n * n, 3, i == 1), n);
      entries.insert(entries.end(), matrix.begin(), matrix.end());
      truth.push_back(n % 2 == 1 ? Integer(0) : reference::hafnian_by_expansion(big(matrix), n));
      std::vector<bool> used(n);
      with_loops.push_back(n > 10 ? Integer(0) : loop_hafnian(big(matrix), n, used, 0));
    }
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      const RunOptions run{.max_isa = isa};
      CHECK(hafnians(entries, n, false, run) == truth);
      if (n <= 10) CHECK(hafnians(entries, n, true, run) == with_loops);
      const auto values = hafnians(reals(entries), n, false, run);
      CHECK(is_within(values[0], truth[0], 1e-12));
      CHECK(is_within(values[1], truth[1], 0.05));
    }
  }
}

TEST_CASE("hafnians of matrices whose entries cancel and differ by 240 bits lie within their bounds of the integers") {
  using Gaussian = std::array<Integer, 2>;
  Random random(29);
  // By sets of vertices, of which the lowest is matched.
  const auto truth_of = [](const std::vector<Gaussian>& a, std::size_t n, bool loops) {
    std::vector<Gaussian> f(std::size_t{1} << n);
    f[0] = {1, 0};
    for (std::size_t set = 1; set < f.size(); ++set) {
      const auto u = static_cast<std::size_t>(std::countr_zero(set));
      for (std::size_t v = loops ? u : u + 1; v < n; ++v) {
        if ((set >> v & 1) == 0) continue;
        const Gaussian &x = a[u * n + v], &y = f[set & ~(std::size_t{1} << u | std::size_t{1} << v)];
        f[set][0] += x[0] * y[0] - x[1] * y[1];
        f[set][1] += x[0] * y[1] + x[1] * y[0];
      }
    }
    return f.back();
  };
  const auto log2_distance = [](const ScaledReal& a, const Integer& b) { return (a + -nearest_real(b)).log2_abs(); };
  for (int number = 0; number < 350; ++number) {
    const std::size_t n =
        number < 340 ? 4 + static_cast<std::size_t>(number) % 9 : 14 + static_cast<std::size_t>(number) % 2;
    const bool loops = n % 2 == 1 || random.below(2) == 1;
    const int shape = number % 4;
    std::vector<Gaussian> exact(n * n);
    std::vector<double> re(n * n);
    std::vector<Complex> both(n * n);
    for (std::size_t u = 0; u < n; ++u) {
      for (std::size_t v = 0; v <= u; ++v) {
        // Ones of either sign, integers, exponents of any kind, and lines that nearly are others turned round.
        const std::size_t shift = shape == 2 ? random.below(241) : 0, range = shape == 0 ? 1 : 1000;
        const auto part = [&] {
          const auto size = static_cast<std::int64_t>(1 + random.below(range));
          return random.below(2) == 1 ? -size : size;
        };
        std::int64_t x = part(), y = part();
        if (shape == 3 && u % 2 == 1 && v + 1 < u) {
          x = 1 - static_cast<std::int64_t>(re[(u - 1) * n + v]);
          y = -static_cast<std::int64_t>(both[(u - 1) * n + v].imag());
        }
        exact[u * n + v] = exact[v * n + u] = {Integer(x) << shift, Integer(y) << shift};
        const auto power = static_cast<int>(shift);
        re[u * n + v] = re[v * n + u] = std::ldexp(static_cast<double>(x), power);
        both[u * n + v] = both[v * n + u] = {re[u * n + v], std::ldexp(static_cast<double>(y), power)};
      }
    }
    CAPTURE(number, n, loops, shape);
    const RunOptions run{
        .max_isa = std::array{Isa::baseline, Isa::avx2, Isa::avx512}[static_cast<std::size_t>(number / 4 % 3)]};
    const ComplexValue found = hafnians(both, n, loops, run)[0];
    const Gaussian truth = truth_of(exact, n, loops);
    CHECK(log2_distance(found.value.re, truth[0]) <= found.log2_error);
    CHECK(log2_distance(found.value.im, truth[1]) <= found.log2_error);
    for (Gaussian& entry : exact) entry[1] = 0;
    const RealValue real = hafnians(re, n, loops, run)[0];
    CHECK(log2_distance(real.value, truth_of(exact, n, loops)[0]) <= real.log2_error);
  }
}

TEST_CASE("hafnians of larger complete graphs are double factorials, and with loops numbers of involutions") {
  for (const std::size_t n : {16, 22, 24, 26, 30, 31, 32}) {
    CAPTURE(n);
    const std::vector<std::int64_t> ones(n * n, 1);
    Integer matchings = 1, involutions = 1, before = 1;
    for (std::size_t i = 2; i <= n; ++i) {
      if (i % 2 == 0) matchings *= i - 1;
      const Integer next = involutions + before * static_cast<std::int64_t>(i - 1);
      before = std::move(involutions);
      involutions = next;
    }
    if (n % 2 == 1) matchings = 0;
    CHECK(hafnians(ones, n)[0] == matchings);
    if (n % 2 == 0) CHECK(is_within(hafnians(reals(ones), n)[0], matchings, 1e-11));
    CHECK(hafnians(ones, n, true)[0] == involutions);
  }
}

TEST_CASE("a permanent with multiplicities is that of the matrix written out") {
  Random random(12);
  const std::vector<std::vector<std::uint32_t>> times = {{1},    {3},       {2, 0, 1}, {1, 2, 3, 1},
                                                         {4, 3}, {2, 2, 2}, {1, 1, 5}, {9}};
  for (const auto& rows : times) {
    for (const auto& columns : times) {
      const auto entries = random_integers(random, rows.size() * columns.size(), 3, false);
      std::vector<Integer> written_out;
      std::size_t n = 0, m = 0;
      for (const std::uint32_t taken : columns) m += taken;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::uint32_t copy = 0; copy < rows[i]; ++copy, ++n) {
          for (std::size_t j = 0; j < columns.size(); ++j)
            written_out.insert(written_out.end(), columns[j], entries[i * columns.size() + j]);
        }
      }
      CAPTURE(rows, columns, entries);
      const Integer truth = n == m ? reference::permanent_by_expansion(written_out, n) : Integer(0);
      CHECK(repeated_permanent(entries, rows, columns) == truth);
      CHECK(is_within(repeated_permanent(reals(entries), rows, columns), truth, 1e-12));
    }
  }
  CHECK(repeated_permanent(std::vector<std::int64_t>{}, std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{}) ==
        1);
}

TEST_CASE("a matrix of ones taken 40 or 170 times, the last near the largest double, has a factorial") {
  for (const std::vector<std::uint32_t>& times : {std::vector<std::uint32_t>(8, 5), std::vector<std::uint32_t>{170},
                                                  std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 12}}) {
    Integer factorial = 1;
    for (std::uint32_t i = std::accumulate(times.begin(), times.end(), 0u); i > 1; --i) factorial *= i;
    const std::vector<double> ones(times.size() * times.size(), 1);
    CHECK(is_within(repeated_permanent(ones, times, times), factorial, 1e-11));
  }
}

TEST_CASE("a permanent with multiplicities whose terms cancel to a part in 10^14 still has digits") {
  // Entries by columns (r, c): -1 to the number of common bits, each row and column taken 14 times. The permanent is
  // 14!^4 times the coefficient of (x_0 x_1 x_2 x_3)^14 in the product of the rows' linear forms, each to the power of
  // 14.
  constexpr std::size_t times = 14, base = times + 1;
  std::vector<double> entries;
  for (unsigned r = 0; r < 4; ++r) {
    for (unsigned c = 0; c < 4; ++c) entries.push_back((0x6996u >> (r & c) & 1) != 0 ? -1.0 : 1.0);
  }
  std::vector<Integer> polynomial(base * base * base * base);
  polynomial[0] = 1;
  const std::size_t stride[] = {1, base, base * base, base * base * base};
  for (std::size_t row = 0; row < 4 * times; ++row) {
    for (std::size_t k = polynomial.size(); k-- > 0;) {
      Integer sum = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        if (k / stride[j] % base == 0) continue;
        const Integer& below = polynomial[k - stride[j]];
        entries[row / times * 4 + j] > 0 ? sum += below : sum -= below;
      }
      polynomial[k] = std::move(sum);
    }
  }
  Integer truth = polynomial.back();
  for (int j = 0; j < 4; ++j) {
    for (std::size_t i = 2; i <= times; ++i) truth *= i;
  }
  const std::vector<std::uint32_t> taken(4, times);
  CHECK(is_within(repeated_permanent(entries, taken, taken), truth, 1e-9));
}

TEST_CASE("entries of any magnitude neither overflow nor underflow") {
  for (const double scale : {1e-300, 1e-150, 1.0, 1e150, 1e300}) {
    CAPTURE(scale);
    const std::vector<double> entries(36, scale);
    CHECK(permanents(entries, 6)[0].value.log2_abs() == Approx(std::log2(720.0) + 6 * std::log2(scale)));
    CHECK(hafnians(entries, 6)[0].value.log2_abs() == Approx(std::log2(15.0) + 3 * std::log2(scale)));
  }
}

TEST_CASE("entries that differ by 300 powers of ten lose nothing that the bound does not say") {
  const auto is_near = [](const RealValue& value, double truth) {
    return std::fabs(value.value.to_double() - truth) <= std::exp2(value.log2_error) + 1e-15 * std::fabs(truth);
  };
  CHECK(is_near(permanents(std::vector<double>{-1e300, 3.3e-15, 1e300, 9e-15}, 2)[0], -5.7e285));
  CHECK(is_near(permanents(std::vector<double>{-1e300, 3.3e-22, 1e300, 9e-22}, 2)[0], -5.7e278));
  CHECK(is_near(permanents(std::vector<double>{-1e300, 1, 3e-20, 1e300, 1, 9e-20, 1e300, -1, 7e-20}, 3)[0], 1.8e281));
  using Times = std::vector<std::uint32_t>;
  // Every term has two factors of some 1e-175.
  const RealValue loops = repeated_hafnian(std::vector<double>{2e-175, .1, .1, 1e-175}, Times{5, 2}, true);
  CHECK(loops.value.log2_abs() <= log2_sum(loops.log2_error, -1100));
  const std::vector<double> none{0, 1, -.1, 1, 0, .1, -.1, .1, 1e-175};
  const RealValue zero = repeated_hafnian(none, Times{1, 5, 3}, true);
  CHECK(zero.value.log2_abs() <= zero.log2_error);
}

TEST_CASE("what cancels goes through the front door, and comes back within its bound") {
  const std::vector<double> entries{1, 1, 1, 1, 1, 1, 0.5, -1, 0.5};
  const RealValue value = permanents(entries, 3)[0];
  CHECK(value.value.log2_abs() <= value.log2_error);
  CHECK(permanents(std::vector<double>(16, 0.0), 4)[0].value.is_zero());
}

TEST_CASE("matrices that are not finite, not symmetric or of another size are refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(permanents(std::vector<double>{nan}, 1), InputError);
  CHECK_THROWS_AS(permanents(std::vector<Complex>{{0, infinity}}, 1), InputError);
  CHECK_THROWS_AS(permanents(std::vector<double>(5), 2), InputError);
  CHECK_THROWS_AS(permanents(std::vector<double>{}, 0), InputError);
  CHECK_THROWS_AS(hafnians(std::vector<std::int64_t>{0, 1, 2, 0}, 2), InputError);
  CHECK_THROWS_AS(
      repeated_permanent(std::vector<double>(3), std::vector<std::uint32_t>{1, 1}, std::vector<std::uint32_t>{1, 1}),
      InputError);
}

TEST_CASE("a batch ends where the stop token is raised") {
  CHECK_THROWS_AS(permanents(std::vector<double>(100 * 144, 1.0), 12, {.stop = raised_stop()}), Cancelled);
}
