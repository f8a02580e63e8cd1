#pragma once
// Integer holds an integer of any size, in which exact answers are given; Rational holds a fraction of two of them.
//
// Both are values with the usual arithmetic. Quotients are cut towards zero and a remainder has the dividend's sign, as
// of built-in integers; a shift to the right of a negative number rounds down. A division by 0, a result longer than
// numbers may be and text that is no number throw exceptions of <stdexcept>. GMP calculates with what is longer than
// two words (The GNU multiple precision arithmetic library, gmplib.org); no header of ours shows it.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

class Integer {
 public:
  Integer() noexcept = default;
  template <std::integral T>
  requires(sizeof(T) <= sizeof(std::int64_t)) Integer(T value)
  noexcept : size_(value != T{0}), words_{{static_cast<std::uint64_t>(value), 0}} {
    if constexpr (std::is_signed_v<T>) {
      if (value >= T{0}) return;
      size_ = -1;
      words_.few[0] = 0 - words_.few[0];
    }
  }
  // Reads decimal digits, with a sign or without. As in C, a leading 0 makes them octal, and 0x hexadecimal.
  explicit Integer(std::string_view text);
  explicit Integer(const std::string& text) : Integer(std::string_view(text)) {}
  explicit Integer(const char* text) : Integer(std::string_view(text)) {}

  Integer(const Integer& other) { assign(other); }
  Integer(Integer&& other) noexcept { take(other); }
  Integer& operator=(const Integer& other) {
    if (this != &other) assign(other);
    return *this;
  }
  Integer& operator=(Integer&& other) noexcept {
    if (this == &other) return *this;
    if (room_ != 0) give_back();
    take(other);
    return *this;
  }
  ~Integer() {
    if (room_ != 0) give_back();
  }

  Integer& operator+=(const Integer& other) { return add(other, false); }
  Integer& operator-=(const Integer& other) { return add(other, true); }
  Integer& operator*=(const Integer& other) { return multiply(*this, other, *this); }
  Integer& operator/=(const Integer& other) { return quotient(*this, other, *this); }
  Integer& operator%=(const Integer& other) { return remainder(*this, other, *this); }
  Integer& operator&=(const Integer& other);
  Integer& operator<<=(std::size_t bits);
  Integer& operator>>=(std::size_t bits);
  Integer& operator++() { return *this += 1; }
  Integer& operator--() { return *this -= 1; }
  Integer& negate() noexcept {
    size_ = -size_;
    return *this;
  }

  int sign() const noexcept { return (size_ > 0) - (size_ < 0); }
  bool is_odd() const noexcept { return size_ != 0 && (*data() & 1) != 0; }
  // Views |*this| in words, the lowest first, without leading zeros: none for 0. A change of the number ends the view.
  std::span<const std::uint64_t> words() const noexcept {
    return {data(), static_cast<std::size_t>(size_ < 0 ? -size_ : size_)};
  }
  // Compares: less than 0, 0 or more than 0 as *this is less than, equal to or more than the other.
  int compare(const Integer& other) const noexcept;

  // Converts to an integer type: the nearest value that it has, if it is signed; if not, what is left modulo 2^width,
  // and std::range_error for a negative number.
  template <std::integral T>
  requires(!std::same_as<T, bool> && sizeof(T) <= sizeof(std::int64_t)) explicit operator T() const {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(to_signed(sizeof(T)));
    } else {
      return static_cast<T>(to_unsigned());
    }
  }
  // Converts to the nearest double, or infinity.
  explicit operator double() const;

  friend bool operator==(const Integer& a, const Integer& b) noexcept { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Integer& a, const Integer& b) noexcept { return a.compare(b) <=> 0; }

  friend Integer operator+(Integer a, const Integer& b) { return std::move(a += b); }
  friend Integer operator-(Integer a, const Integer& b) { return std::move(a -= b); }
  friend Integer operator*(const Integer& a, const Integer& b) {
    Integer result;
    return std::move(multiply(a, b, result));
  }
  friend Integer operator/(const Integer& a, const Integer& b) {
    Integer result;
    return std::move(quotient(a, b, result));
  }
  friend Integer operator%(const Integer& a, const Integer& b) {
    Integer result;
    return std::move(remainder(a, b, result));
  }
  friend Integer operator&(Integer a, const Integer& b) { return std::move(a &= b); }
  friend Integer operator<<(Integer a, std::size_t bits) { return std::move(a <<= bits); }
  friend Integer operator>>(Integer a, std::size_t bits) { return std::move(a >>= bits); }
  friend Integer operator-(Integer a) noexcept { return std::move(a.negate()); }
  friend std::ostream& operator<<(std::ostream& out, const Integer& value);

  friend Integer abs(Integer value) { return value.sign() < 0 ? std::move(value.negate()) : std::move(value); }
  // Returns the place of the highest bit that is set, and of the lowest; requires value > 0.
  friend std::size_t msb(const Integer& value);
  friend std::size_t lsb(const Integer& value);
  // Throws std::length_error, as products and shifts do, where 2^31 words do not hold the result.
  friend Integer pow(const Integer& base, unsigned exponent);
  // Returns base^exponent modulo this; requires exponent >= 0.
  friend Integer powm(const Integer& base, const Integer& exponent, const Integer& modulus);
  friend Integer gcd(const Integer& a, const Integer& b);
  friend Integer lcm(const Integer& a, const Integer& b);
  // a = quotient * b + remainder.
  friend void divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder);

 private:
  friend struct IntegerParts;
  friend Integer from_magnitude(std::span<const std::uint64_t> words);
  union Words {
    std::uint64_t few[2];
    std::uint64_t* many;
  };

  const std::uint64_t* data() const noexcept { return room_ == 0 ? words_.few : words_.many; }
  void take(Integer& other) noexcept {
    room_ = std::exchange(other.room_, 0);
    size_ = std::exchange(other.size_, 0);
    words_ = other.words_;
  }
  void assign(const Integer& other) {
    if (room_ != 0 || other.room_ != 0) return copy(other);
    size_ = other.size_;
    words_ = other.words_;
  }
  void copy(const Integer& other);
  void give_back() noexcept;  // requires many words
  Integer& add(const Integer& other, bool subtract);
  // Each writes to `to`, which may be one of its operands, and returns it.
  static Integer& multiply(const Integer& a, const Integer& b, Integer& to);
  static Integer& quotient(const Integer& a, const Integer& b, Integer& to);
  static Integer& remainder(const Integer& a, const Integer& b, Integer& to);
  std::int64_t to_signed(std::size_t bytes) const;
  std::uint64_t to_unsigned() const;

  // Is laid out as GMP's number where there is room for many words: how many, and how many are used, negated if the
  // number is negative.
  std::int32_t room_ = 0, size_ = 0;
  Words words_{};
};

// Returns |value| in words, the lowest first, without leading zeros except that 0 is one word.
std::vector<std::uint8_t> magnitude_bytes(const Integer& value);
std::vector<std::uint32_t> magnitude_words(const Integer& value);
// Returns the integer with these words, the lowest first; 0 without any.
Integer from_magnitude(std::span<const std::uint8_t> words);
Integer from_magnitude(std::span<const std::uint32_t> words);
Integer from_magnitude(std::span<const std::uint64_t> words);

// Returns log2 |value|; -infinity for 0. Right to a few units in the last place, at any size.
double log2_abs(const Integer& value);

// Writes decimal digits, with a minus sign where it is due. Subquadratic, so that a million digits take seconds.
std::string to_decimal(const Integer& value);

// Holds a fraction in lowest terms with a positive denominator.
class Rational {
 public:
  Rational() = default;
  template <std::integral T>
  requires(sizeof(T) <= sizeof(std::int64_t)) Rational(T value) : numerator_(value) {}
  Rational(Integer value) : numerator_(std::move(value)) {}
  Rational(Integer numerator, Integer denominator);  // throws std::overflow_error where the denominator is 0

  friend const Integer& numerator(const Rational& value) { return value.numerator_; }
  friend const Integer& denominator(const Rational& value) { return value.denominator_; }
  int sign() const noexcept { return numerator_.sign(); }

  Rational& operator+=(const Rational& other) { return *this = *this + other; }
  Rational& operator-=(const Rational& other) { return *this = *this - other; }
  Rational& operator*=(const Rational& other) { return *this = *this * other; }
  Rational& operator/=(const Rational& other) { return *this = *this / other; }
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  friend Rational operator-(Rational a) noexcept {
    a.numerator_.negate();
    return a;
  }

  friend Rational abs(Rational value) { return value.sign() < 0 ? -std::move(value) : std::move(value); }
  friend bool operator==(const Rational& a, const Rational& b) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);
  // Writes the numerator's digits, and a slash and the denominator's where that is not 1.
  friend std::string to_decimal(const Rational& value);
  friend std::ostream& operator<<(std::ostream& out, const Rational& value);

 private:
  Integer numerator_;
  Integer denominator_ = 1;
};

}  // namespace matchcount
