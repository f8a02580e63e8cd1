#pragma once
// Names what an answer may be: an exact integer, or a real or complex number with a bound on its error.

#include <limits>
#include <variant>

#include "core/api.hpp"
#include "core/numbers/integer.hpp"
#include "core/numbers/real.hpp"
#include "core/precision.hpp"

namespace MATCHCOUNT_API matchcount {

// |value - truth| <= 2^log2_error; -infinity where the value is exact. log2_magnitudes bounds log2 of the permanent of
// the entries' magnitudes from above, where the method knows it: what errors of the entries are relative to.
struct RealValue {
  ScaledReal value;
  double log2_error = -std::numeric_limits<double>::infinity();
  double log2_magnitudes = std::numeric_limits<double>::infinity();
};
struct ComplexValue {
  ScaledComplex value;
  double log2_error = -std::numeric_limits<double>::infinity();  // of the absolute value of the difference
  double log2_magnitudes = std::numeric_limits<double>::infinity();
};

using Value = std::variant<Integer, RealValue, ComplexValue>;

// Returns 2^(log2_error - log2|value|), rounded up: 0 for exact values, infinity where the value may be 0.
double relative_error(const Value& value);
// Returns the least decimal number of so many significant digits that is not below `bound` >= 0, as printf's %g has it:
// 0.0123 to two digits is "0.013".
std::string rounded_up(double bound, int digits);
double log10_abs(const Value& value);
// Returns the fraction, or integer, to a relative 2^-100.
ScaledReal nearest_real(const Rational& value);
ScaledReal nearest_real(const Integer& value);
// Returns log2 |value|; -infinity for 0.
double log2_abs(const ScaledComplex& value);
// Returns log2 (2^a + 2^b), for adding bounds; a or b may be -infinity.
double log2_sum(double a, double b);
// Writes the decimal digits of an integer; for reals as many digits as the error bound supports, at most max_digits,
// and where it supports none "[+/- 5.9e-2]": the absolute value is at most that. Complex as "re+imi".
std::string to_string(const Value& value, int max_digits = 17);
// Writes one real number, or one part of a complex one, in the same way.
std::string to_string(const ScaledReal& value, double log2_error, int max_digits = 17);
// Returns the digits that to_string prints of it, at most max_digits; 0 where the bound supports none. Of the larger
// part of a complex number.
int proven_digits(const Value& value, int max_digits = 17);

}  // namespace matchcount
