#pragma once
// Computes with double-doubles: a value is the unevaluated sum hi + lo of two doubles with |lo| <= ulp(hi)/2.
// Error-free transformations by Dekker (1971) and Knuth; products and sums as in Joldes, Muller and Popescu,
// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic" (2017,
// doi:10.1145/3121432): relative error at most 3u^2 + O(u^3) for a sum, 5u^2 for a product, with u = 2^-53.
// Requires that nothing overflows or underflows.

#include <cmath>

#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  // Bound on the relative error of one operation of +, -, *, / below.
  static constexpr double unit_roundoff = 0x1p-102;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : hi(value) {}  // NOLINT: a double is a double-double
  constexpr DoubleDouble(double high, double low) : hi(high), lo(low) {}

  explicit constexpr operator double() const { return hi; }
  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
};

// Makes s + e == a + b exactly, s the nearest double.
constexpr DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

// The same where |a| >= |b| or a == 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

// Makes p + e == a * b exactly, p the nearest double.
inline DoubleDouble two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}

constexpr DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double q1 = a.hi / b.hi;
  DoubleDouble r = a - b * DoubleDouble(q1);
  const double q2 = r.hi / b.hi;
  r = r - b * DoubleDouble(q2);
  const double q3 = r.hi / b.hi;
  return fast_two_sum(q1, q2) + DoubleDouble(q3);
}

inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }
inline DoubleDouble& operator-=(DoubleDouble& a, DoubleDouble b) { return a = a - b; }
inline DoubleDouble& operator*=(DoubleDouble& a, DoubleDouble b) { return a = a * b; }
inline DoubleDouble& operator/=(DoubleDouble& a, DoubleDouble b) { return a = a / b; }

inline DoubleDouble abs(DoubleDouble a) { return a.hi < 0 || (a.hi == 0 && a.lo < 0) ? -a : a; }
inline DoubleDouble ldexp(DoubleDouble a, int exponent) {
  return {std::ldexp(a.hi, exponent), std::ldexp(a.lo, exponent)};
}
inline bool isfinite(DoubleDouble a) { return std::isfinite(a.hi) && std::isfinite(a.lo); }

// re + i im in double-double. std::complex promises nothing for a type of ours, hence this one.
struct ComplexDoubleDouble {
  DoubleDouble re;
  DoubleDouble im;

  constexpr ComplexDoubleDouble() = default;
  constexpr ComplexDoubleDouble(DoubleDouble real, DoubleDouble imaginary = {}) : re(real), im(imaginary) {}  // NOLINT
  constexpr ComplexDoubleDouble(double real) : re(real) {}                                                    // NOLINT
  friend constexpr bool operator==(const ComplexDoubleDouble&, const ComplexDoubleDouble&) = default;
};

constexpr ComplexDoubleDouble operator-(ComplexDoubleDouble a) { return {-a.re, -a.im}; }
constexpr ComplexDoubleDouble operator+(ComplexDoubleDouble a, ComplexDoubleDouble b) {
  return {a.re + b.re, a.im + b.im};
}
constexpr ComplexDoubleDouble operator-(ComplexDoubleDouble a, ComplexDoubleDouble b) {
  return {a.re - b.re, a.im - b.im};
}
inline ComplexDoubleDouble operator*(ComplexDoubleDouble a, ComplexDoubleDouble b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline ComplexDoubleDouble& operator+=(ComplexDoubleDouble& a, ComplexDoubleDouble b) { return a = a + b; }
inline ComplexDoubleDouble& operator*=(ComplexDoubleDouble& a, ComplexDoubleDouble b) { return a = a * b; }
inline ComplexDoubleDouble ldexp(ComplexDoubleDouble a, int exponent) {
  return {ldexp(a.re, exponent), ldexp(a.im, exponent)};
}
inline double magnitude(ComplexDoubleDouble a) { return std::hypot(a.re.hi, a.im.hi); }
inline double magnitude(DoubleDouble a) { return std::fabs(a.hi); }

}  // namespace matchcount
