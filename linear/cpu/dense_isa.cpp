// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake. Everything but
// the table of kernels has internal linkage, and nothing of the standard library is called.
//
// Products. As in Goto and van de Geijn (2008, doi:10.1145/1356052.1356053): the right factor lies in strips of a few
// vectors, the left one in tiles of a few rows, and the sums of a tile times a strip stay in registers.
//
// Residues. A product of two is below p^2, and so a 64-bit sum below 2^64 takes many before it is reduced. Sums are
// kept below L = window p^2: after `window` products a sum below 2 L has L subtracted where it is not smaller, which
// is the lesser of s and s - L in wrapping arithmetic, two instructions for `window` products. With p < 2^30 that is 8
// products (16 p^2 < 2^64), else 2 (4 p^2 < 2^64). At the end Montgomery's reduction takes a sum below p 2^32 to a
// residue below 2 p; the left factor was multiplied by 2^32 when it was packed. Measured beside products of 26-bit
// residues in doubles, which need a rounding every few sums: as many products a second here, of more bits.

#include "linear/cpu/dense_kernels.hpp"

#include "core/cpu/simd.hpp"

namespace matchcount {
namespace {

using namespace simd;
using lane::multiply_add;
using lane::Pair;

constexpr int tile_rows = width == 8 ? 8 : 4, modular_vectors = width == 8 ? 3 : 2, real_vectors = 3;
static_assert(tile_rows <= static_cast<int>(most_tile_rows));
static_assert(most_strip % (modular_vectors * width) == 0);

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// ---- Residues.

// Returns sum / 2^32 modulo p, in [0, p), of sums below p 2^32.
MATCHCOUNT_INLINE Words reduce(Words sum, Words negated_inverse, Words prime) {
  const Words quotient = multiply_low_halves(sum, negated_inverse);
  const Words rest = (sum + multiply_low_halves(quotient, prime)) >> 32;
  return lesser(rest, rest - prime);
}
MATCHCOUNT_INLINE u32 reduce(u64 sum, const DenseModulus& modulus) {
  const u32 quotient = static_cast<u32>(sum) * modulus.negated_inverse;
  const u64 rest = (sum + u64{quotient} * modulus.prime) >> 32;
  return static_cast<u32>(rest < modulus.prime ? rest : rest - modulus.prime);
}
MATCHCOUNT_INLINE u32 montgomery_form(u32 value, const DenseModulus& modulus) {
  return reduce(u64{value} * modulus.to_montgomery, modulus);
}

// ---- Products of packed factors.

// Sums the tile's products a b, over rows of packed numbers in windows.
template <int window>
MATCHCOUNT_INLINE void modular_tile(const u64* a, const u64* b, std::size_t rows, const DenseModulus& modulus,
                                    u32* out) {
  constexpr int vectors = modular_vectors;
  const Words limit = broadcast_word(u64{window} * modulus.prime * modulus.prime);
  Words sum[tile_rows][vectors] = {};
  for (std::size_t row = 0; row < rows; row += window) {
#pragma GCC unroll 2
    for (int i = 0; i < window; ++i) {
      Words right[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) right[v] = load<Words>(b + v * width);
#pragma GCC unroll 8
      for (int r = 0; r < tile_rows; ++r) {
        const Words left = broadcast_word(a[r]);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sum[r][v] += multiply_low_halves(left, right[v]);
      }
      a += tile_rows;
      b += vectors * width;
    }
#pragma GCC unroll 8
    for (int r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sum[r][v] = lesser(sum[r][v], sum[r][v] - limit);
    }
  }
  const Words prime = broadcast_word(modulus.prime), negated_inverse = broadcast_word(modulus.negated_inverse);
  for (int r = 0; r < tile_rows; ++r) {
    for (int v = 0; v < vectors; ++v) {
      Words s = sum[r][v];
      // From 8 p^2 to 4 p^2 <= p 2^32; 2 p^2 <= p 2^32 as it is.
      if (window == 8) s = lesser(s, s - broadcast_word(4 * u64{modulus.prime} * modulus.prime));
      store(out + (r * vectors + v) * width,
            __builtin_convertvector(reduce(s, negated_inverse, prime), NarrowHalfWords));
    }
  }
}

template <int window>
void multiply_tiles(const DenseModulus& modulus, bool subtract, std::size_t m, std::size_t rows, const u64* packed,
                    std::size_t n, ResidueView c, const u64* tiles) {
  constexpr std::size_t strip = modular_vectors * width;
  const u32 prime = modulus.prime;
  alignas(64) u32 out[tile_rows * strip];
  for (std::size_t first = 0; first < n; first += strip, packed += rows * strip) {
    const std::size_t columns = n - first < strip ? n - first : strip;
    for (std::size_t row = 0; row < m; row += tile_rows) {
      modular_tile<window>(tiles + row * rows, packed, rows, modulus, out);
      for (std::size_t r = 0; r < tile_rows && row + r < m; ++r) {
        u32* to = c.data + (row + r) * c.stride + first;
        const u32* from = out + r * strip;
        if (!subtract) {
          for (std::size_t i = 0; i < columns; ++i) to[i] = from[i];
          continue;
        }
        for (std::size_t i = 0; i < columns; ++i) {
          const u32 difference = to[i] - from[i];
          to[i] = difference < difference + prime ? difference : difference + prime;
        }
      }
    }
  }
}

void pack_modular(ResidueView b, std::size_t k, std::size_t n, u64* packed) {
  constexpr std::size_t strip = modular_vectors * width;
  for (std::size_t first = 0; first < n; first += strip) {
    const std::size_t columns = n - first < strip ? n - first : strip;
    for (std::size_t row = 0; row < packed_rows(k); ++row, packed += strip) {
      const u32* from = b.data + row * b.stride + first;
      for (std::size_t i = 0; i < strip; ++i) packed[i] = row < k && i < columns ? from[i] : 0;
    }
  }
}

void multiply_modular(const DenseModulus& modulus, bool subtract, ResidueView a, std::size_t m, std::size_t k,
                      const u64* packed, std::size_t n, ResidueView c, u64* space) {
  const std::size_t rows = packed_rows(k);
  u64* tile = space;
  for (std::size_t row = 0; row < m; row += tile_rows, tile += rows * tile_rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t r = 0; r < tile_rows; ++r)
        tile[i * tile_rows + r] = row + r < m && i < k ? montgomery_form(a.data[(row + r) * a.stride + i], modulus) : 0;
    }
  }
  const auto run = modulus.prime >> 30 == 0 ? multiply_tiles<8> : multiply_tiles<2>;
  run(modulus, subtract, m, rows, packed, n, c, space);
}

