#pragma once
// Finds ranks of bit matrices over GF(2) on a GPU.

#include <cstddef>

#include "core/device.hpp"
#include "core/run.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// Finds the rank. full: where it is less than the number of columns, any number less. Throws Unable where the device
// has no room (elimination_device_bytes) or no route for products, and what run.check() throws.
std::size_t binary_rank_on(const DeviceInfo& device, ConstBitView matrix, bool full, const RunContext& run);

// Returns the bytes that it takes of the device: the matrix and, for the rows of U that are transposed at once, a
// quarter of it.
double elimination_device_bytes(std::size_t num_rows, std::size_t num_columns);

}  // namespace matchcount::gpu
