#pragma once
// Holds the vectors of an instruction set, and those operations on them that the compiler's own operators lack. Only
// for sources that are compiled once per instruction set (matchcount_isa_sources), which everything here is local to.

#ifndef MATCHCOUNT_ISA
#error "only for sources of matchcount_isa_sources"
#endif

#include <cstdint>

#include "core/cpu/forced_inline.hpp"
#include "core/numbers/lanes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace matchcount::simd {
inline namespace MATCHCOUNT_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
constexpr int width = vector_bytes / 8;  // doubles, or words of 64 bits, of a vector

using Reals = double __attribute__((vector_size(vector_bytes)));
using OneReal = double __attribute__((vector_size(8)));
using Mask = long long __attribute__((vector_size(vector_bytes)));  // of a comparison: all bits of a lane, or none
using Words = std::uint64_t __attribute__((vector_size(vector_bytes)));
using HalfWords = std::uint32_t __attribute__((vector_size(vector_bytes)));            // two for each word
using NarrowHalfWords = std::uint32_t __attribute__((vector_size(vector_bytes / 2)));  // one for each word

template <class Vector, class T>
MATCHCOUNT_INLINE Vector load(const T* p) {
  Vector result;
  __builtin_memcpy(&result, p, sizeof result);
  return result;
}
template <class Vector, class T>
MATCHCOUNT_INLINE void store(T* p, Vector value) {
  __builtin_memcpy(p, &value, sizeof value);
}

template <class Vector = Reals>
MATCHCOUNT_INLINE Vector broadcast(double value) {
  return value - Vector{};
}
MATCHCOUNT_INLINE Words broadcast_word(std::uint64_t value) { return value - Words{}; }

// ---- Words.

// Multiplies the low halves.
MATCHCOUNT_INLINE Words multiply_low_halves(Words a, Words b) {
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_mul_epu32((__mmask8)-1, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

MATCHCOUNT_INLINE Words lesser(Words a, Words b) {
#if defined(__AVX512F__)
  return (Words)_mm512_maskz_min_epu64((__mmask8)-1, (__m512i)a, (__m512i)b);
#else
  return a < b ? a : b;
#endif
}

// ---- Reals. Sums and products with their errors: core/numbers/lanes.hpp.

MATCHCOUNT_INLINE Reals larger(Reals a, Reals b) { return a > b ? a : b; }
MATCHCOUNT_INLINE Reals lesser(Reals a, Reals b) { return a < b ? a : b; }

// Returns max(|a|, b) for b >= 0.
MATCHCOUNT_INLINE Reals larger_magnitude(Reals a, Reals b) {
#if defined(__AVX512DQ__)
  return _mm512_maskz_range_pd(0xff, a, b, 11);
#else
  return larger(reinterpret_cast<Reals>(reinterpret_cast<Mask>(a) & 0x7fffffffffffffffLL), b);
#endif
}

MATCHCOUNT_INLINE Reals square_root(Reals a) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, a);
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(a);
#else
  for (int i = 0; i < width; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

// Return 1 / a and 1 / sqrt(a), too large by at most 2^-12 of that, of normal numbers.
MATCHCOUNT_INLINE Reals rough_inverse(Reals a) {
#if defined(__AVX512F__)
  return _mm512_maskz_rcp14_pd(0xff, a) * (1 + 0x1p-13);
#else
  return (1 + 0x1p-13) / a;
#endif
}
MATCHCOUNT_INLINE Reals rough_inverse_root(Reals a) {
#if defined(__AVX512F__)
  return _mm512_maskz_rsqrt14_pd(0xff, a) * (1 + 0x1p-13);
#else
  return (1 + 0x1p-13) / square_root(a);
#endif
}

// ---- Masks.

MATCHCOUNT_INLINE bool all_set(Mask mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) == 0xff;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) == 0xf;
#else
  long long all = -1;
  for (int i = 0; i < width; ++i) all &= mask[i];
  return all != 0;
#endif
}

using lane::unroll;

// ---- Values: Reals, or pairs and complex numbers of them, in components.

template <class Value>
constexpr int components_of = sizeof(Value) / sizeof(Reals);

// Makes component c of a value as component_at(c) says.
template <class Value, class ComponentAt>
MATCHCOUNT_INLINE Value value_of(const ComponentAt& component_at) {
  Value value;
  unroll<components_of<Value>>([&](auto c) __attribute__((always_inline)) {
    reinterpret_cast<Reals*>(&value)[c] = component_at(c);
  });
  return value;
}
template <class Value>
MATCHCOUNT_INLINE Reals component_of(const Value& value, int c) {
  return reinterpret_cast<const Reals*>(&value)[c];
}
template <class Value>
MATCHCOUNT_INLINE Value constant(double number) {
  return value_of<Value>([&](int c) { return broadcast(c == 0 ? number : 0); });
}
// Reads a value that is the same in all lanes, its components one behind the other.
template <class Value>
MATCHCOUNT_INLINE Value read_constant(const double* from) {
  return value_of<Value>([&](int c) { return broadcast(from[c]); });
}
// Components stand so many doubles apart.
template <class Value>
MATCHCOUNT_INLINE Value read_lanes(const double* from, int stride) {
  return value_of<Value>([&](int c) { return load<Reals>(from + c * stride); });
}
template <class Value>
MATCHCOUNT_INLINE void write_lanes(const Value& value, double* to, int stride) {
  for (int c = 0; c < components_of<Value>; ++c) store(to + c * stride, component_of(value, c));
}
template <class Value>
MATCHCOUNT_INLINE Value choose(Mask mask, const Value& a, const Value& b) {
  return value_of<Value>([&](int c) { return mask ? component_of(a, c) : component_of(b, c); });
}

}  // namespace
}  // namespace MATCHCOUNT_ISA
}  // namespace matchcount::simd
