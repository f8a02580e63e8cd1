#include "core/numbers/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

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

}  // namespace matchcount
