#pragma once
// Says how the walks of inclusion-exclusion hold numbers: a row sum and a product of them, in as many lanes as a vector
// has, and a total. Only for sources compiled once per instruction set; see core/cpu/simd.hpp.
//
// Residues in doubles (modular and exact). Let p < 2^50 be a prime, and a, b integers with |a| <= 2p and |b| <= 2^50.
// With h = fl(ab), l = ab - h exactly, q = h * fl(1/p) rounded once to an integer (adding and taking away 1.5 * 2^52,
// which is exact as |ab/p| <= 2^51) we have |q - ab/p| <= 1/2 + |ab/p| 2^-52, as h and 1/p each err by 2^-53
// relatively. So r = (h - q p) + l has |r| <= p/2 + |a||b| 2^-52: integers below 2^53, and exact: h - q p is an integer
// of at most |r| + |l| < 2^53. With |a| <= p that is |r| <= (3/4)p, and a sum of two products F1 G0 + F0 G1 with |F1|
// <= 2p, |F0| <= p stays within (1/2 + 2/4)p + (1/2 + 1/4)p < 2p; so chains of them never leave |F0| <= p, |F1| <= 2p.
// In the modular arithmetic row sums are kept to |x| <= p/2 + 1 and products to 3p/4, so the same holds for merged
// pairs: F1 G0 with |F1| <= 2p, |G0| <= 3p/4 gives at most (1/2 + 3/8)p, twice that 7p/4. Without a fused multiply-add
// the same l and h - q p come from Dekker's product: h - fl(qp) is exact, as both are multiples of ulp(h)/2 or so that
// differ by less than 2^53 of those units.
//
// Sums of terms. A block's terms are added as a tree; blocks go into a sum of two doubles by two_sum (real, complex) or
// into three levels of 64 (double-double), so that the error of the sum is a few units of the sum of magnitudes.

#include "core/cpu/simd.hpp"
#include "permanent/ryser/cpu/ryser_kernel.hpp"

namespace matchcount::ryser_kernel {
namespace {

using namespace simd;
using lane::multiply_add;
using lane::Pair;
using lane::product_error;
using lane::quick_product;
using lane::quick_sum;
using lane::two_sum;

// ---- Reals, pairs of them, and complex numbers of either.

// Makes of a row sum, whose pairs may overlap, a factor.
MATCHCOUNT_INLINE Reals factor_of(Reals sum) { return sum; }
MATCHCOUNT_INLINE Pair<Reals> factor_of(Pair<Reals> sum) { return two_sum(sum.hi, sum.lo); }
template <class T>
MATCHCOUNT_INLINE lane::Complex<T> factor_of(lane::Complex<T> sum) {
  return {factor_of(sum.re), factor_of(sum.im)};
}
MATCHCOUNT_INLINE Reals high(Reals a) { return a; }
MATCHCOUNT_INLINE Reals high(Pair<Reals> a) { return a.hi; }
MATCHCOUNT_INLINE Mask is_zero(Reals a) { return a == 0.0; }
MATCHCOUNT_INLINE Mask is_zero(Pair<Reals> a) { return a.hi == 0.0; }
template <class T>
MATCHCOUNT_INLINE Mask is_zero(lane::Complex<T> a) {
  return is_zero(a.re) & is_zero(a.im);
}

// Magnitudes as a walk multiplies them: those of complex numbers squared.
template <class Value>
struct Magnitudes {
  static MATCHCOUNT_INLINE Reals magnitude_of(Value x, Reals floor) { return larger_magnitude(high(x), floor); }
  static MATCHCOUNT_INLINE Reals magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals rough_magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals inverse_magnitude(Reals y) { return rough_inverse(y); }
};
template <class T>
struct Magnitudes<lane::Complex<T>> {
  static MATCHCOUNT_INLINE Reals magnitude_of(lane::Complex<T> x, Reals floor) {
    const Reals re = high(x.re), im = high(x.im);
    return larger(multiply_add(re, re, im * im), floor * floor);
  }
  static MATCHCOUNT_INLINE Reals magnitude(Reals y) { return square_root(y); }
  static MATCHCOUNT_INLINE Reals rough_magnitude(Reals y) { return y * rough_inverse_root(y); }
  static MATCHCOUNT_INLINE Reals inverse_magnitude(Reals y) { return rough_inverse_root(y); }
};

template <class Value>
struct TotalOf;
template <>
struct TotalOf<Reals> {
  Reals high = {}, low = {};
  MATCHCOUNT_INLINE void add(Reals a, std::uint64_t) {
    const auto [sum, error] = two_sum(high, a);
    low += error;
    high = sum;
  }
  Pair<Reals> sum() const { return {high, low}; }
};
template <>
struct TotalOf<Pair<Reals>> {
  Pair<Reals> level[3] = {};
  std::uint64_t last = 0;
  MATCHCOUNT_INLINE void add(Pair<Reals> a, std::uint64_t block) {
    if ((block ^ last) >> 6 != 0) {
      level[1] = quick_sum(level[1], level[0]);
      level[0] = Pair<Reals>{};
      if ((block ^ last) >> 12 != 0) {
        level[2] = quick_sum(level[2], level[1]);
        level[1] = Pair<Reals>{};
      }
      last = block;
    }
    level[0] = quick_sum(level[0], a);
  }
  Pair<Reals> sum() const { return quick_sum(level[2], quick_sum(level[1], level[0])); }
};
template <class T>
struct TotalOf<lane::Complex<T>> {
  TotalOf<T> re, im;
  MATCHCOUNT_INLINE void add(lane::Complex<T> a, std::uint64_t block) {
    re.add(a.re, block);
    im.add(a.im, block);
  }
  lane::Complex<Pair<Reals>> sum() const { return {re.sum(), im.sum()}; }
};

// Row sums and products are values of this kind. High and low parts of row sums lie on two grids on which their sums
// are exact (see ryser.cpp).
template <class Of>
struct Floating : Magnitudes<Of> {
  static constexpr int components = components_of<Of>;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;  // a factor common to a block may be applied to the block's sum
  using Value = Of;

