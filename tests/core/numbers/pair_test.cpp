#include "core/numbers/pair.hpp"

#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20260101;

double random_double(Random& random, int max_exponent) {
  const double sign = random.below(2) == 0 ? 1 : -1;
  const int exponent = static_cast<int>(random.below(static_cast<std::uint64_t>(2 * max_exponent + 1))) - max_exponent;
  return sign * std::ldexp(1 + random.uniform(), exponent);
}

// Draws a number that is normalised, with a low half anywhere from one half ulp down, or none.
DoubleDouble random_double_double(Random& random) {
  const double hi = random_double(random, 60);
  const double ulp = std::nextafter(std::fabs(hi), std::numeric_limits<double>::infinity()) - std::fabs(hi);
  switch (random.below(4)) {
    case 0:
      return hi;
    case 1:
      return two_sum(hi, ulp * (random.uniform() - 0.5) * 0x1p-30);
    default:
      return two_sum(hi, ulp * (random.uniform() - 0.5));
  }
}

}  // namespace

TEST_CASE("two_sum, fast_two_sum and two_product lose nothing") {
  CAPTURE(seed);
  Random random(seed, 1);
  for (int i = 0; i < 2000; ++i) {
    double a = random_double(random, 100);
    double b = random_double(random, 100);
    CAPTURE(i, a, b);
    const DoubleDouble sum = two_sum(a, b);
    REQUIRE(exact(sum) == exact(a) + exact(b));
    REQUIRE(sum.hi == a + b);
    const DoubleDouble product = two_product(a, b);
    REQUIRE(exact(product) == exact(a) * exact(b));
    REQUIRE(product.hi == a * b);
    if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
    REQUIRE(exact(fast_two_sum(a, b)) == exact(a) + exact(b));
  }
  CHECK(two_sum(1, 0x1p-60) == DoubleDouble(1, 0x1p-60));
  CHECK(fast_two_sum(0, 3) == DoubleDouble(3, 0));
}

TEST_CASE("double-double operations keep their stated relative error") {
  CAPTURE(seed);
  Random random(seed, 2);
  const Rational sum_bound = 3 * power_of_two(-106) + power_of_two(-150);
  const Rational product_bound = 5 * power_of_two(-106);
  const Rational unit = exact(DoubleDouble::unit_roundoff);
  for (int i = 0; i < 3000; ++i) {
    const DoubleDouble a = random_double_double(random);
    // Every fourth pair nearly cancels, which the sum must survive too.
    DoubleDouble b = i % 4 == 0 ? -a : random_double_double(random);
    if (i % 4 == 0) {
      b.lo *= 0.75;
      b.hi *= 1 + static_cast<double>(random.below(3)) * 0x1p-52;
    }
    CAPTURE(i, a.hi, a.lo, b.hi, b.lo);
    REQUIRE(within_relative(exact(a + b), exact(a) + exact(b), sum_bound));
    REQUIRE(within_relative(exact(a - b), exact(a) - exact(b), sum_bound));
    REQUIRE(within_relative(exact(a * b), exact(a) * exact(b), product_bound));
    REQUIRE(within_relative(exact(a / b), exact(a) / exact(b), unit));
    DoubleDouble c = a;
    c += b;
    REQUIRE(c == a + b);
    c = a;
    c -= b;
    REQUIRE(c == a - b);
    c = a;
    c *= b;
    REQUIRE(c == a * b);
    c = a;
    c /= b;
    REQUIRE(c == a / b);
  }
}

TEST_CASE("double-double negation, absolute value and scaling are exact") {
  const DoubleDouble a(-3, 0x1p-60);
  CHECK(exact(-a) == -exact(a));
  CHECK(exact(abs(a)) == -exact(a));
  CHECK(exact(abs(-a)) == -exact(a));
  CHECK(abs(DoubleDouble(0, -0x1p-60)) == DoubleDouble(0, 0x1p-60));
  CHECK(exact(ldexp(a, -7)) == exact(a) * power_of_two(-7));
  CHECK(static_cast<double>(a) == -3);
  CHECK(magnitude(a) == 3);
}

TEST_CASE("double-double tells finite values from the others") {
  CHECK(isfinite(DoubleDouble(1, 0x1p-70)));
  CHECK_FALSE(isfinite(DoubleDouble(std::numeric_limits<double>::infinity())));
  CHECK_FALSE(isfinite(DoubleDouble(1, std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("complex double-double agrees with exact complex arithmetic") {
  CAPTURE(seed);
  Random random(seed, 3);
  const Rational unit = exact(DoubleDouble::unit_roundoff);
  for (int i = 0; i < 500; ++i) {
    const ComplexDoubleDouble a(random_double(random, 3), random_double(random, 3));
    const ComplexDoubleDouble b(random_double(random, 3), random_double(random, 3));
    CAPTURE(i, a.re.hi, a.im.hi, b.re.hi, b.im.hi);
    const ComplexDoubleDouble product = a * b;
    // Each part is one sum of two products, so the error is small against the sum of their magnitudes.
    const Rational re = exact(a.re) * exact(b.re), re2 = exact(a.im) * exact(b.im);
    const Rational im = exact(a.re) * exact(b.im), im2 = exact(a.im) * exact(b.re);
    REQUIRE(abs(Rational(exact(product.re) - (re - re2))) <= 2 * unit * (abs(re) + abs(re2)));
    REQUIRE(abs(Rational(exact(product.im) - (im + im2))) <= 2 * unit * (abs(im) + abs(im2)));
    REQUIRE(within_relative(exact((a + b).re), exact(a.re) + exact(b.re), unit));
    REQUIRE(within_relative(exact((a - b).im), exact(a.im) - exact(b.im), unit));
    ComplexDoubleDouble c = a;
    c += b;
    REQUIRE(c == a + b);
    c = a;
    c *= b;
    REQUIRE(c == product);
    REQUIRE(-(-a) == a);
  }
  CHECK(ComplexDoubleDouble(0, 1) * ComplexDoubleDouble(0, 1) == ComplexDoubleDouble(-1, 0));
  CHECK(magnitude(ComplexDoubleDouble(3, 4)) == 5);
  CHECK(ldexp(ComplexDoubleDouble(1, -2), 3) == ComplexDoubleDouble(8, -16));
}
