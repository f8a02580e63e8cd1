// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake. Everything but
// the table of kernels has internal linkage, and nothing of the standard library is called.
//
// The walk. Bits are columns; a row is final at the lowest bit that touches it (its stage). Depth first over the bits
// from the high to the low, each node multiplies the rows of its stage into the product that it inherits, so that a
// leaf only pays for the rows of stage 0. In Gray-code order a step switches one bit b, after which the products of the
// stages <= b are stale. A subtree of s bits whose product is zero in every lane is skipped: walking it would have
// switched its top bit s - 1 once and every lower bit an even number of times, so one switch of s - 1 puts the row sums
// right.
//
// The block. The lowest block_bits bits are unrolled: row sums stay at their value with these bits off, and the 2^p
// sums that a row touched by p of them can take are formed from it, so that nothing is stored. The rows touched by
// exactly the bits of a mask are first multiplied together over those 2^p cases, and then into the table of all cases:
// a row that only bit 0 touches costs 2 products a block of 8 leaves, not 8.
//
// The special column. A row with entry a in it does (F0, F1) <- (F0 x, F1 x + a F0); pairs multiply as (F0 G0, F1 G0 +
// F0 G1). Where there is none, F1 starts at 1 and F0 at 0, and all rows are common.
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

#include "permanent/ryser/cpu/ryser_kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define MATCHCOUNT_INLINE inline __attribute__((always_inline))

namespace matchcount::ryser_kernel::MATCHCOUNT_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
// Unrolled bits: as many as keep the products of a block in registers (32 of them with AVX-512, else 16).
constexpr int block_bits = width == 8 ? 3 : 2;
constexpr int block_size = 1 << block_bits;

using Vector = double __attribute__((vector_size(width * 8)));
using Mask = long long __attribute__((vector_size(width * 8)));

template <int value>
struct Constant {
  constexpr operator int() const { return value; }
};

template <int count, int begin = 0, class Body>
MATCHCOUNT_INLINE void unroll(const Body& body) {
  if constexpr (begin < count) {
    body(Constant<begin>{});
    unroll<count, begin + 1>(body);
  }
}

MATCHCOUNT_INLINE Vector broadcast(double value) { return value - Vector{}; }

MATCHCOUNT_INLINE Vector load(const double* p) {
  Vector result;
  __builtin_memcpy(&result, p, sizeof result);
  return result;
}

// a * b + c; with one rounding where the processor has it.
MATCHCOUNT_INLINE Vector multiply_add(Vector a, Vector b, Vector c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

// The error of the product p = fl(a b): a b - p, exactly.
MATCHCOUNT_INLINE Vector product_error(Vector a, Vector b, Vector p) {
#if defined(__FMA__)
  return multiply_add(a, b, -p);
#else
  const Vector split_a = a * 134217729.0, split_b = b * 134217729.0;
  const Vector a_high = split_a - (split_a - a), b_high = split_b - (split_b - b);
  const Vector a_low = a - a_high, b_low = b - b_high;
  return ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

MATCHCOUNT_INLINE Vector absolute(Vector a) {
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(a) & 0x7fffffffffffffffLL);
}

// max(|a|, b) for b >= 0.
MATCHCOUNT_INLINE Vector larger_magnitude(Vector a, Vector b) {
#if defined(__AVX512DQ__)
  return _mm512_maskz_range_pd(0xff, a, b, 11);
#else
  const Vector m = absolute(a);
  return m > b ? m : b;
#endif
}

MATCHCOUNT_INLINE Vector larger(Vector a, Vector b) { return a > b ? a : b; }

MATCHCOUNT_INLINE Vector square_root(Vector a) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, a);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(a);
#else
  for (int i = 0; i < width; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

MATCHCOUNT_INLINE bool all_set(Mask mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) == 0xff;
#elif defined(__AVX__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) == 0xf;
#else
  long long all = -1;
  for (int i = 0; i < width; ++i) all &= mask[i];
  return all != 0;
#endif
}

// s = fl(a + b); returns a + b - s exactly (Knuth).
MATCHCOUNT_INLINE Vector two_sum(Vector a, Vector b, Vector& s) {
  s = a + b;
  const Vector t = s - a;
  return (a - (s - t)) + (b - t);
}

// ---- Number types. Sum is a row sum, Value a product; both made of components of eight lanes.

struct Real {
  static constexpr int components = 1;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;  // a factor common to a block may be applied to the block's sum
  using Sum = Vector;
  using Value = Vector;

