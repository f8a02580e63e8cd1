// A host thread a device. It keeps two launches in flight on two streams, so that the last tasks of one run beside the
// first of the next. What they give comes by the same streams into pinned memory, so that no copy waits for the other
// stream. What is compiled, and the contexts, are there before it takes a first task.

#include "core/tasks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>

#include "core/stopwatch.hpp"

namespace matchcount::gpu {
namespace {

constexpr std::uint64_t wanted_launches = 256;
constexpr std::uint64_t fewest_tasks = 512;    // of a launch
constexpr std::uint64_t most_bytes = 1 << 20;  // that it gives
constexpr auto poll_interval = std::chrono::microseconds(40);

class Device {
 public:
  Device(const DeviceContext& context, const TaskKernel& kernel, std::span<const std::byte> image, std::uint64_t most)
      : kernel_(kernel),
        context_(context),
        module_(context_, image),
        zero_(context_, sizeof(unsigned)),
        start_(context_) {
    std::ranges::fill(zero_.bytes(), std::byte{0});
    if (!kernel.parameter.empty()) arguments_.push_back({kernel.parameter});
    const auto put = [&](std::span<const std::byte> bytes) {
      data_.emplace_back(context_, bytes.size()).upload(bytes);
      arguments_.push_back(argument(data_.back()));
    };
    std::ranges::for_each(kernel.data, put);
    std::ranges::for_each(kernel.views, put);
    info_ = module_.info(kernel.name, kernel.threads, kernel.shared_bytes);
    const int blocks = std::max(1, info_.blocks_per_multiprocessor) * context_.device().multiprocessors;
    grid_ = static_cast<unsigned>(std::min<std::uint64_t>(static_cast<std::uint64_t>(blocks), most));
    for (auto& lane : lanes_) lane.emplace(context_, most * kernel.out_bytes, grid_ * kernel.scratch_bytes);
    lanes_[0]->stream.record(start_);
    start_s_ = stopwatch_.lap();
  }

  void start(std::size_t i, const TaskSpan& tasks) {
    Lane& lane = *lanes_[i];
    const auto count = static_cast<unsigned>(size_of(tasks));
    lane.stream.upload(lane.next, 0, zero_.bytes());
    std::vector<KernelArgument> all = arguments_;
    for (const KernelArgument& more : arguments(tasks.first, count, lane.next, lane.out)) all.push_back(more);
    if (kernel_.scratch_bytes > 0) all.push_back(argument(lane.scratch));
    module_.launch(kernel_.name, {std::min(grid_, count), kernel_.threads, kernel_.shared_bytes}, lane.stream, all);
    lane.stream.record(lane.end);
    lane.results = lane.here.bytes().first(count * kernel_.out_bytes);
    lane.stream.download(lane.out, 0, lane.results);
    num_tasks_ += count;
  }
  bool finished(std::size_t lane) const { return lanes_[lane]->stream.finished(); }
  std::span<const std::byte> results(std::size_t lane) const { return lanes_[lane]->results; }

  // Adds what it took.
  void report(TaskReport& report) const {
    report.start_s = std::max(report.start_s, start_s_);
    for (const auto& lane : lanes_) {
      if (!lane->results.empty()) report.kernel_s = std::max(report.kernel_s, lane->end.seconds_since(start_));
    }
    report.tasks_of_device.push_back(num_tasks_);
    report.registers = info_.registers;
    report.local_bytes = info_.local_bytes;
    report.blocks_per_multiprocessor = info_.blocks_per_multiprocessor;
  }

 private:
  struct Lane {
    Lane(const DeviceContext& context, std::size_t out_bytes, std::size_t scratch_bytes)
        : next(context, sizeof(unsigned)),
          out(context, out_bytes),
          scratch(context, scratch_bytes),
          here(context, out_bytes),
          end(context),
          stream(context) {}
    DeviceBuffer next, out, scratch;
    PinnedBuffer here;
    std::span<std::byte> results;  // of the last launch
    DeviceEvent end;
    DeviceStream stream;  // the last, so that it has ended its work before anything else goes
  };

