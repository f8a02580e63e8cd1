#include "core/numbers/integer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "support/big_integer.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20260102;

Integer random_integer(Random& random, unsigned bits) {
  Integer value = 0;
  for (unsigned have = 0; have < bits; have += 64) value = (value << 64) + random();
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

// Returns numbers of either sign, of sizes around those at which a number takes another word or leaves its room for
// small ones.
std::vector<Integer> numbers() {
  CAPTURE(seed);
  Random random(seed, 4);
  std::vector<Integer> result{0,
                              1,
                              -1,
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::uint64_t>::max()};
  for (const unsigned bits : {2u, 7u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 300u}) {
    result.push_back(random_integer(random, bits));
    result.push_back(-random_integer(random, bits));
  }
  return result;
}

}  // namespace

TEST_CASE("Integer calculates as boost does") {
  for (const Integer& a : numbers()) {
    for (const Integer& b : numbers()) {
      CAPTURE(a, b);
      REQUIRE(big(a + b) == big(a) + big(b));
      REQUIRE(big(a - b) == big(a) - big(b));
      REQUIRE(big(a * b) == big(a) * big(b));
      REQUIRE(big(Integer(a) + b) == big(a) + big(b));
      REQUIRE(big(Integer(a) - b) == big(a) - big(b));
      REQUIRE((a < b) == (big(a) < big(b)));
      REQUIRE((a == b) == (big(a) == big(b)));
      REQUIRE(a.compare(b) == big(a).compare(big(b)));
      Integer changed = a;
      REQUIRE((changed += b) == a + b);
      REQUIRE((changed -= b) == a);
      REQUIRE((changed *= b) == a * b);
      if (a >= 0 && b >= 0) REQUIRE(big(a & b) == (big(a) & big(b)));
      REQUIRE(((a & b) & -1) == (b & a));
      REQUIRE(big(lcm(a, b)) == BigInteger(lcm(big(a), big(b))));
      REQUIRE(big(gcd(a, b)) == BigInteger(gcd(big(a), big(b))));
      if (b == 0) {
        REQUIRE_THROWS_AS(a / b, std::overflow_error);
        REQUIRE_THROWS_AS(a % b, std::overflow_error);
        continue;
      }
      REQUIRE(big(a / b) == big(a) / big(b));
      REQUIRE(big(a % b) == big(a) % big(b));
      Integer quotient, remainder;
      divide(a, b, quotient, remainder);
      REQUIRE((quotient == a / b && remainder == a % b));
      Integer same = a;
      REQUIRE((same /= b) == quotient);
      same = a;
      REQUIRE((same %= b) == remainder);
    }
    for (const unsigned bits : {0u, 1u, 63u, 64u, 65u, 200u}) {
      CAPTURE(a, bits);
      REQUIRE(big(a << bits) == big(a) << bits);
      // Rounded down; boost 1.74 has shifts of negative numbers of several limbs wrong.
      REQUIRE((a >> bits) * pow(Integer(2), bits) <= a);
      REQUIRE(((a >> bits) + 1) * pow(Integer(2), bits) > a);
      Integer shifted = a;
      REQUIRE((shifted >>= bits) == a >> bits);
    }
    CAPTURE(a);
    REQUIRE(big(-a) == -big(a));
    REQUIRE(big(abs(a)) == abs(big(a)));
    REQUIRE(big(pow(a, 5)) == pow(big(a), 5));
    REQUIRE(a.sign() == big(a).sign());
    REQUIRE(a.is_odd() == bit_test(BigInteger(abs(big(a))), 0));
    REQUIRE(static_cast<double>(a) == static_cast<double>(big(a)));
    REQUIRE(static_cast<int>(a) == static_cast<int>(big(a)));
    REQUIRE(static_cast<std::int64_t>(a) == static_cast<std::int64_t>(big(a)));
    if (a < 0) {
      REQUIRE_THROWS_AS(static_cast<std::uint32_t>(a), std::range_error);
      REQUIRE_THROWS_AS(static_cast<std::uint64_t>(a), std::range_error);
    } else {
      REQUIRE(static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(big(a)));
      REQUIRE(static_cast<std::uint64_t>(a) == static_cast<std::uint64_t>(big(a)));
    }
    REQUIRE(Integer(to_decimal(a)) == a);
    Integer same = a;
    REQUIRE((same += same) == 2 * a);
    same = a;
    REQUIRE((same *= same) == a * a);
    REQUIRE((same -= same) == 0);
  }
}