  explicit Real(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Vector* p) { return *p; }
  static MATCHCOUNT_INLINE void write(Vector* p, Sum s) { *p = s; }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return broadcast(*p); }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return a + b; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return a - b; }
  MATCHCOUNT_INLINE Value value(Sum s) const { return s; }
  static MATCHCOUNT_INLINE Value from(double d) { return broadcast(d); }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return a * b; }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return multiply_add(a, b, c); }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return a - b; }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return a == 0.0; }
  static MATCHCOUNT_INLINE Vector magnitude_of(Value x, Vector floor) { return larger_magnitude(x, floor); }
  static MATCHCOUNT_INLINE Vector magnitude(Vector y) { return y; }

  struct Total {
    Vector high = {}, low = {};
    MATCHCOUNT_INLINE void add(const Real&, Value a, std::uint64_t) {
      Vector s;
      low += two_sum(high, a, s);
      high = s;
    }
    void write(const Real&, int first_lane, ChunkSum& sum) const {
      for (int i = 0; i < width; ++i) {
        sum.value[0][first_lane + i] = high[i];
        sum.value[1][first_lane + i] = low[i];
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

struct DoubleDoubleVector {
  Vector high, low;
};

// s + t where |s| >= |t|, or nearly so.
MATCHCOUNT_INLINE DoubleDoubleVector renormalized(Vector s, Vector t) {
  const Vector high = s + t;
  return {high, t - (high - s)};
}
MATCHCOUNT_INLINE DoubleDoubleVector operator-(DoubleDoubleVector a) { return {-a.high, -a.low}; }
// Error at most 2^-102 (|a| + |b|).
MATCHCOUNT_INLINE DoubleDoubleVector operator+(DoubleDoubleVector a, DoubleDoubleVector b) {
  Vector s;
  const Vector t = two_sum(a.high, b.high, s);
  return renormalized(s, t + (a.low + b.low));
}
// Error at most 2^-102 |a b|.
MATCHCOUNT_INLINE DoubleDoubleVector operator*(DoubleDoubleVector a, DoubleDoubleVector b) {
  const Vector p = a.high * b.high;
  const Vector cross = multiply_add(a.high, b.low, a.low * b.high);
  return renormalized(p, product_error(a.high, b.high, p) + cross);
}
// a b + c; error at most 2^-102 (|a b| + |c|).
MATCHCOUNT_INLINE DoubleDoubleVector multiply_plus_dd(DoubleDoubleVector a, DoubleDoubleVector b,
                                                      DoubleDoubleVector c) {
  const Vector p = a.high * b.high;
  const Vector cross = multiply_add(a.high, b.low, a.low * b.high);
  Vector s;
  const Vector t = two_sum(p, c.high, s);
  return renormalized(s, ((product_error(a.high, b.high, p) + cross) + c.low) + t);
}

struct DoubleDouble {
  static constexpr int components = 2;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;
  // High and low parts lie on two grids on which their sums are exact (see ryser.cpp); they overlap until value().
  struct Sum {
    Vector high, low;
  };
  using Value = DoubleDoubleVector;

  explicit DoubleDouble(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Vector* p) { return {p[0], p[1]}; }
  static MATCHCOUNT_INLINE void write(Vector* p, Sum s) {
    p[0] = s.high;
    p[1] = s.low;
  }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return {broadcast(p[0]), broadcast(p[1])}; }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return {a.high + b.high, a.low + b.low}; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return {a.high - b.high, a.low - b.low}; }
  MATCHCOUNT_INLINE Value value(Sum s) const {
    Vector high;
    const Vector low = two_sum(s.high, s.low, high);
    return {high, low};
  }
  static MATCHCOUNT_INLINE Value from(double d) { return {broadcast(d), Vector{}}; }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const { return a * b; }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const { return multiply_plus_dd(a, b, c); }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return a + -b; }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return a.high == 0.0; }
  static MATCHCOUNT_INLINE Vector magnitude_of(Value x, Vector floor) { return larger_magnitude(x.high, floor); }
  static MATCHCOUNT_INLINE Vector magnitude(Vector y) { return y; }

  struct Total {
    Value level[3] = {};
    std::uint64_t last = 0;
    MATCHCOUNT_INLINE void add(const DoubleDouble&, Value a, std::uint64_t block) {
      if ((block ^ last) >> 6 != 0) {
        level[1] = level[1] + level[0];
        level[0] = Value{};
        if ((block ^ last) >> 12 != 0) {
          level[2] = level[2] + level[1];
          level[1] = Value{};
        }
        last = block;
      }
      level[0] = level[0] + a;
    }
    void write(const DoubleDouble&, int first_lane, ChunkSum& sum, int component = 0) const {
      const Value total = level[2] + (level[1] + level[0]);
      for (int i = 0; i < width; ++i) {
        sum.value[component][first_lane + i] = total.high[i];
        sum.value[component + 1][first_lane + i] = total.low[i];
      }
    }
  };
};

