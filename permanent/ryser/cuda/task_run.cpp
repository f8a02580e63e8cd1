// A host thread a device. It keeps two launches in flight on two streams, so that the last tasks of one run beside the
// first of the next, and fetches sums only once in a while: a copy waits for both streams. What is compiled, and the
// contexts, are there before it takes a first batch.

#include "permanent/ryser/task_run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::gpu {
namespace {

constexpr std::uint64_t wanted_launches = 256;
constexpr std::uint64_t fewest_tasks = 512;    // of a launch
constexpr std::uint64_t most_bytes = 1 << 20;  // of its sums
constexpr std::size_t launches_per_fetch = 64;
constexpr auto fetch_interval = std::chrono::seconds(10);  // at the most, for the sake of checkpoints
constexpr auto poll_interval = std::chrono::microseconds(40);

struct Shared {
  const TaskSums& sums;
  const RunContext& run;
  Pieces& pieces;
  std::atomic<bool> failed{false};
  std::atomic<std::uint64_t> unfetched{0};  // pieces that are done and not given yet

  double share_done() const {
    return pieces.share_done() + static_cast<double>(unfetched) / static_cast<double>(sums.job.num_pieces);
  }
};

std::uint64_t size_of(const CompletedRanges::Span& span) { return span.end - span.first; }

class Worker {
 public:
  Worker(const DeviceContext& context, const Kernel& kernel, std::span<const std::byte> image, Shared& shared)
      : kernel_(kernel),
        shared_(shared),
        context_(context),
        module_(context_, image),
        most_pieces_(pieces_of_launch(kernel, shared.sums)),
        slot_bytes_(most_pieces_ * shared.sums.tasks_of_piece * kernel.out_bytes),
        counters_(context_, launches_per_fetch * sizeof(unsigned)),
        out_(context_, launches_per_fetch * slot_bytes_),
        start_(context_) {
    if (!kernel.parameter.empty()) arguments_.push_back({kernel.parameter});
    for (const auto& bytes : kernel.data) {
      data_.emplace_back(context_, bytes.size());
      data_.back().upload(bytes);
      arguments_.push_back(argument(data_.back()));
    }
    info_ = module_.info(kernel.name, kernel.threads, kernel.shared_bytes);
    grid_ = static_cast<unsigned>(std::max(1, info_.blocks_per_multiprocessor) * context_.device().multiprocessors);
    const std::uint64_t most_tasks_of_launch = most_pieces_ * shared.sums.tasks_of_piece;
    if (most_tasks_of_launch < grid_) grid_ = static_cast<unsigned>(most_tasks_of_launch);
    for (auto& lane : lanes_) lane.emplace(context_, grid_ * kernel.scratch_bytes);
    start_s_ = stopwatch_.lap();
  }

  const KernelInfo& info() const { return info_; }
  double start_s() const { return start_s_; }
  double kernel_s() const { return kernel_s_; }
  std::uint64_t tasks() const { return tasks_; }

  void run() {
    lanes_[0]->stream.record(start_);
    counters_.clear();
    try {
      keep_busy();
    } catch (const Unable&) {
      // Finished tasks are worth keeping.
      fetch();
      throw;
    }
    fetch();
    for (auto& lane : lanes_) {
      if (lane->used) kernel_s_ = std::max(kernel_s_, lane->end.seconds_since(start_));
    }
  }

 private:
  struct Lane {
    Lane(const DeviceContext& context, std::size_t scratch_bytes)
        : scratch(context, scratch_bytes), stream(context), end(context) {}
    DeviceBuffer scratch;
    DeviceStream stream;
    DeviceEvent end;
    bool busy = false, used = false;
  };

