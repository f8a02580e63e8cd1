#pragma once
// Runs inclusion-exclusion on GPUs: the formula of permanent/ryser/ryser.hpp, in kernels that are written for the
// matrix (permanent/ryser/cuda/kernel_source.hpp), compiled when it is counted, by NVRTC, and kept in the user's cache
// folder.
//
// Exact integers are summed modulo a power of two above 2^bits times a proven bound, in one pass; a sum that 2^bits
// does not divide is an error, not an answer. Reals and complex numbers carry a proven error bound. The value does not
// depend on the devices, nor on how many there are.

#include <vector>

#include "core/tasks.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount {

// GpuReport tells what a run did, for benchmarks and curious people; compile_s has the making of the source as well.
struct GpuReport : gpu::TaskReport {
  int inner_bits = 0;              // of the unrolled block
  double operations_per_leaf = 0;  // predicted: multiplications and additions of the arithmetic
  double log2_leaves = 0;
  double plan_s = 0;  // order and block
};

// Computes as permanent_ryser without devices (which is called for blocks too small for a GPU). Throws Unable where
// NVRTC can't be had, NotCompiled in a build without CUDA, DeviceError when a device fails, and as run.check() does.
Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const std::vector<DeviceInfo>& devices,
                        const RunContext& run, GpuReport* report = nullptr);
RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const std::vector<DeviceInfo>& devices, const RunContext& run, GpuReport* report = nullptr);
ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const std::vector<DeviceInfo>& devices, const RunContext& run,
                             GpuReport* report = nullptr);

struct GpuCost {
  double operations_per_leaf = 0;  // the arithmetic's multiplications
  double log2_leaves = 0;
  double seconds = 0;  // starting the driver and compiling included
};

// Predicts the cost of permanent_ryser on these devices (not empty), from an order that a search may still improve:
// usually too high by up to a third. `log2_bound` is that of integers. Any size that plan_ryser takes; a block too
// small for a GPU costs its start. Cost: milliseconds.
GpuCost gpu_cost(const BipartiteGraph& pattern, const RyserPlan& plan, WeightKind kind, Precision precision,
                 double log2_bound, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount
