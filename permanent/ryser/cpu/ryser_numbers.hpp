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
using lane::two_sum;

// Sum is a row sum, Value a product; both made of components of `width` lanes.

struct Real {
  static constexpr int components = 1;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;  // a factor common to a block may be applied to the block's sum
  using Sum = Reals;
  using Value = Reals;

  explicit Real(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Reals* p) { return *p; }
  static MATCHCOUNT_INLINE void write(Reals* p, Sum s) { *p = s; }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return broadcast(*p); }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return a + b; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return a - b; }
  MATCHCOUNT_INLINE Value value(Sum s) const { return s; }
  static MATCHCOUNT_INLINE Value from(double d) { return broadcast(d); }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return a * b; }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return multiply_add(a, b, c); }
  MATCHCOUNT_INLINE Value plus(Value a, Value b) const { return a + b; }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return a - b; }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return a == 0.0; }
  static MATCHCOUNT_INLINE Reals high(Value x) { return x; }
  static MATCHCOUNT_INLINE Reals magnitude_of(Value x, Reals floor) { return larger_magnitude(x, floor); }
  static MATCHCOUNT_INLINE Reals magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals rough_magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals inverse_magnitude(Reals y) { return rough_inverse(y); }

  struct Total {
    Reals high = {}, low = {};
    MATCHCOUNT_INLINE void add(const Real&, Value a, std::uint64_t) {
      const auto [sum, error] = two_sum(high, a);
      low += error;
      high = sum;
    }
    void write(const Real&, int first_lane, ChunkSum& sum, int component = 0) const {
      for (int i = 0; i < width; ++i) {
        sum.value[component][first_lane + i] = high[i];
        sum.value[component + 1][first_lane + i] = low[i];
      }
    }
  };
};

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

struct DoubleDouble {
  static constexpr int components = 2;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;
  // High and low parts lie on two grids on which their sums are exact (see ryser.cpp); they overlap until value().
  using Sum = Pair<Reals>;
  using Value = Pair<Reals>;

  explicit DoubleDouble(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Reals* p) { return {p[0], p[1]}; }
  static MATCHCOUNT_INLINE void write(Reals* p, Sum s) {
    p[0] = s.hi;
    p[1] = s.lo;
  }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return {broadcast(p[0]), broadcast(p[1])}; }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return {a.hi + b.hi, a.lo + b.lo}; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return {a.hi - b.hi, a.lo - b.lo}; }
  MATCHCOUNT_INLINE Value value(Sum s) const { return two_sum(s.hi, s.lo); }
  static MATCHCOUNT_INLINE Value from(double d) { return {broadcast(d), Reals{}}; }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return quick_product(a, b); }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return multiply_add(a, b, c); }
  MATCHCOUNT_INLINE Value plus(Value a, Value b) const { return quick_sum(a, b); }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return quick_sum(a, -b); }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return a.hi == 0.0; }
  static MATCHCOUNT_INLINE Reals high(Value x) { return x.hi; }
  static MATCHCOUNT_INLINE Reals magnitude_of(Value x, Reals floor) { return larger_magnitude(x.hi, floor); }
  static MATCHCOUNT_INLINE Reals magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals rough_magnitude(Reals y) { return y; }
  static MATCHCOUNT_INLINE Reals inverse_magnitude(Reals y) { return rough_inverse(y); }

  struct Total {
    Value level[3] = {};
    std::uint64_t last = 0;
    MATCHCOUNT_INLINE void add(const DoubleDouble&, Value a, std::uint64_t block) {
      if ((block ^ last) >> 6 != 0) {
        level[1] = quick_sum(level[1], level[0]);
        level[0] = Value{};
        if ((block ^ last) >> 12 != 0) {
          level[2] = quick_sum(level[2], level[1]);
          level[1] = Value{};
        }
        last = block;
      }
      level[0] = quick_sum(level[0], a);
    }
    void write(const DoubleDouble&, int first_lane, ChunkSum& sum, int component = 0) const {
      const Value total = quick_sum(level[2], quick_sum(level[1], level[0]));
      for (int i = 0; i < width; ++i) {
        sum.value[component][first_lane + i] = total.hi[i];
        sum.value[component + 1][first_lane + i] = total.lo[i];
      }
    }
  };
};