  void keep_busy() {
    bool more = true;
    const auto num_busy = [&] {
      return static_cast<std::size_t>(
          std::count_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->busy; }));
    };
    auto last_fetch = std::chrono::steady_clock::now();
    while (more || num_busy() > 0) {
      bool waited = true;
      for (auto& lane : lanes_) {
        if (lane->busy && lane->stream.finished()) lane->busy = false;
        if (lane->busy || !more || launched_.size() == launches_per_fetch) continue;
        const auto span = shared_.failed ? std::nullopt : shared_.pieces.take_some(most_pieces_);
        if (!span) {
          more = false;
          continue;
        }
        launch(*span, launched_.size(), *lane);
        launched_.push_back(*span);
        waited = false;
      }
      const auto now = std::chrono::steady_clock::now();
      if (launched_.size() == launches_per_fetch || now - last_fetch > fetch_interval) {
        fetch();
        last_fetch = now;
      }
      if (waited) {
        std::uint64_t done = 0;
        for (std::size_t slot = 0; slot + num_busy() < launched_.size(); ++slot) done += size_of(launched_[slot]);
        count_unfetched(done);
        const double subsets = shared_.sums.subsets;
        shared_.run.report(shared_.sums.method, subsets * std::min(shared_.share_done(), 1.0), subsets);
        std::this_thread::sleep_for(poll_interval);
      }
    }
  }

  // Sums of its tasks lie behind each other in the slot.
  void launch(const CompletedRanges::Span& span, std::size_t slot, Lane& lane) {
    const auto count = static_cast<unsigned>(size_of(span) * shared_.sums.tasks_of_piece);
    std::vector<KernelArgument> arguments = arguments_;
    for (const KernelArgument& more :
         {argument(span.first * shared_.sums.tasks_of_piece), argument(count), argument(kernel_.num_chunks),
          argument(counters_.address() + slot * sizeof(unsigned)), argument(out_.address() + slot * slot_bytes_)})
      arguments.push_back(more);
    if (kernel_.scratch_bytes > 0) arguments.push_back(argument(lane.scratch));
    module_.launch(kernel_.name, {std::min(grid_, count), kernel_.threads, kernel_.shared_bytes}, lane.stream,
                   arguments);
    tasks_ += count;
    lane.stream.record(lane.end);
    lane.busy = lane.used = true;
  }

  void count_unfetched(std::uint64_t pieces) {
    shared_.unfetched += pieces - unfetched_;
    unfetched_ = pieces;
  }

  // Waits for what is in flight.
  void fetch() {
    count_unfetched(0);
    for (std::size_t slot = 0; slot < launched_.size(); ++slot) {
      const std::uint64_t bytes_of_piece = shared_.sums.tasks_of_piece * kernel_.out_bytes;
      std::vector<std::byte> sums(size_of(launched_[slot]) * bytes_of_piece);
      out_.download(sums, slot * slot_bytes_);
      const std::uint64_t first = launched_[slot].first;
      while (size_of(launched_[slot]) > 0) {
        const CompletedRanges::Span range = launched_[slot].cut_range();
        const auto of_range =
            std::span(sums).subspan((range.first - first) * bytes_of_piece, size_of(range) * bytes_of_piece);
        shared_.pieces.give({range.first, size_of(range), shared_.sums.record(of_range)});
      }
    }
    launched_.clear();
    counters_.clear();
  }

  Stopwatch stopwatch_;
  const Kernel& kernel_;
  Shared& shared_;
  DeviceContext context_;
  DeviceModule module_;
  std::uint64_t most_pieces_ = 1, slot_bytes_ = 0;  // of a launch
  DeviceBuffer counters_, out_;
  std::vector<CompletedRanges::Span> launched_;  // and not fetched, by slot
  std::vector<DeviceBuffer> data_;
  std::vector<KernelArgument> arguments_;  // the first ones, the same for every launch
  DeviceEvent start_;
  std::array<std::optional<Lane>, 2> lanes_;
  KernelInfo info_;
  unsigned grid_ = 1;
  double start_s_ = 0, kernel_s_ = 0;
  std::uint64_t tasks_ = 0;
  std::uint64_t unfetched_ = 0;  // its share of Shared::unfetched
};

}  // namespace

std::uint64_t pieces_of_launch(const Kernel& kernel, const TaskSums& sums) {
  const std::uint64_t most_tasks = std::max(sums.most_tasks, fewest_tasks);
  const std::uint64_t tasks = std::min(std::clamp(kernel.num_tasks() / wanted_launches, fewest_tasks, most_tasks),
                                       std::max<std::uint64_t>(most_bytes / kernel.out_bytes, 1));
  return std::bit_floor(std::max<std::uint64_t>(tasks / sums.tasks_of_piece, 1));
}

Bytes run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunContext& run, GpuReport& report, const TaskSums& sums) {
  // One image for each capability; devices start side by side.
  std::map<std::pair<int, int>, CompiledKernel> compiled;
  const auto image_for = [&](const DeviceInfo& device) {
    return kernel.source.empty() ? kernel.image().code()
                                 : std::span<const std::byte>(compiled.at({device.major, device.minor}).image);
  };
  if (!kernel.source.empty()) {
    const std::string cache = default_kernel_cache();
    for (const DeviceInfo& device : devices) {
      auto& image = compiled[{device.major, device.minor}];
      if (!image.image.empty()) continue;
      image = compile_kernel(kernel.source, device.major, device.minor, cache);
      report.compile_s += image.seconds;
      report.from_cache = image.from_cache;
    }
  }
  std::vector<std::unique_ptr<Worker>> workers;
  const CompletedRanges ledger = run_job(sums.job, run, [&](Pieces& pieces) {
    Shared shared{sums, run, pieces};
    const auto or_note_failure = [&](const auto& work) {
      try {
        return work();
      } catch (...) {
        shared.failed = true;
        throw;
      }
    };
    workers = work_on_devices(
        devices.size(),
        [&](std::size_t i) {
          return or_note_failure(
              [&] { return std::make_unique<Worker>(contexts[i].get(), kernel, image_for(devices[i]), shared); });
        },
        [&](Worker& worker) {
          or_note_failure([&] { worker.run(); });
          return false;
        });
  });
  for (const auto& worker : workers) {
    if (!worker) continue;  // all was done before
    report.start_s = std::max(report.start_s, worker->start_s());
    report.kernel_s = std::max(report.kernel_s, worker->kernel_s());
    report.tasks_of_device.push_back(worker->tasks());
    report.registers = worker->info().registers;
    report.local_bytes = worker->info().local_bytes;
    report.blocks_per_multiprocessor = worker->info().blocks_per_multiprocessor;
  }
  return total_of(ledger);
}

}  // namespace matchcount::gpu
