#pragma once
// A BoundedMatrix is a dense matrix of double-doubles or wide reals, each with a bound on its distance from the truth;
// a WideReal is a floating-point number of a few machine words, for what double-doubles are too short for. Private to
// permanent/.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/numbers/pair.hpp"
#include "permanent/inverse.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"

namespace matchcount {

// +- 0.words 2^exponent, the highest bit of the last word being set; 0 has no bits. Sums, differences and products are
// cut: they err by less than unit_roundoff() of themselves, quotients by some of that. Exponents have 64 bits, and are
// not looked at.
template <std::size_t size>
class WideReal {
 public:
  static double unit_roundoff() { return std::ldexp(1, 1 - 64 * static_cast<int>(size)); }

  WideReal() = default;
  WideReal(double value) {  // NOLINT: a double is a wide real
    if (value == 0) return;
    int exponent = 0;
    words_[size - 1] = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 64));
    exponent_ = exponent;
    negative_ = value < 0;
  }
  WideReal(DoubleDouble value) : WideReal(WideReal(value.hi) + WideReal(value.lo)) {}  // NOLINT: likewise
  // Converts to a relative 2^-53; infinity or 0 beyond the doubles.
  explicit operator double() const {
    const auto exponent = static_cast<int>(std::clamp<std::int64_t>(exponent_, -4000, 4000));
    const double magnitude = std::ldexp(static_cast<double>(words_[size - 1]), exponent - 64);
    return negative_ ? -magnitude : magnitude;
  }
  bool is_zero() const { return words_[size - 1] == 0; }

  friend WideReal operator-(WideReal a) {
    a.negative_ = !a.negative_;
    return a;
  }
  friend WideReal operator+(const WideReal& a, const WideReal& b) { return sum(a, b, b.negative_); }
  friend WideReal operator-(const WideReal& a, const WideReal& b) { return sum(a, b, !b.negative_); }

  friend WideReal operator*(const WideReal& a, const WideReal& b) {
    if (a.is_zero() || b.is_zero()) return {};
    std::uint64_t product[2 * size] = {};
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; j < size; ++j) {
        const Uint128 term = static_cast<Uint128>(a.words_[i]) * b.words_[j] + product[i + j] + carry;
        product[i + j] = static_cast<std::uint64_t>(term);
        carry = static_cast<std::uint64_t>(term >> 64);
      }
      product[i + size] = carry;
    }
    WideReal result;
    result.negative_ = a.negative_ != b.negative_;
    result.exponent_ = a.exponent_ + b.exponent_;
    const bool is_normal = product[2 * size - 1] >> 63 != 0;
    if (!is_normal) --result.exponent_;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t word = product[size + i];
      result.words_[i] = is_normal ? word : word << 1 | product[size + i - 1] >> 63;
    }
    return result;
  }
  // Divides by Newton's iteration, which doubles the digits of a double.
  friend WideReal operator/(const WideReal& a, const WideReal& b) {
    WideReal fraction = b;
    fraction.exponent_ = 0;
    WideReal reciprocal = 1 / static_cast<double>(fraction);
    for (std::size_t bits = 50; bits < 64 * size; bits *= 2)
      reciprocal = reciprocal + reciprocal * (WideReal(1.0) - fraction * reciprocal);
    reciprocal.exponent_ -= b.exponent_;
    return a * reciprocal;
  }

 private:
  __extension__ using Uint128 = unsigned __int128;
  // One more word at the low end, so that what is cut off before a difference is small beside it.
  using Extended = std::array<std::uint64_t, size + 1>;

  // Compares magnitudes.
  friend bool is_less(const WideReal& a, const WideReal& b) {
    if (a.is_zero() || b.is_zero()) return !b.is_zero();
    if (a.exponent_ != b.exponent_) return a.exponent_ < b.exponent_;
    for (std::size_t i = size; i-- > 0;) {
      if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i];
    }
    return false;
  }

  Extended shifted_right(std::uint64_t bits) const {
    Extended result{};
    const std::uint64_t words = bits / 64, rest = bits % 64;
    for (std::size_t i = words; i <= size; ++i) {  // word i of the extended number, word i - 1 of this
      const std::uint64_t low = i > 0 ? words_[i - 1] : 0;
      if (rest == 0) {
        result[i - words] = low;
        continue;
      }
      const std::uint64_t high = i < size ? words_[i] : 0;
      result[i - words] = low >> rest | high << (64 - rest);
    }
    return result;
  }

  static WideReal sum(const WideReal& a, const WideReal& b, bool b_is_negative) {
    if (is_less(a, b)) return sum_of_ordered(b, b_is_negative, a, a.negative_);
    return sum_of_ordered(a, a.negative_, b, b_is_negative);
  }
  // |a| >= |b|
  static WideReal sum_of_ordered(const WideReal& a, bool a_is_negative, const WideReal& b, bool b_is_negative) {
    WideReal result = a;
    result.negative_ = a_is_negative;
    if (b.is_zero()) return result;
    const auto shift = static_cast<std::uint64_t>(a.exponent_ - b.exponent_);
    if (shift >= 64 * (size + 1)) return result;
    const Extended small = b.shifted_right(shift);
    return a_is_negative == b_is_negative ? result.plus(small) : result.minus(small);
  }

  WideReal plus(const Extended& small) const {
    WideReal result = *this;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const Uint128 term = static_cast<Uint128>(words_[i]) + small[i + 1] + carry;
      result.words_[i] = static_cast<std::uint64_t>(term);
      carry = static_cast<std::uint64_t>(term >> 64);
    }
    if (carry == 0) return result;
    for (std::size_t i = 0; i < size; ++i)
      result.words_[i] = result.words_[i] >> 1 | (i + 1 < size ? result.words_[i + 1] << 63 : std::uint64_t{1} << 63);
    ++result.exponent_;
    return result;
  }
  WideReal minus(const Extended& small) const {
    Extended rest;
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i <= size; ++i) {
      const Uint128 term = static_cast<Uint128>(i > 0 ? words_[i - 1] : 0) - small[i] - borrow;
      rest[i] = static_cast<std::uint64_t>(term);
      borrow = static_cast<std::uint64_t>(term >> 64) & 1;
    }
    std::size_t top = size + 1;
    while (top > 0 && rest[top - 1] == 0) --top;
    if (top == 0) return {};
    const int zeros = std::countl_zero(rest[top - 1]);
    WideReal result;
    result.negative_ = negative_;
    result.exponent_ = exponent_ - 64 * static_cast<std::int64_t>(size + 1 - top) - zeros;
    for (std::size_t i = 0; i < size && i < top; ++i) {  // from the highest word down
      const std::uint64_t high = rest[top - 1 - i], low = i + 1 < top ? rest[top - 2 - i] : 0;
      result.words_[size - 1 - i] = zeros == 0 ? high : high << zeros | low >> (64 - zeros);
    }
    return result;
  }

  std::array<std::uint64_t, size> words_{};
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

