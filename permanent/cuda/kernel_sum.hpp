#pragma once
// From a block to its permanent by way of a kernel, wherever that runs: on GPUs (task_run.hpp), or, in tests, compiled
// by the host's compiler.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "permanent/cuda/kernel.hpp"
#include "permanent/cuda/kernel_numbers.hpp"
#include "permanent/ryser_gpu.hpp"

namespace matchcount::gpu {

// Takes sums of tasks, of Kernel::out_bytes each, in the order of the tasks.
using Combine = std::function<void(std::span<const std::byte>)>;
// Sums all chunks of a kernel.
using TaskRunner = std::function<void(const Kernel&, GpuReport&, const Combine&)>;
// Whether to take a precompiled kernel, which would need so many additions and multiplications.
using Precompiled = std::function<bool(double operations, const Numbers&)>;

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunOptions& run,
                   const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report);
RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunOptions& run,
                     const Precompiled& precompiled, const TaskRunner& runner, GpuReport& report);
ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunOptions& run, const Precompiled& precompiled, const TaskRunner& runner,
                        GpuReport& report);

}  // namespace matchcount::gpu
