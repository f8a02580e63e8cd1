#pragma once
// Finds the permanent of a block by way of a kernel, wherever that runs: on GPUs (core/tasks.hpp), or, in tests, compiled
// by the host's compiler.

#include <functional>

#include "permanent/ryser/kernel.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount::gpu {

// Runs all tasks of a kernel and returns their record.
using TaskRunner = std::function<Bytes(const Kernel&, GpuReport&, const TaskSums&)>;

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunContext& run,
                   const TaskRunner& runner, GpuReport& report);
RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunContext& run,
                     const TaskRunner& runner, GpuReport& report);
ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunContext& run, const TaskRunner& runner, GpuReport& report);

}  // namespace matchcount::gpu
