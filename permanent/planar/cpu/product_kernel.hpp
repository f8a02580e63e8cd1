#pragma once
// Multiplies matrices: of residues modulo a prime below 2^25, held as doubles of least absolute value; of
// double-doubles; and of doubles, which are bounds.

#include <cstddef>

namespace matchcount {

// Row r of a matrix begins at data + r * stride.
struct ResidueMatrix {
  double* data;
  std::size_t stride;
};
struct ConstResidueMatrix {
  const double* data;
  std::size_t stride;
};

// The same of double-doubles, high and low parts each in a plane of their own.
struct DoubledMatrix {
  double *high, *low;
  std::size_t stride;
};
struct ConstDoubledMatrix {
  const double *high, *low;
  std::size_t stride;
};

struct ProductKernel {
  // c -= a b, c being rows x columns and a rows x inner. All residues are within 0.51 prime, and the results are.
  void (*subtract_product)(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows,
                           std::size_t inner, std::size_t columns, double prime, double inverse_of_prime);
  // c -= a b. An entry errs by at most doubled_product_error(inner) times the sum of |c| and of all |a| |b|.
  void (*subtract_doubled)(DoubledMatrix c, ConstDoubledMatrix a, ConstDoubledMatrix b, std::size_t rows,
                           std::size_t inner, std::size_t columns);
  // c += a b of doubles that are not negative: less than the truth by at most 2^-52 (inner + 1) of it.
  void (*add)(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows, std::size_t inner,
              std::size_t columns);
  static const ProductKernel baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

// Each low part is less than (inner + 3) 2^-53 times the sum of magnitudes, and is made by as many roundings.
constexpr double doubled_product_error(std::size_t inner) {
  const double terms = static_cast<double>(inner) + 5;
  return terms * terms * 0x1p-106;
}

}  // namespace matchcount
