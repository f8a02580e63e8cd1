#include "permanent/gaussian_integer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/polynomial.hpp"

namespace matchcount {
namespace {

std::vector<std::uint64_t> primes_of(std::span<const GaussianModulus> moduli) {
  std::vector<std::uint64_t> primes;
  for (const auto& [prime, root] : moduli) {
    if (primes.empty() || primes.back() != prime) primes.push_back(prime);
  }
  return primes;
}

}  // namespace

std::uint64_t root_of_minus_one(std::uint64_t prime) {
  for (std::uint64_t base = 2;; ++base) {
    const std::uint64_t root = power_mod(base, (prime - 1) / 4, prime);
    if (multiply_mod(root, root, prime) == prime - 1) return root;
  }
}

std::vector<GaussianModulus> next_moduli(std::uint64_t& limit, std::size_t count, bool complex, std::uint64_t step) {
  std::vector<GaussianModulus> moduli;
  while (step > 1 && moduli.size() < count) {
    if (limit <= step + 2) throw Error("too few primes that are 1 modulo " + std::to_string(step));
    limit = (limit - 2) / step * step + 1;
    if (is_prime(limit)) moduli.push_back({limit, 0});
  }
  if (!complex && moduli.size() < count) {
    for (const std::uint64_t prime : primes_below(limit, count)) moduli.push_back({prime, 0});
    limit = moduli.back().prime;
  }
  while (moduli.size() < count) {
    limit = primes_below(limit, 1).front();
    if (limit % 4 != 1) continue;
    const std::uint64_t root = root_of_minus_one(limit);
    moduli.push_back({limit, root});
    moduli.push_back({limit, limit - root});
  }
  return moduli;
}

std::vector<GaussianModulus> moduli_for(double log2_bound, std::uint64_t limit, double bits_of_prime, bool complex) {
  const auto primes = static_cast<std::size_t>(std::ceil((log2_bound + 2) / bits_of_prime)) + 1;
  std::vector<GaussianModulus> moduli = next_moduli(limit, primes * (complex ? 2 : 1), complex);
  moduli.resize(primes_needed(log2_bound, primes_of(moduli)) * (complex ? 2 : 1));
  return moduli;
}

std::uint64_t residue(const Integer& value, std::uint64_t prime) {
  const Integer modulus(prime);
  const Integer rest = value % modulus;
  return static_cast<std::uint64_t>(rest.sign() < 0 ? rest + modulus : rest);
}
std::uint64_t residue(const GaussianInteger& value, GaussianModulus modulus) {
  const auto [p, root] = modulus;
  return value.im.sign() == 0 ? residue(value.re, p)
                              : (residue(value.re, p) + multiply_mod(residue(value.im, p), root, p)) % p;
}

GaussianRemainder::GaussianRemainder(std::vector<GaussianModulus> moduli)
    : moduli_(std::move(moduli)), remainder_(primes_of(moduli_)) {}

// x = re + root im and y = re - root im.
GaussianInteger GaussianRemainder::value(std::span<const std::uint64_t> values) const {
  std::vector<std::uint64_t> re, im;
  for (std::size_t i = 0; i < moduli_.size(); ++i) {
    const auto [p, root] = moduli_[i];
    if (root == 0) {
      re.push_back(values[i]);
      continue;
    }
    const std::uint64_t x = values[i], y = values[++i];
    re.push_back(multiply_mod(x + y, inverse_mod(2, p), p));
    im.push_back(multiply_mod(x + p - y, inverse_mod(2 * root % p, p), p));
  }
  return {remainder_.value(re), im.empty() ? Integer(0) : remainder_.value(im)};
}

GaussianInteger times(const GaussianInteger& a, const GaussianInteger& b) {
  if (a.im.sign() == 0 && b.im.sign() == 0) return {a.re * b.re, 0};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
GaussianPolynomial times(const GaussianPolynomial& a, const GaussianPolynomial& b, const RunContext& run) {
  const auto is_real_one = [](const GaussianPolynomial& given) {
    return std::ranges::all_of(given, [](const GaussianInteger& term) { return term.im.sign() == 0; });
  };
  const auto parts = [](const GaussianPolynomial& given, Integer GaussianInteger::*part) {
    IntegerPolynomial result;
    for (const GaussianInteger& term : given) result.terms.push_back(term.*part);
    return result;
  };
  const bool is_real = is_real_one(a) && is_real_one(b);
  std::vector<IntegerPolynomial> left{parts(a, &GaussianInteger::re)}, right{parts(b, &GaussianInteger::re)}, sums(3);
  std::vector<PairOfFactors> pairs{{0, 0, 0}};
  if (!is_real) {
    left.push_back(parts(a, &GaussianInteger::im));
    right.push_back(parts(b, &GaussianInteger::im));
    pairs.insert(pairs.end(), {{0, 1, 1}, {1, 0, 1}, {1, 1, 2}});
  }
  add_products(left, right, pairs, sums, run);
  GaussianPolynomial product(a.size() + b.size() - 1);
  for (std::size_t k = 0; k < product.size(); ++k) {
    product[k].re = std::move(sums[0].terms[k]);
    if (is_real) continue;
    product[k].re -= sums[2].terms[k];
    product[k].im = std::move(sums[1].terms[k]);
  }
  return product;
}

}  // namespace matchcount