  Stopwatch stopwatch_;
  const TaskKernel& kernel_;
  DeviceContext context_;
  DeviceModule module_;
  PinnedBuffer zero_;
  std::vector<DeviceBuffer> data_;
  std::vector<KernelArgument> arguments_;  // the first ones, the same for every launch
  DeviceEvent start_;
  KernelInfo info_;
  unsigned grid_ = 1;
  std::array<std::optional<Lane>, 2> lanes_;
  double start_s_ = 0;
  std::uint64_t num_tasks_ = 0;
};

std::uint64_t pieces_of_launch(const TaskKernel& kernel, const TaskSums& sums) {
  const std::uint64_t most_tasks = std::max(sums.most_tasks, fewest_tasks);
  const std::uint64_t tasks = std::min(std::clamp(kernel.num_tasks / wanted_launches, fewest_tasks, most_tasks),
                                       std::max<std::uint64_t>(most_bytes / kernel.out_bytes, 1));
  return std::bit_floor(std::max<std::uint64_t>(tasks / sums.tasks_of_piece, 1));
}

}  // namespace

void run_tasks(const TaskKernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
               const TaskDeal& deal, TaskReport& report) {
  // One image for each capability; devices start side by side.
  std::map<std::pair<int, int>, CompiledKernel> compiled;
  const std::string cache = default_kernel_cache();
  for (const DeviceInfo& device : devices) {
    if (kernel.source.empty() && built_with_cuda()) kernel.image().require(device, kernel.name);
    CompiledKernel& image = compiled[{device.major, device.minor}];
    if (kernel.source.empty() || !image.image.empty()) continue;
    image = compile_kernel(kernel.source, device.major, device.minor, cache);
    report.compile_s += image.seconds;
    report.from_cache = image.from_cache;
  }
  std::atomic<bool> failed{false};
  const auto or_note_failure = [&](const auto& work) {
    try {
      return work();
    } catch (...) {
      failed = true;
      throw;
    }
  };
  const auto made = work_on_devices(
      devices.size(),
      [&](std::size_t i) {
        return or_note_failure([&] {
          const CompiledKernel& image = compiled.at({devices[i].major, devices[i].minor});
          return std::make_unique<Device>(contexts[i].get(), kernel,
                                          kernel.source.empty() ? kernel.image().code() : image.image, deal.most);
        });
      },
      [&](Device& device) {
        or_note_failure([&] {
          keep_busy(
              device, [&] { return failed ? std::nullopt : deal.take(); }, deal.give,
              [&] {
                deal.check();
                std::this_thread::sleep_for(poll_interval);
              });
        });
        return false;
      });
  for (const auto& device : made) {
    if (device) device->report(report);
  }
}

TaskDeal deal_of(const TaskKernel& kernel, const TaskSums& sums, const RunContext& run, Pieces& pieces) {
  const std::uint64_t of_piece = sums.tasks_of_piece, most = pieces_of_launch(kernel, sums);
  const auto take = [&pieces, of_piece, most]() -> std::optional<TaskSpan> {
    const auto span = pieces.take_some(most);
    return span ? std::optional(TaskSpan{span->first * of_piece, span->end * of_piece}) : std::nullopt;
  };
  const auto give = [&, of_piece](const TaskSpan& tasks, std::span<const std::byte> results) {
    const std::size_t bytes = of_piece * kernel.out_bytes;
    const std::uint64_t first = tasks.first / of_piece;
    for (TaskSpan left{first, tasks.end / of_piece}; left.first < left.end;) {
      const TaskSpan range = left.cut_range();
      pieces.give({range.first, size_of(range),
                   sums.record(results.subspan((range.first - first) * bytes, size_of(range) * bytes))});
    }
  };
  const auto check = [&] { run.report(sums.method, sums.amount * pieces.share_done(), sums.amount); };
  return {most * of_piece, take, give, check};
}

Bytes run_tasks(const TaskKernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunContext& run, TaskReport& report, const TaskSums& sums) {
  return total_of(run_job(sums.job, run, [&](Pieces& pieces) {
    run_tasks(kernel, devices, contexts, deal_of(kernel, sums, run, pieces), report);
  }));
}

}  // namespace matchcount::gpu
