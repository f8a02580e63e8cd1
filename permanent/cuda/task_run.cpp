// A host thread a device. It keeps two batches in flight on two streams, so that the last tasks of one run beside the
// first of the next, and fetches sums only once in a while: a copy waits for both streams. What is compiled, and the
// contexts, are there before the first batch is taken.

#include "permanent/cuda/task_run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "permanent/cuda/precompiled.hpp"

namespace matchcount::gpu {
namespace {

// A function of the work alone, so that a batch is the same on any devices.
constexpr std::uint64_t wanted_batches = 256;
constexpr std::uint64_t smallest_batch = 512, largest_batch = 16384;
constexpr std::size_t batches_per_fetch = 64;
constexpr auto fetch_interval = std::chrono::seconds(10);  // at the most, for the sake of checkpoints
constexpr auto poll_interval = std::chrono::microseconds(40);

struct Shared {
  const Batches& batches;
  const TaskSums& sums;
  Watch& watch;
  Pieces& pieces;
  std::atomic<bool> failed{false};
  std::atomic<std::size_t> unfetched{0};  // batches that are done and not given yet

  double share_done() const {
    return pieces.share_done() + static_cast<double>(unfetched) / static_cast<double>(batches.job.num_pieces);
  }
};

class Worker {
 public:
  Worker(const DeviceContext& context, const Kernel& kernel, std::span<const std::byte> image, Shared& shared)
      : kernel_(kernel),
        shared_(shared),
        context_(context),
        module_(context_, image),
        counters_(context_, batches_per_fetch * sizeof(unsigned)),
        out_(context_, batches_per_fetch * shared.batches.batch_size * kernel.out_bytes),
        start_(context_) {
    if (!kernel.parameter.empty()) arguments_.push_back({kernel.parameter});
    for (const auto& bytes : kernel.data) {
      data_.emplace_back(context_, bytes.size());
      data_.back().upload(bytes);
      arguments_.push_back(argument(data_.back()));
    }
    for (auto& lane : lanes_) lane.emplace(context_);
    info_ = module_.info(kernel.name, kernel.threads, kernel.shared_bytes);
    grid_ = static_cast<unsigned>(std::max(1, info_.blocks_per_multiprocessor) * context_.device().multiprocessors);
  }

  const KernelInfo& info() const { return info_; }
  double kernel_s() const { return kernel_s_; }
  std::uint64_t tasks() const { return tasks_; }

  void run() {
    lanes_[0]->stream.record(start_);
    std::vector<std::uint64_t> batches;  // by slot
    counters_.clear();
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
        if (lane->busy || !more || batches.size() == batches_per_fetch) continue;
        const auto batch = shared_.failed ? std::nullopt : shared_.pieces.take();
        if (!batch) {
          more = false;
          continue;
        }
        launch(*batch, batches.size(), *lane);
        batches.push_back(*batch);
        waited = false;
      }
      const auto now = std::chrono::steady_clock::now();
      if (batches.size() == batches_per_fetch || now - last_fetch > fetch_interval) {
        fetch(batches);
        last_fetch = now;
      }
      if (waited) {
        count_unfetched(batches.size() - std::min(batches.size(), num_busy()));
        try {
          shared_.watch.report("gpu", shared_.share_done(), 1);
        } catch (const Unable&) {
          // What is done is worth keeping.
          fetch(batches);
          throw;
        }
        std::this_thread::sleep_for(poll_interval);
      }
    }
    fetch(batches);
    for (auto& lane : lanes_) {
      if (lane->used) kernel_s_ = std::max(kernel_s_, lane->end.seconds_since(start_));
    }
  }

 private:
  struct Lane {
    explicit Lane(const DeviceContext& context) : stream(context), end(context) {}
    DeviceStream stream;
    DeviceEvent end;
    bool busy = false, used = false;
  };

  std::uint64_t tasks_of(std::uint64_t batch) const {
    return std::min(shared_.batches.batch_size, shared_.batches.num_tasks - batch * shared_.batches.batch_size);
  }

  void launch(std::uint64_t batch, std::size_t slot, Lane& lane) {
    const std::uint64_t first = batch * shared_.batches.batch_size;
    const auto count = static_cast<unsigned>(tasks_of(batch));
    const std::uint64_t counter = counters_.address() + slot * sizeof(unsigned);
    const std::uint64_t out = out_.address() + slot * shared_.batches.batch_size * kernel_.out_bytes;
    std::vector<KernelArgument> arguments = arguments_;
    for (const KernelArgument& more :
         {argument(first), argument(count), argument(kernel_.num_chunks), argument(counter), argument(out)})
      arguments.push_back(more);
    module_.launch(kernel_.name, {std::min(grid_, count), kernel_.threads, kernel_.shared_bytes}, lane.stream,
                   arguments);
    lane.stream.record(lane.end);
    lane.busy = lane.used = true;
    tasks_ += count;
  }

