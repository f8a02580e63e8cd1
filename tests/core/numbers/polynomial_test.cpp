#include "core/numbers/polynomial.hpp"

#include <vector>

#include "core/random.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20261126;

// Numbers of at most so many bits; extremes, zeros and negative ones among them.
IntegerPolynomial random_polynomial(Random& random, std::size_t terms, unsigned bits, bool is_signed) {
  IntegerPolynomial result;
  for (std::size_t k = 0; k < terms; ++k) {
    Integer value = 0;
    for (unsigned have = 0; have < bits; have += 64) value = (value << 64) + random();
    value >>= (64 - bits % 64) % 64;
    const std::uint64_t kind = random() % 8;
    if (kind == 0) value = 0;
    if (kind == 1) value = (Integer(1) << bits) - 1;
    if (kind == 2) value = Integer(1) << (bits - 1);
    result.terms.push_back(is_signed && random() % 2 == 0 ? -value : value);
  }
  return result;
}

// Term by term, by operators alone.
std::vector<Integer> slow_product(const IntegerPolynomial& a, const IntegerPolynomial& b) {
  std::vector<Integer> result(a.terms.size() + b.terms.size() - 1);
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    for (std::size_t j = 0; j < b.terms.size(); ++j) result[i + j] = result[i + j] + a.terms[i] * b.terms[j];
  return result;
}

}  // namespace

TEST_CASE("products of polynomials agree with products term by term", "[cpu]") {
  Random random(seed, 1);
  const RunContext run{RunOptions()};
  for (int i = 0; i < 150; ++i) {
    const std::size_t m = 1 + random() % (i % 3 == 0 ? 4 : 120), n = 1 + random() % 120;
    const auto of_left = static_cast<unsigned>(1 + random() % (i % 5 == 0 ? 4000 : 300)),
               of_right = static_cast<unsigned>(1 + random() % 1000);
    const IntegerPolynomial a = random_polynomial(random, m, of_left, i % 2 == 0),
                            b = random_polynomial(random, n, of_right, i % 4 < 2);
    CAPTURE(i, m, n, of_left, of_right);
    CHECK(product(a, b, run).terms == slow_product(a, b));
  }
}

TEST_CASE("long products are packed, and sums of them are what their terms say", "[cpu]") {
  CHECK(cost_of_products({2, 200, 900}, {2, 150, 900}, 3, 2).by_substitution);
  CHECK_FALSE(cost_of_products({2, 2, 100}, {2, 1, 100}, 3, 2).by_substitution);
  Random random(seed, 2);
  const RunContext run{RunOptions()};
  for (const unsigned bits : {63u, 64u, 65u, 900u}) {
    const std::vector<IntegerPolynomial> left{
        random_polynomial(random, 200, bits, true), random_polynomial(random, 131, bits, false), {}},
        right{random_polynomial(random, 150, bits, true), random_polynomial(random, 1, bits, true)};
    std::vector<IntegerPolynomial> sums(3);
    sums[1].terms = {5};
    add_products(left, right, {{0, 0, 1}, {1, 1, 0}, {1, 0, 1}, {2, 0, 0}, {0, 1, 0}}, sums, run);
    IntegerPolynomial first{slow_product(left[0], right[1])}, second{slow_product(left[0], right[0])};
    add_to(first, {slow_product(left[1], right[1])});
    add_to(second, {slow_product(left[1], right[0])});
    second.terms[0] = second.terms[0] + 5;
    CHECK(sums[0] == first);
    CHECK(sums[1] == second);
    CHECK(sums[2].terms.empty());
  }
}

TEST_CASE("sums of the largest coefficients fit their slots", "[cpu]") {
  // All coefficients are as large as can be: (2^b - 1) (1 + x + ... + x^n), times its negative.
  const RunContext run{RunOptions()};
  for (const std::size_t n : {std::size_t{255}, std::size_t{3000}}) {
    const Integer largest = (Integer(1) << 1200) - 1;
    const IntegerPolynomial a{std::vector<Integer>(n, largest)}, b{std::vector<Integer>(n, -largest)};
    const IntegerPolynomial square = product(a, b, run);
    REQUIRE(square.terms.size() == 2 * n - 1);
    for (std::size_t k = 0; k < square.terms.size(); ++k)
      REQUIRE(square.terms[k] == -largest * largest * Integer(std::min(k + 1, 2 * n - 1 - k)));
  }
}
