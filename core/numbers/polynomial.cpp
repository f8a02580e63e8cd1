// A transform takes x^n - c, c = w^2, apart into x^(n/2) - w and x^(n/2) + w, and so on. Block s of a level, counted
// from 0, has the root w_s with w_0 = 1, w_(2 s) = sqrt(w_s) and w_(2 s + 1) = i w_(2 s): one table, bits reversed,
// serves all lengths. A length of three times a power of two begins with x^(3 n) - 1 = (x^n - 1) (x^n - z) (x^n - z^2),
// z^3 = 1, whose blocks have these roots times powers of z, for sqrt(z) = z^2. Of the roots from 2^k to 2^(k+1) - 1
// the first times the last is -1, and so on inwards, so that the table has the inverses too.
//
// Butterflies keep residues below 2 p. A factor w that is known beforehand comes with floor(2^64 w / p) (Shoup).

#include "core/numbers/polynomial.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/numbers/big_integer.hpp"
#include "core/parallel.hpp"

namespace matchcount {
namespace {

using Word = std::uint64_t;
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr int num_primes = 2;
// Primes c 3 2^40 + 1 below 2^62, each with a number that generates their residues' cubic and quadratic non-residues.
struct Prime {
  Word value, generator;
};
constexpr Prime primes[num_primes] = {{4611615649683210241u, 7}, {4611549678985543681u, 19}};
constexpr std::size_t longest = std::size_t{1} << 40;
// Digits' products, summed up, stay below half of the primes' product, 2^122.9.
constexpr double log2_of_sum = 122.9;
constexpr double most_digit_bits = 60;

struct Factor {
  Word value = 0, quotient = 0;
};

class Modulus {
 public:
  explicit constexpr Modulus(Word prime) : p(prime), negated_inverse_(inverse_of(0 - prime)) {}

  constexpr Factor factor(Word value) const {
    Factor result{value, static_cast<Word>((Wide{value} << 64) / p)};
    return result;
  }
  // value w modulo p, below 2 p, of any value.
  constexpr Word times(Word value, const Factor& w) const {
    return value * w.value - static_cast<Word>((Wide{value} * w.quotient) >> 64) * p;
  }
  constexpr Word below_two(Word value) const { return std::min(value, value - 2 * p); }  // of one below 4 p
  constexpr Word below_one(Word value) const { return std::min(value, value - p); }      // of one below 2 p
  constexpr Word sum(Word a, Word b) const { return below_two(a + b); }
  constexpr Word difference(Word a, Word b) const { return below_two(a - b + 2 * p); }
  // a b / 2^64, below 2 p, of two below 2 p (Montgomery).
  constexpr Word product(Word a, Word b) const {
    const Wide wide = Wide{a} * b;
    const Word quotient = static_cast<Word>(wide) * negated_inverse_;
    return static_cast<Word>((wide + Wide{quotient} * p) >> 64);
  }
  constexpr Word power(Word base, Word exponent) const {
    Word result = 1;
    for (; exponent != 0; exponent /= 2, base = exact(base, base))
      if (exponent % 2 != 0) result = exact(result, base);
    return result;
  }
  constexpr Word exact(Word a, Word b) const { return static_cast<Word>(Wide{a} * b % p); }

  Word p;

