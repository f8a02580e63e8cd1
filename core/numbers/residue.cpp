#include "core/numbers/residue.hpp"

#include <gmp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/error.hpp"

namespace matchcount {
namespace {

__extension__ using uint128 = unsigned __int128;

// Products of primes in a binary tree: node t has the nodes 2 t + 1, of the first half, and 2 t + 2 below it.
void multiply(std::vector<Integer>& products, std::size_t node, std::span<const std::uint64_t> primes) {
  if (products.size() <= node) products.resize(node + 1);
  if (primes.size() == 1) {
    products[node] = primes[0];
    return;
  }
  const std::size_t half = primes.size() / 2;
  multiply(products, 2 * node + 2, primes.subspan(half));
  multiply(products, 2 * node + 1, primes.first(half));
  products[node] = products[2 * node + 1] * products[2 * node + 2];
}

// Appends the value, which is not negative, modulo each prime.
void reduce(const std::vector<Integer>& products, std::size_t node, const Integer& value, std::size_t count,
            std::vector<std::uint64_t>& result) {
  const Integer rest = value % products[node];
  if (count == 1) {
    result.push_back(static_cast<std::uint64_t>(rest));
    return;
  }
  reduce(products, 2 * node + 1, rest, count / 2, result);
  reduce(products, 2 * node + 2, rest, count - count / 2, result);
}

}  // namespace

std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(uint128{a} * b % modulus);
}

std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  std::uint64_t result = 1 % modulus;
  base %= modulus;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = multiply_mod(result, base, modulus);
    base = multiply_mod(base, base, modulus);
  }
  return result;
}

std::uint64_t inverse_mod(std::uint64_t value, std::uint64_t prime) { return power_mod(value, prime - 2, prime); }

bool is_prime(std::uint64_t n) {
  // Asks for that test alone: more are rounds of Miller and Rabin's, with random bases.
  constexpr int rounds = 24;
  const mp_limb_t word = n;
  mpz_t number;
  return mpz_probab_prime_p(mpz_roinit_n(number, &word, 1), rounds) != 0;
}

std::vector<std::uint64_t> primes_below(std::uint64_t limit, std::size_t count) {
  if (limit <= 2 || limit > std::uint64_t{1} << 63) {
    throw InputError("a limit of " + std::to_string(limit) + " for primes", "a limit above 2 and at most 2^63");
  }
  std::vector<std::uint64_t> primes;
  primes.reserve(count);
  for (std::uint64_t candidate = limit - 1; primes.size() < count; --candidate) {
    if (candidate < 2) {
      throw InputError("only " + std::to_string(primes.size()) + " primes below " + std::to_string(limit),
                       std::to_string(count) + " of them");
    }
    if (is_prime(candidate)) primes.push_back(candidate);
  }
  return primes;
}

// Products and quotients of long numbers: 0.34 s for 14,000 primes, instead of 6 s prime by prime.
ChineseRemainder::ChineseRemainder(std::span<const std::uint64_t> primes) : primes_(primes.begin(), primes.end()) {
  if (primes.empty()) return;
  multiply(products_, 0, primes);
  // Modulo prime_i, M / prime_i is the sum of M / prime_j over all j.
  reduce(products_, 0, sum(0, std::vector<std::uint64_t>(primes.size(), 1)), primes.size(), inverses_);
  for (std::size_t i = 0; i < primes.size(); ++i) {
    if (inverses_[i] == 0) throw InputError("the prime " + std::to_string(primes[i]) + " twice", "distinct primes");
    inverses_[i] = inverse_mod(inverses_[i], primes[i]);
  }
}

Integer ChineseRemainder::sum(std::size_t node, std::span<const std::uint64_t> coefficients) const {
  if (coefficients.size() == 1) return coefficients[0];
  const std::size_t half = coefficients.size() / 2;
  return sum(2 * node + 1, coefficients.first(half)) * products_[2 * node + 2] +
         sum(2 * node + 2, coefficients.subspan(half)) * products_[2 * node + 1];
}

Integer ChineseRemainder::value(std::span<const std::uint64_t> residues) const {
  if (residues.size() != primes_.size()) {
    throw InputError(std::to_string(residues.size()) + " residues",
                     "one for each of " + std::to_string(primes_.size()) + " primes");
  }
  if (primes_.empty()) return 0;
  // The sum of coefficient_i * M / prime_i has the right residues and is below count * M.
  std::vector<std::uint64_t> coefficients;
  for (std::size_t i = 0; i < primes_.size(); ++i)
    coefficients.push_back(multiply_mod(residues[i] % primes_[i], inverses_[i], primes_[i]));
  Integer value = sum(0, coefficients) % products_[0];
  if (2 * value > products_[0]) value -= products_[0];
  return value;
}

Integer chinese_remainder(std::span<const std::uint64_t> residues, std::span<const std::uint64_t> primes) {
  return ChineseRemainder(primes).value(residues);
}

std::size_t primes_needed(double log2_bound, std::span<const std::uint64_t> primes) {
  if (log2_bound == -std::numeric_limits<double>::infinity()) return 0;
  // Rounding: each log2 and each addition is off by less than 2^-52 of the sum, which the factor more than covers.
  double log2_product = 0;
  for (std::size_t count = 0;; ++count) {
    const double certain = log2_product * (1 - static_cast<double>(count + 1) * 0x1p-51);
    if (certain > log2_bound + 1) return count;
    if (count == primes.size()) break;
    log2_product += std::log2(static_cast<double>(primes[count]));
  }
  throw InputError(std::to_string(primes.size()) + " primes with a product of 2^" + std::to_string(log2_product),
                   "a product above 2^" + std::to_string(log2_bound + 1));
}

std::vector<std::uint64_t> primes_for(double log2_bound, std::uint64_t limit) {
  const double least_bits = std::log2(static_cast<double>(limit)) - 1;
  std::vector<std::uint64_t> primes =
      primes_below(limit, static_cast<std::size_t>((std::max(log2_bound, 0.0) + 1) / least_bits) + 2);
  primes.resize(primes_needed(log2_bound, primes));
  return primes;
}

}  // namespace matchcount