void combine_modular(const DenseModulus& modulus, u32 scale, u32* y, u32 factor, const u32* x, std::size_t n) {
  const u32 prime = modulus.prime;
  // Products below p^2 each, together below 2 p^2 <= p 2^32.
  const u32 one = montgomery_form(scale, modulus), other = montgomery_form(factor == 0 ? 0 : prime - factor, modulus);
  const Words primes = broadcast_word(prime), inverse = broadcast_word(modulus.negated_inverse),
              ones = broadcast_word(one), others = broadcast_word(other);
  std::size_t i = 0;
  for (; i + width <= n; i += width) {
    const Words a = __builtin_convertvector(load<NarrowHalfWords>(y + i), Words);
    const Words b = __builtin_convertvector(load<NarrowHalfWords>(x + i), Words);
    const Words sum = multiply_low_halves(a, ones) + multiply_low_halves(b, others);
    store(y + i, __builtin_convertvector(reduce(sum, inverse, primes), NarrowHalfWords));
  }
  for (; i < n; ++i) y[i] = reduce(u64{one} * y[i] + u64{other} * x[i], modulus);
}

void scale_modular(const DenseModulus& modulus, u32 factor, u32* x, std::size_t n) {
  const u32 form = montgomery_form(factor, modulus);
  for (std::size_t i = 0; i < n; ++i) x[i] = reduce(u64{form} * x[i], modulus);
}

// ---- Floating point. Formulas of double-doubles as in core/numbers/lanes.hpp, a lane each.

