#include "permanent/power_traces/cuda/pair_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/bytes.hpp"
#include "core/numbers/infinity.hpp"
#include "permanent/power_traces/costs.hpp"

namespace matchcount::gpu {
namespace {

// Tasks of all pieces that keep a device busy to the end.
constexpr std::uint64_t many_tasks = 1 << 14;
// A task of more takes some tenths of a second, and a launch of more some seconds, in which no limit is looked at.
constexpr double many_operations = 4e9, most_operations = 4e12;
constexpr int most_lane_bits = 3;

template <int components>
int held_series_of(bool has_loops) {
  constexpr int pairs = held_pairs_of(components);
  constexpr int series = make_held_plan<pairs, false>().num_series;
  constexpr int with_loops = make_held_plan<pairs, true>().num_series;
  return has_loops ? with_loops : series;
}
std::size_t held_series(int components, bool has_loops) {
  const auto of = components == 1 ? held_series_of<1> : components == 2 ? held_series_of<2> : held_series_of<4>;
  return static_cast<std::size_t>(of(has_loops));
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

PairKernel make_pair_kernel(const std::vector<pairs_kernel::Problem>& problems, const pairs_kernel::Problem* bounding,
                            bool is_complex, bool is_double, int path_bits) {
  const int num_pairs = problems.front().num_pairs, components = (is_complex ? 2 : 1) * (is_double ? 1 : 2);
  const bool has_loops = problems.front().loops != nullptr;
  PairKernel result;
  PairFrame& frame = result.frame;
  frame.num_pairs = num_pairs;
  frame.path_bits = path_bits;
  frame.num_primes = static_cast<int>(problems.size());
  const std::uint64_t num_tasks = problems.size() << path_bits;
  result.operations = 5.25 * num_pairs * num_pairs * std::exp2(num_pairs - path_bits) * (is_complex ? 4 : 1) *
                      (is_double ? 1 : operations_of_pairs);
  while (frame.lane_bits < std::min(most_lane_bits, num_pairs - path_bits - fewest_kernel_pairs) &&
         (num_tasks << frame.lane_bits < many_tasks || result.operations > many_operations)) {
    ++frame.lane_bits;
    result.operations /= 2;
  }
  // The first of num_pairs coefficients is copied.
  const auto chunks = [&](int count) { return (num_pairs - 1 + count - 1) / count; };
  const int count = components > 1 ? 4 : 7 * chunks(7) < 8 * chunks(8) ? 7 : 8;
  frame.chunks = chunks(count);
  // Odd, so that neighbouring series begin in different banks.
  frame.stride = (frame.chunks * count + (bounding ? 2 : 1)) | 1;
  const auto series_of = [&](int pairs) { return series_below(matrix_rows(pairs, has_loops)) + 1; };
  for (int pairs = held_pairs_of(components) + 1; pairs < num_pairs; ++pairs)
    frame.series_before[pairs + 1] = frame.series_before[pairs] + static_cast<unsigned>(series_of(pairs));

  const auto stride = static_cast<std::size_t>(frame.stride * components);
  std::vector<double> matrices;
  const auto put = [&](const double* value, const double* bound) {
    const std::size_t first = matrices.size();
    matrices.resize(first + stride);
    std::copy_n(value, components, matrices.data() + first);
    if (bounding) matrices[first + stride - static_cast<std::size_t>(components)] = *bound;
  };
  std::vector<PairModulus> moduli;
  constexpr double one[pairs_kernel::max_components] = {1};
  for (const pairs_kernel::Problem& problem : problems) {
    moduli.push_back({problem.prime, problem.inverse});
    const pairs_kernel::Problem& bounds = bounding ? *bounding : problem;
    for (int i = 0, e = 0; i < 2 * num_pairs; ++i) {
      if (has_loops) put(problem.loops + i * components, bounds.loops + i);
      for (int j = 0; j < i; ++j, ++e) put(problem.entries + e * components, bounds.entries + e);
    }
    put(one, one);
  }

  TaskKernel& kernel = result.kernel;
  const char* const numbers = !bounding    ? "residues"
                              : is_complex ? (is_double ? "complex" : "complex_double")
                                           : (is_double ? "real" : "double_double");
  kernel.name = std::string("sum_") + numbers + (has_loops ? "_loops_" : "_") + std::to_string(count);
  kernel.image = pair_sums_image;
  kernel.threads = pair_threads;
  kernel.shared_bytes = static_cast<unsigned>(held_series(components, has_loops) * stride * sizeof(double));
  kernel.out_bytes = static_cast<std::size_t>(components + (bounding ? 1 : 0)) * sizeof(double);
  kernel.num_tasks = num_tasks << frame.lane_bits;
  kernel.scratch_bytes = std::max<std::size_t>(1, frame.series_before[num_pairs] * stride) * sizeof(double);
  kernel.parameter.resize(sizeof frame);
  std::memcpy(kernel.parameter.data(), &frame, sizeof frame);
  kernel.data = {bytes_of(matrices), bytes_of(moduli)};
  return result;
}

Bytes sum_pairs_on_gpus(const PairKernel& kernel, const Job& job, const std::vector<DeviceInfo>& devices,
                        const RunContext& run, const std::function<Bytes(std::span<const double> of_tasks)>& record) {
  TaskSums sums;
  sums.job = job;
  sums.method = "power-traces";
  sums.tasks_of_piece = kernel.tasks_of_piece();
  sums.most_tasks = static_cast<std::uint64_t>(most_operations / kernel.operations);
  sums.record = [&](std::span<const std::byte> of_tasks) {
    return record(unpacked<double>({of_tasks.begin(), of_tasks.end()}));
  };
  TaskReport report;
  return run_tasks(kernel.kernel, devices, start_contexts(devices), run, report, sums);
}

double seconds_on_gpus(double operations, const std::vector<DeviceInfo>& devices) {
  if (!std::ranges::all_of(devices, [](const DeviceInfo& device) { return pair_sums_image().runs_on(device); }))
    return infinity;
  using power_traces_costs::gpu_start_s, power_traces_costs::gpu_efficiency;
  return gpu_start_s + operations / (gpu_efficiency * operations_per_second(devices));
}

}  // namespace matchcount::gpu