TEST_CASE("an Integer that was long and is short again calculates as any other") {
  for (const Integer& a : numbers()) {
    CAPTURE(a);
    Integer kept = a + (Integer(1) << 500);
    kept -= Integer(1) << 500;
    REQUIRE(kept == a);
    REQUIRE(big(kept) == big(a));
    REQUIRE(kept * kept == a * a);
    REQUIRE(kept + kept == a + a);
    REQUIRE(kept >> 7 == a >> 7);
    REQUIRE(kept << 70 == a << 70);
    const Integer copied = kept;
    REQUIRE(copied == a);
    REQUIRE(to_decimal(kept) == to_decimal(a));
    kept = 5;
    REQUIRE(kept == 5);
  }
}

// Values that Python gives.
TEST_CASE("huge integers are those of another program") {
  const Integer modulus = (Integer(1) << 61) - 1;
  const auto rest = [&](const Integer& value) { return static_cast<std::int64_t>(value % modulus); };
  const Integer power = pow(Integer(3), 630930);
  CHECK(msb(power) == 1000000);
  CHECK(rest(power) == 443090571167214423);
  CHECK(rest(power / Integer("10000000000000000000")) == 859461985062637862);
  CHECK(power % Integer("10000000000000000000") == Integer(4660835338357496649));
  CHECK(-power % Integer("10000000000000000000") == -Integer(4660835338357496649));
  const Integer a = (Integer(1) << 1000003) - 12345, b = (Integer(1) << 500009) + 987654321;
  CHECK(rest(a / b) == 274877876803);
  CHECK(rest(-a / b) == -274877876803);
  CHECK(rest(a % b) == 1669965359611764);
  CHECK(rest(a * b) == 547063202003386471);
  CHECK(rest(a * -a) == -1152894994073611441);
  CHECK((gcd(a * power, -b * power) == power));
  CHECK((a * b / a == b));
  CHECK((((a << 77) + b - b) >> 77 == a));
}

TEST_CASE("a hundred thousand digits are written and read") {
  const Integer power = pow(Integer(7), 118328);
  const std::string digits = to_decimal(power);
  REQUIRE(digits.size() == 99999);
  CHECK(digits.substr(0, 20) == "57660553499231326113");
  CHECK(digits.substr(digits.size() - 20) == "93340406713119956801");
  CHECK(std::accumulate(digits.begin(), digits.end(), 0, [](int sum, char c) { return sum + (c - '0'); }) == 448915);
  CHECK((Integer(digits) == power));
  CHECK((Integer("-" + digits) == -power));
}

