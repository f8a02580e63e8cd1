// A number of at most two words is calculated with as the compiler does with integers of 128 bits; mpz_t of GMP is made
// of the others, in the same place. A number that was long once keeps its room.

#include "core/numbers/integer.hpp"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <ostream>
#include <stdexcept>

namespace matchcount {

// Reaches into numbers, for the functions below.
struct IntegerParts {
  static_assert(GMP_NUMB_BITS == 64 && sizeof(__mpz_struct) == 16 && offsetof(Integer, size_) == 4 &&
                offsetof(Integer, words_) == 8 && offsetof(__mpz_struct, _mp_size) == 4 &&
                offsetof(__mpz_struct, _mp_d) == 8);
  static constexpr int few = 2;
  __extension__ using Wide = unsigned __int128;

  static int count(const Integer& value) { return std::abs(value.size_); }
  static std::uint64_t* data(Integer& value) { return value.room_ == 0 ? value.words_.few : value.words_.many; }
  static bool is_short(const Integer& a) { return count(a) <= few; }
  static bool are_short(const Integer& a, const Integer& b) { return is_short(a) && is_short(b); }

  // Returns |value| of a short number.
  static Wide magnitude(const Integer& value) {
    const std::uint64_t* const words = value.data();
    const int size = count(value);
    return size > 1 ? Wide{words[1]} << 64 | words[0] : size == 1 ? words[0] : 0;
  }
  static Integer& set(Integer& to, Wide magnitude, bool negative) {
    std::uint64_t* const words = data(to);
    words[0] = static_cast<std::uint64_t>(magnitude);
    words[1] = static_cast<std::uint64_t>(magnitude >> 64);
    const int size = words[1] != 0 ? 2 : words[0] != 0 ? 1 : 0;
    to.size_ = negative ? -size : size;
    return to;
  }

  // Returns GMP's number to be written to, which has room for so many words from the start.
  static mpz_ptr number(Integer& to, std::size_t words) {
    require_room(words);
    if (to.room_ == 0) {
      mpz_t longer;
      mpz_init2(longer, 64 * static_cast<mp_bitcnt_t>(std::max<std::size_t>(words, few + 1)));
      auto* const many = reinterpret_cast<std::uint64_t*>(longer->_mp_d);
      std::copy_n(to.words_.few, few, many);
      to.room_ = longer->_mp_alloc;
      to.words_.many = many;
    }
    return reinterpret_cast<mpz_ptr>(&to);
  }

  // Is a number of either kind as GMP reads it.
  class View {
   public:
    explicit View(const Integer& value) {
      at_ = value.room_ != 0 ? reinterpret_cast<mpz_srcptr>(&value)
                             : mpz_roinit_n(copy_, reinterpret_cast<const mp_limb_t*>(value.words_.few), value.size_);
    }
    operator mpz_srcptr() const { return at_; }

   private:
    mpz_t copy_;
    mpz_srcptr at_;
  };

 private:
  // Throws where GMP would end the program: it takes up to some four times the room of a result beside it.
  static void require_room(std::size_t words) {
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max(), asked_for = std::size_t{1} << 17;
    if (words > most) throw std::length_error("a number of more than 2^31 words");
    if (words < asked_for) return;
    void* volatile room = std::malloc(5 * sizeof(mp_limb_t) * words);
    if (room == nullptr) throw std::bad_alloc();
    std::free(room);
  }
};

namespace {

using Parts = IntegerParts;
using View = Parts::View;
using Wide = Parts::Wide;

std::size_t size_of(const Integer& value) { return value.words().size(); }

const Integer& divisor(const Integer& value) {
  if (value.sign() == 0) throw std::overflow_error("division by zero");
  return value;
}

bool have_one_word(const Integer& a, const Integer& b) { return size_of(a) <= 1 && size_of(b) <= 1; }

// Returns the first word of a number that has at most one.
std::uint64_t word_of(const Integer& value) { return static_cast<std::uint64_t>(Parts::magnitude(value)); }

template <class Word>
Integer of_words(std::span<const Word> words) {
  Integer result;
  mpz_import(Parts::number(result, words.size() * sizeof(Word) / sizeof(mp_limb_t) + 1), words.size(), -1, sizeof(Word),
             0, 0, words.data());
  return result;
}

template <class Word>
std::vector<Word> words_of(const Integer& value) {
  std::vector<Word> words(size_of(value) * sizeof(mp_limb_t) / sizeof(Word));
  std::size_t count = 0;
  mpz_export(words.data(), &count, -1, sizeof(Word), 0, 0, View(value));
  words.resize(std::max<std::size_t>(count, 1));
  return words;
}

}  // namespace

Integer::Integer(std::string_view text) {
  const auto fail = [&] { throw std::runtime_error("\"" + std::string(text) + "\" is not an integer"); };
  const bool negative = text.starts_with('-');
  std::string digits(text.substr(negative || text.starts_with('+') ? 1 : 0));
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') base = digits[1] == 'x' || digits[1] == 'X' ? 16 : 8;
  digits.erase(0, base == 16 ? 2 : 0);
  // GMP passes over spaces.
  if (digits.empty() || !std::ranges::all_of(digits, [](unsigned char c) { return std::isxdigit(c) != 0; })) fail();
  if (digits.size() < 16) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), words_.few[0], base);
    if (end != digits.data() + digits.size()) fail();
    size_ = words_.few[0] != 0;
  } else if (mpz_set_str(Parts::number(*this, digits.size() / 16 + 1), digits.c_str(), base) != 0) {
    give_back();
    fail();
  }
  if (negative) negate();
}

