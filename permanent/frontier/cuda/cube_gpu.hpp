#pragma once
// Carries out a program on sets of matched frontier vertices (cpu/cube.hpp) on a GPU, or on several that reach each
// other, the members that slots which lead are for.

#include <memory>
#include <span>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/cube.hpp"

namespace matchcount::gpu {

KernelImage cube_image();

// Returns the shape of programs for 2^log2_members of them.
CubeShape cube_shape_of_gpu(int bytes_of_slot, std::uint32_t log2_members = 0);
// Returns how many of a device's bytes an array may take.
double cube_bytes(const DeviceInfo& device);
// Returns the seconds that one pass takes there.
double cube_seconds(const CubeProgram& program, int bytes_of_slot);
// Throws Unable where there is no memory for the array.
std::unique_ptr<CubeMachine> cube_on_gpus(const CubeProgram& program, int bytes_of_slot,
                                          std::span<const DeviceInfo> members);

}  // namespace matchcount::gpu
