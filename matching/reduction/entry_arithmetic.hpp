#pragma once
// Computes with entries of graphs under reduction: exact integers within bounds, or reals and complex numbers with
// their magnitudes.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "matching/reduce.hpp"

namespace matchcount::reduction {

__extension__ using int128 = __int128;

// A merge computes by number type:
// is_one(w); combine(w, x, v, y) = w x + v y, scale(w, x) = w x, nothing where the result does not fit;
// take_factor(w, v, expensive): divides both by a common factor, so that w is positive or better still 1, and returns it;
// expensive: there are many products with w to come; is_zero(x): drop the edge.

inline bool is_one(std::int64_t w) { return w == 1; }
inline bool is_zero(std::int64_t x) { return x == 0; }

inline std::optional<std::int64_t> fitting(int128 value) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (value > limit || value < -limit) return std::nullopt;
  return static_cast<std::int64_t>(value);
}
inline std::optional<std::int64_t> scale(std::int64_t w, std::int64_t x) { return fitting(int128{w} * x); }
inline std::optional<std::int64_t> combine(std::int64_t w, std::int64_t x, std::int64_t v, std::int64_t y) {
  int128 sum = 0;
  if (__builtin_add_overflow(int128{w} * x, int128{v} * y, &sum)) return std::nullopt;
  return fitting(sum);
}
inline std::int64_t take_factor(std::int64_t& w, std::int64_t& v, bool /*expensive*/) {
  if (w == std::numeric_limits<std::int64_t>::min() || v == std::numeric_limits<std::int64_t>::min()) return 1;
  std::int64_t factor = std::gcd(w, v);
  if (w < 0) factor = -factor;
  w /= factor;
  v /= factor;
  return factor;
}

// Bounds |x| of a product or sum of two magnitudes in double arithmetic.
inline double rounded_up(double magnitude) { return magnitude * (1 + 0x1p-50); }
inline bool in_range(double magnitude) { return magnitude >= 0x1p-500 && magnitude <= 0x1p500; }

template <class Entry>
concept Inexact = requires(Entry entry) {
  entry.magnitude;
};

template <Inexact Entry>
inline bool is_one(const Entry& w) {
  return w.value == decltype(w.value)(1.0) && w.magnitude == 1;
}
template <Inexact Entry>
inline bool is_zero(const Entry&) {
  return false;
}
template <Inexact Entry>
std::optional<Entry> scale(const Entry& w, const Entry& x) {
  const double magnitude = rounded_up(w.magnitude * x.magnitude);
  if (!in_range(magnitude)) return std::nullopt;
  return Entry{w.value * x.value, magnitude};
}
template <Inexact Entry>
std::optional<Entry> combine(const Entry& w, const Entry& x, const Entry& v, const Entry& y) {
  const double magnitude = rounded_up(w.magnitude * x.magnitude + v.magnitude * y.magnitude);
  if (!in_range(magnitude)) return std::nullopt;
  return Entry{w.value * x.value + v.value * y.value, magnitude};
}
inline DoubleDouble quotient(DoubleDouble v, DoubleDouble w) { return v / w; }
inline ComplexDoubleDouble quotient(const ComplexDoubleDouble& v, const ComplexDoubleDouble& w) {
  const ComplexDoubleDouble product = v * ComplexDoubleDouble(w.re, -w.im);
  const DoubleDouble norm = w.re * w.re + w.im * w.im;
  return {product.re / norm, product.im / norm};
}

// Dividing by w adds a rounding error, so it is done only where that makes a merge with a hub cheap; and the bound by
// magnitudes stays tight only where w is not what a cancellation left over.
template <Inexact Entry>
Entry take_factor(Entry& w, Entry& v, bool expensive) {
  const Entry one{1.0, 1};
  const double size = magnitude(w.value);
  const bool safe = size >= w.magnitude * (1 - 0x1p-40) && size >= 0x1p-200 && size <= 0x1p200;
  if (!expensive || !safe) return one;
  v = {quotient(v.value, w.value), rounded_up(v.magnitude / std::min(size, w.magnitude))};
  return std::exchange(w, one);
}

}  // namespace matchcount::reduction