struct Complex {
  static constexpr int components = 2;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;
  struct Value {
    Vector re, im;
  };
  using Sum = Value;

  explicit Complex(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Vector* p) { return {p[0], p[1]}; }
  static MATCHCOUNT_INLINE void write(Vector* p, Sum s) {
    p[0] = s.re;
    p[1] = s.im;
  }
  static MATCHCOUNT_INLINE Sum constant(const double* p) { return {broadcast(p[0]), broadcast(p[1])}; }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const { return {a.re + b.re, a.im + b.im}; }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const { return {a.re - b.re, a.im - b.im}; }
  MATCHCOUNT_INLINE Value value(Sum s) const { return s; }
  static MATCHCOUNT_INLINE Value from(double d) { return {broadcast(d), Vector{}}; }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const {
    return {multiply_add(a.re, b.re, -(a.im * b.im)), multiply_add(a.re, b.im, a.im * b.re)};
  }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const {
    return {multiply_add(a.re, b.re, multiply_add(-a.im, b.im, c.re)),
            multiply_add(a.re, b.im, multiply_add(a.im, b.re, c.im))};
  }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return {a.re - b.re, a.im - b.im}; }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return (a.re == 0.0) & (a.im == 0.0); }
  // Magnitudes are carried squared.
  static MATCHCOUNT_INLINE Vector magnitude_of(Value x, Vector floor) {
    return larger(multiply_add(x.re, x.re, x.im * x.im), floor * floor);
  }
  static MATCHCOUNT_INLINE Vector magnitude(Vector y) { return square_root(y); }

  struct Total {
    Real::Total re, im;
    MATCHCOUNT_INLINE void add(const Complex&, Value a, std::uint64_t block) {
      const Real real{Program{}};
      re.add(real, a.re, block);
      im.add(real, a.im, block);
    }
    void write(const Complex&, int first_lane, ChunkSum& sum) const {
      for (int i = 0; i < width; ++i) {
        sum.value[0][first_lane + i] = re.high[i];
        sum.value[1][first_lane + i] = re.low[i];
        sum.value[2][first_lane + i] = im.high[i];
        sum.value[3][first_lane + i] = im.low[i];
      }
    }
  };
};

struct ComplexDouble {
  static constexpr int components = 4;
  static constexpr bool has_magnitude = true;
  static constexpr bool factor_out = true;
  struct Sum {
    DoubleDouble::Sum re, im;
  };
  struct Value {
    DoubleDoubleVector re, im;
  };

  explicit ComplexDouble(const Program&) {}
  static MATCHCOUNT_INLINE Sum read(const Vector* p) { return {{p[0], p[1]}, {p[2], p[3]}}; }
  static MATCHCOUNT_INLINE void write(Vector* p, Sum s) {
    p[0] = s.re.high;
    p[1] = s.re.low;
    p[2] = s.im.high;
    p[3] = s.im.low;
  }
  static MATCHCOUNT_INLINE Sum constant(const double* p) {
    return {{broadcast(p[0]), broadcast(p[1])}, {broadcast(p[2]), broadcast(p[3])}};
  }
  MATCHCOUNT_INLINE Sum add(Sum a, Sum b) const {
    return {{a.re.high + b.re.high, a.re.low + b.re.low}, {a.im.high + b.im.high, a.im.low + b.im.low}};
  }
  MATCHCOUNT_INLINE Sum subtract(Sum a, Sum b) const {
    return {{a.re.high - b.re.high, a.re.low - b.re.low}, {a.im.high - b.im.high, a.im.low - b.im.low}};
  }
  MATCHCOUNT_INLINE Value value(Sum s) const {
    Value result;
    result.re.low = two_sum(s.re.high, s.re.low, result.re.high);
    result.im.low = two_sum(s.im.high, s.im.low, result.im.high);
    return result;
  }
  static MATCHCOUNT_INLINE Value from(double d) { return {{broadcast(d), Vector{}}, {Vector{}, Vector{}}}; }
  MATCHCOUNT_INLINE Value multiply(Value a, Value b) const {
    return {multiply_plus_dd(-a.im, b.im, a.re * b.re), multiply_plus_dd(a.im, b.re, a.re * b.im)};
  }
  MATCHCOUNT_INLINE Value multiply_plus(Value a, Value b, Value c) const {
    return {multiply_plus_dd(-a.im, b.im, multiply_plus_dd(a.re, b.re, c.re)),
            multiply_plus_dd(a.im, b.re, multiply_plus_dd(a.re, b.im, c.im))};
  }
  MATCHCOUNT_INLINE Value difference(Value a, Value b) const { return {a.re + -b.re, a.im + -b.im}; }
  static MATCHCOUNT_INLINE Mask is_zero(Value a) { return (a.re.high == 0.0) & (a.im.high == 0.0); }
  static MATCHCOUNT_INLINE Vector magnitude_of(Value x, Vector floor) {
    return larger(multiply_add(x.re.high, x.re.high, x.im.high * x.im.high), floor * floor);
  }
  static MATCHCOUNT_INLINE Vector magnitude(Vector y) { return square_root(y); }

