// Printing and parsing go through exact integers wherever a rounding could be in doubt, so that the digits shown are
// those of the value held. The usual number of a file (at most 19 digits, a small exponent) takes one double-double
// operation.

#include "core/numbers/real.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"

namespace matchcount {

namespace {

// The largest relative error of a number whose first digit is within one of the truth's (supported_digits).
constexpr double least_proven = 0.05;

// Rounded up: by more than the logarithms and their difference are rounded.
double relative(double log2_error, double log2_value) {
  if (std::isinf(log2_error) && log2_error < 0) return 0;
  if (log2_error >= log2_value) return std::numeric_limits<double>::infinity();
  const double rounding = 0x1p-50 * (1 + std::fabs(log2_error) + std::fabs(log2_value));
  return std::exp2(log2_error - log2_value + rounding);
}

bool supports_digits(const ScaledReal& value, double error) {
  return error <= least_proven || (value.is_zero() && error == 0);
}

// Returns integer * 2^exponent, of at most 106 bits.
ScaledReal of_leading_bits(const Integer& integer, std::int64_t exponent) {
  const Integer magnitude = abs(integer), high = magnitude >> 53;
  const Integer low = magnitude - (high << 53);
  const DoubleDouble value = fast_two_sum(std::ldexp(static_cast<double>(high), 53), static_cast<double>(low));
  return {integer < 0 ? -value : value, exponent};
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // for Clang before 17

__extension__ using uint128 = unsigned __int128;
__extension__ using int128 = __int128;

// Returns value * 2^-shift as an integer, exactly: requires that it is one.
Integer scaled_integer(double value, int shift) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // value = (fraction * 2^53) * 2^(exponent - 53)
  Integer integer(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  const int up = exponent - 53 - shift;
  if (up >= 0) return integer << up;
  return integer / (Integer(1) << -up);
}

// Returns the exponent of the lowest bit of a double's 53: value is a multiple of 2^lowest_bit(value).
int lowest_bit(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::max(exponent - 53, -1074);
}

// integer * 2^exponent, exactly.
struct Dyadic {
  Integer integer;
  std::int64_t exponent;
};

Dyadic exact_value(const ScaledReal& value) {
  int shift = lowest_bit(value.mantissa.hi);
  if (value.mantissa.lo != 0) shift = std::min(shift, lowest_bit(value.mantissa.lo));
  return {scaled_integer(value.mantissa.hi, shift) + scaled_integer(value.mantissa.lo, shift), value.exponent + shift};
}

// Returns the nearest integer to numerator / denominator, ties to even.
Integer rounded_quotient(const Integer& numerator, const Integer& denominator) {
  Integer quotient, remainder;
  divide(numerator, denominator, quotient, remainder);
  remainder <<= 1;
  const int order = remainder.compare(denominator);
  if (order > 0 || (order == 0 && quotient.is_odd())) ++quotient;
  return quotient;
}

// Returns the nearest double to integer * 2^exponent, which is in the range of normal doubles or overflows to infinity.
double nearest_double(const Integer& integer, std::int64_t exponent) {
  if (integer == 0) return 0;
  Integer magnitude = abs(integer);
  const auto top = static_cast<std::int64_t>(msb(magnitude));
  // Bits below this one (counted from the value 1) can't be held.
  const std::int64_t lowest = std::max<std::int64_t>(top + exponent - 52, -1074);
  if (lowest > exponent) {
    magnitude = rounded_quotient(magnitude, Integer(1) << static_cast<std::size_t>(lowest - exponent));
    exponent = lowest;
  }
  const int power = static_cast<int>(std::min<std::int64_t>(exponent, 4000));
  const double result = std::ldexp(static_cast<double>(magnitude), power);
  return integer < 0 ? -result : result;
}

// x = magnitude * 2^exponent * 10^power where low <= x < high, rounded to the nearest integer, ties to even; otherwise
// the step by which the decimal exponent has to go towards it.
struct Scaled {
  Integer rounded;
  int step = 0;
};

// Decimal powers up to this are exact: a few microseconds. Further out a tie can't be, since 5^-power would have to
// divide a magnitude of at most 2200 bits, or 2^-exponent would.
constexpr std::int64_t max_exact_printing_power = 5000;

Scaled scale_exactly(const Integer& magnitude, std::int64_t exponent, std::int64_t power, const Integer& low,
                     const Integer& high) {
  const std::int64_t twos = exponent + power;
  Integer numerator = magnitude, denominator = 1;
  (power < 0 ? denominator : numerator) *= pow(Integer(5), static_cast<unsigned>(std::abs(power)));
  (twos < 0 ? denominator : numerator) <<= static_cast<std::size_t>(std::abs(twos));
  if (numerator < low * denominator) return {0, -1};
  if (numerator >= high * denominator) return {0, 1};
  return {rounded_quotient(numerator, denominator), 0};
}

// Cut to its leading `bits` bits.
void truncate(Dyadic& value, std::int64_t bits) {
  const std::int64_t excess = static_cast<std::int64_t>(msb(value.integer)) + 1 - bits;
  if (excess <= 0) return;
  value.integer >>= static_cast<std::size_t>(excess);
  value.exponent += excess;
}

// Returns 5^power from below, to a relative power * 2^(2 - bits): each step squares, may multiply by 5, and cuts twice.
Dyadic power_of_five(std::uint64_t power, std::int64_t bits) {
  Dyadic result{1, 0};
  for (int bit = static_cast<int>(std::bit_width(power)) - 1; bit >= 0; --bit) {
    result = {result.integer * result.integer, 2 * result.exponent};
    truncate(result, bits);
    if (power >> bit & 1) result.integer *= 5;
    truncate(result, bits);
  }
  return result;
}

// The same with leading bits only, as many more as it takes until the bounds agree on the answer.
Scaled scale_by_bounds(const Integer& magnitude, std::int64_t exponent, std::int64_t power, const Integer& low,
                       const Integer& high) {
  const auto size = static_cast<std::uint64_t>(std::abs(power));
  for (std::int64_t fraction_bits = 64;; fraction_bits *= 2) {
    // x < 10 high; with this many bits the approximation in units of 2^-fraction_bits is off by less than 2.
    const std::int64_t bits = static_cast<std::int64_t>(msb(high)) + fraction_bits + std::bit_width(size) + 64;
    const Dyadic five = power_of_five(size, bits);
    Dyadic x = power < 0 ? Dyadic{(magnitude << static_cast<std::size_t>(2 * bits)) / five.integer,
                                  exponent - five.exponent - 2 * bits}
                         : Dyadic{magnitude * five.integer, exponent + five.exponent};
    x.exponent += power + fraction_bits;
    if (x.exponent < 0) {
      x.integer >>= static_cast<std::size_t>(-x.exponent);
    } else {
      x.integer <<= static_cast<std::size_t>(x.exponent);
    }
    const Integer least = x.integer - 2, most = x.integer + 2;
    const auto shift = static_cast<std::size_t>(fraction_bits);
    if (most < low << shift) return {0, -1};
    if (least >= high << shift) return {0, 1};
    const Integer half = Integer(1) << (shift - 1);
    const Integer rounded = (least + half) >> shift;
    if (least >= low << shift && most < high << shift && rounded == (most + half) >> shift) return {rounded, 0};
  }
}

constexpr int max_exact_power = 45;  // 5^45 < 2^105, so 10^45 is a double-double exactly

const std::array<DoubleDouble, max_exact_power + 1>& powers_of_ten() {
  static const auto table = [] {
    std::array<DoubleDouble, max_exact_power + 1> powers;
    int128 five = 1;
    for (int k = 0; k <= max_exact_power; ++k, five *= 5) {
      const double hi = static_cast<double>(five);
      const double lo = static_cast<double>(five - static_cast<int128>(hi));
      powers[static_cast<std::size_t>(k)] = ldexp(DoubleDouble(hi, lo), k);
    }
    return powers;
  }();
  return table;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Finds digits * 10^exponent10 for a digit string without leading zeros, through exact integers.
bool exact_decimal(const std::string& digits, std::int64_t exponent10, DoubleDouble& value) {
  const auto leading =
      static_cast<std::int64_t>(digits.size()) + exponent10;  // value < 10^leading, >= 10^(leading - 1)
  if (leading > 310 || leading < -308) return false;
  const Integer integer(digits);
  // value = numerator / denominator * 2^exponent10
  Integer numerator = integer, denominator = 1;
  const auto five = static_cast<unsigned>(exponent10 < 0 ? -exponent10 : exponent10);
  (exponent10 < 0 ? denominator : numerator) *= pow(Integer(5), five);
  // The quotient to 256 bits, and a last bit that says whether anything is left: more than two doubles can hold.
  std::int64_t exponent2 = exponent10;
  if (denominator != 1) {
    constexpr std::int64_t quotient_bits = 256;
    const auto shift = std::max<std::int64_t>(
        0, quotient_bits + static_cast<std::int64_t>(msb(denominator)) - static_cast<std::int64_t>(msb(numerator)));
    Integer quotient, remainder;
    divide(Integer(numerator << static_cast<std::size_t>(shift)), denominator, quotient, remainder);
    numerator = (quotient << 1) + (remainder == 0 ? 0 : 1);
    exponent2 -= shift + 1;
  }
  const double hi = nearest_double(numerator, exponent2);
  if (!std::isfinite(hi) || hi < std::numeric_limits<double>::min()) return false;
  // numerator - hi, in units of the smaller of the two last bits.
  const std::int64_t unit = std::min<std::int64_t>(exponent2, lowest_bit(hi));
  const Integer rest =
      (numerator << static_cast<std::size_t>(exponent2 - unit)) - scaled_integer(hi, static_cast<int>(unit));
  value = {hi, nearest_double(rest, unit)};
  return true;
}

}  // namespace

double log2_abs(const ScaledComplex& value) {
  const double re = value.re.log2_abs(), im = value.im.log2_abs();
  const double high = std::max(re, im), low = std::min(re, im);
  return std::isinf(low) ? high : high + 0.5 * std::log2(1 + std::exp2(2 * (low - high)));
}

double log2_sum(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(low) ? high : high + std::log2(1 + std::exp2(low - high));
}

double relative_error(const Value& value) {
  return std::visit(Overloaded{[](const Integer&) { return 0.0; },
                               [](const RealValue& v) { return relative(v.log2_error, v.value.log2_abs()); },
                               [](const ComplexValue& v) { return relative(v.log2_error, log2_abs(v.value)); }},
                    value);
}

ScaledReal nearest_real(const Rational& value) {
  if (value == 0) return {};
  const Integer above = abs(numerator(value)), below = denominator(value);
  // A quotient of 105 or 106 bits, in halves that a double holds.
  const auto shift = static_cast<std::int64_t>(msb(below)) - static_cast<std::int64_t>(msb(above)) + 105;
  const Integer quotient = shift >= 0 ? Integer((above << static_cast<std::size_t>(shift)) / below)
                                      : Integer(above / (below << static_cast<std::size_t>(-shift)));
  return of_leading_bits(value < 0 ? Integer(-quotient) : quotient, -shift);
}

ScaledReal nearest_real(const Integer& value) {
  if (value == 0) return {};
  const Integer magnitude = abs(value);
  const auto excess = static_cast<std::int64_t>(msb(magnitude)) - 105;
  if (excess <= 0) return of_leading_bits(value, 0);
  const Integer leading = magnitude >> static_cast<std::size_t>(excess);
  return of_leading_bits(value < 0 ? Integer(-leading) : leading, excess);
}

double log10_abs(const Value& value) {
  constexpr double log10_of_2 = 0.30102999566398119521;
  return log10_of_2 * std::visit(Overloaded{[](const Integer& v) { return log2_abs(v); },
                                            [](const RealValue& v) { return v.value.log2_abs(); },
                                            [](const ComplexValue& v) { return log2_abs(v.value); }},
                                 value);
}

std::string rounded_up(double bound, int digits) {
  char text[64];
  for (double shown = bound;; shown *= 1 + 0.25 * std::pow(10.0, -digits)) {
    std::snprintf(text, sizeof text, "%.*g", digits, shown);
    if (!(std::strtod(text, nullptr) < bound)) return text;
  }
}

std::string to_string(const ScaledReal& value, double log2_error, int max_digits) {
  const double log2_value = value.log2_abs(), error = relative(log2_error, log2_value);
  if (supports_digits(value, error)) return to_scientific(value, supported_digits(error, max_digits));
  const double log2_most = log2_sum(log2_value, log2_error);
  if (!std::isfinite(log2_most)) return "[+/- inf]";
  // Two digits are right to a twentieth: this much more is not rounded below the bound.
  constexpr double up = 1.06;
  const double whole = std::floor(log2_most);
  return "[+/- " + to_scientific(ScaledReal(up * std::exp2(log2_most - whole), static_cast<std::int64_t>(whole)), 2) +
         "]";
}

std::string to_string(const Value& value, int max_digits) {
  return std::visit(Overloaded{[](const Integer& v) { return to_decimal(v); },
                               [&](const RealValue& v) { return to_string(v.value, v.log2_error, max_digits); },
                               [&](const ComplexValue& v) {
                                 const std::string im = to_string(v.value.im, v.log2_error, max_digits);
                                 return to_string(v.value.re, v.log2_error, max_digits) +
                                        (im.front() == '-' ? "" : "+") + im + "i";
                               }},
                    value);
}

int proven_digits(const Value& value, int max_digits) {
  const auto of = [&](const ScaledReal& part, double log2_error) {
    const double error = relative(log2_error, part.log2_abs());
    return supports_digits(part, error) ? supported_digits(error, max_digits) : 0;
  };
  return std::visit(Overloaded{[](const Integer& v) { return static_cast<int>(to_decimal(abs(v)).size()); },
                               [&](const RealValue& v) { return of(v.value, v.log2_error); },
                               [&](const ComplexValue& v) {
                                 const bool re = v.value.re.log2_abs() >= v.value.im.log2_abs();
                                 return of(re ? v.value.re : v.value.im, v.log2_error);
                               }},
                    value);
}

ScaledReal::ScaledReal(DoubleDouble value, std::int64_t exponent2) {
  int shift = 0;
  std::frexp(value.hi != 0 ? value.hi : value.lo, &shift);
  DoubleDouble sum = two_sum(std::ldexp(value.hi, -shift), std::ldexp(value.lo, -shift));
  if (sum.hi == 0) return;
  int again = 0;
  std::frexp(sum.hi, &again);
  if (again != 0) sum = ldexp(sum, -again);
  mantissa = sum;
  exponent = exponent2 + shift + again;
}

double ScaledReal::log2_abs() const {
  if (is_zero()) return -std::numeric_limits<double>::infinity();
  return std::log2(std::fabs(mantissa.hi)) + static_cast<double>(exponent);
}

double ScaledReal::to_double() const {
  if (is_zero()) return 0;
  if (exponent >= -1021) return std::ldexp(mantissa.hi, static_cast<int>(std::min<std::int64_t>(exponent, 2000)));
  if (exponent < -1100) return mantissa.hi < 0 ? -0.0 : 0.0;
  const Dyadic exact = exact_value(*this);
  return nearest_double(exact.integer, exact.exponent);
}

ScaledReal operator-(const ScaledReal& a) {
  ScaledReal result = a;
  if (!a.is_zero()) result.mantissa = -a.mantissa;
  return result;
}

ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero() || b.is_zero()) return {};
  return ScaledReal(a.mantissa * b.mantissa, a.exponent + b.exponent);
}

ScaledReal operator+(const ScaledReal& a, const ScaledReal& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const ScaledReal& big = a.exponent >= b.exponent ? a : b;
  const ScaledReal& small = a.exponent >= b.exponent ? b : a;
  // Unsigned, since the gap of two 64-bit exponents may not fit a signed one. Below 2^-250 of the larger, the smaller
  // changes nothing that 106 bits hold.
  const std::uint64_t gap = static_cast<std::uint64_t>(big.exponent) - static_cast<std::uint64_t>(small.exponent);
  if (gap > 250) return big;
  return ScaledReal(big.mantissa + ldexp(small.mantissa, -static_cast<int>(gap)), big.exponent);
}

ScaledComplex operator*(const ScaledComplex& a, const ScaledComplex& b) {
  return {a.re * b.re + -(a.im * b.im), a.re * b.im + a.im * b.re};
}

ScaledComplex operator+(const ScaledComplex& a, const ScaledComplex& b) { return {a.re + b.re, a.im + b.im}; }

int supported_digits(double relative_error, int max_digits) {
  // The rounding to d digits is off by half a unit of the last digit, and the error by less than relative_error * 10^d
  // units.
  int digits = 1;
  double power = 100;
  while (digits < max_digits && relative_error * power < 0.4999) {
    ++digits;
    power *= 10;
  }
  return digits;
}

std::string to_scientific(const ScaledReal& value, int digits) {
  if (value.is_zero()) return "0";
  digits = std::max(digits, 1);
  const Dyadic exact = exact_value(value);
  const Integer magnitude = abs(exact.integer);
  const Integer low = pow(Integer(10), static_cast<unsigned>(digits - 1));
  const Integer high = low * 10;
  auto exponent10 = static_cast<std::int64_t>(std::floor(value.log2_abs() * 0.30102999566398119521));
  for (;;) {
    // magnitude * 2^exponent / 10^(exponent10 - digits + 1), rounded; exponent10 may be off by the logarithm's last
    // bits.
    const std::int64_t power = digits - 1 - exponent10;
    Scaled scaled = std::abs(power) <= max_exact_printing_power
                        ? scale_exactly(magnitude, exact.exponent, power, low, high)
                        : scale_by_bounds(magnitude, exact.exponent, power, low, high);
    if (scaled.step != 0) {
      exponent10 += scaled.step;
      continue;
    }
    if (scaled.rounded == high) {
      scaled.rounded = low;
      ++exponent10;
    }
    std::string text = to_decimal(scaled.rounded);
    if (digits > 1) text.insert(1, ".");
    return (exact.integer < 0 ? "-" : "") + text + "e" + std::to_string(exponent10);
  }
}

bool parse_real(const char* begin, const char* end, DoubleDouble& value) {
  const char* at = begin;
  bool negative = false;
  if (at != end && (*at == '+' || *at == '-')) negative = *at++ == '-';

  const char* const first = at;
  const char* point = nullptr;
  std::uint64_t leading = 0;     // the first 19 significant digits
  std::int64_t significant = 0;  // digits from the first that is not 0
  for (; at != end; ++at) {
    if (is_digit(*at)) {
      if (significant > 0 || *at != '0') {
        if (significant < 19) leading = 10 * leading + static_cast<std::uint64_t>(*at - '0');
        ++significant;
      }
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      break;
    }
  }
  const char* const last = at;
  if (last - first == (point == nullptr ? 0 : 1)) return false;  // no digit
  std::int64_t exponent10 = point == nullptr ? 0 : -(last - point - 1);
  if (at != end) {
    if (*at != 'e' && *at != 'E' && *at != 'd' && *at != 'D') return false;
    ++at;
    bool exponent_negative = false;
    if (at != end && (*at == '+' || *at == '-')) exponent_negative = *at++ == '-';
    if (at == end) return false;
    std::int64_t exponent = 0;
    for (; at != end; ++at) {
      if (!is_digit(*at)) return false;
      if (exponent < 1'000'000'000'000'000) exponent = 10 * exponent + (*at - '0');  // saturates far out of range
    }
    exponent10 += exponent_negative ? -exponent : exponent;
  }
  if (significant == 0) {
    value = {};
    return true;
  }

  DoubleDouble result;
  if (significant <= 19 && exponent10 >= -max_exact_power && exponent10 <= max_exact_power) {
    const auto hi = static_cast<double>(leading);
    result = {hi, static_cast<double>(static_cast<int128>(leading) - static_cast<int128>(hi))};
    if (exponent10 > 0) result *= powers_of_ten()[static_cast<std::size_t>(exponent10)];
    if (exponent10 < 0) result /= powers_of_ten()[static_cast<std::size_t>(-exponent10)];
  } else {
    // Digits that no double-double can hold are left out: it has at most 1024 + 1074 binary places, hence fewer than
    // 2200 significant decimal digits, and a longer text differs by less than 10^-2199 of itself.
    constexpr std::size_t max_digits = 2200;
    std::string digits;
    digits.reserve(static_cast<std::size_t>(std::min<std::int64_t>(significant, max_digits)));
    for (const char* c = first; c != last && digits.size() < max_digits; ++c) {
      if (*c != '.' && !(digits.empty() && *c == '0')) digits += *c;
    }
    exponent10 += significant - static_cast<std::int64_t>(digits.size());
    if (!exact_decimal(digits, exponent10, result)) return false;
  }
  value = negative ? -result : result;
  return true;
}

}  // namespace matchcount
