#include "permanent/power_traces/cuda/pair_gpu.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "core/bytes.hpp"
#include "core/contexts.hpp"
#include "core/numbers/infinity.hpp"
#include "permanent/ryser/cuda/task_run.hpp"

namespace matchcount::gpu {
namespace {

// The share of a device's multiplications that kernels reach (H200; bench/results/power-traces.json).
constexpr double efficiency = 0.26, start_s = 0.2;
// Tasks of all pieces that keep a device busy to the end.
constexpr std::uint64_t many_tasks = 1 << 14;
constexpr int most_lane_bits = 3;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Bytes PairKernel::record(std::span<const std::byte> of_tasks) const {
  std::vector<std::uint64_t> residues(primes.size());
  const std::size_t lanes = std::size_t{1} << frame.lane_bits;
  for (std::size_t task = 0; task < of_tasks.size() / sizeof(std::uint32_t); ++task) {
    std::uint32_t residue = 0;
    std::memcpy(&residue, of_tasks.data() + task * sizeof residue, sizeof residue);
    std::uint64_t& sum = residues[task / lanes % primes.size()];
    sum = (sum + residue) % primes[task / lanes % primes.size()];
  }
  return packed(residues);
}

PairKernel make_pair_kernel(int num_pairs, int path_bits, const std::vector<std::vector<double>>& entries,
                            const std::vector<std::uint64_t>& primes) {
  PairKernel result;
  result.primes = primes;
  PairFrame& frame = result.frame;
  frame.num_pairs = num_pairs;
  frame.path_bits = path_bits;
  frame.num_primes = static_cast<int>(primes.size());
  const std::uint64_t num_tasks = primes.size() << path_bits;
  while (frame.lane_bits < std::min(most_lane_bits, num_pairs - path_bits - fewest_kernel_pairs) &&
         num_tasks << frame.lane_bits < many_tasks)
    ++frame.lane_bits;
  // The first of num_pairs coefficients is copied.
  const auto chunks = [&](int count) { return (num_pairs - 1 + count - 1) / count; };
  const int count = 7 * chunks(7) < 8 * chunks(8) ? 7 : 8;
  frame.chunks = chunks(count);
  // Odd, so that neighbouring series begin in different banks.
  frame.stride = (frame.chunks * count + 1) | 1;
  for (int pairs = fewest_kernel_pairs; pairs < num_pairs; ++pairs)
    frame.series_before[pairs + 1] = frame.series_before[pairs] + static_cast<unsigned>(pairs * (2 * pairs - 1)) + 1;

  const auto stride = static_cast<std::size_t>(frame.stride);
  std::vector<double> matrices;
  std::vector<PairModulus> moduli;
  for (std::size_t k = 0; k < primes.size(); ++k) {
    const auto prime = static_cast<double>(primes[k]);
    moduli.push_back({prime, 1 / prime});
    const std::size_t first = matrices.size();
    matrices.resize(first + (entries[k].size() + 1) * stride);
    for (std::size_t e = 0; e < entries[k].size(); ++e) matrices[first + e * stride] = entries[k][e];
    matrices[first + entries[k].size() * stride] = 1;
  }

  Kernel& kernel = result.kernel;
  kernel.name = "sum_pairs_" + std::to_string(count);
  kernel.image = pair_sums_image;
  kernel.threads = pair_threads;
  kernel.shared_bytes = static_cast<unsigned>(held_series * stride * sizeof(double));
  kernel.out_bytes = sizeof(std::uint32_t);
  kernel.num_chunks = (num_tasks << frame.lane_bits) * kernel.threads;
  kernel.scratch_bytes = std::max<std::size_t>(1, frame.series_before[num_pairs] * stride) * sizeof(double);
  kernel.parameter.resize(sizeof frame);
  std::memcpy(kernel.parameter.data(), &frame, sizeof frame);
  kernel.data = {bytes_of(matrices), bytes_of(moduli)};
  return result;
}

Bytes sum_pairs_on_gpus(const PairKernel& kernel, const Job& job, const std::vector<DeviceInfo>& devices,
                        const RunContext& run) {
  TaskSums sums;
  sums.job = job;
  sums.method = "power-traces";
  sums.tasks_of_piece = kernel.tasks_of_piece();
  sums.record = [&](std::span<const std::byte> of_tasks) { return kernel.record(of_tasks); };
  GpuReport report;
  return run_tasks(kernel.kernel, devices, start_contexts(devices), run, report, sums);
}

double seconds_on_gpus(double multiplications, const std::vector<DeviceInfo>& devices) {
  if (!std::ranges::all_of(devices, [](const DeviceInfo& device) { return pair_sums_image().runs_on(device); }))
    return infinity;
  return start_s + multiplications / (efficiency * operations_per_second(devices));
}

}  // namespace matchcount::gpu