  struct Total {
    DoubleDouble::Total re, im;
    MATCHCOUNT_INLINE void add(const ComplexDouble&, Value a, std::uint64_t block) {
      const DoubleDouble number{Program{}};
      re.add(number, a.re, block);
      im.add(number, a.im, block);
    }
    void write(const ComplexDouble&, int first_lane, ChunkSum& sum) const {
      const DoubleDouble number{Program{}};
      re.write(number, first_lane, sum, 0);
      im.write(number, first_lane, sum, 2);
    }
  };
};

constexpr double round_to_integer = 0x1.8p52;

struct Prime {
  Vector p, inverse;

  // Congruent to a, |.| <= p/2 + 1. Requires |a| <= 4p, so that q p is exact.
  MATCHCOUNT_INLINE Vector reduce(Vector a) const {
    const Vector q = multiply_add(a, inverse, broadcast(round_to_integer)) - round_to_integer;
#if defined(__FMA__)
    return multiply_add(-q, p, a);
#else
    return a - q * p;
#endif
  }
  MATCHCOUNT_INLINE Vector multiply(Vector a, Vector b) const {
    const Vector h = a * b;
    const Vector l = product_error(a, b, h);
    const Vector q = multiply_add(h, inverse, broadcast(round_to_integer)) - round_to_integer;
#if defined(__FMA__)
    return multiply_add(-q, p, h) + l;
#else
    const Vector qp = q * p;
    return ((h - qp) - product_error(q, p, qp)) + l;
#endif
  }
};

struct Modular {
  static constexpr int components = 1;
  static constexpr bool has_magnitude = false;
  static constexpr bool factor_out = true;
  using Sum = Vector;
  using Value = Vector;
  Prime prime;

  explicit Modular(const Program& program) : prime{broadcast(program.prime[0]), broadcast(program.inverse[0])} {}
  static MATCHCOUNT_INLINE Sum read(const Vector* p) { return *p; }
  static MATCHCOUNT_INLINE void write(Vector* p, Sum s) { *p = s; }
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
    Vector sum = {};
    MATCHCOUNT_INLINE void add(const Modular& number, Value a, std::uint64_t) { sum = number.prime.reduce(sum + a); }
    void write(const Modular&, int first_lane, ChunkSum& out) const {
      for (int i = 0; i < width; ++i) out.residue[0][first_lane + i] = sum[i];
    }
  };
};

// ---- The walk.

constexpr int population(unsigned mask) { return __builtin_popcount(mask); }

// The bits of `index` at the places set in `mask`, packed.
constexpr int compressed(unsigned index, unsigned mask) {
  int result = 0;
  for (int bit = 0, place = 0; bit < block_bits; ++bit) {
    if (mask >> bit & 1) result |= static_cast<int>(index >> bit & 1) << place++;
  }
  return result;
}
constexpr int nth_bit(unsigned mask, int n) {
  int bit = 0;
  while (true) {
    if (mask >> bit & 1) {
      if (n-- == 0) return bit;
    }
    ++bit;
  }
}

template <class Number, bool unit, int num_primes>
class Walk {
  using Sum = typename Number::Sum;
  using Value = typename Number::Value;
  static constexpr int components = Number::components;
  static constexpr bool has_magnitude = Number::has_magnitude;
  static constexpr bool exact = num_primes > 0;
  static constexpr int stored_primes = exact ? num_primes : 1;

 public:
  Walk(const Program& program, const double* start, int first_lane)
      : program_(program), number_(program), first_lane_(first_lane) {
    for (int row = 0; row < program.rows; ++row) {
      for (int c = 0; c < components; ++c) {
        row_sum_[row][c] = load(start + (row * components + c) * num_lanes + first_lane);
      }
    }
    for (int k = 0; k < num_primes; ++k) prime_[k] = {broadcast(program.prime[k]), broadcast(program.inverse[k])};
  }

  void run(ChunkSum& sum) {
    walk();
    if constexpr (exact) {
      for (int k = 0; k < num_primes; ++k) {
        for (int i = 0; i < width; ++i) sum.residue[k][first_lane_ + i] = residue_[k][i];
      }
    } else {
      total_.write(number_, first_lane_, sum);
    }
    for (int i = 0; i < width; ++i) {
      sum.magnitude[first_lane_ + i] = magnitude_[i];
      sum.skipped[first_lane_ + i] = skipped_[i];
    }
  }

