#pragma once
// GaussianInteger is an integer of any size with an imaginary part, found from residues. Private to permanent/.

#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/residue.hpp"
#include "core/run.hpp"

namespace matchcount {

struct GaussianInteger {
  Integer re, im;
  friend bool operator==(const GaussianInteger&, const GaussianInteger&) = default;
};
inline GaussianInteger operator-(const GaussianInteger& value) { return {-value.re, -value.im}; }
// sum += factor value
inline void add_multiple(int factor, const GaussianInteger& value, GaussianInteger& sum) {
  sum.re += factor * value.re;
  sum.im += factor * value.im;
}

GaussianInteger times(const GaussianInteger& a, const GaussianInteger& b);

using GaussianPolynomial = std::vector<GaussianInteger>;  // coefficients, from that of 1 on
// Throws as run.check() does.
GaussianPolynomial times(const GaussianPolynomial& a, const GaussianPolynomial& b, const RunContext& run);

// A prime with a square root of -1 modulo it, for which a + b i becomes a + b root; 0: there are no imaginary parts.
struct GaussianModulus {
  std::uint64_t prime, root;
};
// Returns such a root modulo a prime that is 1 modulo 4.
std::uint64_t root_of_minus_one(std::uint64_t prime);
// Returns the moduli of the largest primes below `limit`, which goes down to the last; of complex numbers primes that
// are 1 modulo 4, each with both of its roots in turn, so that a sum's two values give its parts. Primes for numbers
// that are not complex are 1 modulo `step`.
std::vector<GaussianModulus> next_moduli(std::uint64_t& limit, std::size_t count, bool complex, std::uint64_t step = 1);
// Returns as many as determine parts of at most 2^log2_bound; primes of so many bits or more.
std::vector<GaussianModulus> moduli_for(double log2_bound, std::uint64_t limit, double bits_of_prime, bool complex);

std::uint64_t residue(const Integer& value, std::uint64_t prime);
std::uint64_t residue(const GaussianInteger& value, GaussianModulus modulus);

// GaussianRemainder finds Gaussian integers from their residues by the Chinese remainder theorem.
class GaussianRemainder {
 public:
  explicit GaussianRemainder(std::vector<GaussianModulus> moduli);
  GaussianInteger value(std::span<const std::uint64_t> residues) const;

 private:
  std::vector<GaussianModulus> moduli_;
  ChineseRemainder remainder_;
};

}  // namespace matchcount
