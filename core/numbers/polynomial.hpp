#pragma once
// Multiplies polynomials with integer coefficients of any size.
//
// Long products go by Kronecker's substitution (Kronecker 1882, doi:10.1515/crll.1882.92.1): a power of two that is
// more than twice any coefficient of the result stands for x, so that one product of long integers has all
// coefficients. Short ones are multiplied term by term. Both are exact, whatever the signs.

#include <cstdint>
#include <span>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"

namespace matchcount {

struct IntegerPolynomial {
  std::vector<Integer> terms;  // by exponent; none: 0

  friend bool operator==(const IntegerPolynomial&, const IntegerPolynomial&) = default;
};

// Adds b to a sum, or the product of a and b: term by term, for a factor b of few terms.
void add_to(IntegerPolynomial& sum, const IntegerPolynomial& b);
void add_product(IntegerPolynomial& sum, const IntegerPolynomial& a, const IntegerPolynomial& b);

// The product of left[left] and right[right] is added to sums[sum].
struct PairOfFactors {
  std::uint32_t left, right, sum;
};
// Does so for all pairs, on the run's threads; every factor is packed once. Throws as run.check() does.
void add_products(std::span<const IntegerPolynomial> left, std::span<const IntegerPolynomial> right,
                  std::vector<PairOfFactors> pairs, std::span<IntegerPolynomial> sums, const RunContext& run);
IntegerPolynomial product(const IntegerPolynomial& a, const IntegerPolynomial& b, const RunContext& run);

// Describes the factors on one side: how many there are, and the most terms and bits that one has.
struct FactorShape {
  double count = 1, terms = 0, bits = 0;
};
// Foresees what add_products takes on one thread of a processor of 2023, and the bytes beside its sums.
struct ProductCost {
  bool by_substitution = false;
  double seconds = 0, memory_bytes = 0;
};
ProductCost cost_of_products(const FactorShape& left, const FactorShape& right, double pairs, double sums);

}  // namespace matchcount
