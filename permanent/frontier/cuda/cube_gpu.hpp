#pragma once
// Carries out a program on sets of matched frontier vertices (cpu/cube.hpp) on a GPU.

#include <memory>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "permanent/frontier/cpu/cube.hpp"

namespace matchcount::gpu {

KernelImage cube_image();

// Returns the shape of programs for it.
CubeShape cube_shape_of_gpu(int bytes_of_slot);
// Returns how many of a device's bytes an array may take.
double cube_bytes(const DeviceInfo& device);
// Returns the seconds that one pass takes there.
double cube_seconds(const CubeProgram& program, int bytes_of_slot);
// Throws Unable where there is no memory for the array.
std::unique_ptr<CubeMachine> cube_on_gpu(const CubeProgram& program, int bytes_of_slot, const DeviceInfo& device);

}  // namespace matchcount::gpu
