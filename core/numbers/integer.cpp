// Decimal conversion by divide and conquer: a number is split by powers 10^(19 * 2^k), so that nearly all the work is
// in a few products of long numbers, which boost does by Karatsuba's method. Boost's division is quadratic; above a
// threshold the quotient is found with a precomputed reciprocal (Newton's iteration) and put right by at most a few
// subtractions.

#include "core/numbers/integer.hpp"

#include <cmath>
#include <limits>
#include <ostream>
#include <stdexcept>

#include "core/numbers/big_integer.hpp"

namespace matchcount {
namespace {

namespace mp = boost::multiprecision;

constexpr unsigned chunk_digits = 19;
constexpr std::uint64_t chunk_base = 10'000'000'000'000'000'000u;  // 10^19 < 2^64
// Bits of a divisor from which the reciprocal beats boost's division; measured with boost 1.74, flat between 10^4 and
// 10^5.
constexpr std::size_t reciprocal_bits = 30'000;
// Words up to which a division by 10^19 for each beats divide and conquer.
constexpr std::size_t short_words = 128;

std::size_t bit_length(const BigInteger& value) { return value == 0 ? 0 : mp::msb(value) + 1; }

// Returns about 2^(2b) / value, b its bit length, off by a few units; requires value > 0.
BigInteger approximate_reciprocal(const BigInteger& value) {
  const std::size_t bits = bit_length(value);
  // pow, since GCC 13 suspects the loops of a constant that is shifted.
  if (bits < reciprocal_bits / 2) return mp::pow(BigInteger(2), static_cast<unsigned>(2 * bits)) / value;
  const std::size_t half = bits / 2 + 16;
  const BigInteger start = approximate_reciprocal(BigInteger(value >> (bits - half)));  // 2^(2 half) / top half
  BigInteger residual = (BigInteger(1) << (bits + half)) - value * start;
  BigInteger correction = start * residual;
  correction >>= 2 * half;
  return (start << (bits - half)) + correction;
}

struct Power {
  BigInteger value;       // 10^(19 * 2^k)
  BigInteger reciprocal;  // 0 where plain division is used
  std::size_t bits;
};

// x = quotient * power + remainder, 0 <= remainder < power, for 0 <= x < power^2.
void divide_by(const BigInteger& x, const Power& power, BigInteger& quotient, BigInteger& remainder) {
  if (power.reciprocal == 0) {
    mp::divide_qr(x, power.value, quotient, remainder);
    return;
  }
  quotient = ((x >> (power.bits - 1)) * power.reciprocal) >> (power.bits + 1);
  remainder = x - quotient * power.value;
  while (remainder < 0) {
    remainder += power.value;
    --quotient;
  }
  while (remainder >= power.value) {
    remainder -= power.value;
    ++quotient;
  }
}

void append_chunk(std::uint64_t chunk, bool pad, std::string& out) {
  const std::string digits = std::to_string(chunk);
  if (pad) out.append(chunk_digits - digits.size(), '0');
  out += digits;
}

// Divides (high, low), high < 10^19, by 10^19 with its reciprocal (Moeller and Granlund 2011, algorithm 4).
std::uint64_t divide_by_base(std::uint64_t low, std::uint64_t& high) {
  __extension__ using Wide = unsigned __int128;
  constexpr auto reciprocal = static_cast<std::uint64_t>(~Wide{0} / chunk_base);  // without its bit 2^64
  const Wide product = Wide{reciprocal} * high + (Wide{high} << 64 | low);
  std::uint64_t quotient = static_cast<std::uint64_t>(product >> 64) + 1;
  std::uint64_t remainder = low - quotient * chunk_base;
  if (remainder > static_cast<std::uint64_t>(product)) {
    --quotient;
    remainder += chunk_base;
  }
  if (remainder >= chunk_base) {
    ++quotient;
    remainder -= chunk_base;
  }
  high = remainder;
  return quotient;
}

// The same as append_decimal, for few words.
void append_short(const BigInteger& x, std::size_t levels, bool pad, std::string& out) {
  std::vector<std::uint64_t> words, chunks;
  mp::export_bits(x, std::back_inserter(words), 64, false);
  while (!words.empty()) {
    std::uint64_t chunk = 0;
    for (std::size_t i = words.size(); i-- > 0;) words[i] = divide_by_base(words[i], chunk);
    while (!words.empty() && words.back() == 0) words.pop_back();
    chunks.push_back(chunk);
  }
  if (pad) chunks.resize(std::size_t{1} << levels);
  while (!pad && !chunks.empty() && chunks.back() == 0) chunks.pop_back();
  for (std::size_t i = chunks.size(); i-- > 0;) append_chunk(chunks[i], pad || i + 1 < chunks.size(), out);
}

// Appends x < 10^(19 * 2^levels), with leading zeros where pad is set and without (nothing for x = 0) where it is not.
void append_decimal(const BigInteger& x, std::size_t levels, const std::vector<Power>& powers, bool pad,
                    std::string& out) {
  if (x.backend().size() <= short_words) return append_short(x, levels, pad, out);
  const Power& power = powers[levels - 1];
  if (!pad && x < power.value) {
    append_decimal(x, levels - 1, powers, false, out);
    return;
  }
  BigInteger quotient, remainder;
  divide_by(x, power, quotient, remainder);
  append_decimal(quotient, levels - 1, powers, pad, out);
  append_decimal(remainder, levels - 1, powers, true, out);
}

template <class Word>
Integer of_words(std::span<const Word> words) {
  BigInteger value;
  if (!words.empty()) mp::import_bits(value, words.begin(), words.end(), 8 * sizeof(Word), false);
  return to_integer(std::move(value));
}

template <class Word>
std::vector<Word> words_of(const Integer& value) {
  std::vector<Word> words;
  if (value.sign() == 0) {
    words.push_back(0);
  } else {
    mp::export_bits(big(value), std::back_inserter(words), 8 * sizeof(Word), false);
  }
  return words;
}

}  // namespace

Integer::Integer() noexcept { ::new (static_cast<void*>(storage_)) BigInteger; }
Integer::Integer(std::string_view text) { ::new (static_cast<void*>(storage_)) BigInteger(std::string(text)); }
Integer::Integer(const Integer& other) { ::new (static_cast<void*>(storage_)) BigInteger(big(other)); }
Integer::Integer(Integer&& other) noexcept { ::new (static_cast<void*>(storage_)) BigInteger(std::move(big(other))); }
Integer& Integer::operator=(const Integer& other) {
  big(*this) = big(other);
  return *this;
}
Integer& Integer::operator=(Integer&& other) noexcept {
  big(*this) = std::move(big(other));
  return *this;
}
Integer::~Integer() { big(*this).~BigInteger(); }
void Integer::construct(std::int64_t value) noexcept { ::new (static_cast<void*>(storage_)) BigInteger(value); }
void Integer::construct(std::uint64_t value) noexcept { ::new (static_cast<void*>(storage_)) BigInteger(value); }

Integer& Integer::operator+=(const Integer& other) {
  big(*this) += big(other);
  return *this;
}
// Boost's own way of refusing 0 is one that sanitizers refuse.
static const BigInteger& divisor(const Integer& value) {
  if (value.sign() == 0) throw std::overflow_error("division by zero");
  return big(value);
}

Integer& Integer::operator-=(const Integer& other) {
  big(*this) -= big(other);
  return *this;
}
Integer& Integer::operator*=(const Integer& other) {
  big(*this) *= big(other);
  return *this;
}
Integer& Integer::operator/=(const Integer& other) {
  big(*this) /= divisor(other);
  return *this;
}
Integer& Integer::operator%=(const Integer& other) {
  big(*this) %= divisor(other);
  return *this;
}
Integer& Integer::operator&=(const Integer& other) {
  big(*this) &= big(other);
  return *this;
}
Integer& Integer::operator<<=(std::size_t bits) {
  big(*this) <<= bits;
  return *this;
}
Integer& Integer::operator>>=(std::size_t bits) {
  // Boost 1.74 loses the sign of a number of several limbs.
  const bool is_negative = sign() < 0;
  if (is_negative) *this = Integer(-1) - *this;
  big(*this) >>= bits;
  if (is_negative) *this = Integer(-1) - *this;
  return *this;
}
Integer& Integer::negate() noexcept {
  big(*this).backend().negate();
  return *this;
}

int Integer::sign() const noexcept { return big(*this).sign(); }
bool Integer::is_odd() const noexcept { return (*big(*this).backend().limbs() & 1) != 0; }
int Integer::compare(const Integer& other) const noexcept { return big(*this).compare(big(other)); }
std::int64_t Integer::to_signed(std::size_t bytes) const {
  switch (bytes) {
    case 1:
      return static_cast<std::int8_t>(big(*this));
    case 2:
      return static_cast<std::int16_t>(big(*this));
    case 4:
      return static_cast<std::int32_t>(big(*this));
    default:
      return static_cast<std::int64_t>(big(*this));
  }
}
std::uint64_t Integer::to_unsigned() const { return static_cast<std::uint64_t>(big(*this)); }
Integer::operator double() const { return static_cast<double>(big(*this)); }

Integer operator+(const Integer& a, const Integer& b) { return to_integer(big(a) + big(b)); }
Integer operator-(const Integer& a, const Integer& b) { return to_integer(big(a) - big(b)); }
Integer operator*(const Integer& a, const Integer& b) { return to_integer(big(a) * big(b)); }
Integer operator/(const Integer& a, const Integer& b) { return to_integer(big(a) / divisor(b)); }
Integer operator%(const Integer& a, const Integer& b) { return to_integer(big(a) % divisor(b)); }
Integer operator&(const Integer& a, const Integer& b) { return to_integer(big(a) & big(b)); }
Integer operator<<(const Integer& a, std::size_t bits) { return to_integer(big(a) << bits); }
Integer operator>>(const Integer& a, std::size_t bits) {
  Integer result = a;
  return std::move(result >>= bits);
}
std::ostream& operator<<(std::ostream& out, const Integer& value) { return out << to_decimal(value); }

std::size_t msb(const Integer& value) { return mp::msb(big(value)); }
std::size_t lsb(const Integer& value) { return mp::lsb(big(value)); }
Integer pow(const Integer& base, unsigned exponent) { return to_integer(mp::pow(big(base), exponent)); }
Integer powm(const Integer& base, const Integer& exponent, const Integer& modulus) {
  return to_integer(mp::powm(big(base), big(exponent), big(modulus)));
}
Integer gcd(const Integer& a, const Integer& b) { return to_integer(mp::gcd(big(a), big(b))); }
Integer lcm(const Integer& a, const Integer& b) { return to_integer(mp::lcm(big(a), big(b))); }
void divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder) {
  mp::divide_qr(big(a), divisor(b), big(quotient), big(remainder));
}

