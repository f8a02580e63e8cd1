#pragma once
// The integer of any size in which exact answers are given, and fractions of such.

#include <boost/multiprecision/cpp_int.hpp>
#include <string>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

using Integer = boost::multiprecision::cpp_int;
// A fraction in lowest terms with a positive denominator.
using Rational = boost::multiprecision::cpp_rational;

// log2 |value|; -infinity for 0. Right to a few units in the last place, at any size.
double log2_abs(const Integer& value);

// Decimal digits, with a minus sign where it is due. Subquadratic, so that a million digits take seconds.
std::string to_decimal(const Integer& value);

}  // namespace matchcount