// Numbers of which a lane each makes a number: a sum of products grows by `add`.
template <class Vector>
struct Real {
  static constexpr int planes = 1;
  Vector value;
  static MATCHCOUNT_INLINE Real from(const Vector (&part)[1]) { return {part[0]}; }
  MATCHCOUNT_INLINE void to(Vector (&part)[1]) const { part[0] = value; }
  MATCHCOUNT_INLINE void add(Real a, Real b) { value = multiply_add(a.value, b.value, value); }
  friend MATCHCOUNT_INLINE Real operator-(Real a, Real b) { return {a.value - b.value}; }
};
template <class Vector>
struct RealDoubled {
  static constexpr int planes = 2;
  Pair<Vector> value;
  static MATCHCOUNT_INLINE RealDoubled from(const Vector (&part)[2]) { return {{part[0], part[1]}}; }
  MATCHCOUNT_INLINE void to(Vector (&part)[2]) const { part[0] = value.hi, part[1] = value.lo; }
  MATCHCOUNT_INLINE void add(RealDoubled a, RealDoubled b) { value = value + a.value * b.value; }
  friend MATCHCOUNT_INLINE RealDoubled operator-(RealDoubled a, RealDoubled b) { return {a.value + -b.value}; }
};
template <class Vector>
struct Complex {
  static constexpr int planes = 2;
  Vector re, im;
  static MATCHCOUNT_INLINE Complex from(const Vector (&part)[2]) { return {part[0], part[1]}; }
  MATCHCOUNT_INLINE void to(Vector (&part)[2]) const { part[0] = re, part[1] = im; }
  MATCHCOUNT_INLINE void add(Complex a, Complex b) {
    re = multiply_add(-a.im, b.im, multiply_add(a.re, b.re, re));
    im = multiply_add(a.im, b.re, multiply_add(a.re, b.im, im));
  }
  friend MATCHCOUNT_INLINE Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
};
template <class Vector>
struct ComplexDoubled {
  static constexpr int planes = 4;
  Pair<Vector> re, im;
  static MATCHCOUNT_INLINE ComplexDoubled from(const Vector (&part)[4]) {
    return {{part[0], part[1]}, {part[2], part[3]}};
  }
  MATCHCOUNT_INLINE void to(Vector (&part)[4]) const {
    part[0] = re.hi, part[1] = re.lo, part[2] = im.hi, part[3] = im.lo;
  }
  MATCHCOUNT_INLINE void add(ComplexDoubled a, ComplexDoubled b) {
    re = re + a.re * b.re + -(a.im * b.im);
    im = im + a.re * b.im + a.im * b.re;
  }
  friend MATCHCOUNT_INLINE ComplexDoubled operator-(ComplexDoubled a, ComplexDoubled b) {
    return {a.re + -b.re, a.im + -b.im};
  }
};

template <class Number, class Vector>
MATCHCOUNT_INLINE Number load_number(const double* p, std::size_t plane) {
  Vector part[Number::planes];
  for (int i = 0; i < Number::planes; ++i) part[i] = load<Vector>(p + i * plane);
  return Number::from(part);
}
template <class Number, class Vector>
MATCHCOUNT_INLINE void store_number(double* p, std::size_t plane, Number value) {
  Vector part[Number::planes];
  value.to(part);
  for (int i = 0; i < Number::planes; ++i) store(p + i * plane, part[i]);
}

// Tiles of so many rows and vectors of numbers. A row of a packed strip has its planes one behind the other.
template <template <class> class Number, int rows_of_tile, int vectors>
struct Floats {
  using Value = Number<Reals>;
  using One = Number<OneReal>;
  static constexpr int planes = Value::planes;
  static constexpr std::size_t strip = vectors * width;
  static_assert(rows_of_tile <= static_cast<int>(most_tile_rows) && most_strip % strip == 0);

  static void pack(Planes b, std::size_t k, std::size_t n, double* packed) {
    for (std::size_t first = 0; first < n; first += strip) {
      const std::size_t columns = n - first < strip ? n - first : strip;
      for (std::size_t row = 0; row < k; ++row) {
        for (int p = 0; p < planes; ++p, packed += strip) {
          const double* from = b.data + p * b.plane + row * b.stride + first;
          for (std::size_t i = 0; i < strip; ++i) packed[i] = i < columns ? from[i] : 0;
        }
      }
      packed += (packed_rows(k) - k) * planes * strip;
    }
  }

