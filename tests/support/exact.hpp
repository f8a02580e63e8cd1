#pragma once
// Finds the exact rational value of the binary numbers that the library computes with.

#include <cmath>
#include <cstdint>

#include "core/numbers/integer.hpp"
#include "core/numbers/pair.hpp"
#include "core/numbers/real.hpp"

namespace matchcount::test {

using matchcount::Rational;

inline Rational power_of_two(std::int64_t exponent) {
  const Integer power = Integer(1) << static_cast<std::size_t>(exponent < 0 ? -exponent : exponent);
  return exponent < 0 ? Rational(Integer(1), power) : Rational(power);
}

inline Rational exact(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return Rational(Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53)))) * power_of_two(exponent - 53);
}
inline Rational exact(DoubleDouble value) { return exact(value.hi) + exact(value.lo); }
inline Rational exact(const ScaledReal& value) { return exact(value.mantissa) * power_of_two(value.exponent); }

// |approximate - truth| <= bound * |truth|.
inline bool within_relative(const Rational& approximate, const Rational& truth, const Rational& bound) {
  return abs(Rational(approximate - truth)) <= bound * abs(truth);
}

}  // namespace matchcount::test
