#include "core/integer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20260102;

Integer random_integer(Random& random, unsigned bits) {
  Integer value = 0;
  for (unsigned have = 0; have < bits; have += 64) value = (value << 64) | random();
  value >>= (64 - bits % 64) % 64;
  return value;
}

// Digits by repeated division by ten: quadratic, sharing nothing with to_decimal.
std::string slow_decimal(Integer value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  if (negative) value = -value;
  std::string digits;
  for (; value != 0; value /= 10) digits += static_cast<char>('0' + static_cast<int>(value % 10));
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

TEST_CASE("to_decimal writes small numbers as people do") {
  CHECK(to_decimal(0) == "0");
  CHECK(to_decimal(7) == "7");
  CHECK(to_decimal(-10) == "-10");
  CHECK(to_decimal(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(to_decimal(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  Integer factorial = 1;
  for (int i = 2; i <= 30; ++i) factorial *= i;
  CHECK(to_decimal(factorial) == "265252859812191058636308480000000");
}

TEST_CASE("to_decimal agrees with repeated division by ten") {
  CAPTURE(seed);
  Random random(seed, 1);
  for (const unsigned bits : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 126u, 127u, 128u, 200u, 1000u, 5000u}) {
    for (int i = 0; i < 20; ++i) {
      const Integer value = random_integer(random, bits) * (i % 2 == 0 ? 1 : -1);
      CAPTURE(bits, i);
      REQUIRE(to_decimal(value) == slow_decimal(value));
    }
  }
}

TEST_CASE("to_decimal pads inner zeros around every power of its base") {
  for (unsigned digits = 1; digits <= 400; ++digits) {
    CAPTURE(digits);
    const Integer power = boost::multiprecision::pow(Integer(10), digits);
    REQUIRE(to_decimal(power) == "1" + std::string(digits, '0'));
    REQUIRE(to_decimal(power - 1) == std::string(digits, '9'));
    REQUIRE(to_decimal(-power - 1) == "-1" + std::string(digits - 1, '0') + "1");
  }
}

TEST_CASE("to_decimal is right where the divisors are long enough for reciprocals") {
  // 10^k, 10^k - 1 and a random number that boost converts too, at sizes that use one, two and three reciprocals.
  CAPTURE(seed);
  Random random(seed, 2);
  for (const unsigned digits : {9727u, 9728u, 19456u, 19457u, 20000u, 40000u}) {
    CAPTURE(digits);
    const Integer power = boost::multiprecision::pow(Integer(10), digits);
    CHECK((to_decimal(power) == "1" + std::string(digits, '0')));
    CHECK((to_decimal(power - 1) == std::string(digits, '9')));
    const Integer value = random_integer(random, digits * 10 / 3);
    CHECK((to_decimal(-value) == "-" + value.str()));
  }
}

TEST_CASE("log2_abs is exact on powers of two at any size") {
  CHECK(log2_abs(0) == -std::numeric_limits<double>::infinity());
  for (const unsigned bit : {0u, 1u, 31u, 32u, 33u, 52u, 53u, 63u, 64u, 65u, 127u, 128u, 1000u, 100000u}) {
    CAPTURE(bit);
    const Integer power = boost::multiprecision::pow(Integer(2), bit);
    CHECK(log2_abs(power) == bit);
    CHECK(log2_abs(-power) == bit);
  }
}

TEST_CASE("log2_abs is right to a few units in the last place") {
  CAPTURE(seed);
  Random random(seed, 3);
  for (const unsigned bits : {10u, 62u, 63u, 64u, 65u, 66u, 200u, 900u}) {
    for (int i = 0; i < 20; ++i) {
      const Integer value = random_integer(random, bits) + 2;
      CAPTURE(bits, i, value.str());
      const double direct = std::log2(value.convert_to<double>());  // within the range of a double
      REQUIRE(std::fabs(log2_abs(value) - direct) <= 4e-16 * direct + 4e-16);
    }
  }
  // log2(3^100000) = 100000 log2 3, far beyond the range of a double.
  CHECK(std::fabs(log2_abs(boost::multiprecision::pow(Integer(3), 100000u)) - 158496.250072115618145) < 1e-9);
}
