#pragma once
// Holds a real result of any magnitude: double-double mantissa times a power of two, and how to print it honestly.

#include <cstdint>
#include <string>

#include "core/api.hpp"
#include "core/numbers/pair.hpp"

namespace MATCHCOUNT_API matchcount {

// mantissa * 2^exponent; the mantissa's |hi| is in [0.5, 1), or the value is 0 (exponent 0). Never inf or nan.
struct ScaledReal {
  DoubleDouble mantissa;
  std::int64_t exponent = 0;

  ScaledReal() = default;
  ScaledReal(DoubleDouble value, std::int64_t exponent2 = 0);  // NOLINT: normalises; requires finite
  bool is_zero() const { return mantissa.hi == 0; }
  double log2_abs() const;  // -infinity for 0
  // Returns the nearest double; overflows to infinity and underflows to 0 as a double does.
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

// Returns the significant decimal digits that a relative error bound supports, at most max_digits: the printed value is
// then within one unit of its last digit of the truth. 1 also where not even one digit is supported (relative_error
// above 0.05, or nan).
int supported_digits(double relative_error, int max_digits = 17);

// Writes scientific notation d.ddde[-]x with `digits` significant digits, correctly rounded from the exact value of the
// mantissa, ties to even; trailing zeros kept; "0" for zero. Any exponent, in microseconds: 2.3029020131443332e410.
std::string to_scientific(const ScaledReal& value, int digits);

// Reads the double-double nearest (to a relative 2^-102) to the decimal number in text:
// [+-]digits[.digits][(e|E|d|D)[+-]digits], where the digits on one side of the point may be missing ("5.", ".5").
// Returns false, and leaves value as it was, where text is not such a number or is out of the range of normal doubles:
// above 1.797e308, or below 2.225e-308 and not 0, so that nothing but zero reads as 0. Below 2^-968 (3e-292) the low
// half is subnormal and the error is up to 2^-1075 instead. 40 to 50 ns and no allocation on the usual path: at most 19
// significant digits and |exponent| <= 45 after the point is moved to their end; about 1.2 us otherwise.
bool parse_real(const char* begin, const char* end, DoubleDouble& value);

}  // namespace matchcount
