#pragma once
// Finds the permanent of a block by way of a kernel, wherever that runs: on GPUs (task_run.hpp), or, in tests, compiled
// by the host's compiler.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/work.hpp"
#include "permanent/ryser/cuda/kernel.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount::gpu {

// TaskSums says how the sums of tasks, of Kernel::out_bytes each, are joined.
struct TaskSums {
  Job job;
  std::string_view method = "staged";  // to report progress of
  double subsets = 1;                  // of the whole job
  std::uint64_t tasks_of_piece = 1;    // neighbours, in each pass
  std::uint64_t most_tasks = 16384;    // of a launch, which nothing interrupts
  // The record of a range of pieces: their tasks' sums in order, one pass behind the other.
  std::function<Bytes(std::span<const std::byte> sums)> record;
};
// Runs all tasks of a kernel and returns their record.
using TaskRunner = std::function<Bytes(const Kernel&, GpuReport&, const TaskSums&)>;
// Precompiled decides whether to take a precompiled kernel, which would need so many additions and multiplications.
using Precompiled = std::function<bool(double operations, const Numbers&)>;

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunContext& run,
                   const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report);
RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunContext& run,
                     const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report);
ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunContext& run, const Precompiled& precompiled, const TaskRunner& runner,
                        GpuReport& report);

}  // namespace matchcount::gpu
