#pragma once
// Integer holds an integer of any size, in which exact answers are given; Rational holds a fraction of two of them.
//
// Both are values with the usual arithmetic. Quotients are cut towards zero and a remainder has the dividend's sign, as
// of built-in integers; a shift to the right of a negative number rounds down. A division by 0, the shift of more than
// the memory and text that is no number throw what boost's cpp_int throws, which does the arithmetic: exceptions of
// <stdexcept>. This header stays free of it, and small: core/numbers/big_integer.hpp has the number within.

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
  Integer() noexcept;
  template <std::integral T>
  requires(sizeof(T) <= sizeof(std::int64_t)) Integer(T value)
  noexcept {
    if constexpr (std::is_signed_v<T>) {
      construct(static_cast<std::int64_t>(value));
    } else {
      construct(static_cast<std::uint64_t>(value));
    }
  }
  // Reads decimal digits, with a sign or without. As in C, a leading 0 makes them octal, and 0x hexadecimal.
  explicit Integer(std::string_view text);
  explicit Integer(const std::string& text) : Integer(std::string_view(text)) {}
  explicit Integer(const char* text) : Integer(std::string_view(text)) {}

  Integer(const Integer& other);
  Integer(Integer&& other) noexcept;
  Integer& operator=(const Integer& other);
  Integer& operator=(Integer&& other) noexcept;
  ~Integer();

  Integer& operator+=(const Integer& other);
  Integer& operator-=(const Integer& other);
  Integer& operator*=(const Integer& other);
  Integer& operator/=(const Integer& other);
  Integer& operator%=(const Integer& other);
  Integer& operator&=(const Integer& other);
  Integer& operator<<=(std::size_t bits);
  Integer& operator>>=(std::size_t bits);
  Integer& operator++() { return *this += 1; }
  Integer& operator--() { return *this -= 1; }
  Integer& negate() noexcept;

  int sign() const noexcept;  // -1, 0 or 1
  bool is_odd() const noexcept;
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

  friend Integer operator+(const Integer& a, const Integer& b);
  friend Integer operator-(const Integer& a, const Integer& b);
  friend Integer operator*(const Integer& a, const Integer& b);
  friend Integer operator/(const Integer& a, const Integer& b);
  friend Integer operator%(const Integer& a, const Integer& b);
  friend Integer operator&(const Integer& a, const Integer& b);
  friend Integer operator<<(const Integer& a, std::size_t bits);
  friend Integer operator>>(const Integer& a, std::size_t bits);
  friend Integer operator+(Integer&& a, const Integer& b) { return std::move(a += b); }
  friend Integer operator-(Integer&& a, const Integer& b) { return std::move(a -= b); }
  friend Integer operator<<(Integer&& a, std::size_t bits) { return std::move(a <<= bits); }
  friend Integer operator>>(Integer&& a, std::size_t bits) { return std::move(a >>= bits); }
  friend Integer operator-(Integer a) noexcept { return std::move(a.negate()); }
  friend std::ostream& operator<<(std::ostream& out, const Integer& value);

  friend Integer abs(Integer value) { return value.sign() < 0 ? std::move(value.negate()) : std::move(value); }
  // Returns the place of the highest bit that is set, and of the lowest; requires value > 0.
  friend std::size_t msb(const Integer& value);
  friend std::size_t lsb(const Integer& value);
  friend Integer pow(const Integer& base, unsigned exponent);
  // Returns base^exponent modulo this; requires exponent >= 0.
  friend Integer powm(const Integer& base, const Integer& exponent, const Integer& modulus);
  friend Integer gcd(const Integer& a, const Integer& b);
  friend Integer lcm(const Integer& a, const Integer& b);
  // a = quotient * b + remainder.
  friend void divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder);

 private:
  friend struct BigAccess;
  // Takes the number that `construct` makes in the storage.
  template <class Construct>
  Integer(std::in_place_t, const Construct& construct) {
    construct(static_cast<void*>(storage_));
  }
  void construct(std::int64_t value) noexcept;
  void construct(std::uint64_t value) noexcept;
  std::int64_t to_signed(std::size_t bytes) const;
  std::uint64_t to_unsigned() const;

  alignas(16) std::byte storage_[32];  // a cpp_int
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
