#pragma once
// Spreads the tasks of a kernel over the GPUs of this host.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/contexts.hpp"
#include "core/device.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/ryser/kernel.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount::gpu {

// TaskSums says how the sums of tasks, of Kernel::out_bytes each, are joined.
struct TaskSums {
  Job job;
  std::string_view method = "staged";  // to report progress of
  double subsets = 1;                  // of the whole job
  std::uint64_t tasks_of_piece = 1;    // neighbours
  std::uint64_t most_tasks = 16384;    // of a launch, which nothing interrupts
  // The record of a range of pieces: their tasks' sums in order.
  std::function<Bytes(std::span<const std::byte> sums)> record;
};

// Runs all tasks of the kernel, whatever device does which, and returns their record. Every device takes the next
// pieces of run.work() when it has finished some, so that unequal ones stay busy. Adds to `report` what it took.
Bytes run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunContext& run, GpuReport& report, const TaskSums& sums);

// Pieces of a launch: enough to fill a device, and not so many that others wait for the last one in the end.
std::uint64_t pieces_of_launch(const Kernel& kernel, const TaskSums& sums);

}  // namespace matchcount::gpu
