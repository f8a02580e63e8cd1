#pragma once
// From a block to its permanent by way of a kernel, wherever that runs: on GPUs (task_run.hpp), or, in tests, compiled
// by the host's compiler.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "permanent/cuda/kernel_source.hpp"
#include "permanent/ryser_gpu.hpp"

namespace matchcount::gpu {

// Takes sums of tasks, of KernelSource::out_bytes each, in the order of the tasks.
using Combine = std::function<void(std::span<const std::byte>)>;
// Sums all chunks of a kernel.
using TaskRunner = std::function<void(const KernelSource&, std::uint64_t num_chunks, GpuReport&, const Combine&)>;

Integer kernel_sum(const Block<std::int64_t>& block, const RyserPlan& plan, const RunOptions& run,
                   const TaskRunner& runner, GpuReport& report);
RealValue kernel_sum(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision, const RunOptions& run,
                     const TaskRunner& runner, GpuReport& report);
ComplexValue kernel_sum(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                        const RunOptions& run, const TaskRunner& runner, GpuReport& report);

}  // namespace matchcount::gpu
