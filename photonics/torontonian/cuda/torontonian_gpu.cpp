#include "photonics/torontonian/cuda/torontonian_gpu.hpp"

#include <algorithm>

#include "core/tasks.hpp"

namespace matchcount::gpu {
namespace {

// Tasks of a launch, some hundredths of a second.
constexpr std::uint64_t tasks_of_launch = 1 << 13;

// Takes the values' address.
TaskKernel kernel_of(const TorontonianFrame& frame, std::span<const double> values, bool is_double,
                     std::uint64_t num_tasks) {
  TaskKernel kernel;
  kernel.image = torontonian_image;
  kernel.name = is_double ? "sum_torontonian_real" : "sum_torontonian_pair";
  kernel.threads = torontonian_threads;
  kernel.shared_bytes = shared_doubles(frame, is_double ? 1 : 2) * sizeof(double);
  kernel.out_bytes = matrices_of_block(frame) * sizeof(TorontonianSum);
  kernel.num_tasks = num_tasks;
  kernel.parameter = argument(frame).bytes;
  kernel.views = {std::as_bytes(values)};
  return kernel;
}

std::vector<TorontonianSum> sums_of(std::span<const std::byte> results) {
  return unpacked<TorontonianSum>({results.begin(), results.end()});
}

}  // namespace

Bytes torontonian_on_gpus(const TorontonianFrame& frame, std::span<const double> values, bool is_double, const Job& job,
                          const std::vector<DeviceInfo>& devices, const RunContext& run,
                          const std::function<Bytes(std::span<const TorontonianSum>)>& record) {
  TaskSums sums;
  sums.job = job;
  sums.method = "torontonian";
  sums.tasks_of_piece = std::uint64_t{1} << (frame.task_bits - frame.piece_bits);
  sums.most_tasks = tasks_of_launch;
  const auto of_pieces = [&](const auto& self, std::span<const TorontonianSum> of_tasks) -> Bytes {
    if (of_tasks.size() == sums.tasks_of_piece) return record(of_tasks);
    const std::size_t half = of_tasks.size() / 2;
    return job.merge(self(self, of_tasks.first(half)), self(self, of_tasks.subspan(half)));
  };
  sums.record = [&](std::span<const std::byte> results) { return of_pieces(of_pieces, sums_of(results)); };
  TaskReport report;
  return run_tasks(kernel_of(frame, values, is_double, job.num_pieces * sums.tasks_of_piece), devices,
                   lasting_contexts(devices), run, report, sums);
}

TorontonianFrame batch_frame(int num_modes, bool has_loops) {
  const int tasks = std::max(0, num_modes - block_modes);
  return {num_modes, has_loops, 0, tasks, std::max(few_thread_bits, num_modes - tasks - thread_modes)};
}

std::vector<TorontonianSum> torontonians_on_gpu(const TorontonianFrame& frame, std::vector<double> values,
                                                bool is_double, const DeviceInfo& device, const RunContext& run) {
  const std::size_t of_block = std::size_t{matrices_of_block(frame)} * (is_double ? 1 : 2) *
                               values_of_matrix(frame.num_modes, frame.has_loops != 0);
  const std::size_t blocks = (values.size() + of_block - 1) / of_block;
  values.resize(blocks * of_block);
  const TaskKernel kernel = kernel_of(frame, values, is_double, std::uint64_t{blocks} << frame.task_bits);
  std::vector<std::byte> found(kernel.num_tasks * kernel.out_bytes);
  Dealer dealer(kernel.num_tasks);
  TaskDeal deal;
  deal.most = std::min(kernel.num_tasks, tasks_of_launch);
  deal.take = [&] { return dealer.take_some(deal.most); };
  deal.give = [&](const TaskSpan& tasks, std::span<const std::byte> results) {
    std::ranges::copy(results, found.begin() + static_cast<std::ptrdiff_t>(tasks.first * kernel.out_bytes));
  };
  deal.check = [&] {
    run.report("torontonian", static_cast<double>(dealer.num_taken()), static_cast<double>(kernel.num_tasks));
  };
  TaskReport report;
  run_tasks(kernel, {device}, lasting_contexts({device}), deal, report);
  return sums_of(found);
}

}  // namespace matchcount::gpu