void Integer::copy(const Integer& other) {
  if (Parts::is_short(other)) {
    Parts::set(*this, Parts::magnitude(other), other.size_ < 0);
  } else {
    mpz_set(Parts::number(*this, size_of(other) + 1), View(other));
  }
}
void Integer::give_back() noexcept { mpz_clear(reinterpret_cast<mpz_ptr>(this)); }

Integer& Integer::add(const Integer& other, bool subtract) {
  if (Parts::are_short(*this, other)) {
    const Wide x = Parts::magnitude(*this), y = Parts::magnitude(other);
    const bool negative = size_ < 0;
    if (negative != ((other.size_ < 0) != subtract))
      return x >= y ? Parts::set(*this, x - y, negative) : Parts::set(*this, y - x, !negative);
    if (const Wide sum = x + y; sum >= x) return Parts::set(*this, sum, negative);
  }
  const mpz_ptr number = Parts::number(*this, std::max(size_of(*this), size_of(other)) + 1);
  (subtract ? mpz_sub : mpz_add)(number, number, View(other));
  return *this;
}
Integer& Integer::multiply(const Integer& a, const Integer& b, Integer& to) {
  if (have_one_word(a, b)) return Parts::set(to, Wide{word_of(a)} * word_of(b), (a.size_ < 0) != (b.size_ < 0));
  const mpz_ptr result = Parts::number(to, size_of(a) + size_of(b));
  mpz_mul(result, View(a), View(b));
  return to;
}

Integer& Integer::quotient(const Integer& a, const Integer& b, Integer& to) {
  const bool negative = (a.size_ < 0) != (divisor(b).size_ < 0);
  if (have_one_word(a, b)) return Parts::set(to, word_of(a) / word_of(b), negative);
  if (Parts::are_short(a, b)) return Parts::set(to, Parts::magnitude(a) / Parts::magnitude(b), negative);
  const mpz_ptr result = Parts::number(to, size_of(a));
  mpz_tdiv_q(result, View(a), View(b));
  return to;
}

Integer& Integer::remainder(const Integer& a, const Integer& b, Integer& to) {
  const bool negative = a.size_ < 0;
  if (size_of(divisor(b)) == 1) {
    const mp_limb_t modulus = word_of(b);
    if (size_of(a) <= 1) return Parts::set(to, word_of(a) % modulus, negative);
    return Parts::set(to, mpz_tdiv_ui(View(a), modulus), negative);
  }
  if (Parts::are_short(a, b)) return Parts::set(to, Parts::magnitude(a) % Parts::magnitude(b), negative);
  const mpz_ptr result = Parts::number(to, size_of(b));
  mpz_tdiv_r(result, View(a), View(b));
  return to;
}

void divide(const Integer& a, const Integer& b, Integer& quotient, Integer& remainder) {
  const mpz_ptr to = Parts::number(quotient, size_of(a)), rest = Parts::number(remainder, size_of(b));
  mpz_tdiv_qr(to, rest, View(a), View(divisor(b)));
}

Integer& Integer::operator&=(const Integer& other) {
  if (Parts::are_short(*this, other) && size_ >= 0 && other.size_ >= 0)
    return Parts::set(*this, Parts::magnitude(*this) & Parts::magnitude(other), false);
  const mpz_ptr number = Parts::number(*this, std::max(size_of(*this), size_of(other)) + 1);
  mpz_and(number, number, View(other));
  return *this;
}
Integer& Integer::operator<<=(std::size_t bits) {
  if (Parts::is_short(*this)) {
    const Wide magnitude = Parts::magnitude(*this);
    if (magnitude == 0) return *this;
    if (bits < 128 && magnitude << bits >> bits == magnitude) return Parts::set(*this, magnitude << bits, size_ < 0);
  }
  const mpz_ptr number = Parts::number(*this, size_of(*this) + bits / 64 + 1);
  mpz_mul_2exp(number, number, bits);
  return *this;
}
Integer& Integer::operator>>=(std::size_t bits) {
  if (Parts::is_short(*this)) {
    const Wide magnitude = Parts::magnitude(*this);
    if (size_ >= 0) return Parts::set(*this, bits < 128 ? magnitude >> bits : 0, false);
    return Parts::set(*this, (bits < 128 ? (magnitude - 1) >> bits : 0) + 1, true);
  }
  const mpz_ptr number = Parts::number(*this, size_of(*this));
  mpz_fdiv_q_2exp(number, number, bits);
  return *this;
}

