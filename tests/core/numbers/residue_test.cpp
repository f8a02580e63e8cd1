#include "core/numbers/residue.hpp"

#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20260103;

std::vector<std::uint64_t> residues_of(const Integer& value, const std::vector<std::uint64_t>& primes) {
  std::vector<std::uint64_t> residues;
  for (const std::uint64_t prime : primes) {
    Integer residue = value % prime;
    if (residue < 0) residue += prime;
    residues.push_back(static_cast<std::uint64_t>(residue));
  }
  return residues;
}

}  // namespace

TEST_CASE("is_prime agrees with a sieve up to 100000") {
  constexpr std::size_t limit = 100000;
  std::vector<bool> composite(limit);
  composite[0] = composite[1] = true;
  for (std::size_t i = 2; i < limit; ++i) {
    if (composite[i]) continue;
    for (std::size_t j = i * i; j < limit; j += i) composite[j] = true;
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < limit; ++i) wrong += is_prime(i) == composite[i];
  CHECK(wrong == 0);
}

TEST_CASE("is_prime is not fooled by strong pseudoprimes and Carmichael numbers") {
  for (const std::uint64_t n : {561u, 2047u, 3277u, 25326001u, 3215031751u}) CHECK_FALSE(is_prime(n));
  // Strong pseudoprimes to the first 8, 9 and 12 prime bases (Jaeschke 1993; Jiang and Deng 2014; Sorenson and Webster
  // 2015).
  CHECK_FALSE(is_prime(341550071728321u));
  CHECK_FALSE(is_prime(3825123056546413051u));
  CHECK_FALSE(is_prime(18446744030759878681u));  // (2^32 - 5)^2
}

TEST_CASE("is_prime knows the large primes of the textbooks") {
  CHECK(is_prime(2147483647u));            // 2^31 - 1
  CHECK(is_prime(4294967291u));            // 2^32 - 5
  CHECK(is_prime(2305843009213693951u));   // 2^61 - 1
  CHECK(is_prime(9223372036854775783u));   // 2^63 - 25
  CHECK(is_prime(18446744073709551557u));  // 2^64 - 59
  CHECK_FALSE(is_prime(18446744073709551615u));
}

TEST_CASE("residues of numbers of both signs, and products modulo 2^61 - 1, are those of long division") {
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  Random random(seed, 61);
  std::vector<std::int64_t> numbers{0, 1, -1, 2305843009213693951, -2305843009213693951, lowest, lowest + 1, ~lowest};
  for (int i = 0; i < 200; ++i) numbers.push_back(static_cast<std::int64_t>(random.below(~std::uint64_t{0})));
  for (const std::int64_t number : numbers) {
    for (const std::uint64_t modulus : {std::uint64_t{2}, std::uint64_t{2147483647}, mersenne_61})
      CHECK(residue_of(number, modulus) == residues_of(number, {modulus}).front());
    for (const std::int64_t other : numbers) {
      const std::uint64_t a = residue_of(number, mersenne_61), b = residue_of(other, mersenne_61);
      CHECK(multiply_mod_mersenne_61(a, b) == multiply_mod(a, b, mersenne_61));
    }
  }
}

TEST_CASE("primes_below lists the largest primes downwards") {
  CHECK(primes_below(3, 1) == std::vector<std::uint64_t>{2});
  CHECK(primes_below(30, 10) == std::vector<std::uint64_t>{29, 23, 19, 17, 13, 11, 7, 5, 3, 2});
  CHECK(primes_below(29, 2) == std::vector<std::uint64_t>{23, 19});
  CHECK(primes_below(100, 0).empty());
  // 2^k - c for the least c: A013603.
  CHECK(primes_below(std::uint64_t{1} << 32, 2) == std::vector<std::uint64_t>{4294967291u, 4294967279u});
  CHECK(primes_below(std::uint64_t{1} << 50, 1).front() == (std::uint64_t{1} << 50) - 27);
  CHECK(primes_below(std::uint64_t{1} << 62, 1).front() == (std::uint64_t{1} << 62) - 57);
  CHECK(primes_below(std::uint64_t{1} << 63, 1).front() == (std::uint64_t{1} << 63) - 25);
}

TEST_CASE("primes_below refuses more primes than there are and limits out of range") {
  CHECK_THROWS_AS(primes_below(30, 11), InputError);
  CHECK_THROWS_AS(primes_below(2, 1), InputError);
  CHECK_THROWS_AS(primes_below((std::uint64_t{1} << 63) + 1, 1), InputError);
}

