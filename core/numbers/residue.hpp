#pragma once
// Finds residues, and by the Chinese remainder theorem an integer of any size from its remainders.

#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers/integer.hpp"

namespace matchcount {

// Says whether n is prime, by the test of Baillie, Pomerance, Selfridge and Wagstaff, which is right below 2^64.
bool is_prime(std::uint64_t n);

// Returns the `count` largest primes below `limit` (2 < limit <= 2^63), descending. Throws InputError where there are
// fewer.
std::vector<std::uint64_t> primes_below(std::uint64_t limit, std::size_t count);

std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b, std::uint64_t modulus);
std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus);
// Returns the residue of a number that may be negative.
constexpr std::uint64_t residue_of(std::int64_t value, std::uint64_t modulus) {
  const std::uint64_t rest =
      (value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)) % modulus;
  return value < 0 && rest != 0 ? modulus - rest : rest;
}

// Is the prime 2^61 - 1, modulo which products take no division.
inline constexpr std::uint64_t mersenne_61 = (std::uint64_t{1} << 61) - 1;
// Returns a b modulo it; requires residues.
constexpr std::uint64_t multiply_mod_mersenne_61(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t sum =
      (static_cast<std::uint64_t>(product) & mersenne_61) + static_cast<std::uint64_t>(product >> 61);
  return sum >= mersenne_61 ? sum - mersenne_61 : sum;
}

// Returns the inverse modulo a prime; requires value % prime != 0.
std::uint64_t inverse_mod(std::uint64_t value, std::uint64_t prime);

// ChineseRemainder finds integers from their residues modulo these distinct primes.
class ChineseRemainder {
 public:
  explicit ChineseRemainder(std::span<const std::uint64_t> primes);
  const std::vector<std::uint64_t>& primes() const { return primes_; }
  Integer product() const { return products_.empty() ? Integer(1) : products_.front(); }
  // Returns the one integer in (-M/2, M/2], M the product of the primes, with these residues.
  Integer value(std::span<const std::uint64_t> residues) const;

 private:
  // Returns the sum of coefficients[i] * M / primes[i] over the primes of a node of products_.
  Integer sum(std::size_t node, std::span<const std::uint64_t> coefficients) const;

  std::vector<std::uint64_t> primes_, inverses_;  // of M / primes_[i]
  std::vector<Integer> products_;
};
// Does so for one integer.
Integer chinese_remainder(std::span<const std::uint64_t> residues, std::span<const std::uint64_t> primes);

// Returns how many of these primes (from the front) have a product above 2^(log2_bound + 1), so that an integer of
// absolute value at most 2^log2_bound is determined, sign included. Throws InputError when all together do not.
std::size_t primes_needed(double log2_bound, std::span<const std::uint64_t> primes);
// Returns so many of the largest primes below `limit`.
std::vector<std::uint64_t> primes_for(double log2_bound, std::uint64_t limit);

}  // namespace matchcount
