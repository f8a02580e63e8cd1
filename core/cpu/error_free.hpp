#pragma once
// Gives sums and products of doubles together with their rounding errors (Dekker 1971, Knuth), and with them the
// arithmetic of unevaluated sums of two, by the formulas of core/numbers/pair.hpp: that is for values, this for loops.
// T is a double or a vector of doubles. Requires that nothing overflows, and magnitudes below 2^996 where there is no
// fused multiply-add.
//
// Ordinary sources may include this, and those compiled once per instruction set: all of it is local to the file.

#include "core/cpu/forced_inline.hpp"

#if defined(__FMA__)
#include <immintrin.h>
#endif

namespace matchcount::error_free {
namespace {

// The unevaluated sum of two.
template <class T>
struct Pair {
  T hi, lo;
};

// a b + c; with one rounding where the processor has it.
template <class T>
MATCHCOUNT_INLINE T multiply_add(T a, T b, T c) {
#if defined(__FMA__)
  if constexpr (__is_same(T, double)) {
    return __builtin_fma(a, b, c);
  } else if constexpr (sizeof(T) == sizeof(double)) {
    return T{__builtin_fma(a[0], b[0], c[0])};
#if defined(__AVX512F__)
  } else if constexpr (sizeof(T) == 64) {
    return (T)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
  } else {
    static_assert(sizeof(T) == 32);
    return (T)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
  }
#else
  return a * b + c;
#endif
}

// a b - p exactly, of the rounded product p.
template <class T>
MATCHCOUNT_INLINE T product_error(T a, T b, T p) {
#if defined(__FMA__)
  return multiply_add(a, b, -p);
#else
  // Dekker: halves of 26 bits.
  const T split_a = a * 134217729.0, split_b = b * 134217729.0;
  const T a_high = split_a - (split_a - a), b_high = split_b - (split_b - b);
  const T a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

// hi + lo == a b exactly, hi the nearest double.
template <class T>
MATCHCOUNT_INLINE Pair<T> two_product(T a, T b) {
  const T p = a * b;
  return {p, product_error(a, b, p)};
}

// hi + lo == a + b exactly, hi the nearest double.
template <class T>
MATCHCOUNT_INLINE Pair<T> two_sum(T a, T b) {
  const T s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

// The same where |a| >= |b|, or nearly so, or a == 0.
template <class T>
MATCHCOUNT_INLINE Pair<T> fast_two_sum(T a, T b) {
  const T s = a + b;
  return {s, b - (s - a)};
}

template <class T>
MATCHCOUNT_INLINE Pair<T> operator-(Pair<T> a) {
  return {-a.hi, -a.lo};
}
template <class T>
MATCHCOUNT_INLINE Pair<T> operator+(Pair<T> a, Pair<T> b) {
  const Pair<T> s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const Pair<T> v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}
template <class T>
MATCHCOUNT_INLINE Pair<T> operator*(Pair<T> a, Pair<T> b) {
  const Pair<T> p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

}  // namespace
}  // namespace matchcount::error_free
