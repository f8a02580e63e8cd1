#pragma once
// Sums over subsets of pairs on GPUs, modulo primes: the pieces and the records of permanent/power_traces/pair_sum.cpp.

#include <cstdint>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "core/work.hpp"
#include "permanent/power_traces/cuda/pair_frame.hpp"
#include "permanent/ryser/cuda/kernel.hpp"

namespace matchcount::gpu {

KernelImage pair_sums_image();

constexpr int fewest_kernel_pairs = held_pairs + 1;

struct PairKernel {
  Kernel kernel;
  PairFrame frame{};
  std::vector<std::uint64_t> primes;
  std::uint64_t tasks_of_piece() const { return primes.size() << frame.lane_bits; }
  // Returns the record of neighbouring pieces, the residues by prime, from those of their tasks.
  Bytes record(std::span<const std::byte> of_tasks) const;
};

// Plans for pieces that say of 2^path_bits pairs whether they are in a subset; `entries` by prime, balanced, of the
// matrix below its diagonal. Requires fewest_kernel_pairs to most_kernel_pairs that are more than path_bits by as many.
PairKernel make_pair_kernel(int num_pairs, int path_bits, const std::vector<std::vector<double>>& entries,
                            const std::vector<std::uint64_t>& primes);

// Throws as run_tasks does.
Bytes sum_pairs_on_gpus(const PairKernel& kernel, const Job& job, const std::vector<DeviceInfo>& devices,
                        const RunContext& run);

// Predicts seconds, of so many multiplications of all primes together; infinity where the build has no kernels for one
// of the devices.
double seconds_on_gpus(double multiplications, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount::gpu
