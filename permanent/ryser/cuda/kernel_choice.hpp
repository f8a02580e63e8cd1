#pragma once
// Chooses which kernels a sum takes, and says how long they would need.

#include <vector>

#include "core/device.hpp"
#include "permanent/ryser/cuda/kernel_numbers.hpp"

namespace matchcount::gpu {

// Seconds to search an order and to compile the kernel that is written for a matrix.
double compile_seconds(const Numbers& numbers);

// Predicts the time of precompiled kernels for so many operations (plan_precompiled); infinity where the build has none
// for one of the devices.
double precompiled_seconds(double operations, const std::vector<DeviceInfo>& devices);

// Says whether precompiled kernels are done before others would be compiled, or others cannot be.
bool precompiled_pays(double operations, const Numbers& numbers, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount::gpu