TEST_CASE("modular products, powers and inverses agree with long integers") {
  CAPTURE(seed);
  Random random(seed, 1);
  const std::vector<std::uint64_t> primes{
      2, 3, 101, 4294967291u, 1125899906842597u, 9223372036854775783u, 18446744073709551557u};
  for (const std::uint64_t prime : primes) {
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t a = random.below(prime), b = random.below(prime), e = random();
      CAPTURE(prime, a, b, e);
      REQUIRE(multiply_mod(a, b, prime) == static_cast<std::uint64_t>(Integer(Integer(a) * b % prime)));
      REQUIRE(power_mod(a, e, prime) ==
              static_cast<std::uint64_t>(Integer(powm(Integer(a), Integer(e), Integer(prime)))));
      if (a != 0) REQUIRE(multiply_mod(a, inverse_mod(a, prime), prime) == 1);
    }
  }
  CHECK(power_mod(0, 0, 7) == 1);
  CHECK(power_mod(5, 0, 1) == 0);
  CHECK(power_mod(10, 3, 7) == 6);
  CHECK(inverse_mod(1, 2) == 1);
}

TEST_CASE("chinese_remainder finds every integer of the range modulo 3 * 5 * 7, signs included") {
  const std::vector<std::uint64_t> primes{7, 3, 5};
  for (int value = -52; value <= 52; ++value) {
    CAPTURE(value);
    REQUIRE(chinese_remainder(residues_of(value, primes), primes) == value);
  }
}

TEST_CASE("chinese_remainder takes M/2 and not -M/2 when M is even") {
  const std::vector<std::uint64_t> primes{2, 3};
  CHECK(chinese_remainder(residues_of(3, primes), primes) == 3);
  CHECK(chinese_remainder(residues_of(-3, primes), primes) == 3);
  CHECK(chinese_remainder(residues_of(-2, primes), primes) == -2);
}

TEST_CASE("chinese_remainder recovers random integers of both signs from 1 to 300 primes") {
  CAPTURE(seed);
  Random random(seed, 2);
  for (const std::size_t count : {1u, 2u, 3u, 7u, 31u, 64u, 300u}) {
    for (const std::uint64_t limit : {std::uint64_t{1} << 31, std::uint64_t{1} << 50, std::uint64_t{1} << 63}) {
      const auto primes = primes_below(limit, count);
      Integer product = 1;
      for (const std::uint64_t prime : primes) product *= prime;
      Integer value = 0;
      for (std::size_t i = 0; i <= count; ++i) value = (value << 64) + random();
      value %= product / 2;
      CAPTURE(count, limit, to_decimal(value));
      REQUIRE(chinese_remainder(residues_of(value, primes), primes) == value);
      REQUIRE(chinese_remainder(residues_of(-value, primes), primes) == -value);
      REQUIRE(chinese_remainder(residues_of(0, primes), primes) == 0);
      REQUIRE(chinese_remainder(residues_of(-1, primes), primes) == -1);
      const Integer largest = (product - 1) / 2;
      REQUIRE(chinese_remainder(residues_of(largest, primes), primes) == largest);
      REQUIRE(chinese_remainder(residues_of(-largest, primes), primes) == -largest);
    }
  }
  CHECK(chinese_remainder({}, {}) == 0);
}

TEST_CASE("chinese_remainder refuses repeated primes and lists of different length") {
  const std::vector<std::uint64_t> two{1, 1}, repeated{5, 5}, one{7};
  CHECK_THROWS_AS(chinese_remainder(two, repeated), InputError);
  CHECK_THROWS_AS(chinese_remainder(two, one), InputError);
}

TEST_CASE("primes_needed gives the fewest primes whose product determines the integer and its sign") {
  const std::vector<std::uint64_t> primes{31, 29, 23};  // 2^4.95, 2^9.81, 2^14.34
  CHECK(primes_needed(-std::numeric_limits<double>::infinity(), primes) == 0);
  CHECK(primes_needed(0, primes) == 1);
  CHECK(primes_needed(3.9, primes) == 1);
  CHECK(primes_needed(4.0, primes) == 2);
  CHECK(primes_needed(8.8, primes) == 2);
  CHECK(primes_needed(8.9, primes) == 3);
  CHECK(primes_needed(13.3, primes) == 3);
  CHECK_THROWS_AS(primes_needed(13.4, primes), InputError);
  CHECK_THROWS_AS(primes_needed(std::numeric_limits<double>::infinity(), primes), InputError);
  CHECK_THROWS_AS(primes_needed(std::numeric_limits<double>::quiet_NaN(), primes), InputError);
}

TEST_CASE("primes_needed never counts on a product that only just reaches the bound") {
  // One prime p determines |x| <= 2^b only when p > 2^(b+1); here p = 2^61 - 1 is below by one part in 2^61.
  const std::vector<std::uint64_t> primes{2305843009213693951u, 5};
  CHECK(primes_needed(60, primes) == 2);
  CHECK(primes_needed(59.9, primes) == 1);
}
