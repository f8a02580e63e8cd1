#pragma once
// Spreads the tasks of a kernel over the GPUs of this host.

#include <cstdint>
#include <vector>

#include "core/contexts.hpp"
#include "core/device.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/ryser/cuda/kernel_sum.hpp"

namespace matchcount::gpu {

// Runs all tasks of the kernel, whatever device does which, and returns their record. Every device takes the next
// pieces of run.work() when it has finished some, so that unequal ones stay busy. Adds to `report` what it took.
Bytes run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunContext& run, GpuReport& report, const TaskSums& sums);

// Pieces of a launch: enough to fill a device, and not so many that others wait for the last one in the end.
std::uint64_t pieces_of_launch(const Kernel& kernel, const TaskSums& sums);

}  // namespace matchcount::gpu
