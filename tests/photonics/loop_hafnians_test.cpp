#include "photonics/loop_hafnians.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matchcount/batches.hpp"
#include "support/batches.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using namespace matchcount::test;
using Complex = std::complex<double>;

TEST_CASE("loop hafnians of one matrix for many loops are those by definition, at every size and instruction set") {
  constexpr std::uint64_t seed = 17;
  Random random(seed);
  for (std::size_t n = 1; n <= 9; ++n) {
    for (const bool negative : {false, true}) {
      // 51 share a table from 6 vertices on; fewer are answered one by one.
      for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{51}}) {
        const auto a = symmetric(random_integers(random, n * n, 4, negative), n);
        auto b = random_integers(random, count * n, 3, negative);
        if (count > 1) std::fill_n(b.begin(), n, 0);  // hafnians, 0 of an odd number
        const RunOptions run{.max_isa = std::array{Isa::baseline, Isa::avx2, Isa::avx512}[n % 3]};
        const auto values = loop_hafnians(reals(a), n, reals(b), run);
        std::vector<Complex> turned_a, turned_b;  // lhaf(i^2 A, i b) = i^n lhaf(A, b)
        for (const auto entry : a) turned_a.emplace_back(-static_cast<double>(entry));
        for (const auto entry : b) turned_b.emplace_back(0, static_cast<double>(entry));
        const auto turned = loop_hafnians(turned_a, n, turned_b, run);
        REQUIRE(values.size() == count);
        REQUIRE(turned.size() == count);
        for (std::size_t i = 0; i < count; ++i) {
          INFO("seed " << seed << ", n " << n << ", vector " << i << " of " << count << ", negative " << negative);
          auto entries = big(a);
          for (std::size_t v = 0; v < n; ++v) entries[v * (n + 1)] = b[i * n + v];
          std::vector<bool> used(n);
          const Integer truth = loop_hafnian(entries, n, used, 0);
          CHECK(is_within(values[i], truth, 1e-6));
          const ScaledReal& part = n % 2 == 0 ? turned[i].value.re : turned[i].value.im;
          const ScaledReal& other = n % 2 == 0 ? turned[i].value.im : turned[i].value.re;
          CHECK(is_within({n % 4 >= 2 ? -part : part, turned[i].log2_error}, truth, 1e-6));
          CHECK(other.log2_abs() <= turned[i].log2_error);
        }
      }
    }
  }
}

TEST_CASE("loop hafnians of one matrix are right where vectors and sets do not fill the lanes, for each kernel") {
  constexpr std::uint64_t seed = 19;
  Random random(seed);
  for (const std::size_t n : {6, 7, 8, 11}) {
    const std::size_t most = 33;
    const auto a = symmetric(random_integers(random, n * n, 3, true), n);
    auto b = random_integers(random, most * n, 3, true);
    std::vector<Integer> truths;
    for (std::size_t i = 0; i < most; ++i) {
      auto entries = big(a);
      for (std::size_t v = 0; v < n; ++v) entries[v * (n + 1)] = b[i * n + v];
      std::vector<bool> used(n);
      truths.push_back(loop_hafnian(entries, n, used, 0));
    }
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      for (std::size_t count = 22; count <= most; count += count == 25 ? 6 : 1) {
        const RunOptions run{.max_isa = isa};
        const auto values =
            loop_hafnians(reals(a), n, reals({b.begin(), b.begin() + static_cast<std::ptrdiff_t>(count * n)}), run);
        const std::vector<Complex> entries(a.begin(), a.end()),
            loops(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(count * n));
        const auto complex = loop_hafnians(entries, n, loops, run);
        for (std::size_t i = 0; i < count; ++i) {
          INFO("seed " << seed << ", n " << n << ", vector " << i << " of " << count);
          CHECK(is_within(values[i], truths[i], 1e-6));
          CHECK(is_within({complex[i].value.re, complex[i].log2_error}, truths[i], 1e-6));
        }
      }
    }
  }
}

TEST_CASE("loop hafnians of one matrix hold beside single ones, at all scales") {
  constexpr std::uint64_t seed = 18;
  Random random(seed);
  for (const std::size_t n : {6, 13, 16, 22, 23}) {
    for (const int exponent : {-240, 0, 200}) {
      if (n > 16 && exponent != 0) continue;
      const std::size_t count = n == 23 ? 2 : n * 4 + 1;
      std::vector<Complex> a(n * n), b;
      for (std::size_t u = 0; u < n; ++u) {
        for (std::size_t v = 0; v <= u; ++v) {
          const Complex entry(std::ldexp(random.uniform() - 0.5, exponent),
                              std::ldexp(random.uniform() - 0.5, exponent));
          a[u * n + v] = a[v * n + u] = entry;
        }
      }
      // Vectors of several sizes; the last one's differ from one another.
      for (std::size_t i = 0; i < count * n; ++i) {
        const int size =
            exponent / 2 + (i / n + 1 == count ? static_cast<int>(i % 7) * 9 - 27 : static_cast<int>(i / n % 9) - 4);
        b.emplace_back(std::ldexp(random.uniform() - 0.5, size), std::ldexp(random.uniform() - 0.5, size));
      }
      const auto values = loop_hafnians(a, n, b);
      for (std::size_t i = 0; i<count; i += n> 16 ? 33 : 1) {
        INFO("seed " << seed << ", n " << n << ", exponent " << exponent << ", vector " << i);
        auto single = a;
        for (std::size_t v = 0; v < n; ++v) single[v * (n + 1)] = b[i * n + v];
        const ComplexValue other = hafnians(single, n, true).front();
        const ScaledComplex difference{values[i].value.re + -other.value.re, values[i].value.im + -other.value.im};
        CHECK(log2_abs(difference) <= log2_sum(values[i].log2_error, other.log2_error) + 1e-6);
        CHECK(relative_error(values[i]) <= 1e-5);
      }
    }
  }
}

TEST_CASE("loop hafnians of faulty input are refused, and end when time is over or they are stopped") {
  const std::vector<double> a{0, 1, 1, 0}, one{1}, two{1, 2}, lopsided{0, 1, 2, 0};
  const std::vector<double> infinite{1, std::numeric_limits<double>::infinity()};
  CHECK(loop_hafnians(a, 2, std::vector<double>{}).empty());
  CHECK(loop_hafnians(a, 2, two).front().value.to_double() == 3);
  CHECK_THROWS_AS(loop_hafnians(a, 2, one), InputError);
  CHECK_THROWS_AS(loop_hafnians(two, 2, two), InputError);
  CHECK_THROWS_AS(loop_hafnians(std::vector<double>{}, 0, two), InputError);
  CHECK_THROWS_AS(loop_hafnians(lopsided, 2, two), InputError);
  CHECK_THROWS_AS(loop_hafnians(a, 2, infinite), InputError);
  const RunOptions run{.stop = raised_stop()};
  const std::vector<double> ones(400, 1), loops(2000, 1);
  CHECK_THROWS_AS(loop_hafnians(ones, 20, loops, run), Cancelled);
}
