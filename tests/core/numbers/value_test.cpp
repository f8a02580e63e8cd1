#include "core/numbers/value.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"

using namespace matchcount;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

RealValue real(double value, double log2_error, std::int64_t exponent = 0) {
  RealValue result;
  result.value = ScaledReal(value, exponent);
  result.log2_error = log2_error;
  return result;
}

ComplexValue complex(double re, double im, double log2_error) {
  ComplexValue result;
  result.value = {ScaledReal(re), ScaledReal(im)};
  result.log2_error = log2_error;
  return result;
}

bool near(double a, double b, double tolerance = 1e-12) { return std::fabs(a - b) <= tolerance * (1 + std::fabs(b)); }

}  // namespace

TEST_CASE("log2_sum adds what its arguments are logarithms of") {
  CHECK(log2_sum(0, 0) == 1);
  CHECK(log2_sum(1, 0) == log2_sum(0, 1));
  CHECK(near(log2_sum(0, 1), std::log2(3.0)));
  CHECK(near(log2_sum(-3, -1), std::log2(0.625)));
  CHECK(near(log2_sum(10, 11), std::log2(3072.0)));
  // Far apart the larger is the sum; far out nothing overflows.
  CHECK(log2_sum(5000, 0) == 5000);
  CHECK(log2_sum(1e6, 1e6) == 1e6 + 1);
  CHECK(log2_sum(-1e6, -1e6) == -1e6 + 1);
  // 2^-infinity is 0.
  CHECK(log2_sum(-infinity, 7) == 7);
  CHECK(log2_sum(7, -infinity) == 7);
  CHECK(log2_sum(-infinity, -infinity) == -infinity);
  CHECK(log2_sum(infinity, 7) == infinity);
  CHECK(log2_sum(infinity, -infinity) == infinity);
  CHECK(log2_sum(infinity, infinity) == infinity);
}

TEST_CASE("integers print all their digits and have no error") {
  CHECK(to_string(Value(Integer(0))) == "0");
  CHECK(to_string(Value(Integer(-120))) == "-120");
  const Integer huge = pow(Integer(10), 40) + 7;
  CHECK(to_string(Value(huge)) == "10000000000000000000000000000000000000007");
  for (const Integer& value : {Integer(0), Integer(-3), huge}) CHECK(relative_error(Value(value)) == 0);
}

TEST_CASE("the decimal logarithm is that of the absolute value, minus infinity for 0") {
  CHECK(log10_abs(Value(Integer(0))) == -infinity);
  CHECK(log10_abs(Value(RealValue{})) == -infinity);
  CHECK(log10_abs(Value(ComplexValue{})) == -infinity);
  CHECK(log10_abs(Value(Integer(1))) == 0);
  CHECK(near(log10_abs(Value(Integer(-1000))), 3));
  CHECK(near(log10_abs(Value(pow(Integer(10), 5000))), 5000));
  CHECK(near(log10_abs(Value(real(-0.001, -60))), -3));
  CHECK(near(log10_abs(Value(real(1, -60, 100000))), 30102.999566398119521));
  CHECK(near(log10_abs(Value(complex(3, -4, -60))), std::log10(5.0)));
  CHECK(near(log10_abs(Value(complex(0, 100, -60))), 2));
}

TEST_CASE("log2 of the absolute value of a complex number needs no square that overflows") {
  CHECK(log2_abs(ScaledComplex{}) == -infinity);
  CHECK(near(log2_abs(ScaledComplex{ScaledReal(-8.0), ScaledReal()}), 3));
  CHECK(near(log2_abs(ScaledComplex{ScaledReal(), ScaledReal(0.25)}), -2));
  CHECK(near(log2_abs(ScaledComplex{ScaledReal(1.0), ScaledReal(-1.0)}), 0.5));
  CHECK(near(log2_abs(ScaledComplex{ScaledReal(3.0, 50000), ScaledReal(4.0, 50000)}), 50000 + std::log2(5.0)));
  // A part that is 2^-200000 of the other one changes nothing.
  CHECK(near(log2_abs(ScaledComplex{ScaledReal(1.0, 100000), ScaledReal(1.0, -100000)}), 100000));
}

TEST_CASE("a relative error is the bound over the value, 0 where exact, infinite for a 0 that need not be") {
  CHECK(relative_error(Value(real(3, -infinity))) == 0);
  CHECK(relative_error(Value(RealValue{})) == 0);
  CHECK(relative_error(Value(ComplexValue{})) == 0);
  CHECK(relative_error(Value(real(0, -40))) == infinity);
  CHECK(relative_error(Value(complex(0, 0, -40))) == infinity);
  CHECK(near(relative_error(Value(real(-8, -40))), std::exp2(-43.0)));
  CHECK(near(relative_error(Value(real(1, 1960, 2000))), std::exp2(-40.0)));
  CHECK(near(relative_error(Value(complex(3, 4, -30))), std::exp2(-30.0) / 5));
  // An error as large as the value leaves nothing to rely on.
  CHECK(relative_error(Value(real(1, 0))) >= 1);
  CHECK(relative_error(Value(real(1, 3))) > 1);
}

