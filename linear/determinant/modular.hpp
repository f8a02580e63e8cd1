#pragma once
// Finds determinants of integers modulo primes, and exactly by the Chinese remainder theorem.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/numbers/integer.hpp"
#include "linear/determinant.hpp"

namespace matchcount::dense {

// Holds the determinant of row-major n x n entries of either kind; the functions throw as determinant() does.
struct ExactDeterminant {
  Integer value;
  std::size_t num_primes = 0;  // that it was found by
  std::vector<DeviceInfo> gpus;
};
ExactDeterminant exact_determinant(std::span<const std::int64_t> entries, std::size_t n,
                                   const DeterminantOptions& options);
ExactDeterminant exact_determinant(std::span<const Integer> entries, std::size_t n, const DeterminantOptions& options);

// Computes the determinant modulo odd primes below 2^31.
std::vector<std::uint64_t> residues_of_determinant(std::span<const std::int64_t> entries, std::size_t n,
                                                   std::span<const std::uint64_t> primes,
                                                   const DeterminantOptions& options,
                                                   DeterminantReport* report = nullptr);

}  // namespace matchcount::dense
