#include "core/numbers/real.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>

#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20260104;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool parse(const std::string& text, DoubleDouble& value) {
  return parse_real(text.data(), text.data() + text.size(), value);
}

std::string printed(DoubleDouble value, int digits) { return to_scientific(value, digits); }

DoubleDouble parsed(const std::string& text) {
  DoubleDouble value;
  INFO("text " << text);
  REQUIRE(parse(text, value));
  return value;
}

// Draws a finite normal double of any exponent, both signs.
double any_double(Random& random, int least_exponent, int greatest_exponent) {
  const auto range = static_cast<std::uint64_t>(greatest_exponent - least_exponent + 1);
  const int exponent = least_exponent + static_cast<int>(random.below(range));
  return std::ldexp((1 + random.uniform()) * (random.below(2) == 0 ? 1 : -1), exponent);
}

// Returns the exact rational of decimal text d.ddde[-]x as to_scientific writes it, by long integers.
Rational decimal(const std::string& text) {
  std::string digits;
  std::size_t at = 0;
  const bool negative = text[0] == '-';
  if (negative) ++at;
  long point = 0;
  bool behind = false;
  for (; at < text.size() && text[at] != 'e'; ++at) {
    if (text[at] == '.') {
      behind = true;
    } else {
      digits += text[at];
      if (behind) --point;
    }
  }
  const long exponent = point + (at < text.size() ? std::stol(text.substr(at + 1)) : 0);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));  // boost reads a leading 0 as octal
  const Integer ten = pow(Integer(10), static_cast<unsigned>(std::labs(exponent)));
  const Rational value = exponent < 0 ? Rational(Integer(digits), ten) : Rational(Integer(digits) * ten);
  return negative ? Rational(-value) : value;
}

void check_normalised(const ScaledReal& value) {
  if (value.mantissa.hi == 0) {
    CHECK(value.mantissa.lo == 0);
    CHECK(value.exponent == 0);
  } else {
    CHECK(std::fabs(value.mantissa.hi) >= 0.5);
    CHECK(std::fabs(value.mantissa.hi) < 1);
    CHECK(value.mantissa.hi + value.mantissa.lo == value.mantissa.hi);
  }
}

}  // namespace

TEST_CASE("a scaled real is normalised and holds its double-double exactly") {
  const double greatest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::min();
  for (const DoubleDouble value :
       {DoubleDouble(1), DoubleDouble(-0.75, 0x1p-60), DoubleDouble(1, -0x1p-54), DoubleDouble(greatest),
        DoubleDouble(-greatest), DoubleDouble(least), DoubleDouble(5e-324), DoubleDouble(0, 3), DoubleDouble(1, -1),
        DoubleDouble(-0.0), DoubleDouble(greatest, greatest / 0x1p54), DoubleDouble(1, 4),
        DoubleDouble(1e200, 1e-100)}) {
    CAPTURE(value.hi, value.lo);
    const ScaledReal scaled(value);
    check_normalised(scaled);
    CHECK(exact(scaled) == exact(value));
    CHECK(scaled.is_zero() == (exact(value) == 0));
    const ScaledReal shifted(value, -5000);
    check_normalised(shifted);
    CHECK(exact(shifted) == exact(value) * power_of_two(-5000));
  }
  CHECK(ScaledReal().is_zero());
}

TEST_CASE("products of scaled reals are right at any exponent") {
  CAPTURE(seed);
  Random random(seed, 1);
  for (int i = 0; i < 500; ++i) {
    const ScaledReal a(two_sum(any_double(random, -3, 3), any_double(random, -70, -52)),
                       static_cast<std::int64_t>(random.below(20000)) - 10000);
    const ScaledReal b(any_double(random, -1000, 1000), static_cast<std::int64_t>(random.below(20000)) - 10000);
    CAPTURE(i, a.mantissa.hi, a.mantissa.lo, a.exponent, b.mantissa.hi, b.mantissa.lo, b.exponent);
    const ScaledReal product = a * b;
    check_normalised(product);
    REQUIRE(within_relative(exact(product), exact(a) * exact(b), 5 * power_of_two(-106)));
  }
  CHECK((ScaledReal() * ScaledReal(5)).is_zero());
  CHECK((ScaledReal(5) * ScaledReal()).is_zero());
  CHECK((ScaledReal(1, 1'000'000'000'000) * ScaledReal(1, -1'000'000'000'000)).to_double() == 1);
}

