// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// A product of residues within 0.51 p < 2^24.03 is below 2^48.06, so that 16 of them and one more residue are exact in
// a double. Tiles of four rows and two vectors of results stay in registers over 16 terms, and are then reduced.

#include "permanent/planar/cpu/product_kernel.hpp"

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"
#include "core/numbers/lanes.hpp"

namespace matchcount {
namespace {

constexpr std::size_t tile_rows = 4, terms = 16;

// A vector of doubles wherever it stands, and a single one.
struct Wide {
  using Value = simd::Reals;
  static constexpr std::size_t lanes = simd::width;
  static MATCHCOUNT_INLINE Value load(const double* from) { return simd::load<Value>(from); }
  static MATCHCOUNT_INLINE void store(double* to, Value value) { simd::store(to, value); }
};
struct Single {
  using Value = double;
  static constexpr std::size_t lanes = 1;
  static MATCHCOUNT_INLINE Value load(const double* from) { return *from; }
  static MATCHCOUNT_INLINE void store(double* to, Value value) { *to = value; }
};

// Reduces to least absolute value. |x| < 2^52: the quotient is off by less than 1/2 + 2^-20.
template <class Value>
MATCHCOUNT_INLINE Value reduce(Value x, double prime, double inverse) {
  constexpr double round = 0x1.8p52;  // added and taken away: to the nearest integer
  const Value quotient = (x * inverse + round) - round;
  return x - quotient * prime;
}

// Kinds of numbers: what a sum is held in, how a product joins it, and what is done every few terms.
struct Doubles {
  static constexpr std::size_t vectors = 2;
  ResidueMatrix c;
  ConstResidueMatrix a, b;

  template <class Vector>
  using Sum = typename Vector::Value;
  template <class Vector>
  MATCHCOUNT_INLINE Sum<Vector> load(std::size_t i, std::size_t j) const {
    return Vector::load(c.data + i * c.stride + j);
  }
  template <class Vector>
  MATCHCOUNT_INLINE void store(std::size_t i, std::size_t j, Sum<Vector> sum) const {
    Vector::store(c.data + i * c.stride + j, sum);
  }
  template <class Vector>
  MATCHCOUNT_INLINE Sum<Vector> right(std::size_t k, std::size_t j) const {
    return Vector::load(b.data + k * b.stride + j);
  }
};

struct Residues : Doubles {
  double prime, inverse;

  template <class Value>
  MATCHCOUNT_INLINE void step(Value& sum, std::size_t i, std::size_t k, Value factor) const {
    sum -= a.data[i * a.stride + k] * factor;
  }
  template <class Value>
  MATCHCOUNT_INLINE void settle(Value& sum) const {
    sum = reduce(sum, prime, inverse);
  }
};

struct Bounds : Doubles {
  template <class Value>
  MATCHCOUNT_INLINE void step(Value& sum, std::size_t i, std::size_t k, Value factor) const {
    sum += a.data[i * a.stride + k] * factor;
  }
  template <class Value>
  MATCHCOUNT_INLINE void settle(Value&) const {}
};

// Errors of products and sums of high parts, and what low parts add, are summed up apart (Ogita, Rump and Oishi 2005,
// doi:10.1137/030601818).
struct Doubled {
  static constexpr std::size_t vectors = 1;
  DoubledMatrix c;
  ConstDoubledMatrix a, b;