std::vector<std::uint8_t> magnitude_bytes(const Integer& value) { return words_of<std::uint8_t>(value); }
std::vector<std::uint32_t> magnitude_words(const Integer& value) { return words_of<std::uint32_t>(value); }
Integer from_magnitude(std::span<const std::uint8_t> words) { return of_words(words); }
Integer from_magnitude(std::span<const std::uint32_t> words) { return of_words(words); }
Integer from_magnitude(std::span<const std::uint64_t> words) { return of_words(words); }

double log2_abs(const Integer& number) {
  const BigInteger& value = big(number);
  if (value == 0) return -std::numeric_limits<double>::infinity();
  const BigInteger magnitude = mp::abs(value);
  const std::size_t top = mp::msb(magnitude);
  if (top < 64) return std::log2(static_cast<double>(static_cast<std::uint64_t>(magnitude)));
  const auto leading = static_cast<std::uint64_t>(BigInteger(magnitude >> (top - 63)));
  return std::log2(static_cast<double>(leading) * 0x1p-63) + static_cast<double>(top);
}

std::string to_decimal(const Integer& number) {
  const BigInteger& value = big(number);
  if (value == 0) return "0";
  const BigInteger magnitude = mp::abs(value);
  const std::size_t bits = bit_length(magnitude);
  std::vector<Power> powers;
  if (magnitude.backend().size() > short_words) powers.push_back({BigInteger(chunk_base), BigInteger(0), 64});
  while (!powers.empty() && 2 * powers.back().bits - 1 <= bits) {  // power^2 may not exceed the magnitude
    BigInteger square = powers.back().value * powers.back().value;
    if (square > magnitude) break;
    Power next{std::move(square), BigInteger(0), 0};
    next.bits = bit_length(next.value);
    if (next.bits >= reciprocal_bits) next.reciprocal = approximate_reciprocal(next.value);
    powers.push_back(std::move(next));
  }
  std::string out = value < 0 ? "-" : "";
  append_decimal(magnitude, powers.size(), powers, false, out);
  return out;
}