TEST_CASE("sums of scaled reals are right at any gap of exponents, also where they cancel") {
  CAPTURE(seed);
  Random random(seed, 2);
  for (const int gap : {0, 1, 2, 31, 52, 53, 54, 100, 106, 107, 200, 249, 250, 251, 252, 1000, 5000}) {
    for (int i = 0; i < 40; ++i) {
      const ScaledReal a(two_sum(any_double(random, -1, 1), any_double(random, -70, -53)), 100);
      ScaledReal b(two_sum(any_double(random, -1, 1), any_double(random, -70, -53)), 100 - gap);
      if (i % 4 == 0) b = ScaledReal(DoubleDouble(-a.mantissa.hi, a.mantissa.lo / 2), a.exponent - gap);
      CAPTURE(gap, i, a.mantissa.hi, a.mantissa.lo, b.mantissa.hi, b.mantissa.lo);
      const ScaledReal sum = a + b;
      check_normalised(sum);
      REQUIRE(within_relative(exact(sum), exact(a) + exact(b), power_of_two(-104)));
      REQUIRE(exact(b + a) == exact(sum));
    }
  }
  const ScaledReal one(1), huge(1, 4'000'000'000'000'000'000), tiny(1, -4'000'000'000'000'000'000);
  CHECK((huge + tiny).exponent == huge.exponent);
  CHECK((tiny + huge).exponent == huge.exponent);
  CHECK((one + -one).is_zero());
  CHECK((ScaledReal() + one).to_double() == 1);
  CHECK((one + ScaledReal()).to_double() == 1);
  CHECK((-ScaledReal(2.5)).to_double() == -2.5);
  CHECK((-ScaledReal()).is_zero());
}

TEST_CASE("scaled complex numbers multiply and add as complex numbers do") {
  const ScaledComplex i{ScaledReal(), ScaledReal(1)};
  CHECK((i * i).re.to_double() == -1);
  CHECK((i * i).im.is_zero());
  const ScaledComplex a{ScaledReal(1, 3000), ScaledReal(-2, 3000)}, b{ScaledReal(3, -3000), ScaledReal(5, -3000)};
  CHECK((a * b).re.to_double() == 13);  // (1 - 2i)(3 + 5i) = 13 - i
  CHECK((a * b).im.to_double() == -1);
  CHECK((a + a).re.exponent == 3002);
  CHECK((a + ScaledComplex{ScaledReal(-1, 3000), ScaledReal(2, 3000)}).im.is_zero());
}

TEST_CASE("log2_abs of a scaled real") {
  CHECK(ScaledReal().log2_abs() == -infinity);
  CHECK(ScaledReal(-8).log2_abs() == 3);
  CHECK(ScaledReal(1, 123456789).log2_abs() == 123456789);
  CHECK(std::fabs(ScaledReal(3).log2_abs() - 1.5849625007211562) < 1e-15);
}

TEST_CASE("to_double is the nearest double, infinity and zero beyond the range") {
  CHECK(ScaledReal().to_double() == 0);
  CHECK(ScaledReal(DoubleDouble(1, 0x1p-54)).to_double() == 1);
  CHECK(ScaledReal(1, 1023).to_double() == 0x1p1023);
  CHECK(ScaledReal(1, 1024).to_double() == infinity);
  CHECK(ScaledReal(-1, 99999999999).to_double() == -infinity);
  CHECK(ScaledReal(std::numeric_limits<double>::max()).to_double() == std::numeric_limits<double>::max());
  CHECK(ScaledReal(1, -1022).to_double() == 0x1p-1022);
  CHECK(ScaledReal(1, -1074).to_double() == 0x1p-1074);
  CHECK(ScaledReal(1, -99999999999).to_double() == 0);
  // Half of the least double is a tie and goes to the even neighbour 0; anything above it goes up, although its high
  // half alone would tie.
  CHECK(ScaledReal(1, -1075).to_double() == 0);
  CHECK(ScaledReal(DoubleDouble(1, 0x1p-60), -1075).to_double() == 0x1p-1074);
  CHECK(ScaledReal(DoubleDouble(1, -0x1p-60), -1075).to_double() == 0);
  CHECK(ScaledReal(3, -1075).to_double() == 0x1p-1073);                          // 1.5 ties to 2
  CHECK(ScaledReal(DoubleDouble(3, -0x1p-60), -1075).to_double() == 0x1p-1074);  // just below 1.5
  CHECK(ScaledReal(-3, -1075).to_double() == -0x1p-1073);
  // One bit is lost just below the normal range.
  CHECK(ScaledReal(DoubleDouble(0x1.0000000000001p0, 0x1p-60), -1023).to_double() == 0x1.0000000000002p-1023);
  CHECK(ScaledReal(DoubleDouble(0x1.0000000000001p0, -0x1p-60), -1023).to_double() == 0x1p-1023);
}