 private:
  static constexpr Word inverse_of(Word odd) {  // modulo 2^64, by Newton's iteration
    Word x = odd;
    for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
    return x;
  }
  Word negated_inverse_;
};

// A length: a power of two, or three times one.
struct Length {
  std::size_t block;
  bool thirds;
  std::size_t total() const { return thirds ? 3 * block : block; }
};
Length length_for(std::size_t least) {
  const std::size_t power = std::bit_ceil(std::max<std::size_t>(least, 4));
  return 3 * (power / 4) >= least ? Length{power / 4, true} : Length{power, false};
}

class Transform {
 public:
  Transform(const Prime& prime, Length length, const RunContext& run)
      : modulus_(prime.value), length_(length), run_(run) {
    const std::size_t size = std::max<std::size_t>(1, length.block / 2);
    const Word p = modulus_.p;
    const Word third = modulus_.power(prime.generator, (p - 1) / 3);
    powers_of_third_ = {modulus_.factor(1), modulus_.factor(third), modulus_.factor(modulus_.exact(third, third))};
    for (unsigned e = 0; e < parts(); ++e) {
      roots_[e].reserve(size);
      roots_[e].push_back(powers_of_third_[e]);
    }
    Word order = 4;
    for (std::size_t half = 1; half < size; half *= 2, order *= 2) {
      const Factor root = modulus_.factor(modulus_.power(prime.generator, (p - 1) / order));
      for (std::vector<Factor>& roots : roots_) {
        if (roots.empty()) continue;
        for (std::size_t i = 0; i < half; ++i)
          roots.push_back(modulus_.factor(modulus_.below_one(modulus_.times(roots[i].value, root))));
      }
    }
    const Word inverse = modulus_.power(length.total() % p, p - 2);
    scale_ = modulus_.factor(modulus_.exact(inverse, static_cast<Word>((Wide{1} << 64) % p)));
  }

  const Modulus& modulus() const { return modulus_; }

  void forward(Word* values) const {
    const std::size_t n = length_.block;
    if (length_.thirds) turn_thirds(values, values + n, values + 2 * n);
    for (unsigned e = 0; e < parts(); ++e) split(values + e * n, n, 0, e);
  }
  // Takes values that were multiplied by product() once, to residues below p.
  void back(Word* values) const {
    const std::size_t n = length_.block;
    for (unsigned e = 0; e < parts(); ++e) join(values + e * n, n, 0, e);
    if (length_.thirds) turn_thirds(values, values + 2 * n, values + n);
    for (std::size_t i = 0; i < length_.total(); ++i) values[i] = modulus_.below_one(modulus_.times(values[i], scale_));
  }

 private:
  static constexpr std::size_t polled = std::size_t{1} << 18;

  unsigned parts() const { return length_.thirds ? 3 : 1; }
  // Writes the transforms of length three of the values and those behind them: at 1, and at z and z^2 to `second` and
  // `third`.
  void turn_thirds(Word* values, Word* second, Word* third) const {
    const std::size_t n = length_.block;
    for (std::size_t i = 0; i < n; ++i) {
      const Word a = values[i], b = values[i + n], c = values[i + 2 * n];
      const Word t = modulus_.times(modulus_.difference(b, c), powers_of_third_[1]);
      values[i] = modulus_.sum(modulus_.sum(a, b), c);
      second[i] = modulus_.sum(modulus_.difference(a, c), t);
      third[i] = modulus_.difference(modulus_.difference(a, b), t);
    }
  }

  // x^n - c of block s, c having the power e of the root of order three: its own root has the power 2 e.
  void split(Word* values, std::size_t n, std::size_t s, unsigned e) const {
    if (n == 1) return;
    if (n == polled) run_.check();
    const std::size_t half = n / 2;
    const unsigned power = 2 * e % 3;
    const Factor root = roots_[power][s];
    for (std::size_t i = 0; i < half; ++i) {
      const Word x = values[i], y = modulus_.times(values[i + half], root);
      values[i] = modulus_.sum(x, y);
      values[i + half] = modulus_.difference(x, y);
    }
    if (half == 1) return;
    split(values, half, 2 * s, power);
    split(values + half, half, 2 * s + 1, power);
  }
  void join(Word* values, std::size_t n, std::size_t s, unsigned e) const {
    if (n == 1) return;
    if (n == polled) run_.check();
    const std::size_t half = n / 2;
    const unsigned power = 2 * e % 3;
    if (half > 1) {
      join(values, half, 2 * s, power);
      join(values + half, half, 2 * s + 1, power);
    }
    // The root's inverse; but for the first root it is to be negated.
    const std::size_t opposite = s == 0 ? 0 : 3 * std::bit_floor(s) - 1 - s;
    const Factor inverse = roots_[(3 - power) % 3][opposite];
    for (std::size_t i = 0; i < half; ++i) {
      const Word x = values[i], y = values[i + half];
      values[i] = modulus_.sum(x, y);
      values[i + half] = modulus_.times(s == 0 ? x - y + 2 * modulus_.p : y - x + 2 * modulus_.p, inverse);
    }
  }