int Integer::compare(const Integer& other) const noexcept {
  if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
  const std::uint64_t *const mine = data(), *const its = other.data();
  for (std::size_t i = size_of(*this); i-- > 0;)
    if (mine[i] != its[i]) return (mine[i] < its[i]) != (size_ < 0) ? -1 : 1;
  return 0;
}
std::int64_t Integer::to_signed(std::size_t bytes) const {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - 8 * bytes);
  const bool fits = size_of(*this) <= 1 && word_of(*this) <= static_cast<std::uint64_t>(most);
  const std::int64_t magnitude = fits ? static_cast<std::int64_t>(word_of(*this)) : most;
  return size_ >= 0 ? magnitude : fits ? -magnitude : -most - 1;
}
std::uint64_t Integer::to_unsigned() const {
  if (size_ < 0) throw std::range_error("a negative number as one without a sign");
  return size_ == 0 ? 0 : *data();
}
Integer::operator double() const {
  if (size_of(*this) > 1) {  // its 64 leading bits, the last of them set where a lower one is
    const std::size_t exponent = msb(*this) - 63;
    const std::uint64_t bits = word_of(abs(*this) >> exponent) | (lsb(*this) < exponent ? 1 : 0);
    const double magnitude =
        std::ldexp(static_cast<double>(bits), static_cast<int>(std::min<std::size_t>(exponent, 1024)));
    return size_ < 0 ? -magnitude : magnitude;
  }
  const auto magnitude = static_cast<double>(word_of(*this));
  return size_ < 0 ? -magnitude : magnitude;
}

std::ostream& operator<<(std::ostream& out, const Integer& value) { return out << to_decimal(value); }

std::size_t msb(const Integer& value) {
  return 64 * size_of(value) - 1 - static_cast<std::size_t>(std::countl_zero(value.words().back()));
}
std::size_t lsb(const Integer& value) {
  const auto words = value.words();
  const auto first = std::ranges::find_if(words, [](std::uint64_t word) { return word != 0; });
  return 64 * static_cast<std::size_t>(first - words.begin()) + static_cast<std::size_t>(std::countr_zero(*first));
}
Integer pow(const Integer& base, unsigned exponent) {
  if (base.sign() == 0) return exponent == 0 ? 1 : 0;
  Integer result;
  const double words = (log2_abs(base) * exponent + 1) / 64;
  mpz_pow_ui(Parts::number(result, static_cast<std::size_t>(words) + 2), View(base), exponent);
  return result;
}
Integer powm(const Integer& base, const Integer& exponent, const Integer& modulus) {
  Integer result;
  mpz_powm(Parts::number(result, size_of(modulus)), View(base), View(exponent), View(divisor(modulus)));
  return result;
}
Integer gcd(const Integer& a, const Integer& b) {
  if (have_one_word(a, b)) return std::gcd(word_of(a), word_of(b));
  Integer result;
  mpz_gcd(Parts::number(result, std::max(size_of(a), size_of(b))), View(a), View(b));
  return result;
}
Integer lcm(const Integer& a, const Integer& b) { return a.sign() == 0 ? Integer(0) : abs(a / gcd(a, b) * b); }

std::vector<std::uint8_t> magnitude_bytes(const Integer& value) { return words_of<std::uint8_t>(value); }
std::vector<std::uint32_t> magnitude_words(const Integer& value) { return words_of<std::uint32_t>(value); }
Integer from_magnitude(std::span<const std::uint8_t> words) { return of_words(words); }
Integer from_magnitude(std::span<const std::uint32_t> words) { return of_words(words); }
Integer from_magnitude(std::span<const std::uint64_t> words) {
  while (!words.empty() && words.back() == 0) words = words.first(words.size() - 1);
  Integer result;
  if (words.size() > Parts::few) Parts::number(result, words.size());
  std::ranges::copy(words, Parts::data(result));
  result.size_ = static_cast<std::int32_t>(words.size());
  return result;
}

double log2_abs(const Integer& value) {
  if (size_of(value) <= 1) return std::log2(static_cast<double>(word_of(value)));
  long exponent = 0;
  const double fraction = mpz_get_d_2exp(&exponent, View(value));
  return std::log2(std::fabs(fraction)) + static_cast<double>(exponent);
}

std::string to_decimal(const Integer& value) {
  std::string digits;
  if (size_of(value) <= 1) {
    digits = std::to_string(word_of(value));
    return value.sign() < 0 ? "-" + digits : digits;
  }
  const View view(value);
  digits.resize(mpz_sizeinbase(view, 10) + 2);  // a sign and a 0 behind the last
  mpz_get_str(digits.data(), 10, view);
  digits.resize(std::strlen(digits.c_str()));
  return digits;
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
