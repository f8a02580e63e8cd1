#pragma once
// A real result of any magnitude: double-double mantissa times a power of two, and how to print it honestly.

#include <cstdint>
#include <string>

#include "core/double_double.hpp"

namespace matchcount {

// mantissa * 2^exponent; the mantissa's |hi| is in [0.5, 1), or the value is 0 (exponent 0). Never inf or nan.
struct ScaledReal {
  DoubleDouble mantissa;
  std::int64_t exponent = 0;

  ScaledReal() = default;
  ScaledReal(DoubleDouble value, std::int64_t exponent2 = 0);  // NOLINT: normalises; requires finite
  bool is_zero() const { return mantissa.hi == 0; }
  double log2_abs() const;  // -infinity for 0
  // The nearest double; overflows to infinity and underflows to 0 as a double does.
  double to_double() const;
};

ScaledReal operator*(const ScaledReal& a, const ScaledReal& b);
ScaledReal operator+(const ScaledReal& a, const ScaledReal& b);
ScaledReal operator-(const ScaledReal& a);

struct ScaledComplex {
  ScaledReal re;
  ScaledReal im;
};
ScaledComplex operator*(const ScaledComplex& a, const ScaledComplex& b);
ScaledComplex operator+(const ScaledComplex& a, const ScaledComplex& b);

// Significant decimal digits that a relative error bound supports, at least 1, at most max_digits: the printed value is
// then within one unit of its last digit of the truth.
int supported_digits(double relative_error, int max_digits = 17);

// Scientific notation d.ddde[-]x with `digits` significant digits, correctly rounded from the exact value of the
// mantissa; trailing zeros kept; "0" for zero. Any exponent: 2.3029020131443332e410.
std::string to_scientific(const ScaledReal& value, int digits);

// The double-double nearest (to a relative 2^-102) to the decimal number in text: [+-]digits[.digits][(e|E|d|D)[+-]digits].
// Returns false where text is not such a number, or is out of the range of a double. One pass, no allocation on the
// usual path of at most 19 digits.
bool parse_real(const char* begin, const char* end, DoubleDouble& value);

}  // namespace matchcount
