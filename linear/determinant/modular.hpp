#pragma once
// Finds determinants of integers modulo primes, and exactly by the Chinese remainder theorem. Chooses where a
// determinant is computed, and refuses one that is too large for this machine.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/numbers/integer.hpp"
#include "linear/cpu/dense_kernels.hpp"
#include "linear/determinant.hpp"

namespace matchcount::dense {

// Throws Unable where a determinant of n rows needs more bytes than the limit.
void check_memory(std::size_t n, std::uint64_t needed, std::uint64_t limit);

const DenseKernels& kernels_of(const RunOptions& run);

// Returns the GPU for so many multiplications, by elimination of such values; none for the CPU.
std::vector<DeviceInfo> choose_gpu(double work, std::size_t n, std::size_t value_bytes,
                                   const DeterminantOptions& options);

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
