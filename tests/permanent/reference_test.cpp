#include <vector>

#include "core/numbers/integer.hpp"
#include "support/catch.hpp"
#include "support/closed_forms.hpp"
#include "support/exact.hpp"
#include "support/instances.hpp"
#include "support/oracles.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::reference;
using matchcount::test::Family;

namespace {

template <class Rule>
std::vector<Integer> matrix(std::size_t n, Rule&& rule) {
  std::vector<Integer> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) entries.emplace_back(rule(i, j) ? 1 : 0);
  }
  return entries;
}

}  // namespace

TEST_CASE("the oracles give what a person computes by hand") {
  CHECK(permanent_by_expansion(std::vector<Integer>{}, 0) == 1);
  CHECK(permanent_by_subsets(std::vector<Integer>{}, 0) == 1);
  CHECK(cycle_covers_by_walking(std::vector<Integer>{}, 0) == 1);
  CHECK(permanent_by_expansion(std::vector<Integer>{0}, 1) == 0);
  CHECK(permanent_by_subsets(std::vector<Integer>{-5}, 1) == -5);
  // 1*4 + 2*3
  CHECK(permanent_by_expansion(std::vector<Integer>{1, 2, 3, 4}, 2) == 10);
  CHECK(permanent_by_subsets(std::vector<Integer>{1, 2, 3, 4}, 2) == 10);
  // 1(5*9 + 6*8) + 2(4*9 + 6*7) + 3(4*8 + 5*7)
  CHECK(permanent_by_subsets(std::vector<Integer>{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3) == 450);
  CHECK(permanent_by_expansion(std::vector<Integer>{1, 1, 1, -1}, 2) == 0);
  CHECK(permanent_by_expansion(std::vector<double>{0.5, 2, 0.25, 4}, 2) == 2.5);
}

TEST_CASE("the oracles of permanents agree on random integers, rationals and Gaussian integers") {
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const Family family : test::all_families) {
      const auto integers = test::integer_instance(family, test::IntegerWeights::mixed, n, 11);
      INFO(to_string(integers));
      const std::vector<Integer> entries(integers.entries.begin(), integers.entries.end());
      REQUIRE(permanent_by_expansion(entries, n) == permanent_by_subsets(entries, n));

      const auto reals = test::real_instance(family, test::RealWeights::signs, n, 12);
      INFO(to_string(reals));
      std::vector<test::Rational> rationals;
      for (const DoubleDouble entry : reals.entries) rationals.push_back(test::exact(entry));
      if (n <= 5) {
        const auto truth = test::exact_permanent(reals);
        REQUIRE(permanent_by_expansion(rationals, n) ==
                test::Rational(truth.integer) * test::power_of_two(truth.exponent));
      }
      const auto complex = test::complex_instance(family, test::RealWeights::halves, n, 13);
      INFO(to_string(complex));
      std::vector<test::GaussianInteger> doubled;
      for (const ComplexDoubleDouble& entry : complex.entries) {
        doubled.emplace_back(static_cast<int>(2 * entry.re.hi), static_cast<int>(2 * entry.im.hi));
      }
      const test::GaussianInteger by_expansion = permanent_by_expansion(doubled, n);
      REQUIRE(by_expansion == permanent_by_subsets(doubled, n));
      const auto truth = test::exact_permanent(complex);
      const std::int64_t shift = -static_cast<std::int64_t>(n);
      REQUIRE((truth.re - test::Dyadic{by_expansion.re, shift}).integer == 0);
      REQUIRE((truth.im - test::Dyadic{by_expansion.im, shift}).integer == 0);
    }
  }
}

TEST_CASE("cycle covers by walking are the permanent of the adjacency matrix") {
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const Family family : test::all_families) {
      const auto instance = test::integer_instance(family, test::IntegerWeights::mixed, n, 14);
      INFO(to_string(instance));
      const std::vector<Integer> entries(instance.entries.begin(), instance.entries.end());
      REQUIRE(cycle_covers_by_walking(entries, n) == permanent_by_subsets(entries, n));
    }
  }
}

TEST_CASE("the all-ones matrix has permanent n!") {
  for (unsigned n = 0; n <= 8; ++n) {
    CHECK(permanent_by_expansion(matrix(n, [](auto, auto) { return true; }), n) == test::factorial(n));
  }
  for (unsigned n = 0; n <= 14; ++n) {
    CHECK(permanent_by_subsets(matrix(n, [](auto, auto) { return true; }), n) == test::factorial(n));
  }
}

TEST_CASE("all ones but the diagonal gives the derangements") {
  Integer derangements = 1;  // d(n) = n d(n-1) + (-1)^n
  for (unsigned n = 0; n <= 14; ++n) {
    if (n > 0) derangements = n * derangements + (n % 2 == 0 ? 1 : -1);
    const auto entries = matrix(n, [](auto i, auto j) { return i != j; });
    CAPTURE(n);
    CHECK(permanent_by_subsets(entries, n) == derangements);
    if (n <= 8) CHECK(permanent_by_expansion(entries, n) == derangements);
  }
}

TEST_CASE("all ones but the diagonal and the one beside it gives the menage numbers") {
  // OEIS A000179 from n = 3.
  const std::vector<Integer> menage{1, 2, 13, 80, 579, 4738, 43387, 439792, 4890741, 59216642, 775596313};
  for (std::size_t n = 3; n < 3 + menage.size(); ++n) {
    const auto entries = matrix(n, [n](auto i, auto j) { return j != i && j != (i + 1) % n; });
    CAPTURE(n);
    CHECK(permanent_by_subsets(entries, n) == menage[n - 3]);
    if (n <= 8) CHECK(permanent_by_expansion(entries, n) == menage[n - 3]);
  }
}

TEST_CASE("the tridiagonal matrix of ones has Fibonacci permanents") {
  Integer previous = 1, current = 1;  // n = 0 and 1
  for (std::size_t n = 1; n <= 16; ++n) {
    const auto entries = matrix(n, [](auto i, auto j) { return i <= j + 1 && j <= i + 1; });
    CAPTURE(n);
    CHECK(permanent_by_subsets(entries, n) == current);
    if (n <= 12) CHECK(permanent_by_expansion(entries, n) == current);
    const Integer next = previous + current;
    previous = current;
    current = next;
  }
}

TEST_CASE("I + P + P^2 has permanent L(n) + 2, L the Lucas numbers") {
  // Minc 1964. L(3) = 4, L(4) = 7.
  Integer previous = 4, current = 7;
  for (std::size_t n = 3; n <= 14; ++n) {
    const auto entries = matrix(n, [n](auto i, auto j) { return (j + n - i) % n <= 2; });
    CAPTURE(n);
    CHECK(permanent_by_subsets(entries, n) == previous + 2);
    const Integer next = previous + current;
    previous = current;
    current = next;
  }
}

TEST_CASE("the judge of printed digits allows one unit of the last digit and no more") {
  const test::Dyadic five_eighths{5, -3};
  CHECK(test::within_one_unit("6.25e-1", five_eighths));
  CHECK(test::within_one_unit("6.26e-1", five_eighths));
  CHECK_FALSE(test::within_one_unit("6.27e-1", five_eighths));
  CHECK(test::within_one_unit("6e-1", five_eighths));
  CHECK_FALSE(test::within_one_unit("5e-1", five_eighths));
  CHECK_FALSE(test::within_one_unit("-6e-1", five_eighths));
  CHECK(test::within_one_unit("-1.2e3", {-75, 4}));
  CHECK(test::within_one_unit("1.1259e15", {1, 50}));
  CHECK_FALSE(test::within_one_unit("1.1261e15", {1, 50}));
}