 private:
  // The product of the rows above a point of the tree.
  struct State {
    Value common, f0, f1;
    Vector magnitude;
    Mask dead;
    Vector m0[stored_primes], m1[stored_primes];  // exact: the closed part
  };

  // Products over the cases of the low bits from `stage` up.
  struct Tables {
    Value common[block_size], f0[block_size], f1[block_size];
    Vector common_magnitude[block_size], pair_magnitude[block_size];
    int common_stage, pair_stage;
  };

  void walk() {
    State first;
    first.common = Number::from(1);
    first.f0 = Number::from(program_.has_special_column ? 1 : 0);
    first.f1 = Number::from(program_.has_special_column ? 0 : 1);
    first.magnitude = broadcast(1);
    first.dead = Mask{};
    multiply_node(first, 0, states_[0]);
    if (program_.skip_zeros && all_set(states_[0].dead)) {
      skip(states_[0], program_.nodes[0]);
      return;
    }
    std::uint32_t first_stale[max_bits];
    for (int bit = 0; bit < program_.walk_bits; ++bit) {
      std::uint32_t node = 1;
      while (node < program_.num_nodes && program_.nodes[node].level > static_cast<std::uint32_t>(bit)) ++node;
      first_stale[bit] = node;
    }
    const std::uint64_t num_blocks = std::uint64_t{1} << (program_.walk_bits - block_bits);
    std::uint64_t block_index = 0;
    std::uint32_t stale = 1;
    while (true) {
      std::uint32_t node = stale;
      for (; node < program_.num_nodes; ++node) {
        multiply_node(states_[node - 1], node, states_[node]);
        if (program_.skip_zeros && all_set(states_[node].dead)) break;
      }
      if (node < program_.num_nodes) {
        skip(states_[node], program_.nodes[node]);
        const int level = static_cast<int>(program_.nodes[node].level);
        block_index |= (std::uint64_t{1} << (level - block_bits)) - 1;
        if (level > block_bits) flip(level - 1);
      } else {
        multiply_block(states_[program_.num_nodes - 1], block_index);
      }
      if (++block_index == num_blocks) return;
      const int bit = __builtin_ctzll(block_index) + block_bits;
      flip(bit);
      stale = first_stale[bit];
    }
  }

  void flip(int bit) {
    const std::uint32_t end = program_.flip_begin[bit + 1];
    const std::uint64_t mask = std::uint64_t{1} << bit;
    if ((set_ & mask) == 0) {
      for (std::uint32_t i = program_.flip_begin[bit]; i < end; ++i) {
        Vector* x = row_sum_[program_.flip_slot[i]];
        Number::write(x, number_.add(Number::read(x), Number::constant(program_.flip_value + i * components)));
      }
    } else {
      for (std::uint32_t i = program_.flip_begin[bit]; i < end; ++i) {
        Vector* x = row_sum_[program_.flip_slot[i]];
        Number::write(x, number_.subtract(Number::read(x), Number::constant(program_.flip_value + i * components)));
      }
    }
    set_ ^= mask;
    negative_ = !negative_;
  }

  void skip(const State& state, const Node& node) {
    if constexpr (has_magnitude) {
      skipped_ += Number::magnitude(state.magnitude) * node.tail;
    }
  }

  MATCHCOUNT_INLINE Value special_entry(std::uint32_t slot) const {
    if constexpr (components == 1)
      return Number::from(program_.special[slot]);
    else
      return number_.value(Number::constant(program_.special + slot * components));
  }

  MATCHCOUNT_INLINE void multiply_special(Value x, std::uint32_t slot, Value& f0, Value& f1) const {
    if constexpr (unit) {
      f1 = number_.multiply_plus(f1, x, f0);
    } else {
      f1 = number_.multiply_plus(f1, x, number_.multiply(f0, special_entry(slot)));
    }
    f0 = number_.multiply(f0, x);
  }

  void multiply_node(const State& from, std::uint32_t index, State& state) {
    const Node& node = program_.nodes[index];
    state = from;
    for (std::uint32_t s = node.step_begin; s < node.step_end; ++s) {
      const Step& step = program_.steps[s];
      for (std::uint32_t slot = step.common_begin; slot < step.special_begin; ++slot) {
        const Value x = number_.value(Number::read(row_sum_[slot]));
        state.common = number_.multiply(state.common, x);
        if constexpr (has_magnitude) {
          state.magnitude *= Number::magnitude_of(x, broadcast(program_.floor[slot]));
        }
      }
      for (std::uint32_t slot = step.special_begin; slot < step.end; ++slot) {
        const Value x = number_.value(Number::read(row_sum_[slot]));
        multiply_special(x, slot, state.f0, state.f1);
        if constexpr (has_magnitude) {
          state.magnitude *= Number::magnitude_of(x, broadcast(program_.floor[slot]));
        }
      }
      state.dead |= Number::is_zero(state.common) | (Number::is_zero(state.f0) & Number::is_zero(state.f1));
      if constexpr (exact) {
        if (step.close != Close::no) close(state, step.close == Close::again);
      }
    }
  }