  static MATCHCOUNT_INLINE void tile(const double* a, const double* b, std::size_t k, double* out) {
    Value sum[rows_of_tile][vectors] = {};
    for (std::size_t row = 0; row < k; ++row) {
      Value right[vectors];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) right[v] = load_number<Value, Reals>(b + v * width, strip);
#pragma GCC unroll 8
      for (int r = 0; r < rows_of_tile; ++r) {
        Reals part[planes];
        for (int p = 0; p < planes; ++p) part[p] = broadcast<Reals>(a[r * planes + p]);
        const Value left = Value::from(part);
#pragma GCC unroll 8
        for (int v = 0; v < vectors; ++v) sum[r][v].add(left, right[v]);
      }
      a += rows_of_tile * planes;
      b += strip * planes;
    }
#pragma GCC unroll 8
    for (int r = 0; r < rows_of_tile; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v)
        store_number<Value, Reals>(out + r * strip * planes + v * width, strip, sum[r][v]);
    }
  }

  static void multiply(bool subtract, Planes a, std::size_t m, std::size_t k, const double* packed, std::size_t n,
                       Planes c, double* space) {
    double* to = space;
    for (std::size_t row = 0; row < m; row += rows_of_tile) {
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t r = 0; r < rows_of_tile; ++r) {
          for (int p = 0; p < planes; ++p) *to++ = row + r < m ? a.data[p * a.plane + (row + r) * a.stride + i] : 0;
        }
      }
    }
    alignas(64) double out[rows_of_tile * strip * planes];
    for (std::size_t first = 0; first < n; first += strip, packed += packed_rows(k) * strip * planes) {
      const std::size_t columns = n - first < strip ? n - first : strip;
      for (std::size_t row = 0; row < m; row += rows_of_tile) {
        tile(space + row * k * planes, packed, k, out);
        for (std::size_t r = 0; r < rows_of_tile && row + r < m; ++r) {
          const double* from = out + r * strip * planes;
          double* place = c.data + (row + r) * c.stride + first;
          if (!subtract) {
            for (int p = 0; p < planes; ++p) {
              for (std::size_t i = 0; i < columns; ++i) place[p * c.plane + i] = from[p * strip + i];
            }
          } else if (columns == strip) {
            for (std::size_t i = 0; i < strip; i += width)
              store_number<Value, Reals>(
                  place + i, c.plane,
                  load_number<Value, Reals>(place + i, c.plane) - load_number<Value, Reals>(from + i, strip));
          } else {
            for (std::size_t i = 0; i < columns; ++i)
              store_number<One, OneReal>(
                  place + i, c.plane,
                  load_number<One, OneReal>(place + i, c.plane) - load_number<One, OneReal>(from + i, strip));
          }
        }
      }
    }
  }

  template <class Vector>
  static MATCHCOUNT_INLINE void combine_at(Planes y, Planes factor, Planes x, std::size_t i) {
    using Lanes = Number<Vector>;
    Vector part[planes];
    for (int p = 0; p < planes; ++p) part[p] = broadcast<Vector>(factor.data[p * factor.plane]);
    Lanes product{};
    product.add(Lanes::from(part), load_number<Lanes, Vector>(x.data + i, x.plane));
    store_number<Lanes, Vector>(y.data + i, y.plane, load_number<Lanes, Vector>(y.data + i, y.plane) - product);
  }
  static void combine(Planes y, Planes factor, Planes x, std::size_t n) {
    std::size_t i = 0;
    for (; i + width <= n; i += width) combine_at<Reals>(y, factor, x, i);
    for (; i < n; ++i) combine_at<OneReal>(y, factor, x, i);
  }

  static constexpr FloatKernel kernel() { return {planes, strip, pack, multiply, combine}; }
};

}  // namespace

const DenseKernels DenseKernels::MATCHCOUNT_ISA = {
    {modular_vectors * width, pack_modular, multiply_modular, combine_modular, scale_modular},
    Floats<Real, tile_rows, real_vectors>::kernel(),
    Floats<RealDoubled, 4, 1>::kernel(),
    Floats<Complex, 4, width == 8 ? 3 : 1>::kernel(),
    Floats<ComplexDoubled, 2, 1>::kernel()};

}  // namespace matchcount
