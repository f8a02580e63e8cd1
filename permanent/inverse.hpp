#pragma once
// Inverts dense matrices in place, of reals or of residues. Private to permanent/.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace matchcount {

// Residues of least absolute value in doubles. |x|, |y|, |z| <= p < 2^25: x - y z is below 2^51 and exact, the quotient
// is off by less than 1/2 + 2^-20, so the result is within 0.51 p.
class BalancedResidues {
 public:
  explicit BalancedResidues(std::uint64_t prime) : prime_(static_cast<double>(prime)), reciprocal_(1 / prime_) {}

  double prime() const { return prime_; }
  double reciprocal_of_prime() const { return reciprocal_; }
  double reduce(double x) const {
    constexpr double round = 0x1.8p52;  // added and taken away: to the nearest integer
    return x - ((x * reciprocal_ + round) - round) * prime_;
  }
  double minus_product(double x, double y, double z) const { return reduce(x - y * z); }
  double product(double x, double y) const { return reduce(x * y); }
  // Inverts by Euclid's algorithm; 32 bits suffice.
  double inverse(double x) const {
    auto a = static_cast<std::int32_t>(residue(x)), b = static_cast<std::int32_t>(prime_);
    std::int32_t s = 1, t = 0;  // a = s x, b = t x
    while (a > 1) {
      const std::int32_t quotient = b / a;
      b -= quotient * a;
      t -= quotient * s;
      std::swap(a, b);
      std::swap(s, t);
    }
    return reduce(s);
  }
  std::uint64_t residue(double x) const { return static_cast<std::uint64_t>(x < 0 ? x + prime_ : x); }
  double number(std::uint64_t residue) const { return reduce(static_cast<double>(residue)); }
  static double one() { return 1; }
  // Any number but 0 is as good a pivot as others.
  static double size(double x) { return x == 0 ? 0 : 1; }

 private:
  double prime_, reciprocal_;
};

// Inverts by Gauss and Jordan, with the pivot of the largest field.size() in a column. Returns whether there was one
// everywhere. Row r begins at matrix + r * stride.
template <class Number, class Field>
bool invert(Number* matrix, std::size_t stride, std::size_t size, const Field& field) {
  std::vector<std::size_t> exchanged(size);
  const auto row = [&](std::size_t i) { return matrix + i * stride; };
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t from = k;
    for (std::size_t i = k + 1; i < size; ++i)
      if (field.size(row(i)[k]) > field.size(row(from)[k])) from = i;
    if (!(field.size(row(from)[k]) > 0)) return false;
    exchanged[k] = from;
    Number* pivot = row(k);
    if (from != k) std::swap_ranges(pivot, pivot + size, row(from));
    const Number factor = field.inverse(pivot[k]);
    pivot[k] = field.one();
    for (std::size_t j = 0; j < size; ++j) pivot[j] = field.product(pivot[j], factor);
    for (std::size_t i = 0; i < size; ++i) {
      Number* target = row(i);
      if (i == k || field.size(target[k]) == 0) continue;
      const Number multiple = std::exchange(target[k], Number(0.0));
      for (std::size_t j = 0; j < size; ++j) target[j] = field.minus_product(target[j], multiple, pivot[j]);
    }
  }
  for (std::size_t k = size; k-- > 0;)
    for (std::size_t i = 0; exchanged[k] != k && i < size; ++i) std::swap(row(i)[k], row(i)[exchanged[k]]);
  return true;
}

// Inverts a matrix of which all leading blocks of an even size can be inverted as well, in halves by products of
// matrices. Algebra says what a View of a part is and a Buffer with its own view(), subtracts products, c -= a b, and
// inverts what is small.
template <class Algebra>
bool invert_in_halves(const Algebra& algebra, typename Algebra::View a, std::size_t size) {
  constexpr std::size_t small = 8;
  if (size <= small) return algebra.invert_small(a, size);
  const std::size_t half = size / 4 * 2, rest = size - half;
  const auto a12 = algebra.part(a, 0, half), a21 = algebra.part(a, half, 0), a22 = algebra.part(a, half, half);
  if (!invert_in_halves(algebra, a, half)) return false;
  typename Algebra::Buffer t(half, rest), u(rest, half);  // minus A11^-1 A12 and A21 A11^-1
  algebra.subtract(t.view(), a, a12, half, half, rest);
  algebra.subtract(u.view(), a21, a, rest, half, half);
  u.negate();
  algebra.subtract(a22, u.view(), a12, rest, half, rest);
  if (!invert_in_halves(algebra, a22, rest)) return false;
  // B12 = t B22, B21 = -B22 u, B11 = A11^-1 - B12 u, each a product that is taken from 0 or from what is there.
  algebra.clear(a21, rest, half);
  algebra.subtract(a21, a22, u.view(), rest, rest, half);
  algebra.clear(a12, half, rest);
  t.negate();
  algebra.subtract(a12, t.view(), a22, half, rest, rest);
  algebra.subtract(a, a12, u.view(), half, rest, half);
  return true;
}

// Finds the inverse Z on the columns and rows of a front: from Z_BB, F_PP^-1, F_PP^-1 F_PB and F_BP F_PP^-1.
// subtract(c, a, b) takes a b from c.
template <class Matrix, class Subtract>
Matrix inverse_of_front(Matrix pivots, const Matrix& right, const Matrix& below, const Matrix& rest,
                        const Subtract& subtract) {
  const std::size_t k = pivots.rows;
  Matrix whole(k + rest.rows, k + rest.columns);
  if (rest.rows > 0) {
    Matrix to_rest(k, rest.columns), from_rest(rest.rows, k);
    subtract(to_rest, right, rest);
    subtract(from_rest, rest, below);
    subtract(pivots, right, from_rest);
    whole.put_block(to_rest, 0, k);
    whole.put_block(from_rest, k, 0);
    whole.put_block(rest, k, k);
  }
  whole.put_block(pivots, 0, 0);
  return whole;
}

}  // namespace matchcount