  void close(State& state, bool continues) {
    if constexpr (exact) {
      const Vector g0 = state.common * state.f0;
      const Vector g1 = state.common * state.f1;
      for (int k = 0; k < num_primes; ++k) {
        const Prime& prime = prime_[k];
        if (continues) {
          state.m1[k] = prime.multiply(state.m1[k], g0) + prime.multiply(state.m0[k], g1);
          state.m0[k] = prime.multiply(state.m0[k], g0);
        } else {
          state.m0[k] = g0;
          state.m1[k] = g1;
        }
      }
      state.common = broadcast(1);
      state.f0 = broadcast(1);
      state.f1 = Vector{};
    }
  }

  // ---- The block.

  template <unsigned mask>
  MATCHCOUNT_INLINE void case_sums(std::uint32_t slot, Value (&x)[1 << population(mask)]) const {
    constexpr int bits = population(mask);
    Sum sum[1 << bits];
    sum[0] = Number::read(row_sum_[slot]);
    const double* low = program_.low_value + slot * (block_bits * components);
    unroll<bits>([&](auto bit) __attribute__((always_inline)) {
      const Sum step = Number::constant(low + nth_bit(mask, bit) * components);
      unroll<(1 << bit)>([&](auto i)
                             __attribute__((always_inline)) { sum[i + (1 << bit)] = number_.add(sum[i], step); });
    });
    unroll<(1 << bits)>([&](auto i) __attribute__((always_inline)) { x[i] = number_.value(sum[i]); });
  }

