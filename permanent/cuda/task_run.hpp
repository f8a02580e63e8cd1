#pragma once
// Tasks of a kernel over the GPUs of this host.

#include <cstddef>
#include <cstdint>
#include <future>
#include <vector>

#include "core/device.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/cuda/kernel_sum.hpp"

namespace matchcount::gpu {

// Contexts being made, each on a thread of its own: it takes a fifth of a second, in which a kernel can be planned and
// compiled.
using StartingContexts = std::vector<std::shared_future<DeviceContext>>;
StartingContexts start_contexts(const std::vector<DeviceInfo>& devices);

// Runs all tasks of the kernel, whatever device does which, and returns their record. Batches of tasks are the pieces
// of run.work: every device takes the next when it has finished one, so that unequal ones stay busy. Adds to `report`
// what it took.
Bytes run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunOptions& run, Watch& watch, GpuReport& report, const TaskSums& sums);

// The job of a kernel's batches, and the tasks of a batch, a power of two; functions of the kernel alone.
struct Batches {
  Job job;
  std::uint64_t num_tasks = 0;
  std::uint64_t batch_size = 1;
};
Batches batches_of(const Kernel& kernel, const std::string& name, const TaskSums& sums);

}  // namespace matchcount::gpu
