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
template <class V, class Stride>
MATCHCOUNT_INLINE void read(V& value, const double* from, Stride stride) {
  unroll<static_cast<int>(planes_of<V>)>([&](auto k) { reinterpret_cast<double*>(&value)[k] = from[k * stride]; });
}
template <class V, class Stride>
MATCHCOUNT_INLINE void write(const V& value, double* to, Stride stride) {
  unroll<static_cast<int>(planes_of<V>)>([&](auto k) { to[k * stride] = reinterpret_cast<const double*>(&value)[k]; });
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
