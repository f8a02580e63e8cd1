#pragma once
// Makes shapes and entries of batches of dense matrices, for the tests of sums over roots of unity.

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "photonics/cuda/dense_gpu.hpp"

namespace matchcount::test {

inline std::vector<std::uint32_t> ones(std::size_t n) { return std::vector<std::uint32_t>(n, 1); }
inline DenseShape square(std::size_t n, bool complex) { return {false, complex, ones(n), ones(n)}; }

inline double factorial(std::size_t n) { return std::tgamma(static_cast<double>(n) + 1); }

// Returns the real parts, of complex entries with imaginary parts between them.
inline std::vector<double> components(const std::vector<std::complex<double>>& entries, bool complex) {
  std::vector<double> result;
  for (const auto& entry : entries) {
    result.push_back(entry.real());
    if (complex) result.push_back(entry.imag());
  }
  return result;
}

// Divides `total` things into so many parts, each at least 1.
inline std::vector<std::uint32_t> random_times(std::size_t parts, std::size_t total, Random& random) {
  std::vector<std::uint32_t> times = ones(parts);
  for (std::size_t left = total - parts; left > 0; --left) ++times[random.below(parts)];
  return times;
}

}  // namespace matchcount::test