TEST_CASE("reals print the digits that their bound supports and no more, 17 at the most") {
  const double value = 2.0 / 3;
  CHECK(to_string(Value(RealValue{})) == "0");
  CHECK(to_string(Value(real(value, -infinity))) == "6.6666666666666663e-1");  // the double, exactly rounded
  CHECK(to_string(Value(real(-value, -infinity))) == "-6.6666666666666663e-1");
  CHECK(to_string(Value(real(-2.5, -100))) == "-2.5000000000000000e0");
  for (int bits = 0; bits <= 70; ++bits) {
    const Value shown(real(value, -bits));
    const double error = relative_error(shown);
    const std::string text = to_string(shown);
    CAPTURE(bits, text);
    if (error > 0.05) {
      CHECK(text.substr(0, 5) == "[+/- ");
      const double most = std::stod(text.substr(5));
      CHECK(most >= value + std::exp2(-bits));
      CHECK(most <= 1.15 * (value + std::exp2(-bits)));
      continue;
    }
    const auto digits = static_cast<std::size_t>(supported_digits(error));
    const std::size_t mantissa = text.find('e');
    REQUIRE(mantissa != std::string::npos);
    CHECK(mantissa == (digits == 1 ? 1 : digits + 1));  // one more for the point
  }
  // 2^-10 / (2/3) is 1.5e-3: two digits hold, the third does not.
  CHECK(to_string(Value(real(value, -10))) == "6.7e-1");
}

TEST_CASE("where no digit is proven none is printed, but how large the number may be") {
  CHECK(to_string(Value(real(0.3, 0))) == "[+/- 1.4e0]");
  CHECK(to_string(Value(real(-0.3, 0))) == "[+/- 1.4e0]");
  CHECK(to_string(Value(real(0, 3))) == "[+/- 8.5e0]");
  CHECK(to_string(Value(real(0, -4000))) == "[+/- 8.0e-1205]");
  CHECK(to_string(Value(real(1, infinity))) == "[+/- inf]");
  CHECK(to_string(Value(real(0, -infinity))) == "0");
  // A part of a complex number alone.
  CHECK(to_string(Value(complex(1, 0, -20))) == "1.0000e0+[+/- 1.0e-6]i");
  CHECK(to_string(Value(complex(0, -1, -20))) == "[+/- 1.0e-6]-1.0000e0i");
}

TEST_CASE("reals far beyond a double's range print in full") {
  CHECK(to_string(Value(real(1, -infinity, 4000))) == "1.3182040934309431e1204");
  CHECK(log10_abs(Value(real(1, -infinity, 4000))) > 1204);
}

TEST_CASE("complex numbers print as re+imi, each part with the digits that the common bound leaves it") {
  CHECK(to_string(Value(ComplexValue{})) == "0+0i");
  CHECK(to_string(Value(complex(1, 2, -infinity))) == "1.0000000000000000e0+2.0000000000000000e0i");
  CHECK(to_string(Value(complex(-1, -2, -infinity))) == "-1.0000000000000000e0-2.0000000000000000e0i");
  CHECK(to_string(Value(complex(0, -0.5, -infinity))) == "0-5.0000000000000000e-1i");
  // 2^-20 is 1e-6 of the real part and a thousandth of the imaginary part.
  const std::string text = to_string(Value(complex(1, 0x1p-10, -20)));
  CAPTURE(text);
  CHECK(text == "1.0000e0+9.8e-4i");
}

TEST_CASE("a bound is shown rounded up, never below itself") {
  CHECK(rounded_up(0.0123, 2) == "0.013");
  CHECK(rounded_up(0.012, 2) == "0.012");
  CHECK(rounded_up(9.91e-7, 2) == "1e-06");
  CHECK(rounded_up(0, 2) == "0");
  CHECK(rounded_up(std::numeric_limits<double>::infinity(), 2) == "inf");
  Random random(11, 0);
  for (int i = 0; i < 20000; ++i) {
    const double bound = std::pow(10.0, 600 * random.uniform() - 300);
    const int digits = 1 + static_cast<int>(random.below(6));
    const double shown = std::strtod(rounded_up(bound, digits).c_str(), nullptr);
    CAPTURE(bound, digits);
    REQUIRE(shown >= bound);
    REQUIRE(shown <= bound * (1 + std::pow(10.0, 1 - digits)) * (1 + 1e-12));
  }
}

TEST_CASE("a relative error is not below its exact value") {
  // 2^(log2_error - log2 |value|) of a value 3 * 2^e is 2^(log2_error - e) / 3, whose exponent is exact.
  for (const int e : {-900, -3, 0, 4, 800}) {
    for (int shift = 5; shift < 100; shift += 7) {
      const RealValue value{ScaledReal(DoubleDouble(3.0), e), static_cast<double>(e - shift)};
      CHECK(relative_error(value) >= std::ldexp(1.0, -shift) / 3);
      CHECK(relative_error(value) <= std::ldexp(1.0, -shift) / 3 * (1 + 1e-11));
    }
  }
}

TEST_CASE("fewer digits can be asked for, and more where the bound supports them") {
  const RealValue third{ScaledReal(DoubleDouble(1.0) / DoubleDouble(3.0)), -104};
  CHECK(to_string(Value(third)) == "3.3333333333333333e-1");
  CHECK(to_string(Value(third), 3) == "3.33e-1");
  CHECK(to_string(Value(third), 25) == "3.333333333333333333333333e-1");
  CHECK(proven_digits(third, 25) == 25);
  CHECK(proven_digits(RealValue{ScaledReal(1.0), 3}) == 0);
  const ComplexValue complex{{ScaledReal(1.5), ScaledReal(-2.5)}, -60};
  CHECK(to_string(Value(complex), 2) == "1.5e0-2.5e0i");
}

TEST_CASE("a fraction is rounded to a relative 2^-100, whatever the bits of its quotient") {
  // The quotients' leading bits have every length, and halves of 54 bits would lose one.
  for (std::int64_t above = 1; above < 4000; above += 7) {
    const Rational fraction(Integer(above * 1000003), Integer(4294967291));
    const ScaledReal rounded = nearest_real(fraction);
    CAPTURE(above);
    REQUIRE(test::within_relative(test::exact(rounded), fraction, test::power_of_two(-100)));
    REQUIRE(test::within_relative(test::exact(nearest_real(-fraction)), -fraction, test::power_of_two(-100)));
  }
}
