#include "photonics/torontonian/cuda/torontonian_gpu.hpp"

#include <algorithm>
#include <memory>

#include "core/contexts.hpp"
#include "core/error.hpp"

namespace matchcount::gpu {
namespace {

// Tasks of a launch, some hundredths of a second.
constexpr std::uint64_t tasks_of_launch = 1 << 14;

class Worker {
 public:
  Worker(const DeviceInfo& device, const TorontonianFrame& frame, std::span<const double> values, bool is_double,
         std::uint64_t most_tasks)
      : frame_(frame),
        kernel_(is_double ? "sum_torontonian_real" : "sum_torontonian_pair"),
        context_(lasting_context(device)),
        stream_(context_),
        module_(context_, torontonian_image().code()),
        values_(context_, values.size_bytes()),
        sums_(context_, most_tasks * matrices_of_block(frame) * sizeof(TorontonianSum)) {
    values_.upload(std::as_bytes(values));
    shared_bytes_ = shared_doubles(frame, is_double ? 1 : 2) * sizeof(double);
    const KernelInfo info = module_.info(kernel_, torontonian_threads, shared_bytes_);
    grid_ = static_cast<unsigned>(std::max(1, info.blocks_per_multiprocessor) * device.multiprocessors);
  }

  std::vector<TorontonianSum> sum(std::uint64_t first_task, std::uint64_t num_tasks) {
    const auto tasks = static_cast<unsigned>(num_tasks);
    module_.launch(kernel_, {std::min(grid_, tasks), torontonian_threads, shared_bytes_}, stream_,
                   {argument(frame_), argument(values_), argument(first_task), argument(tasks), argument(sums_)});
    stream_.synchronize();
    std::vector<TorontonianSum> found(num_tasks * matrices_of_block(frame_));
    sums_.download(std::as_writable_bytes(std::span(found)));
    return found;
  }

 private:
  TorontonianFrame frame_;
  std::string kernel_;
  DeviceContext context_;
  DeviceStream stream_;
  DeviceModule module_;
  DeviceBuffer values_, sums_;
  unsigned shared_bytes_ = 0, grid_ = 1;
};

void require_kernels(const DeviceInfo& device) {
  if (!torontonian_image().runs_on(device))
    throw Unable("this build has no kernels of torontonians for " + device.name);
}

}  // namespace

CompletedRanges torontonian_on_gpus(const TorontonianFrame& frame, std::span<const double> values, bool is_double,
                                    const Job& job, const std::vector<DeviceInfo>& devices, const RunContext& run,
                                    const std::function<Bytes(std::span<const TorontonianSum>)>& record) {
  for (const DeviceInfo& device : devices) require_kernels(device);
  const std::uint64_t of_piece = std::uint64_t{1} << (frame.task_bits - frame.piece_bits);
  const std::uint64_t most_pieces = std::max<std::uint64_t>(tasks_of_launch / of_piece, 1);
  return run_job(job, run, [&](Pieces& pieces) {
    work_on_devices(
        devices.size(),
        [&](std::size_t i) {
          return std::make_unique<Worker>(devices[i], frame, values, is_double, most_pieces * of_piece);
        },
        [&](Worker& worker) {
          const auto span = pieces.take_some(most_pieces);
          if (!span) return false;
          run.report("torontonian", pieces.share_done(), 1);
          const std::vector<TorontonianSum> sums =
              worker.sum(span->first * of_piece, (span->end - span->first) * of_piece);
          for (std::uint64_t piece = span->first; piece < span->end; ++piece)
            pieces.give(piece, record(std::span(sums).subspan((piece - span->first) * of_piece, of_piece)));
          return true;
        });
  });
}

TorontonianFrame batch_frame(int num_modes, bool has_loops) {
  const int tasks = std::max(0, num_modes - block_modes);
  return {num_modes, has_loops, 0, tasks, std::max(few_thread_bits, num_modes - tasks - thread_modes)};
}

std::vector<TorontonianSum> torontonians_on_gpu(const TorontonianFrame& frame, std::vector<double> values,
                                                bool is_double, const DeviceInfo& device, const RunContext& run) {
  require_kernels(device);
  const std::size_t of_block = std::size_t{matrices_of_block(frame)} * (is_double ? 1 : 2) *
                               values_of_matrix(frame.num_modes, frame.has_loops != 0);
  const std::size_t blocks = (values.size() + of_block - 1) / of_block;
  values.resize(blocks * of_block);
  const std::uint64_t tasks = std::uint64_t{blocks} << frame.task_bits;
  Worker worker(device, frame, values, is_double, std::min(tasks, tasks_of_launch));
  std::vector<TorontonianSum> found;
  for (std::uint64_t task = 0; task < tasks; task += tasks_of_launch) {
    run.report("torontonian", static_cast<double>(task), static_cast<double>(tasks));
    const auto sums = worker.sum(task, std::min(tasks_of_launch, tasks - task));
    found.insert(found.end(), sums.begin(), sums.end());
  }
  return found;
}

}  // namespace matchcount::gpu
