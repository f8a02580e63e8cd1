#pragma once
// Sums over subsets of pairs on GPUs: the pieces of permanent/power_traces/pair_sum.cpp.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/tasks.hpp"
#include "permanent/power_traces/cpu/pairs_kernel.hpp"
#include "permanent/power_traces/cuda/held_plan.hpp"

namespace matchcount::gpu {

KernelImage pair_sums_image();

// A device takes so many instructions for a product of double-doubles that is added to one (core/numbers/lanes.hpp).
constexpr double operations_of_pairs = 16;

struct PairKernel {
  TaskKernel kernel;
  PairFrame frame{};
  double operations = 0;  // of a task, on doubles
  std::uint64_t tasks_of_piece() const { return static_cast<std::uint64_t>(frame.num_primes) << frame.lane_bits; }
};

// Plans for pieces that say of 2^path_bits pairs whether they are in a subset. `problems`: one for each prime, or one
// of rounded numbers of so many components, which `bounding` bounds; else it is null. A task gives a residue, or
// components and the bound on magnitudes. Requires fewest_kernel_pairs to most_kernel_pairs, of which path_bits leave
// fewest_kernel_pairs to most_task_pairs.
PairKernel make_pair_kernel(const std::vector<pairs_kernel::Problem>& problems, const pairs_kernel::Problem* bounding,
                            bool is_complex, bool is_double, int path_bits);

// Takes the record of neighbouring pieces from what their tasks give. Throws as run_tasks does.
Bytes sum_pairs_on_gpus(const PairKernel& kernel, const Job& job, const std::vector<DeviceInfo>& devices,
                        const RunContext& run, const std::function<Bytes(std::span<const double> of_tasks)>& record);

// Predicts seconds, of so many operations on doubles; infinity where the build has no kernels for one of the devices.
double seconds_on_gpus(double operations, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount::gpu
