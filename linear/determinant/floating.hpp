#pragma once
// Finds determinants of reals and complex numbers with a bound on the error.

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/numbers/pair.hpp"
#include "core/numbers/real.hpp"
#include "linear/determinant.hpp"

namespace matchcount::dense {

struct FloatingDeterminant {
  ScaledComplex value;
  double log2_error = -std::numeric_limits<double>::infinity();
  bool double_double = false;  // from double-doubles, not doubles
  std::vector<DeviceInfo> gpus = {};
  std::string note = {};
  DeterminantReport report = {};
};

// Takes row-major n x n entries that are right to entry_error of their magnitudes; T is double, DoubleDouble or
// ComplexDoubleDouble. Throws as determinant() does.
template <class T>
FloatingDeterminant floating_determinant(std::span<const T> entries, std::size_t n, double entry_error,
                                         const DeterminantOptions& options);

}  // namespace matchcount::dense