  template <unsigned mask>
  void common_run(const Run& run, Tables& t) const {
    constexpr int stage = __builtin_ctz(mask), cases = 1 << population(mask), size = block_size >> stage;
    widen_common(t, stage);
    Value product[cases], x[cases];
    Vector magnitude[cases];
    std::uint32_t slot = run.begin;
    if constexpr (cases == size) {
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        product[i] = t.common[i];
        if constexpr (has_magnitude) magnitude[i] = t.common_magnitude[i];
      });
    } else {
      case_sums<mask>(slot, product);
      if constexpr (has_magnitude) {
        const Vector floor = broadcast(program_.floor[slot]);
        unroll<cases>([&](auto i)
                          __attribute__((always_inline)) { magnitude[i] = Number::magnitude_of(product[i], floor); });
      }
      ++slot;
    }
    for (; slot < run.end; ++slot) {
      case_sums<mask>(slot, x);
      const Vector floor = has_magnitude ? broadcast(program_.floor[slot]) : Vector{};
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        product[i] = number_.multiply(product[i], x[i]);
        if constexpr (has_magnitude) magnitude[i] *= Number::magnitude_of(x[i], floor);
      });
    }
    unroll<size>([&](auto i) __attribute__((always_inline)) {
      constexpr int from = compressed(static_cast<unsigned>(i) << stage, mask);
      if constexpr (cases == size) {
        t.common[i] = product[i];
        if constexpr (has_magnitude) t.common_magnitude[i] = magnitude[i];
      } else {
        t.common[i] = number_.multiply(t.common[i], product[from]);
        if constexpr (has_magnitude) t.common_magnitude[i] *= magnitude[from];
      }
    });
  }

  template <unsigned mask>
  void special_run(const Run& run, Tables& t) const {
    constexpr int stage = __builtin_ctz(mask), cases = 1 << population(mask), size = block_size >> stage;
    widen_pair(t, stage);
    Value f0[cases], f1[cases], x[cases];
    Vector magnitude[cases];
    std::uint32_t slot = run.begin;
    if constexpr (cases == size) {
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        f0[i] = t.f0[i];
        f1[i] = t.f1[i];
        if constexpr (has_magnitude) magnitude[i] = t.pair_magnitude[i];
      });
    } else {
      case_sums<mask>(slot, f0);
      const Value entry = unit ? Number::from(1) : special_entry(slot);
      const Vector floor = has_magnitude ? broadcast(program_.floor[slot]) : Vector{};
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        f1[i] = entry;
        if constexpr (has_magnitude) magnitude[i] = Number::magnitude_of(f0[i], floor);
      });
      ++slot;
    }
    for (; slot < run.end; ++slot) {
      case_sums<mask>(slot, x);
      const Vector floor = has_magnitude ? broadcast(program_.floor[slot]) : Vector{};
      unroll<cases>([&](auto i) __attribute__((always_inline)) {
        multiply_special(x[i], slot, f0[i], f1[i]);
        if constexpr (has_magnitude) magnitude[i] *= Number::magnitude_of(x[i], floor);
      });
    }
    unroll<size>([&](auto i) __attribute__((always_inline)) {
      constexpr int from = compressed(static_cast<unsigned>(i) << stage, mask);
      if constexpr (cases == size) {
        t.f0[i] = f0[i];
        t.f1[i] = f1[i];
        if constexpr (has_magnitude) t.pair_magnitude[i] = magnitude[i];
      } else {
        t.f1[i] = number_.multiply_plus(t.f1[i], f0[from], number_.multiply(t.f0[i], f1[from]));
        t.f0[i] = number_.multiply(t.f0[i], f0[from]);
        if constexpr (has_magnitude) t.pair_magnitude[i] *= magnitude[from];
      }
    });
  }

  static MATCHCOUNT_INLINE void widen_common(Tables& t, int stage) {
    if (t.common_stage == stage) return;
    const int shift = t.common_stage - stage;
    for (int i = (block_size >> stage) - 1; i > 0; --i) {
      t.common[i] = t.common[i >> shift];
      if constexpr (has_magnitude) t.common_magnitude[i] = t.common_magnitude[i >> shift];
    }
    t.common_stage = stage;
  }
  static MATCHCOUNT_INLINE void widen_pair(Tables& t, int stage) {
    if (t.pair_stage == stage) return;
    const int shift = t.pair_stage - stage;
    for (int i = (block_size >> stage) - 1; i > 0; --i) {
      t.f0[i] = t.f0[i >> shift];
      t.f1[i] = t.f1[i >> shift];
      if constexpr (has_magnitude) t.pair_magnitude[i] = t.pair_magnitude[i >> shift];
    }
    t.pair_stage = stage;
  }

  template <bool special, unsigned mask = 1>
  MATCHCOUNT_INLINE void dispatch(const Run& run, Tables& t) const {
    if constexpr (mask < block_size) {
      if (run.mask == mask) {
        if constexpr (special)
          special_run<mask>(run, t);
        else
          common_run<mask>(run, t);
      } else {
        dispatch<special, mask + 1>(run, t);
      }
    }
  }

  void multiply_segment(const Segment& segment, Tables& t) const {
    for (std::uint32_t r = segment.run_begin; r < segment.special_begin; ++r) dispatch<false>(program_.runs[r], t);
    for (std::uint32_t r = segment.special_begin; r < segment.run_end; ++r) dispatch<true>(program_.runs[r], t);
  }

  // v[0] - v[1] - v[2] + v[3] - ...: the signs of the subsets of the low bits. Overwrites v.
  MATCHCOUNT_INLINE Value signed_sum(Value (&v)[block_size]) const {
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      unroll<(block_size >> (level + 1))>([&](auto i) __attribute__((always_inline)) {
        v[i] = number_.difference(v[2 * i], v[2 * i + 1]);
      });
    });
    return v[0];
  }
  static MATCHCOUNT_INLINE Vector plain_sum(Vector (&v)[block_size]) {
    unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
      unroll<(block_size >> (level + 1))>([&](auto i)
                                              __attribute__((always_inline)) { v[i] = v[2 * i] + v[2 * i + 1]; });
    });
    return v[0];
  }

  void multiply_block(const State& state, std::uint64_t block_index) {
    Tables t;
    t.common[0] = state.common;
    t.f0[0] = state.f0;
    t.f1[0] = state.f1;
    t.common_magnitude[0] = state.magnitude;
    t.pair_magnitude[0] = broadcast(1);
    t.common_stage = t.pair_stage = block_bits;
    if constexpr (exact) {
      multiply_exact_block(state, t);
    } else {
      multiply_segment(program_.segments[0], t);
      if constexpr (has_magnitude) {
        Vector y[block_size];
        for (int i = 0; i < block_size; ++i) {
          y[i] = Number::magnitude(t.common_magnitude[i >> t.common_stage] * t.pair_magnitude[i >> t.pair_stage]);
        }
        magnitude_ += plain_sum(y);
      }
      Value v[block_size];
      if (Number::factor_out && t.common_stage == block_bits) {
        widen_pair(t, 0);
        for (int i = 0; i < block_size; ++i) v[i] = t.f1[i];
        add(number_.multiply(signed_sum(v), t.common[0]), block_index);
      } else {
        for (int i = 0; i < block_size; ++i) {
          v[i] = number_.multiply(t.f1[i >> t.pair_stage], t.common[i >> t.common_stage]);
        }
        if constexpr (Number::factor_out) {
          add(signed_sum(v), block_index);
        } else {
          for (int i = 0; i < block_size; ++i) {
            if ((__builtin_popcount(static_cast<unsigned>(i)) & 1) != 0) v[i] = -v[i];
            add(v[i], block_index);
          }
        }
      }
    }
  }

  MATCHCOUNT_INLINE void add(Value v, std::uint64_t block_index) {
    if (negative_) v = number_.difference(Number::from(0), v);
    total_.add(number_, v, block_index);
  }

  void multiply_exact_block(const State& state, Tables& t) {
    if constexpr (exact) {
      Vector m0[num_primes][block_size], m1[num_primes][block_size], r0[block_size], r1[block_size];
      bool raw = false;  // the residues are still the integers r0, r1
      bool begun = program_.closed_above;
      if (begun) {
        for (int k = 0; k < num_primes; ++k) {
          for (int i = 0; i < block_size; ++i) {
            m0[k][i] = state.m0[k];
            m1[k][i] = state.m1[k];
          }
        }
      }
      for (std::uint32_t s = 0; s < program_.num_segments; ++s) {
        if (s > 0) {
          t.common[0] = t.f0[0] = broadcast(1);
          t.f1[0] = Vector{};
          t.common_stage = t.pair_stage = block_bits;
        }
        multiply_segment(program_.segments[s], t);
        Vector g0[block_size], g1[block_size];
        for (int i = 0; i < block_size; ++i) {
          const Vector c = t.common[i >> t.common_stage];
          g0[i] = c * t.f0[i >> t.pair_stage];
          g1[i] = c * t.f1[i >> t.pair_stage];
        }
        if (!begun) {
          for (int i = 0; i < block_size; ++i) {
            r0[i] = g0[i];
            r1[i] = g1[i];
          }
          begun = raw = true;
          continue;
        }
        const bool last = s + 1 == program_.num_segments;
        for (int k = 0; k < num_primes; ++k) {
          const Prime prime = prime_[k];
          const Vector* from0 = raw ? r0 : m0[k];
          const Vector* from1 = raw ? r1 : m1[k];
          for (int i = 0; i < block_size; ++i) {
            const Vector old0 = from0[i];
            m1[k][i] = prime.multiply(from1[i], g0[i]) + prime.multiply(old0, g1[i]);
            if (!last) m0[k][i] = prime.multiply(old0, g0[i]);
          }
        }
        raw = false;
      }
      for (int k = 0; k < num_primes; ++k) {
        Vector v[block_size];
        for (int i = 0; i < block_size; ++i) v[i] = raw ? r1[i] : m1[k][i];
        unroll<block_bits>([&](auto level) __attribute__((always_inline)) {
          unroll<(block_size >> (level + 1))>([&](auto i) __attribute__((always_inline)) {
            v[i] = prime_[k].reduce(v[2 * i] - v[2 * i + 1]);
          });
        });
        residue_[k] = prime_[k].reduce(negative_ ? residue_[k] - v[0] : residue_[k] + v[0]);
      }
    }
  }

  const Program& program_;
  Number number_;
  int first_lane_;
  std::uint64_t set_ = 0;  // walked bits that are on
  bool negative_ = false;
  Vector row_sum_[max_rows][components];
  State states_[max_bits + 1];
  Prime prime_[stored_primes];
  Vector residue_[stored_primes] = {};
  typename Number::Total total_;
  Vector magnitude_ = {};
  Vector skipped_ = {};
};