TEST_CASE("text is an Integer where it is digits of its base, with a sign or without") {
  CHECK(Integer("+12") == 12);
  CHECK(Integer("-0") == 0);
  CHECK(Integer("010") == 8);
  CHECK(Integer("0x1F") == 31);
  CHECK(Integer("-0xffffffffffffffffffff") == 1 - (Integer(1) << 80));
  CHECK(Integer("123456789012345") == Integer(123456789012345));
  CHECK(Integer("1234567890123456") == Integer(1234567890123456));
  CHECK(Integer("-12345678901234567890123456789012345678901234567890") ==
        -(Integer("1234567890123456789012345") * pow(Integer(10), 25) + Integer("6789012345678901234567890")));
  for (const char* const text : {"", "-", "+", "--1", "+-1", "1 2", " 1", "1 ", "08", "0x", "0xg", "1e5", "abc",
                                 "1234567890123456789012 4", "12345678901234567890123x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Integer(text), std::runtime_error);
  }
}

TEST_CASE("a result that is too long is refused") {
  CHECK_THROWS_AS(Integer(1) << (std::size_t{1} << 40), std::length_error);
  CHECK_THROWS_AS(pow(Integer(1) << 1000, 4'000'000'000u), std::length_error);
  CHECK(Integer(0) << (std::size_t{1} << 40) == 0);
  CHECK(Integer(-5) >> (std::size_t{1} << 40) == -1);
}

TEST_CASE("an Integer is what its magnitude's words make it") {
  for (const Integer& number : numbers()) {
    CAPTURE(number);
    REQUIRE(from_magnitude(magnitude_bytes(number)) == abs(number));
    REQUIRE(from_magnitude(magnitude_words(number)) == abs(number));
  }
  CHECK(magnitude_words(0) == std::vector<std::uint32_t>{0});
  CHECK(magnitude_words(-(Integer(3) << 32)) == std::vector<std::uint32_t>{0, 3});
  CHECK(from_magnitude(std::vector<std::uint64_t>{5, 1}) == (Integer(1) << 64) + 5);
  CHECK(from_magnitude(std::vector<std::uint64_t>{}) == 0);
}

TEST_CASE("an Integer that was moved from can be assigned and destroyed") {
  Integer large = Integer(1) << 1000;
  Integer taken = std::move(large);
  large = 7;
  CHECK(large == 7);
  CHECK(msb(taken) == 1000);
  large = std::move(taken);
  CHECK(lsb(large) == 1000);
  const Integer& same = large;
  large = same;
  CHECK(msb(large) == 1000);
  std::swap(large, taken);
  CHECK(msb(taken) == 1000);
}

TEST_CASE("Rational calculates as boost does") {
  using BigRational = boost::multiprecision::cpp_rational;
  std::vector<Rational> fractions;
  const std::vector<Integer> terms = numbers();
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (const Integer& below = terms[(5 * i + 2) % terms.size()]; below != 0) fractions.emplace_back(terms[i], below);
  const auto boosts = [](const Rational& x) { return BigRational(big(numerator(x)), big(denominator(x))); };
  for (const Rational& a : fractions) {
    CAPTURE(a);
    REQUIRE(denominator(a) > 0);
    REQUIRE(gcd(numerator(a), denominator(a)) == 1);
    REQUIRE(boosts(-a) == -boosts(a));
    REQUIRE(boosts(abs(a)) == abs(boosts(a)));
    for (const Rational& b : fractions) {
      CAPTURE(b);
      REQUIRE(boosts(a + b) == boosts(a) + boosts(b));
      REQUIRE(boosts(a - b) == boosts(a) - boosts(b));
      REQUIRE(boosts(a * b) == boosts(a) * boosts(b));
      if (b != 0) REQUIRE(boosts(a / b) == boosts(a) / boosts(b));
      REQUIRE((a < b) == (boosts(a) < boosts(b)));
      REQUIRE((a == b) == (boosts(a) == boosts(b)));
    }
  }
  CHECK(to_decimal(Rational(6, -4)) == "-3/2");
  CHECK(to_decimal(Rational(-8, 4)) == "-2");
  CHECK_THROWS_AS(Rational(1, 0), std::overflow_error);
  CHECK_THROWS_AS(Rational(1) / 0, std::overflow_error);
}

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
    const Integer power = pow(Integer(10), digits);
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
    const Integer power = pow(Integer(10), digits);
    CHECK((to_decimal(power) == "1" + std::string(digits, '0')));
    CHECK((to_decimal(power - 1) == std::string(digits, '9')));
    const Integer value = random_integer(random, digits * 10 / 3);
    CHECK((to_decimal(-value) == "-" + big(value).str()));
  }
}

TEST_CASE("log2_abs is exact on powers of two at any size") {
  CHECK(log2_abs(0) == -std::numeric_limits<double>::infinity());
  for (const unsigned bit : {0u, 1u, 31u, 32u, 33u, 52u, 53u, 63u, 64u, 65u, 127u, 128u, 1000u, 100000u}) {
    CAPTURE(bit);
    const Integer power = pow(Integer(2), bit);
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
      CAPTURE(bits, i, to_decimal(value));
      const double direct = std::log2(static_cast<double>(value));  // within the range of a double
      REQUIRE(std::fabs(log2_abs(value) - direct) <= 4e-16 * direct + 4e-16);
    }
  }
  // log2(3^100000) = 100000 log2 3, far beyond the range of a double.
  CHECK(std::fabs(log2_abs(pow(Integer(3), 100000u)) - 158496.250072115618145) < 1e-9);
}
