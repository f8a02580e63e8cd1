#pragma once
// Multiplies matrices of residues modulo a prime below 2^25, held as doubles of least absolute value.

#include <cstddef>

namespace matchcount {

enum class Isa;

// Row r of a matrix begins at data + r * stride.
struct ResidueMatrix {
  double* data;
  std::size_t stride;
};
struct ConstResidueMatrix {
  const double* data;
  std::size_t stride;
};

struct ProductKernel {
  // c -= a b, c being rows x columns and a rows x inner. All residues are within 0.51 prime, and the results are.
  void (*subtract_product)(ResidueMatrix c, ConstResidueMatrix a, ConstResidueMatrix b, std::size_t rows,
                           std::size_t inner, std::size_t columns, double prime, double inverse_of_prime);
};

const ProductKernel& product_kernel(Isa isa);

}  // namespace matchcount