TEST_CASE("supported_digits shows no digit that the error can spoil by more than one") {
  CHECK(supported_digits(0) == 17);
  CHECK(supported_digits(0, 40) == 40);
  CHECK(supported_digits(1e-20) == 17);
  CHECK(supported_digits(1e-20, 40) == 19);
  CHECK(supported_digits(4e-4) == 3);
  CHECK(supported_digits(6e-4) == 2);
  CHECK(supported_digits(0.04) == 1);
  CHECK(supported_digits(1) == 1);
  CHECK(supported_digits(infinity) == 1);
  CHECK(supported_digits(std::numeric_limits<double>::quiet_NaN()) == 1);
  // The promise itself, at the worst point: a value just below a power of ten, text with that many digits.
  CAPTURE(seed);
  Random random(seed, 3);
  for (int i = 0; i < 300; ++i) {
    const double relative = std::ldexp(1 + random.uniform(), -5 - static_cast<int>(random.below(50)));
    const int digits = supported_digits(relative);
    const double value = i % 2 == 0 ? 9.999999999999999 - random.uniform() * 0.01 : 1 + 9 * random.uniform();
    const Rational truth = exact(value) * (1 + (i % 4 < 2 ? 1 : -1) * exact(relative));
    const std::string text = printed(value, digits);
    CAPTURE(i, relative, digits, value, text);
    // One unit of the last digit of what is text.
    const std::string exponent = text.substr(text.find('e') + 1);
    const Rational unit = decimal("1e" + std::to_string(std::stol(exponent) - digits + 1));
    if (relative < 0.04) REQUIRE(abs(Rational(decimal(text) - truth)) <= unit);
  }
}

TEST_CASE("to_scientific prints cases that a person can check") {
  CHECK(to_scientific(ScaledReal(), 5) == "0");
  CHECK(printed(1, 1) == "1e0");
  CHECK(printed(1, 3) == "1.00e0");
  CHECK(printed(-2.5, 2) == "-2.5e0");
  CHECK(printed(-2.5, 1) == "-2e0");  // a tie, to even
  CHECK(printed(3.5, 1) == "4e0");
  CHECK(printed(9.96, 2) == "1.0e1");
  CHECK(printed(0.0009995, 3) == "9.99e-4");  // the double is below the tie: 0.00099949999999999994...
  CHECK(printed(1000, 4) == "1.000e3");
  CHECK(printed(999, 2) == "1.0e3");
  CHECK(printed(0.1, 20) == "1.0000000000000000555e-1");
  CHECK(printed({1, 0x1p-80}, 26) == "1.0000000000000000000000008e0");
  CHECK(printed({1, -0x1p-80}, 26) == "9.9999999999999999999999917e-1");
  CHECK(to_scientific(ScaledReal(1, 1400), 17) == "2.7669029702758120e421");
  CHECK(printed(5e-324, 17) == "4.9406564584124654e-324");
}

TEST_CASE("to_scientific agrees with the C library on doubles") {
  CAPTURE(seed);
  Random random(seed, 4);
  for (int i = 0; i < 2000; ++i) {
    const double value = any_double(random, -1020, 1020);
    const int digits = 1 + static_cast<int>(random.below(25));
    char text[64];
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
    std::string wanted = text;  // d.ddde+05 -> d.ddde5
    const std::size_t e = wanted.find('e');
    wanted = wanted.substr(0, e + 1) + std::to_string(std::stol(wanted.substr(e + 1)));
    CAPTURE(i, value, digits);
    REQUIRE(printed(value, digits) == wanted);
  }
}