template <class Number, bool unit, int num_primes = 0>
void sum_chunk(const Program& program, const double* start, ChunkSum& sum) {
  for (int lane = 0; lane < num_lanes; lane += width) {
    Walk<Number, unit, num_primes> walk(program, start, lane);
    walk.run(sum);
  }
}

}  // namespace

extern const Kernels kernels;
const Kernels kernels = {block_bits,
                         {{sum_chunk<Real, false>, sum_chunk<Real, true>},
                          {sum_chunk<Compensated, false>, sum_chunk<Compensated, true>},
                          {sum_chunk<DoubleDouble, false>, sum_chunk<DoubleDouble, true>},
                          {sum_chunk<Complex, false>, sum_chunk<Complex, true>},
                          {sum_chunk<ComplexDouble, false>, sum_chunk<ComplexDouble, true>},
                          {sum_chunk<Modular, false>, sum_chunk<Modular, true>}},
                         {{sum_chunk<Exact, false, 1>, sum_chunk<Exact, true, 1>},
                          {sum_chunk<Exact, false, 2>, sum_chunk<Exact, true, 2>},
                          {sum_chunk<Exact, false, 3>, sum_chunk<Exact, true, 3>},
                          {sum_chunk<Exact, false, 4>, sum_chunk<Exact, true, 4>}}};

}  // namespace matchcount::ryser_kernel::MATCHCOUNT_ISA