inline double size_of(double value) { return std::fabs(value); }
inline double size_of(DoubleDouble value) { return std::fabs(value.hi); }
template <std::size_t size>
double size_of(const WideReal<size>& value) {
  return std::fabs(static_cast<double>(value));
}
// Returns the relative error of one operation.
template <class Number>
double unit_roundoff() {
  if constexpr (std::is_same_v<Number, double>) {
    return 0x1p-53;
  } else if constexpr (std::is_same_v<Number, DoubleDouble>) {
    return DoubleDouble::unit_roundoff;
  } else {
    return Number::unit_roundoff();
  }
}

// NumberStore names where the numbers are.
template <class Number>
struct NumberStore {
  std::vector<Number> values;
  explicit NumberStore(std::size_t size) : values(size) {}
  const Number& value(std::size_t place) const { return values[place]; }
  void set(std::size_t place, const Number& value) { values[place] = value; }
};
template <>
struct NumberStore<DoubleDouble> {
  std::vector<double> high, low;
  explicit NumberStore(std::size_t size) : high(size, 0.0), low(size, 0.0) {}
  DoubleDouble value(std::size_t place) const { return {high[place], low[place]}; }
  void set(std::size_t place, DoubleDouble value) { high[place] = value.hi, low[place] = value.lo; }
};