  template <class Vector>
  using Sum = lane::Pair<typename Vector::Value>;
  template <class Vector>
  MATCHCOUNT_INLINE Sum<Vector> load(std::size_t i, std::size_t j) const {
    return {Vector::load(c.high + i * c.stride + j), Vector::load(c.low + i * c.stride + j)};
  }
  template <class Vector>
  MATCHCOUNT_INLINE void store(std::size_t i, std::size_t j, Sum<Vector> sum) const {
    sum = lane::two_sum(sum.hi, sum.lo);
    Vector::store(c.high + i * c.stride + j, sum.hi);
    Vector::store(c.low + i * c.stride + j, sum.lo);
  }
  template <class Vector>
  MATCHCOUNT_INLINE Sum<Vector> right(std::size_t k, std::size_t j) const {
    return {Vector::load(b.high + k * b.stride + j), Vector::load(b.low + k * b.stride + j)};
  }
  template <class Value>
  MATCHCOUNT_INLINE void step(lane::Pair<Value>& sum, std::size_t i, std::size_t k, lane::Pair<Value> factor) const {
    const Value high = -a.high[i * a.stride + k] - Value{}, low = -a.low[i * a.stride + k] - Value{};
    const lane::Pair<Value> product = lane::two_product(high, factor.hi);
    const lane::Pair<Value> added = lane::two_sum(sum.hi, product.hi);
    sum.hi = added.hi;
    sum.lo += (added.lo + product.lo) + (high * factor.lo + low * factor.hi);
  }
  template <class Sum>
  MATCHCOUNT_INLINE void settle(Sum&) const {}
};

// Multiplies `rows` rows from row i on, and so many vectors in each from column j on.
template <class Vector, std::size_t rows, std::size_t width, class Numbers>
MATCHCOUNT_INLINE void tile(const Numbers& numbers, std::size_t row, std::size_t column, std::size_t inner) {
  constexpr std::size_t lanes = Vector::lanes;
  typename Numbers::template Sum<Vector> sum[rows][width];
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < width; ++j) sum[i][j] = numbers.template load<Vector>(row + i, column + j * lanes);
  for (std::size_t first = 0; first < inner; first += terms) {
    const std::size_t end = first + terms < inner ? first + terms : inner;
    for (std::size_t k = first; k < end; ++k) {
      for (std::size_t j = 0; j < width; ++j) {
        const auto factor = numbers.template right<Vector>(k, column + j * lanes);
        for (std::size_t i = 0; i < rows; ++i) numbers.step(sum[i][j], row + i, k, factor);
      }
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < width; ++j) numbers.settle(sum[i][j]);
  }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < width; ++j) numbers.template store<Vector>(row + i, column + j * lanes, sum[i][j]);
}

template <std::size_t height, class Numbers>
MATCHCOUNT_INLINE void strip(const Numbers& numbers, std::size_t row, std::size_t inner, std::size_t columns) {
  std::size_t j = 0;
  if constexpr (Numbers::vectors > 1)
    for (; j + Numbers::vectors * Wide::lanes <= columns; j += Numbers::vectors * Wide::lanes)
      tile<Wide, height, Numbers::vectors>(numbers, row, j, inner);
  for (; j + Wide::lanes <= columns; j += Wide::lanes) tile<Wide, height, 1>(numbers, row, j, inner);
  for (; j < columns; ++j) tile<Single, height, 1>(numbers, row, j, inner);
}

template <class Numbers>
MATCHCOUNT_INLINE void multiply(const Numbers& numbers, std::size_t rows, std::size_t inner, std::size_t columns) {
  std::size_t i = 0;
  for (; i + tile_rows <= rows; i += tile_rows) strip<tile_rows>(numbers, i, inner, columns);
  for (; i < rows; ++i) strip<1>(numbers, i, inner, columns);
}

void subtract_product(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
                      std::size_t columns, double prime, double inverse) {
  multiply(Residues{{c, a, b}, prime, inverse}, rows, inner, columns);
}
void subtract_doubled(DoubledMatrix c, ConstDoubledMatrix a, ConstDoubledMatrix b, std::size_t rows, std::size_t inner,
                      std::size_t columns) {
  multiply(Doubled{c, a, b}, rows, inner, columns);
}
void add(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
         std::size_t columns) {
  multiply(Bounds{{c, a, b}}, rows, inner, columns);
}

}  // namespace

const ProductKernel ProductKernel::MATCHCOUNT_ISA = {matchcount::subtract_product, matchcount::subtract_doubled,
                                                     matchcount::add};

}  // namespace matchcount
