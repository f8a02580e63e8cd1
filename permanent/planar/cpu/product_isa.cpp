// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake.
//
// A product of residues within 0.51 p < 2^24.03 is below 2^48.06, so that 16 of them and one more residue are exact in
// a double. Tiles of four rows and two vectors of results stay in registers over 16 terms, and are then reduced.

#include "permanent/planar/cpu/product_kernel.hpp"

#include "core/cpu/forced_inline.hpp"
#include "core/cpu/simd.hpp"

namespace matchcount {
namespace product_isa::MATCHCOUNT_ISA {
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

// To least absolute value. |x| < 2^52: the quotient is off by less than 1/2 + 2^-20.
template <class Value>
MATCHCOUNT_INLINE Value reduce(Value x, double prime, double inverse) {
  constexpr double round = 0x1.8p52;  // added and taken away: to the nearest integer
  const Value quotient = (x * inverse + round) - round;
  return x - quotient * prime;
}

// `rows` rows and so many vectors in each.
template <class Vector, std::size_t rows, std::size_t width>
MATCHCOUNT_INLINE void tile(double* c, std::size_t c_stride, const double* a, std::size_t a_stride, const double* b,
                            std::size_t b_stride, std::size_t inner, double prime, double inverse) {
  using Value = typename Vector::Value;
  constexpr std::size_t lanes = Vector::lanes;
  Value sum[rows][width];
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) sum[i][j] = Vector::load(c + i * c_stride + j * lanes);
  }
  for (std::size_t first = 0; first < inner; first += terms) {
    const std::size_t end = first + terms < inner ? first + terms : inner;
    for (std::size_t k = first; k < end; ++k) {
      for (std::size_t j = 0; j < width; ++j) {
        const Value factor = Vector::load(b + k * b_stride + j * lanes);
        for (std::size_t i = 0; i < rows; ++i) sum[i][j] -= a[i * a_stride + k] * factor;
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < width; ++j) sum[i][j] = reduce(sum[i][j], prime, inverse);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < width; ++j) Vector::store(c + i * c_stride + j * lanes, sum[i][j]);
  }
}

template <std::size_t height>
MATCHCOUNT_INLINE void strip(double* c, std::size_t c_stride, const double* a, std::size_t a_stride, const double* b,
                             std::size_t b_stride, std::size_t inner, std::size_t columns, double prime,
                             double inverse) {
  std::size_t j = 0;
  for (; j + 2 * Wide::lanes <= columns; j += 2 * Wide::lanes)
    tile<Wide, height, 2>(c + j, c_stride, a, a_stride, b + j, b_stride, inner, prime, inverse);
  for (; j + Wide::lanes <= columns; j += Wide::lanes)
    tile<Wide, height, 1>(c + j, c_stride, a, a_stride, b + j, b_stride, inner, prime, inverse);
  for (; j < columns; ++j)
    tile<Single, height, 1>(c + j, c_stride, a, a_stride, b + j, b_stride, inner, prime, inverse);
}

void subtract_product(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
                      std::size_t columns, double prime, double inverse) {
  std::size_t i = 0;
  for (; i + tile_rows <= rows; i += tile_rows) {
    strip<tile_rows>(c.data + i * c.stride, c.stride, a.data + i * a.stride, a.stride, b.data, b.stride, inner, columns,
                     prime, inverse);
  }
  for (; i < rows; ++i) {
    strip<1>(c.data + i * c.stride, c.stride, a.data + i * a.stride, a.stride, b.data, b.stride, inner, columns, prime,
             inverse);
  }
}

}  // namespace

extern const ProductKernel kernel;
const ProductKernel kernel = {subtract_product};

}  // namespace product_isa::MATCHCOUNT_ISA
}  // namespace matchcount
