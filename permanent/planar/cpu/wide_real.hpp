#pragma once
// A WideReal is a floating-point number of a few machine words, for what double-doubles are too short for. Private to
// permanent/.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/numbers/pair.hpp"

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

}  // namespace matchcount