  Modulus modulus_;
  Length length_;
  std::array<Factor, 3> powers_of_third_;
  std::array<std::vector<Factor>, 3> roots_;  // times powers of the root of order three
  Factor scale_;
  const RunContext& run_;
};

struct Limbs {
  const Word* words;
  std::size_t count;
};
Limbs limbs_of(const Integer& value) {
  static_assert(sizeof(boost::multiprecision::limb_type) == sizeof(Word));
  const auto& backend = big(value).backend();
  return {reinterpret_cast<const Word*>(backend.limbs()), backend.size()};
}
std::size_t bits_of(const Integer& value) {
  const Limbs limbs = limbs_of(value);
  return 64 * (limbs.count - 1) + static_cast<std::size_t>(std::bit_width(limbs.words[limbs.count - 1]));
}

FactorShape shape_of(std::span<const IntegerPolynomial> factors) {
  FactorShape shape{static_cast<double>(factors.size()), 0, 1};
  for (const IntegerPolynomial& factor : factors) {
    shape.terms = std::max(shape.terms, static_cast<double>(factor.terms.size()));
    for (const Integer& term : factor.terms) shape.bits = std::max(shape.bits, static_cast<double>(bits_of(term)));
  }
  return shape;
}

// The digits of factors: how many there are of each side's terms and, without an overlap, of a product's.
struct Digits {
  unsigned bits;
  std::size_t left, right, slot;

  Digits(const FactorShape& a, const FactorShape& b, double pairs_of_sum) {
    for (double guess = most_digit_bits;; --guess) {
      const double of_left = a.terms * std::ceil(a.bits / guess), of_right = b.terms * std::ceil(b.bits / guess);
      if (2 * guess + std::log2(std::min(of_left, of_right) * pairs_of_sum) + 1e-6 > log2_of_sum) continue;
      bits = static_cast<unsigned>(guess);
      break;
    }
    left = static_cast<std::size_t>(std::ceil(a.bits / bits));
    right = static_cast<std::size_t>(std::ceil(b.bits / bits));
    slot = left + right - 1;
  }
};

// Digits as residues; those of negative numbers are negative.
void write_digits(const IntegerPolynomial& factor, const Digits& digits, Word p, Word* values) {
  const Word mask = (Word{1} << digits.bits) - 1;
  for (std::size_t k = 0; k < factor.terms.size(); ++k) {
    const Limbs limbs = limbs_of(factor.terms[k]);
    const bool is_negative = factor.terms[k].sign() < 0;
    Word* at = values + k * digits.slot;
    for (std::size_t bit = 0; bit < 64 * limbs.count; bit += digits.bits) {
      const std::size_t word = bit / 64, shift = bit % 64;
      Word digit = limbs.words[word] >> shift;
      if (shift != 0 && word + 1 < limbs.count) digit |= limbs.words[word + 1] << (64 - shift);
      digit &= mask;
      *at++ = is_negative && digit != 0 ? p - digit : digit;
    }
  }
}

// Adds the number with these digits, whose magnitudes may be as large as 2^126.
template <class DigitAt>
void add_digits(Integer& sum, std::size_t count, unsigned bits, const DigitAt& digit_at, std::vector<Word>& words) {
  words.clear();
  const Word mask = (Word{1} << bits) - 1;
  const std::size_t of_carry = 128 / bits + 2;  // digits, after which it is 0 or -1
  SignedWide carry = 0;
  Word word = 0;
  unsigned filled = 0;
  for (std::size_t i = 0; i < count + of_carry; ++i) {
    if (i < count) carry += digit_at(i);
    const Word digit = static_cast<Word>(carry) & mask;
    carry >>= bits;
    word |= digit << filled;
    if ((filled += bits) < 64) continue;
    words.push_back(word);
    filled -= 64;
    word = filled == 0 ? 0 : digit >> (bits - filled);
  }
  words.push_back(carry < 0 ? word | ~Word{0} << filled : word);
  const bool is_negative = carry < 0;
  if (is_negative) {
    bool borrow = true;
    for (Word& each : words) {
      each = ~each + (borrow ? 1 : 0);
      borrow = borrow && each == 0;
    }
  }
  BigInteger value;
  auto& backend = value.backend();
  const std::size_t size = std::max<std::size_t>(1, words.size());
  backend.resize(static_cast<unsigned>(size), static_cast<unsigned>(size));
  backend.limbs()[0] = 0;
  std::ranges::copy(words, backend.limbs());
  backend.normalize();
  if (is_negative) backend.negate();
  big(sum) += value;
}

class Products {
 public:
  Products(std::span<const IntegerPolynomial> left, std::span<const IntegerPolynomial> right,
           std::span<const PairOfFactors> pairs, std::span<IntegerPolynomial> sums, const FactorShape& of_left,
           const FactorShape& of_right, int num_threads, const RunContext& run)
      : left_(left),
        right_(right),
        pairs_(pairs),
        sums_(sums),
        digits_(of_left, of_right, static_cast<double>(pairs.size())),
        terms_(static_cast<std::size_t>(of_left.terms + of_right.terms) - 1),
        length_(length_for(terms_ * digits_.slot)),
        transforms_{Transform(primes[0], length_, run), Transform(primes[1], length_, run)},
        num_threads_(num_threads),
        run_(run) {}