TEST_CASE("to_scientific is correctly rounded at exponents far beyond a double's") {
  CAPTURE(seed);
  Random random(seed, 5);
  for (const std::int64_t exponent : {-20000, -5000, -1400, 1362, 5000, 20000}) {
    for (int i = 0; i < 10; ++i) {
      const ScaledReal value(two_sum(any_double(random, -1, 0), any_double(random, -90, -54)), exponent);
      const int digits = 1 + static_cast<int>(random.below(40));
      const std::string text = to_scientific(value, digits);
      CAPTURE(exponent, i, digits, text, value.mantissa.hi, value.mantissa.lo);
      const long shown = std::stol(text.substr(text.find('e') + 1));
      const Rational unit = decimal("1e" + std::to_string(shown - digits + 1));
      REQUIRE(2 * abs(Rational(decimal(text) - exact(value))) <= unit);
    }
  }
  // The printer works with leading bits only at these exponents.
  for (const std::int64_t exponent : {-100000, -16700, 16700, 100000}) {
    for (int i = 0; i < 5; ++i) {
      const ScaledReal value(two_sum(any_double(random, -1, 0), any_double(random, -90, -54)), exponent);
      const int digits = 1 + static_cast<int>(random.below(40));
      const std::string text = to_scientific(value, digits);
      CAPTURE(exponent, i, digits, text, value.mantissa.hi, value.mantissa.lo);
      // |text - value| <= half a unit, over a common denominator: the rationals' reductions would take long.
      const long shown = std::stol(text.substr(text.find('e') + 1)) - digits + 1;
      Integer shown_digits(text.substr(text[0] == '-' ? 1 : 0, 1) +
                           (digits > 1 ? text.substr(text.find('.') + 1, static_cast<std::size_t>(digits - 1)) : ""));
      if (text[0] == '-') shown_digits = -shown_digits;
      const auto mantissa = exact(value.mantissa);  // value = numerator 2^exponent / denominator
      Integer left = numerator(mantissa), right = denominator(mantissa);
      Integer ten = pow(Integer(10), static_cast<unsigned>(std::labs(shown)));
      (shown < 0 ? left : right) *= ten;
      (exponent < 0 ? right : left) <<= static_cast<std::size_t>(std::labs(value.exponent));
      // Now value / unit = left / right.
      const Integer twice = 2 * (shown_digits * right - left);
      REQUIRE(abs(twice) <= right);
    }
  }
  // 2^1000000 = 9.9006562292958982506979e301029.
  CHECK(to_scientific(ScaledReal(1, 1'000'000), 23) == "9.9006562292958982506979e301029");
  // 2^(10^9) = 10^301029995.66398... (log10 2 = 0.301029995663981195213738894724493026768).
  CHECK(to_scientific(ScaledReal(1, 1'000'000'000), 9) == "4.61297600e301029995");
  CHECK(to_scientific(ScaledReal(1, -1'000'000'000), 9) == "2.16779797e-301029996");
}

TEST_CASE("parse_real reads integers and short decimals exactly") {
  CHECK(parsed("0") == DoubleDouble(0));
  CHECK(parsed("-0") == DoubleDouble(0));
  CHECK(parsed("0.000e-5000") == DoubleDouble(0));
  CHECK(parsed("0e99999999999999999999999") == DoubleDouble(0));
  CHECK(parsed("1") == DoubleDouble(1));
  CHECK(parsed("+42") == DoubleDouble(42));
  CHECK(parsed("-17.25") == DoubleDouble(-17.25));
  CHECK(parsed("5.") == DoubleDouble(5));
  CHECK(parsed(".5") == DoubleDouble(0.5));
  CHECK(parsed("000012.500") == DoubleDouble(12.5));
  CHECK(parsed("125e-3") == DoubleDouble(0.125));
  CHECK(parsed("1.5E+2") == DoubleDouble(150));
  CHECK(parsed("1.5d2") == DoubleDouble(150));
  CHECK(parsed("1.5D-1") == DoubleDouble(0.15, parsed("0.15").lo));
  CHECK(parsed("1.7976931348623157e308").hi == std::numeric_limits<double>::max());
  CHECK(parsed("9223372036854775807") == DoubleDouble(0x1p63, -1));
  CHECK(parsed("9999999999999999999") == DoubleDouble(1e19, -1));
  CHECK(parsed("18446744073709551615") == DoubleDouble(0x1p64, -1));  // 20 digits
  CHECK(parsed("1606938044258990275541962092341162602522202993782792835301376") == DoubleDouble(0x1p200));
}

TEST_CASE("parse_real refuses what is not a number in its form") {
  for (const std::string text : {"",      "+",     "-",     ".",   "-.",  "e5",  ".e5",  "1e",   "1e+",      "1e-",
                                 "1e5.0", "1..2",  "1.2.3", "--1", "+-1", "nan", "inf",  "-inf", "infinity", "0x10",
                                 "0x1p3", "1_000", "1,5",   " 1",  "1 ",  "1f",  "1e5x", "one",  "1e 5"}) {
    DoubleDouble value(123);
    CAPTURE(text);
    CHECK_FALSE(parse(text, value));
    CHECK(value == DoubleDouble(123));
  }
  CHECK_FALSE(parse(std::string("1\0", 2), *std::make_unique<DoubleDouble>()));
}

TEST_CASE("parse_real refuses numbers out of the range of a normal double, and never reads one of them as 0") {
  for (const std::string text :
       {"1.8e308", "-1.8e308", "1.797693134862315808e308", "1e309", "1e400", "-1e99999999999999999999", "2.2e-308",
        "4.9e-324", "-1e-400", "1e-99999999999999999999", "0.000001e-400"}) {
    DoubleDouble value(123);
    CAPTURE(text);
    CHECK_FALSE(parse(text, value));
    CHECK(value == DoubleDouble(123));
  }
  CHECK_FALSE(parse(std::string(400, '9'), *std::make_unique<DoubleDouble>()));
  CHECK_FALSE(parse("0." + std::string(400, '0') + "1", *std::make_unique<DoubleDouble>()));
  // Long texts whose exponent brings them back into the range.
  CHECK(parsed("0." + std::string(400, '0') + "1e401") == DoubleDouble(1));
  CHECK(parsed("1" + std::string(5000, '0') + "e-5000") == DoubleDouble(1));
  CHECK(parsed("2.2250738585072014e-308").hi == std::numeric_limits<double>::min());
}

TEST_CASE("parse_real is within 2^-102 of random decimals of any length and exponent") {
  CAPTURE(seed);
  Random random(seed, 6);
  for (int i = 0; i < 4000; ++i) {
    std::string text = random.below(2) == 0 ? "" : "-";
    const std::uint64_t digits = i % 3 == 0 ? 1 + random.below(60) : 1 + random.below(21);
    text += static_cast<char>('1' + random.below(9));
    if (digits > 1) text += '.';
    for (std::uint64_t d = 1; d < digits; ++d) text += static_cast<char>('0' + random.below(10));
    // 2^-968 = 3.2e-292 is the end of full accuracy.
    const int range = i % 2 == 0 ? 40 : 290;
    text += "e" + std::to_string(static_cast<int>(random.below(static_cast<std::uint64_t>(2 * range))) - range);
    DoubleDouble value;
    CAPTURE(i, text);
    REQUIRE(parse(text, value));
    REQUIRE(value.hi + value.lo == value.hi);
    REQUIRE(within_relative(exact(value), decimal(text), power_of_two(-102)));
    if (digits <= 17) REQUIRE(value.hi == std::stod(text));
  }
}

TEST_CASE("parse_real is as near as a subnormal low half allows at the lower end of the range") {
  CAPTURE(seed);
  Random random(seed, 7);
  for (int i = 0; i < 200; ++i) {
    const std::string text = std::to_string(3 + random.below(6)) + "." + std::to_string(random() >> 12) + "e-" +
                             std::to_string(292 + random.below(17));
    const DoubleDouble value = parsed(text);
    CAPTURE(i, text);
    REQUIRE(value.hi == std::stod(text));
    REQUIRE(abs(Rational(exact(value) - decimal(text))) <= power_of_two(-1075));
  }
}

TEST_CASE("parse_real and to_scientific give a double-double back at 33 digits and a double at 17") {
  CAPTURE(seed);
  Random random(seed, 8);
  for (int i = 0; i < 1000; ++i) {
    const double d = any_double(random, -900, 900);
    CAPTURE(i, d);
    REQUIRE(parsed(printed(d, 17)).hi == d);
    // A low half that ends at 2^-105 of the high one, so that 33 digits tell it apart.
    int exponent = 0;
    std::frexp(d, &exponent);
    const DoubleDouble both(d, std::ldexp(std::floor((random.uniform() - 0.5) * 0x1p47), exponent - 101));
    const DoubleDouble back = parsed(printed(both, 33));
    REQUIRE(within_relative(exact(back), exact(both), power_of_two(-101)));
  }
  // All digits of a double-double of moderate exponent: read back exactly.
  for (int i = 0; i < 200; ++i) {
    const DoubleDouble both = two_sum(any_double(random, -3, 3), any_double(random, -90, -58));
    CAPTURE(i, both.hi, both.lo);
    REQUIRE(parsed(printed(both, 200)) == both);
  }
}

TEST_CASE("a peer's published number keeps both halves") {
  const DoubleDouble value = parsed("-1.2006727087512453e23");
  CHECK(value.hi == -1.2006727087512453e23);
  CHECK(within_relative(exact(value), -Rational(Integer("120067270875124530000000")), power_of_two(-103)));
  CHECK(to_scientific(value, 17) == "-1.2006727087512453e23");
}
