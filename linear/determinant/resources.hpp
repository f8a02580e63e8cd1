#pragma once
// Chooses where a determinant is computed, and refuses one that is too large for this machine.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "linear/cpu/dense_kernels.hpp"
#include "linear/determinant.hpp"

namespace matchcount::dense {

// Throws Unable where a determinant of n rows needs more bytes than the limit.
void check_memory(std::size_t n, std::uint64_t needed, std::uint64_t limit);

const DenseKernels& kernels_of(const RunOptions& run);

// Returns the GPU for so many multiplications, by elimination of such values; none for the CPU.
std::vector<DeviceInfo> choose_gpu(double work, std::size_t n, std::size_t value_bytes,
                                   const DeterminantOptions& options);

}  // namespace matchcount::dense