  void count_unfetched(std::size_t batches) {
    shared_.unfetched += batches - unfetched_;
    unfetched_ = batches;
  }

  // Waits for what is in flight.
  void fetch(std::vector<std::uint64_t>& batches) {
    count_unfetched(0);
    for (std::size_t slot = 0; slot < batches.size(); ++slot) {
      std::vector<std::byte> sums(tasks_of(batches[slot]) * kernel_.out_bytes);
      out_.download(sums, slot * shared_.batches.batch_size * kernel_.out_bytes);
      shared_.pieces.give(batches[slot], shared_.sums.record(batches[slot] * shared_.batches.batch_size, sums));
    }
    batches.clear();
    counters_.clear();
  }

  const Kernel& kernel_;
  Shared& shared_;
  DeviceContext context_;
  DeviceModule module_;
  DeviceBuffer counters_, out_;
  std::vector<DeviceBuffer> data_;
  std::vector<KernelArgument> arguments_;  // the first ones, the same for every launch
  DeviceEvent start_;
  std::array<std::optional<Lane>, 2> lanes_;
  KernelInfo info_;
  unsigned grid_ = 1;
  double kernel_s_ = 0;
  std::uint64_t tasks_ = 0;
  std::size_t unfetched_ = 0;  // its share of Shared::unfetched
};

}  // namespace

StartingContexts start_contexts(const std::vector<DeviceInfo>& devices) {
  StartingContexts contexts;
  for (const DeviceInfo& device : devices)
    contexts.push_back(std::async(std::launch::async, [device] { return DeviceContext(device); }));
  return contexts;
}

Batches batches_of(const Kernel& kernel, const std::string& name, const TaskSums& sums) {
  Batches batches;
  batches.num_tasks = (kernel.num_chunks + kernel.threads - 1) / kernel.threads;
  batches.batch_size = std::bit_floor(std::clamp(batches.num_tasks / wanted_batches, smallest_batch, largest_batch));
  Hash hash;
  hash.add_text(kernel.source);
  hash.add_text(kernel.name);
  hash.add(kernel.threads);
  hash.add(kernel.num_chunks);
  hash.add_bytes(kernel.parameter);
  for (const auto& bytes : kernel.data) hash.add_bytes(bytes);
  batches.job.name = name;
  batches.job.description = sums.description + " on GPUs, " + (kernel.source.empty() ? "precompiled" : "generated") +
                            " kernel " + hash.hex().substr(0, 16) + ", batches of " +
                            std::to_string(batches.batch_size * kernel.threads) + " chunks";
  batches.job.num_pieces = (batches.num_tasks + batches.batch_size - 1) / batches.batch_size;
  batches.job.merge = sums.merge;
  return batches;
}

Bytes run_tasks(const Kernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunOptions& run, Watch& watch, GpuReport& report, const TaskSums& sums) {
  const Batches batches = batches_of(kernel, run.part, sums);

  // One image for each capability; devices start side by side.
  std::map<std::pair<int, int>, CompiledKernel> compiled;
  const auto image_for = [&](const DeviceInfo& device) {
    return kernel.source.empty() ? precompiled_image().code()
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
  std::vector<std::unique_ptr<Worker>> workers(devices.size());
  Work here;
  const Ledger ledger = (run.work ? run.work : &here)->run(batches.job, [&](Pieces& pieces) {
    Shared shared{batches, sums, watch, pieces, {false}};
    std::vector<std::exception_ptr> failures(devices.size());
    const auto on_all = [&](const auto& work) {
      std::vector<std::thread> threads_of_devices;
      for (std::size_t i = 0; i < devices.size(); ++i) {
        threads_of_devices.emplace_back([&, i] {
          try {
            work(i);
          } catch (...) {
            shared.failed = true;
            failures[i] = std::current_exception();
          }
        });
      }
      for (std::thread& thread : threads_of_devices) thread.join();
      for (const std::exception_ptr& failure : failures) {
        if (failure) std::rethrow_exception(failure);
      }
    };
    Stopwatch stopwatch;
    on_all([&](std::size_t i) {
      workers[i] = std::make_unique<Worker>(contexts[i].get(), kernel, image_for(devices[i]), shared);
    });
    report.start_s = stopwatch.lap();
    on_all([&](std::size_t i) { workers[i]->run(); });
  });
  for (const auto& worker : workers) {
    if (!worker) continue;  // all was done before
    report.kernel_s = std::max(report.kernel_s, worker->kernel_s());
    report.tasks_of_device.push_back(worker->tasks());
    report.registers = worker->info().registers;
    report.local_bytes = worker->info().local_bytes;
    report.blocks_per_multiprocessor = worker->info().blocks_per_multiprocessor;
  }
  return total_of(ledger);
}

}  // namespace matchcount::gpu
