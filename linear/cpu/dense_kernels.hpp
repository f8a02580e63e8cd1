#pragma once
// Multiplies dense row-major matrices, in loops for every instruction set: modulo a prime below
// 2^31 and in doubles, double-doubles and complex numbers of both.

#include <cstddef>
#include <cstdint>

#include "core/cpu/forced_inline.hpp"

namespace matchcount {

// An odd prime below 2^31 with what Montgomery's products (1985, doi:10.1090/S0025-5718-1985-0777282-X) need of it.
struct DenseModulus {
  explicit DenseModulus(
      std::uint32_t prime);  // throws InputError unless it is odd and below 2^31; not that it is prime

  std::uint32_t prime;
  std::uint32_t negated_inverse;  // -1 / prime modulo 2^32
  std::uint32_t to_montgomery;    // 2^64 modulo prime: the product with it, over 2^32, is 2^32 times a residue
};

// Entries `stride` apart from row to row.
struct ResidueView {
  std::uint32_t* data;
  std::size_t stride;

  ResidueView from(std::size_t row, std::size_t column) const { return {data + row * stride + column, stride}; }
};

// Numbers as planes of doubles `plane` apart: a real number; its high and low half; a real and an imaginary part; high
// and low half of the real part, then of the imaginary part.
struct Planes {
  double* data;
  std::size_t stride;
  std::size_t plane;

  Planes from(std::size_t row, std::size_t column) const { return {data + row * stride + column, stride, plane}; }
};

// Left and right factors are packed: right ones by pack, left ones inside of multiply. Sizes below.
struct ModularKernel {
  std::size_t strip;  // columns that lie together in a packed right factor
  void (*pack)(ResidueView b, std::size_t k, std::size_t n, std::uint64_t* packed);
  // c = c - a b where `subtract`, else a b; a is m x k and may be c. Residues are in [0, prime).
  void (*multiply)(const DenseModulus& modulus, bool subtract, ResidueView a, std::size_t m, std::size_t k,
                   const std::uint64_t* packed, std::size_t n, ResidueView c, std::uint64_t* space);
  // y = scale y - factor x, and x = factor x, over n residues.
  void (*combine)(const DenseModulus& modulus, std::uint32_t scale, std::uint32_t* y, std::uint32_t factor,
                  const std::uint32_t* x, std::size_t n);
  void (*scale)(const DenseModulus& modulus, std::uint32_t factor, std::uint32_t* x, std::size_t n);
};

// Sums have an error of at most the sum of magnitudes times (number of terms + 2) units of the number type; the order
// of summation, and with it the last digits, are those of the instruction set.
struct FloatKernel {
  std::size_t planes;
  std::size_t strip;
  void (*pack)(Planes b, std::size_t k, std::size_t n, double* packed);
  void (*multiply)(bool subtract, Planes a, std::size_t m, std::size_t k, const double* packed, std::size_t n, Planes c,
                   double* space);
  // y = y - factor x over n numbers; the factor is one number.
  void (*combine)(Planes y, Planes factor, Planes x, std::size_t n);
};

struct DenseKernels {
  ModularKernel modular;
  FloatKernel real, double_double, complex, complex_double_double;
  static const DenseKernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

constexpr std::size_t most_tile_rows = 8, most_strip = 24;
// Rows of a packed factor of k rows: residues are taken in windows of 8.
MATCHCOUNT_INLINE constexpr std::size_t packed_rows(std::size_t k) { return (k + 7) / 8 * 8; }
// Numbers (times planes) of a packed k x n right factor, and of the space for an m x k left factor.
constexpr std::size_t packed_size(std::size_t k, std::size_t n) {
  return packed_rows(k) * ((n + most_strip - 1) / most_strip * most_strip);
}
constexpr std::size_t space_size(std::size_t m, std::size_t k) { return (m + most_tile_rows) * packed_rows(k); }

}  // namespace matchcount
