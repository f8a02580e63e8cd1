#pragma once
// Reads and writes real and complex values, of one double a part or two, as planes of doubles, and weighs them: the
// same text for hosts and devices, local to the file that includes it as core/numbers/lanes.hpp is.

#include "core/numbers/lanes.hpp"

namespace matchcount::lane {
namespace {

// Counts the planes of a value: a double, a Pair of them, or a Complex number of either.
template <class V>
inline constexpr unsigned planes_of = sizeof(V) / sizeof(double);

// Plane k stands at [k * stride].
template <class Stride>
MATCHCOUNT_INLINE void read(double& value, const double* from, Stride) {
  value = from[0];
}
template <class Stride>
MATCHCOUNT_INLINE void read(Pair<double>& value, const double* from, Stride stride) {
  value = {from[0], from[stride]};
}
template <class T, class Stride>
MATCHCOUNT_INLINE void read(Complex<T>& value, const double* from, Stride stride) {
  read(value.re, from, stride);
  read(value.im, from + planes_of<T> * stride, stride);
}
template <class Stride>
MATCHCOUNT_INLINE void write(double value, double* to, Stride) {
  to[0] = value;
}
template <class Stride>
MATCHCOUNT_INLINE void write(Pair<double> value, double* to, Stride stride) {
  to[0] = value.hi;
  to[stride] = value.lo;
}
template <class T, class Stride>
MATCHCOUNT_INLINE void write(Complex<T> value, double* to, Stride stride) {
  write(value.re, to, stride);
  write(value.im, to + planes_of<T> * stride, stride);
}

// Returns the product, of complex numbers without a fused operation.
template <class T>
MATCHCOUNT_INLINE T weighed(T value, T weight) {
  return value * weight;
}
template <class T>
MATCHCOUNT_INLINE Complex<T> weighed(Complex<T> value, Complex<T> weight) {
  return {value.re * weight.re + -(value.im * weight.im), value.re * weight.im + value.im * weight.re};
}

}  // namespace
}  // namespace matchcount::lane