  void run() {
    const std::size_t factors = left_.size() + right_.size();
    transformed_.resize(factors * num_primes);
    parallel_for_chunks(num_threads_, transformed_.size(), [&](std::uint64_t chunk, int) {
      run_.check();
      const std::size_t factor = chunk / num_primes;
      const Transform& transform = transforms_[chunk % num_primes];
      std::vector<Word>& values = transformed_[chunk];
      values.assign(length_.total(), 0);
      write_digits(factor < left_.size() ? left_[factor] : right_[factor - left_.size()], digits_,
                   transform.modulus().p, values.data());
      transform.forward(values.data());
    });
    parallel_for_chunks(num_threads_, sums_.size(), [&](std::uint64_t sum, int) { add(sum); });
  }

 private:
  void add(std::size_t sum) const {
    // A subrange of g++'s library is no range to clang 14, which builds the fuzzers.
    const auto from = [&](std::size_t least) {
      return std::ranges::lower_bound(pairs_, least, {}, &PairOfFactors::sum);
    };
    const std::span<const PairOfFactors> mine(from(sum), from(sum + 1));
    if (mine.empty()) return;
    std::array<std::vector<Word>, num_primes> values;
    std::size_t terms = 0;
    for (int q = 0; q < num_primes; ++q) {
      values[q].assign(length_.total(), 0);
      const Modulus& modulus = transforms_[q].modulus();
      for (const PairOfFactors& pair : mine) {
        run_.check();
        const IntegerPolynomial &a = left_[pair.left], &b = right_[pair.right];
        if (a.terms.empty() || b.terms.empty()) continue;
        terms = std::max(terms, a.terms.size() + b.terms.size() - 1);
        const Word* const of_left = transformed_[pair.left * num_primes + q].data();
        const Word* const of_right = transformed_[(left_.size() + pair.right) * num_primes + q].data();
        for (std::size_t i = 0; i < length_.total(); ++i)
          values[q][i] = modulus.sum(values[q][i], modulus.product(of_left[i], of_right[i]));
      }
      transforms_[q].back(values[q].data());
    }
    const Modulus &first = transforms_[0].modulus(), &second = transforms_[1].modulus();
    const Factor inverse = second.factor(second.power(first.p % second.p, second.p - 2));
    const Wide product_of_primes = Wide{first.p} * second.p;
    std::vector<Integer>& result = sums_[sum].terms;
    if (result.size() < terms) result.resize(terms);
    std::vector<Word> words;
    for (std::size_t k = 0; k < terms; ++k) {
      const std::size_t at = k * digits_.slot;
      // The first residue and then what the second asks for in multiples of the first prime (Garner).
      const auto digit = [&](std::size_t i) {
        const Word a = values[0][at + i], b = values[1][at + i];
        const Word multiple = second.below_one(second.times(b + 2 * second.p - a, inverse));
        const Wide value = a + Wide{multiple} * first.p;
        return static_cast<SignedWide>(value > product_of_primes / 2 ? value - product_of_primes : value);
      };
      add_digits(result[k], digits_.slot, digits_.bits, digit, words);
    }
  }

