// Slots of a packed polynomial are whole words, so that words are copied and not shifted. That costs long products,
// which matter, little.

#include "core/numbers/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel.hpp"

namespace matchcount {
namespace {

using Word = std::uint64_t;

FactorShape shape_of(std::span<const IntegerPolynomial> factors) {
  FactorShape shape{static_cast<double>(factors.size()), 0, 1};
  for (const IntegerPolynomial& factor : factors) {
    shape.terms = std::max(shape.terms, static_cast<double>(factor.terms.size()));
    for (const Integer& term : factor.terms)
      if (term.sign() != 0) shape.bits = std::max(shape.bits, static_cast<double>(msb(abs(term)) + 1));
  }
  return shape;
}

// Returns the words of a slot, for sums of so many products, and a sign.
double words_of_slot(const FactorShape& a, const FactorShape& b, double pairs_of_sum) {
  return std::ceil((a.bits + b.bits + std::log2(std::min(a.terms, b.terms) * pairs_of_sum) + 1.001) / 64);
}

// Returns the value at 2^(64 slot): the one with the coefficients above 0 less that with those below.
Integer packed(const IntegerPolynomial& factor, std::size_t slot) {
  std::vector<Word> above(factor.terms.size() * slot), below;
  for (std::size_t k = 0; k < factor.terms.size(); ++k) {
    const bool is_negative = factor.terms[k].sign() < 0;
    if (is_negative) below.resize(above.size());
    std::ranges::copy(factor.terms[k].words(), (is_negative ? below : above).data() + k * slot);
  }
  const Integer value = from_magnitude(above);
  return below.empty() ? value : value - from_magnitude(below);
}

// Adds the terms of such a value. A slot above its half is that of a negative coefficient, which took one from the
// next.
void add_unpacked(const Integer& value, std::size_t slot, std::vector<Integer>& terms) {
  std::span<const Word> words = value.words();
  const bool is_negative = value.sign() < 0;
  bool carry = false;
  for (Integer& term : terms) {
    const std::span<const Word> mine = words.first(std::min(slot, words.size()));
    words = words.subspan(mine.size());
    Integer digit = from_magnitude(mine);
    if (carry) ++digit;
    carry = digit.words().size() > slot || (digit.words().size() == slot && digit.words().back() >> 63 != 0);
    if (carry) digit -= Integer(1) << 64 * slot;
    is_negative ? term -= digit : term += digit;
  }
}

}  // namespace

void add_to(IntegerPolynomial& sum, const IntegerPolynomial& b) {
  if (sum.terms.size() < b.terms.size()) sum.terms.resize(b.terms.size());
  for (std::size_t k = 0; k < b.terms.size(); ++k) sum.terms[k] += b.terms[k];
}

void add_product(IntegerPolynomial& sum, const IntegerPolynomial& a, const IntegerPolynomial& b) {
  if (a.terms.empty() || b.terms.empty()) return;
  sum.terms.resize(std::max(sum.terms.size(), a.terms.size() + b.terms.size() - 1));
  Integer scratch;
  for (std::size_t j = 0; j < b.terms.size(); ++j) {
    const Integer& factor = b.terms[j];
    if (factor.sign() == 0) continue;
    const bool is_one = factor == 1;
    for (std::size_t i = 0; i < a.terms.size(); ++i) {
      if (is_one) {
        sum.terms[i + j] += a.terms[i];
        continue;
      }
      scratch = a.terms[i];
      sum.terms[i + j] += scratch *= factor;
    }
  }
}

void add_products(std::span<const IntegerPolynomial> left, std::span<const IntegerPolynomial> right,
                  std::vector<PairOfFactors> pairs, std::span<IntegerPolynomial> sums, const RunContext& run) {
  const FactorShape of_left = shape_of(left), of_right = shape_of(right);
  if (of_left.terms == 0 || of_right.terms == 0) return;
  const auto count = static_cast<double>(pairs.size());
  const ProductCost cost = cost_of_products(of_left, of_right, count, static_cast<double>(sums.size()));
  if (!cost.by_substitution) {
    for (const PairOfFactors& pair : pairs) {
      run.check();
      add_product(sums[pair.sum], left[pair.left], right[pair.right]);
    }
    return;
  }
  constexpr double worth_threads_s = 5e-3;
  const int threads = cost.seconds > worth_threads_s ? run.num_threads() : 1;
  const auto slot = static_cast<std::size_t>(words_of_slot(of_left, of_right, count));
  std::vector<Integer> factors(left.size() + right.size());
  parallel_for_chunks(threads, factors.size(), [&](std::uint64_t i, int) {
    factors[i] = packed(i < left.size() ? left[i] : right[i - left.size()], slot);
  });
  // Pairs of one sum and one factor on the left are a product with the sum of those on the right.
  const auto product_of = [](const PairOfFactors& pair) { return std::pair(pair.sum, pair.left); };
  std::ranges::sort(pairs, {}, product_of);
  std::vector<std::size_t> begin;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (i == 0 || product_of(pairs[i - 1]) != product_of(pairs[i])) begin.push_back(i);
  begin.push_back(pairs.size());
  std::vector<Integer> products(begin.size() - 1);
  parallel_for_chunks(threads, products.size(), [&](std::uint64_t k, int) {
    run.check();
    Integer of_right;
    for (std::size_t i = begin[k]; i < begin[k + 1]; ++i) of_right += factors[left.size() + pairs[i].right];
    products[k] = factors[pairs[begin[k]].left] * of_right;
  });
  parallel_for_chunks(threads, sums.size(), [&](std::uint64_t sum, int) {
    Integer value;
    std::size_t terms = 0;
    for (std::size_t k = 0; k < products.size(); ++k) {
      if (pairs[begin[k]].sum != sum) continue;
      value += std::exchange(products[k], {});
      for (std::size_t i = begin[k]; i < begin[k + 1]; ++i) {
        const std::size_t m = left[pairs[i].left].terms.size(), n = right[pairs[i].right].terms.size();
        if (m > 0 && n > 0) terms = std::max(terms, m + n - 1);
      }
    }
    if (sums[sum].terms.size() < terms) sums[sum].terms.resize(terms);
    add_unpacked(value, slot, sums[sum].terms);
  });
}

IntegerPolynomial product(const IntegerPolynomial& a, const IntegerPolynomial& b, const RunContext& run) {
  IntegerPolynomial result;
  add_products({&a, 1}, {&b, 1}, {{0, 0, 0}}, {&result, 1}, run);
  return result;
}

ProductCost cost_of_products(const FactorShape& left, const FactorShape& right, double pairs, double sums) {
  // Seconds of a product of integers and its sum, and of a word of them; of two words of a short packed product, of one
  // of a long product and a squared level of its recursion, of one that is packed or unpacked, of a term of these and
  // of a call.
  constexpr double integer_s = 1.5e-8, word_s = 4e-10, short_s = 3e-10, long_s = 4.5e-10, packed_s = 5e-10,
                   term_s = 1e-8, start_s = 3e-7;
  // Pairs that have a factor and a sum in common are one product: on a tree two products of three pairs.
  constexpr double products_of_pair = 2.0 / 3;
  ProductCost cost;
  const double words = std::ceil(left.bits / 64) * std::ceil(right.bits / 64);
  cost.seconds = pairs * left.terms * right.terms * (integer_s + word_s * words);
  if (left.terms < 1 || right.terms < 1) return cost;
  const double slot = words_of_slot(left, right, pairs), a = slot * left.terms, b = slot * right.terms;
  const double products = std::max(1.0, products_of_pair * pairs), levels = std::log2(a + b);
  const double packed = left.count * a + right.count * b;
  const double seconds = start_s + products * std::min(short_s * a * b, long_s * (a + b) * levels * levels) +
                         (packed + sums * (a + b)) * (packed_s + term_s / slot);
  if (seconds >= cost.seconds) return cost;
  constexpr double scratch = 4;
  return {true, seconds, sizeof(Word) * (packed + (products + scratch) * (a + b))};
}

}  // namespace matchcount