template <class Number>
struct BoundedMatrix : NumberStore<Number> {
  std::size_t rows = 0, columns = 0;
  std::vector<double> error;  // |truth - value| <= error

  BoundedMatrix() : BoundedMatrix(0, 0) {}
  BoundedMatrix(std::size_t num_rows, std::size_t num_columns)
      : NumberStore<Number>(num_rows * num_columns),
        rows(num_rows),
        columns(num_columns),
        error(num_rows * num_columns, 0.0) {}

  std::size_t at(std::size_t row, std::size_t column) const { return row * columns + column; }
  void put(std::size_t place, const Number& number, double bound) {
    this->set(place, number);
    error[place] = bound;
  }
  std::vector<double> magnitudes() const {
    std::vector<double> result(error.size());
    for (std::size_t i = 0; i < error.size(); ++i) result[i] = size_of(this->value(i)) * (1 + 0x1p-50);
    return result;
  }
  BoundedMatrix block(std::size_t first_row, std::size_t first_column, std::size_t num_rows,
                      std::size_t num_columns) const {
    BoundedMatrix result(num_rows, num_columns);
    for (std::size_t r = 0; r < num_rows; ++r) {
      for (std::size_t c = 0; c < num_columns; ++c) {
        const std::size_t from = at(first_row + r, first_column + c);
        result.put(result.at(r, c), this->value(from), error[from]);
      }
    }
    return result;
  }
  void put_block(const BoundedMatrix& part, std::size_t row, std::size_t column) {
    for (std::size_t r = 0; r < part.rows; ++r)
      for (std::size_t c = 0; c < part.columns; ++c)
        put(at(row + r, column + c), part.value(part.at(r, c)), part.error[part.at(r, c)]);
  }
  void negate() {
    for (std::size_t i = 0; i < error.size(); ++i) this->set(i, -this->value(i));
  }
};

// Bounds the error of a product of that many terms, taken from a number, over the sum of all magnitudes.
template <class Number>
double product_error(std::size_t inner) {
  if constexpr (std::is_same_v<Number, DoubleDouble>) {
    return doubled_product_error(inner);
  } else {
    return (static_cast<double>(inner) + 4) * unit_roundoff<Number>();
  }
}

// c -= a b. Bounds are left as they are.
template <class Number>
void subtract_product(const ProductKernel& kernel, BoundedMatrix<Number>& c, const BoundedMatrix<Number>& a,
                      const BoundedMatrix<Number>& b) {
  if constexpr (std::is_same_v<Number, DoubleDouble>) {
    kernel.subtract_doubled({c.high.data(), c.low.data(), c.columns}, {a.high.data(), a.low.data(), a.columns},
                            {b.high.data(), b.low.data(), b.columns}, a.rows, a.columns, b.columns);
  } else {
    for (std::size_t i = 0; i < a.rows; ++i) {
      for (std::size_t k = 0; k < a.columns; ++k) {
        const Number factor = a.value(a.at(i, k));
        for (std::size_t j = 0; j < b.columns; ++j)
          c.values[c.at(i, j)] = c.values[c.at(i, j)] - factor * b.values[b.at(k, j)];
      }
    }
  }
}

// RealField computes with reals as they are, the largest number of a column being its pivot.
template <class Number>
struct RealField {
  static Number one() { return 1.0; }
  static double size(const Number& a) { return size_of(a); }
  static Number inverse(const Number& a) { return Number(1.0) / a; }
  static Number product(const Number& a, const Number& b) { return a * b; }
  static Number minus_product(const Number& a, const Number& b, const Number& c) { return a - b * c; }
};

// Inverts in place. Returns whether there was a pivot everywhere.
template <class Number>
bool invert(std::vector<Number>& matrix, std::size_t size) {
  return invert(matrix.data(), size, size, RealField<Number>());
}

// The same, where all leading blocks of an even size can be inverted as well.
bool invert(const ProductKernel& kernel, BoundedMatrix<DoubleDouble>& matrix);
template <class Number>
bool invert(const ProductKernel&, BoundedMatrix<Number>& matrix) {
  return invert(matrix.values, matrix.rows);
}

}  // namespace matchcount