  std::span<const IntegerPolynomial> left_, right_;
  std::span<const PairOfFactors> pairs_;  // by sum
  std::span<IntegerPolynomial> sums_;
  Digits digits_;
  std::size_t terms_;
  Length length_;
  Transform transforms_[num_primes];
  std::vector<std::vector<Word>> transformed_;  // by factor, those on the left first, and prime
  int num_threads_;
  const RunContext& run_;
};

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
  constexpr double worth_threads_s = 5e-3;
  const ProductCost cost =
      cost_of_products(of_left, of_right, static_cast<double>(pairs.size()), static_cast<double>(sums.size()));
  if (cost.by_transforms) {
    std::ranges::sort(pairs, {}, &PairOfFactors::sum);
    const int threads = cost.seconds > worth_threads_s ? run.num_threads() : 1;
    return Products(left, right, pairs, sums, of_left, of_right, threads, run).run();
  }
  for (const PairOfFactors& pair : pairs) {
    run.check();
    add_product(sums[pair.sum], left[pair.left], right[pair.right]);
  }
}

IntegerPolynomial product(const IntegerPolynomial& a, const IntegerPolynomial& b, const RunContext& run) {
  IntegerPolynomial result;
  add_products({&a, 1}, {&b, 1}, {{0, 0, 0}}, {&result, 1}, run);
  return result;
}

ProductCost cost_of_products(const FactorShape& left, const FactorShape& right, double pairs, double sums) {
  // Seconds of a product of integers and its sum, of a word of them, of a butterfly, of a digit that is written, read
  // or multiplied, and of what a transform has to be made ready.
  constexpr double integer_s = 3e-8, word_s = 6e-10, butterfly_s = 1.3e-9, digit_s = 8e-9, root_s = 2e-8,
                   start_s = 2e-6;
  constexpr double usual_digit_bits = 52;
  ProductCost cost;
  const double words = std::ceil(left.bits / 64) * std::ceil(right.bits / 64);
  cost.seconds = pairs * left.terms * right.terms * (integer_s + word_s * words);
  if (left.terms < 1 || right.terms < 1) return cost;
  const double digits = (left.terms + right.terms - 1) * std::ceil((left.bits + right.bits) / usual_digit_bits);
  if (digits > static_cast<double>(longest) / 2) return cost;
  const auto length = static_cast<double>(length_for(static_cast<std::size_t>(digits)).total());
  const double transforms = left.count + right.count + sums;
  const double seconds = num_primes * (start_s + root_s * length / 2 +
                                       transforms * (butterfly_s * length * std::log2(length) / 2 + digit_s * length) +
                                       pairs * digit_s / 2 * length);
  if (seconds >= cost.seconds) return cost;
  return {true, seconds, (transforms - sums + 2) * num_primes * sizeof(Word) * length};
}

}  // namespace matchcount
