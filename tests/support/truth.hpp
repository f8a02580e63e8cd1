#pragma once
// Computes exact permanents of instances, by the oracles, in integers: a binary floating-point number is an integer
// times a power of two, so a row of them is a row of integers times one power of two.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/real.hpp"
#include "support/instances.hpp"
#include "support/oracles.hpp"

namespace matchcount::test {

// integer * 2^exponent.
struct Dyadic {
  Integer integer;
  std::int64_t exponent = 0;
};

inline Dyadic dyadic(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}

inline Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.integer == 0) return b;
  if (b.integer == 0) return a;
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  return {(a.integer << static_cast<std::size_t>(a.exponent - exponent)) +
              (b.integer << static_cast<std::size_t>(b.exponent - exponent)),
          exponent};
}
inline Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + Dyadic{-b.integer, b.exponent}; }

inline Dyadic dyadic(DoubleDouble value) { return dyadic(value.hi) + dyadic(value.lo); }
inline Dyadic dyadic(const ScaledReal& value) {
  Dyadic result = dyadic(value.mantissa);
  result.exponent += value.exponent;
  return result;
}
inline double log2_abs(const Dyadic& value) {
  return matchcount::log2_abs(value.integer) + static_cast<double>(value.exponent);
}

// Says whether a number printed as d.ddde[-]x is within one unit of its last digit of the truth.
inline bool within_one_unit(const std::string& printed, const Dyadic& truth) {
  std::string digits;
  long unit = 0;  // the last digit counts 10^unit
  bool behind_point = false;
  std::size_t at = printed[0] == '-' ? 1 : 0;
  for (; at < printed.size() && printed[at] != 'e'; ++at) {
    if (printed[at] == '.') {
      behind_point = true;
    } else {
      digits += printed[at];
      if (behind_point) --unit;
    }
  }
  if (at < printed.size()) unit += std::stol(printed.substr(at + 1));
  // Everything times the denominators: integer * 2^exponent against shown * 10^unit.
  const Integer ten = pow(Integer(10), static_cast<unsigned>(std::labs(unit)));
  Integer shown = 0, one = 1, wanted = truth.integer;
  for (const char digit : digits) shown = 10 * shown + (digit - '0');
  if (printed[0] == '-') shown = -shown;
  (unit < 0 ? wanted : one) *= ten;
  (truth.exponent < 0 ? one : wanted) <<= static_cast<std::size_t>(std::abs(truth.exponent));
  return abs(Integer(shown * one - wanted)) <= one;
}

// A complex number whose parts are exact.
template <class Part>
struct Gaussian {
  Part re;
  Part im;

  Gaussian(Part real = 0, Part imaginary = 0) : re(std::move(real)), im(std::move(imaginary)) {}
  friend bool operator==(const Gaussian&, const Gaussian&) = default;
  Gaussian& operator+=(const Gaussian& other) {
    re += other.re;
    im += other.im;
    return *this;
  }
  friend Gaussian operator*(const Gaussian& a, const Gaussian& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  Gaussian& operator*=(const Gaussian& other) { return *this = *this * other; }
};
using GaussianInteger = Gaussian<Integer>;

namespace detail {

template <class T>
T permanent_of(const std::vector<T>& entries, std::size_t n) {
  return n <= 6 ? reference::permanent_by_expansion(entries, n) : reference::permanent_by_subsets(entries, n);
}

}  // namespace detail

inline Integer exact_permanent(const Instance<std::int64_t>& instance) {
  if (instance.rows != instance.columns) return 0;
  return detail::permanent_of(std::vector<Integer>(instance.entries.begin(), instance.entries.end()), instance.rows);
}

// Parts of real and complex entries in one list, row by row, as integers, with the sum of the rows' exponents.
struct IntegerParts {
  std::vector<Integer> parts;
  std::int64_t exponent = 0;
};
inline IntegerParts integer_parts(const std::vector<DoubleDouble>& parts, std::size_t rows) {
  IntegerParts result;
  const std::size_t width = rows == 0 ? 0 : parts.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<Dyadic> line;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < width; ++i) {
      line.push_back(dyadic(parts[row * width + i]));
      if (line.back().integer != 0) least = std::min(least, line.back().exponent);
    }
    for (const Dyadic& part : line) {
      if (part.integer == 0) {
        result.parts.emplace_back(0);
      } else {
        result.parts.push_back(part.integer << static_cast<std::size_t>(part.exponent - least));
      }
    }
    if (least != std::numeric_limits<std::int64_t>::max()) result.exponent += least;
  }
  return result;
}

inline Dyadic exact_permanent(const Instance<DoubleDouble>& instance) {
  const IntegerParts parts = integer_parts(instance.entries, instance.rows);
  return {detail::permanent_of(parts.parts, instance.rows), parts.exponent};
}

struct ComplexDyadic {
  Dyadic re;
  Dyadic im;
};
inline ComplexDyadic exact_permanent(const Instance<ComplexDoubleDouble>& instance) {
  std::vector<DoubleDouble> flat;
  for (const ComplexDoubleDouble& entry : instance.entries) {
    flat.push_back(entry.re);
    flat.push_back(entry.im);
  }
  const IntegerParts parts = integer_parts(flat, instance.rows);
  std::vector<GaussianInteger> entries;
  for (std::size_t i = 0; i < parts.parts.size(); i += 2) entries.emplace_back(parts.parts[i], parts.parts[i + 1]);
  const GaussianInteger value = detail::permanent_of(entries, instance.rows);
  return {{value.re, parts.exponent}, {value.im, parts.exponent}};
}

}  // namespace matchcount::test
