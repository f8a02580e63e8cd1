#pragma once
// Tasks of a kernel over the GPUs of this host.

#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "permanent/cuda/kernel_sum.hpp"

namespace matchcount::gpu {

// Contexts being made, each on a thread of its own: it takes a fifth of a second, in which a kernel can be planned and
// compiled.
using StartingContexts = std::vector<std::shared_future<DeviceContext>>;
StartingContexts start_contexts(const std::vector<DeviceInfo>& devices);

// Runs all tasks of the kernel and hands their sums, of kernel.out_bytes each, to `combine`, in the order of the tasks,
// whatever device did them. Every device takes the next batch of tasks when it has finished one, so that unequal ones
// stay busy. Adds to `report` what it took.
void run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
               Watch& watch, GpuReport& report, const Combine& combine);

}  // namespace matchcount::gpu
