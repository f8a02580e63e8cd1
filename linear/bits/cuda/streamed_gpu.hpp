#pragma once
// Multiplies bit matrices of the host's memory on GPUs, tile by tile.

#include <cstdint>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "linear/bits/cuda/winograd.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// c = a b of matrices that may be larger than a device's memory: a device takes columns of b and blocks of rows of a,
// brings the next block and takes the last one's result home while it multiplies. Devices take tiles as they come to an
// end. Binary products of large factors in Winograd's form, whose quarters have `least` rows and columns or more. At
// most so many bytes of each device; 0: four fifths of what is free. Throws Unable where a device has no route,
// OverLimit where it has no room for the least tile, and what run.check() throws.
void multiply_streamed(BitSum sum, ConstBitView a, ConstBitView b, BitView c, const std::vector<DeviceInfo>& devices,
                       const RunContext& run, std::uint64_t most_bytes = 0, std::size_t least = winograd_least);

}  // namespace matchcount::gpu
