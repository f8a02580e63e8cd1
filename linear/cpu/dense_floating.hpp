#pragma once
// Finds determinants of dense matrices in floating point, with a proven bound on the error.

#include <cstddef>
#include <span>
#include <vector>

#include "core/numbers/real.hpp"
#include "linear/cpu/dense_bound.hpp"
#include "linear/cpu/dense_elimination.hpp"

namespace matchcount::dense {

enum class Number { real, double_double, complex, complex_double_double };
constexpr std::size_t planes_of(Number number) {
  return number == Number::real ? 1 : number == Number::complex_double_double ? 4 : 2;
}

// n x n numbers.
struct FloatMatrix {
  FloatMatrix(std::size_t size, std::size_t planes) : n(size), entries(planes * size * size, 0.0) {}
  Planes view() { return {entries.data(), n, n * n}; }

  std::size_t n;
  std::vector<double> entries;
};

// |value - det| <= 2^log2_error.
struct FloatDeterminant {
  ScaledComplex value;
  double log2_error = 0;
};

// Finds the bound from its rows, for values of such a unit roundoff whose products are summed by panel_rows.
FloatDeterminant with_bound(const ScaledComplex& value, std::span<const BoundRow> rows, double unit, bool is_complex,
                            double entry_error);

// Computes the determinant of a matrix of such numbers, of magnitudes at most 1 and without a row or column of zeros,
// by elimination or by condensation. 0 where a pivot can't be had.
ScaledComplex float_determinant(Number number, FloatMatrix matrix, bool by_condensation, const Execution& execution);

// The same by elimination with a bound, for every matrix whose entries differ from these by at most entry_error of
// their magnitudes; infinity where the matrix is too near to a singular one. Four times the work of elimination, and
// the memory of five matrices.
FloatDeterminant bounded_determinant(Number number, FloatMatrix matrix, double entry_error, const Execution& execution);

}  // namespace matchcount::dense