Rational::Rational(Integer numerator, Integer denominator)
    : numerator_(std::move(numerator)), denominator_(std::move(denominator)) {
  if (denominator_.sign() == 0) throw std::overflow_error("a fraction with denominator 0");
  if (denominator_.sign() < 0) {
    numerator_.negate();
    denominator_.negate();
  }
  if (denominator_ == 1) return;
  const Integer common = gcd(numerator_, denominator_);
  if (common != 1) {
    numerator_ /= common;
    denominator_ /= common;
  }
}

Rational operator+(const Rational& a, const Rational& b) {
  return {a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_, a.denominator_ * b.denominator_};
}
Rational operator-(const Rational& a, const Rational& b) {
  return {a.numerator_ * b.denominator_ - b.numerator_ * a.denominator_, a.denominator_ * b.denominator_};
}
Rational operator*(const Rational& a, const Rational& b) {
  return {a.numerator_ * b.numerator_, a.denominator_ * b.denominator_};
}
Rational operator/(const Rational& a, const Rational& b) {
  return {a.numerator_ * b.denominator_, a.denominator_ * b.numerator_};
}
std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  return a.numerator_ * b.denominator_ <=> b.numerator_ * a.denominator_;
}
std::ostream& operator<<(std::ostream& out, const Rational& value) { return out << to_decimal(value); }

std::string to_decimal(const Rational& value) {
  const std::string above = to_decimal(numerator(value));
  return denominator(value) == 1 ? above : above + "/" + to_decimal(denominator(value));
}

}  // namespace matchcount