  explicit Floating(const Program&) {}
  MATCHCOUNT_INLINE Value add(const Value& a, const Value& b) const {
    return value_of<Value>([&](int c) { return component_of(a, c) + component_of(b, c); });
  }
  MATCHCOUNT_INLINE Value subtract(const Value& a, const Value& b) const { return add(a, -b); }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return quick_product(a, b); }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return multiply_add(a, b, c); }
  MATCHCOUNT_INLINE Value plus(Value a, Value b) const { return quick_sum(a, b); }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return quick_sum(a, -b); }

  struct Total : TotalOf<Value> {
    MATCHCOUNT_INLINE void add(const Floating&, Value a, std::uint64_t block) { TotalOf<Value>::add(a, block); }
    void write(const Floating&, int first_lane, ChunkSum& to) const {
      const auto sum = this->sum();
      for (int c = 0; c < components_of<decltype(sum)>; ++c) store(to.value[c] + first_lane, component_of(sum, c));
    }
  };
};
using Real = Floating<Reals>;
using DoubleDouble = Floating<Pair<Reals>>;
using Complex = Floating<lane::Complex<Reals>>;
using ComplexDouble = Floating<lane::Complex<Pair<Reals>>>;

struct Compensated : Real {
  static constexpr bool factor_out = false;
  using Real::Real;
};

// Integers below 2^50 in magnitude: no rounding anywhere.
struct Exact : Real {
  static constexpr bool has_magnitude = false;
  static constexpr bool factor_out = false;
  using Real::Real;
};

constexpr double round_to_integer = 0x1.8p52;

struct Prime {
  Reals p, inverse;

  // Returns a number congruent to a, |.| <= p/2 + 1. Requires |a| <= 7p, so that q p is exact.
  MATCHCOUNT_INLINE Reals reduce(Reals a) const {
    const Reals q = multiply_add(a, inverse, broadcast(round_to_integer)) - round_to_integer;
#if defined(__FMA__)
    return multiply_add(-q, p, a);
#else
    return a - q * p;
#endif
  }
  MATCHCOUNT_INLINE Reals multiply(Reals a, Reals b) const {
    const Reals h = a * b;
    const Reals l = product_error(a, b, h);
    const Reals q = multiply_add(h, inverse, broadcast(round_to_integer)) - round_to_integer;
#if defined(__FMA__)
    return multiply_add(-q, p, h) + l;
#else
    const Reals qp = q * p;
    return ((h - qp) - product_error(q, p, qp)) + l;
#endif
  }
};

struct Modular : Real {
  static constexpr bool has_magnitude = false;
  Prime prime;

  explicit Modular(const Program& program)
      : Real(program), prime{broadcast(program.prime[0]), broadcast(program.inverse[0])} {}
  MATCHCOUNT_INLINE Reals add(Reals a, Reals b) const { return prime.reduce(a + b); }
  MATCHCOUNT_INLINE Reals subtract(Reals a, Reals b) const { return prime.reduce(a - b); }
  MATCHCOUNT_INLINE Reals multiply(Reals a, Reals b) const { return prime.multiply(a, b); }
  MATCHCOUNT_INLINE Reals multiply_plus(Reals a, Reals b, Reals c) const { return prime.multiply(a, b) + c; }
  MATCHCOUNT_INLINE Reals difference(Reals a, Reals b) const { return prime.reduce(a - b); }

  struct Total {
    Reals sum = {};
    MATCHCOUNT_INLINE void add(const Modular& number, Reals a, std::uint64_t) { sum = number.prime.reduce(sum + a); }
    void write(const Modular&, int first_lane, ChunkSum& out) const { store(out.residue[0] + first_lane, sum); }
  };
};

}  // namespace
}  // namespace matchcount::ryser_kernel