// Complex numbers whose parts are numbers of kind Part.
template <class Part>
struct ComplexOf {
  static constexpr int components = 2 * Part::components;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;
  using Sum = lane::Complex<typename Part::Sum>;
  using Value = lane::Complex<typename Part::Value>;
  Part part{Program{}};

  explicit ComplexOf(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Reals* p) { return {Part::read(p), Part::read(p + Part::components)}; }
  static MATCHCOUNT_INLINE void write(Reals* p, Sum s) {
    Part::write(p, s.re);
    Part::write(p + Part::components, s.im);
  }
  static MATCHCOUNT_INLINE Sum constant(const double* p) {
    return {Part::constant(p), Part::constant(p + Part::components)};
  }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return {part.add(a.re, b.re), part.add(a.im, b.im)}; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return {part.subtract(a.re, b.re), part.subtract(a.im, b.im)}; }
  MATCHCOUNT_INLINE Value value(Sum s) const { return {part.value(s.re), part.value(s.im)}; }
  static MATCHCOUNT_INLINE Value from(double d) { return {Part::from(d), typename Part::Value{}}; }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const {
    if constexpr (components == 2) return a * b;
    return {multiply_add(-a.im, b.im, part.multiply(a.re, b.re)), multiply_add(a.im, b.re, part.multiply(a.re, b.im))};
  }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const {
    if constexpr (components == 2) return multiply_add(a, b, c);
    return {multiply_add(-a.im, b.im, multiply_add(a.re, b.re, c.re)),
            multiply_add(a.im, b.re, multiply_add(a.re, b.im, c.im))};
  }
  MATCHCOUNT_INLINE Value plus(Value a, Value b) const { return {part.plus(a.re, b.re), part.plus(a.im, b.im)}; }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const {
    return {part.difference(a.re, b.re), part.difference(a.im, b.im)};
  }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return Part::is_zero(a.re) & Part::is_zero(a.im); }
  // Magnitudes are carried squared.
  static MATCHCOUNT_INLINE Reals magnitude_of(Value x, Reals floor) {
    const Reals re = Part::high(x.re), im = Part::high(x.im);
    return larger(multiply_add(re, re, im * im), floor * floor);
  }
  static MATCHCOUNT_INLINE Reals magnitude(Reals y) { return square_root(y); }
  static MATCHCOUNT_INLINE Reals rough_magnitude(Reals y) { return y * rough_inverse_root(y); }
  static MATCHCOUNT_INLINE Reals inverse_magnitude(Reals y) { return rough_inverse_root(y); }

  struct Total {
    typename Part::Total re, im;
    MATCHCOUNT_INLINE void add(const ComplexOf& number, Value a, std::uint64_t block) {
      re.add(number.part, a.re, block);
      im.add(number.part, a.im, block);
    }
    void write(const ComplexOf& number, int first_lane, ChunkSum& sum) const {
      re.write(number.part, first_lane, sum, 0);
      im.write(number.part, first_lane, sum, 2);
    }
  };
};
using Complex = ComplexOf<Real>;
using ComplexDouble = ComplexOf<DoubleDouble>;

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

struct Modular {
  static constexpr int components = 1;
  static constexpr bool has_magnitude = false;
  static constexpr bool factor_out = true;
  using Sum = Reals;
  using Value = Reals;
  Prime prime;

  explicit Modular(const Program& program) : prime{broadcast(program.prime[0]), broadcast(program.inverse[0])} {}
  static MATCHCOUNT_INLINE Sum read(const Reals* p) { return *p; }
  static MATCHCOUNT_INLINE void write(Reals* p, Sum s) { *p = s; }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return broadcast(*p); }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return prime.reduce(a + b); }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return prime.reduce(a - b); }
  MATCHCOUNT_INLINE Value value(Sum s) const { return s; }
  static MATCHCOUNT_INLINE Value from(double d) { return broadcast(d); }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return prime.multiply(a, b); }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return prime.multiply(a, b) + c; }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return prime.reduce(a - b); }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return a == 0.0; }

  struct Total {
    Reals sum = {};
    MATCHCOUNT_INLINE void add(const Modular& number, Value a, std::uint64_t) { sum = number.prime.reduce(sum + a); }
    void write(const Modular&, int first_lane, ChunkSum& out) const {
      for (int i = 0; i < width; ++i) out.residue[0][first_lane + i] = sum[i];
    }
  };
};

}  // namespace
}  // namespace matchcount::ryser_kernel
