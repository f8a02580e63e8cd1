#pragma once
// Gives sums and products of doubles together with their rounding errors (Dekker 1971, Knuth), and with them the
// arithmetic of unevaluated sums of two, by the formulas of core/numbers/pair.hpp, and of complex numbers: those are
// for values, these for loops. T is a double of a host or a device, or a vector of doubles, and of complex numbers a
// pair as well. Requires that nothing overflows, and magnitudes below 2^996 where there is no fused multiply-add.
// Device code that takes sums and products of pairs is compiled without contraction.
//
// Ordinary sources may include this, those compiled once per instruction set, and kernels: all of it is local to the
// file.

#include "core/cpu/forced_inline.hpp"

#if defined(__FMA__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace matchcount::lane {
namespace {

// The unevaluated sum of two.
template <class T>
struct Pair {
  T hi, lo;
};

// Returns a b + c; with one rounding where the processor has it.
template <class T>
MATCHCOUNT_INLINE T multiply_add(T a, T b, T c) {
#if defined(__CUDA_ARCH__)
  return fma(a, b, c);
#elif defined(__FMA__)
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

// Returns a b - p exactly, of the rounded product p.
template <class T>
MATCHCOUNT_INLINE T product_error(T a, T b, T p) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
  return multiply_add(a, b, -p);
#else
  // Dekker: halves of 26 bits.
  const T split_a = a * 134217729.0, split_b = b * 134217729.0;
  const T a_high = split_a - (split_a - a), b_high = split_b - (split_b - b);
  const T a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

// Makes hi + lo == a b exactly, hi the nearest double.
template <class T>
MATCHCOUNT_INLINE Pair<T> two_product(T a, T b) {
  const T p = a * b;
  return {p, product_error(a, b, p)};
}

// Makes hi + lo == a + b exactly, hi the nearest double.
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

// Cheaper ones, with an error of at most 2^-102 (|a| + |b|), and of 2^-102 (|a b| + |c|).
template <class T>
MATCHCOUNT_INLINE Pair<T> quick_sum(Pair<T> a, Pair<T> b) {
  const Pair<T> s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}
template <class T>
MATCHCOUNT_INLINE Pair<T> quick_product(Pair<T> a, Pair<T> b) {
  const T p = a.hi * b.hi;
  const T cross = multiply_add(a.hi, b.lo, a.lo * b.hi);
  return fast_two_sum(p, product_error(a.hi, b.hi, p) + cross);
}
template <class T>
MATCHCOUNT_INLINE Pair<T> multiply_add(Pair<T> a, Pair<T> b, Pair<T> c) {
  const T p = a.hi * b.hi;
  const T cross = multiply_add(a.hi, b.lo, a.lo * b.hi);
  const Pair<T> s = two_sum(p, c.hi);
  return fast_two_sum(s.hi, ((product_error(a.hi, b.hi, p) + cross) + c.lo) + s.lo);
}

// The same of a single number, as far as its own operations go.
template <class T>
MATCHCOUNT_INLINE T quick_sum(T a, T b) {
  return a + b;
}
template <class T>
MATCHCOUNT_INLINE T quick_product(T a, T b) {
  return a * b;
}

template <class T>
struct Complex {
  T re, im;
};
template <class T>
MATCHCOUNT_INLINE Complex<T> operator-(Complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> multiply_add(Complex<T> a, Complex<T> b, Complex<T> c) {
  return {multiply_add(a.re, b.re, multiply_add(-a.im, b.im, c.re)),
          multiply_add(a.re, b.im, multiply_add(a.im, b.re, c.im))};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> quick_sum(Complex<T> a, Complex<T> b) {
  return {quick_sum(a.re, b.re), quick_sum(a.im, b.im)};
}
template <class T>
MATCHCOUNT_INLINE Complex<T> quick_product(Complex<T> a, Complex<T> b) {
  return {multiply_add(a.re, b.re, -quick_product(a.im, b.im)), multiply_add(a.re, b.im, quick_product(a.im, b.re))};
}

// ---- Loops that are unrolled, their index a constant.

template <int value>
struct Constant {
  MATCHCOUNT_INLINE constexpr operator int() const { return value; }
};

template <int count, int begin = 0, class Body>
MATCHCOUNT_INLINE void unroll(const Body& body) {
  if constexpr (begin < count) {
    body(Constant<begin>{});
    unroll<count, begin + 1>(body);
  }
}

}  // namespace
}  // namespace matchcount::lane
