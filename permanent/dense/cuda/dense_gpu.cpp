// A host thread a device, which takes pieces of the batch: blocks of threads for one matrix after the other. It has two
// pieces in flight, so that entries of one are copied while the other is summed. Sums of parts are kept apart and added
// up here, in their order, so that the bits of an answer do not depend on devices.

#include "permanent/dense/dense_gpu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/amounts.hpp"
#include "core/contexts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "permanent/dense/cuda/root_sum_plan.hpp"

namespace matchcount {
namespace {

using gpu::RootSum;
using gpu::RootSumPlan;

constexpr std::uint64_t most_piece_bytes = 4 << 20;  // of entries
constexpr std::uint64_t most_piece_tasks = 1 << 16;
constexpr double most_piece_s = 0.05;
constexpr auto poll_interval = std::chrono::microseconds(20);
// The share of a device's peak that kernels reach at least; of entries that are copied to it. See gpu_cost.cpp of ryser
// for the start.
constexpr double efficiency = 0.6, copied_bytes_per_s = 1e10, start_s = 0.25, call_s = 2e-3;

struct Batch {
  const RootSumPlan& plan;
  std::span<const double> entries;
  std::size_t doubles_given;  // of a matrix
  std::uint64_t tasks, piece_tasks, piece_matrices;
  const RunContext& run;
  std::vector<RootSum> sums;  // by task
  std::atomic<std::uint64_t> taken{0}, done{0};

  void report() { run.report("dense", static_cast<double>(done.load()), static_cast<double>(tasks)); }
};

template <class T>
DeviceBuffer uploaded(const DeviceContext& context, const std::vector<T>& values) {
  DeviceBuffer buffer(context, values.size() * sizeof(T));
  buffer.upload(std::as_bytes(std::span(values)));
  return buffer;
}

class Worker {
 public:
  Worker(const DeviceInfo& device, Batch& batch)
      : batch_(batch),
        context_(lasting_context(device)),
        module_(context_, gpu::root_sums_image().code()),
        roots_(uploaded(context_, batch.plan.roots)),
        steps_(uploaded(context_, batch.plan.steps)) {
    const std::uint64_t bytes = 2 * Lane::bytes(batch);
    if (context_.free_bytes() < bytes)
      throw Unable("matrices need " + memory_amount(static_cast<double>(bytes)) + " of " + device.name +
                   ", which has " + memory_amount(static_cast<double>(context_.free_bytes())) + " free");
    for (auto& lane : lanes_) lane.emplace(context_, batch);
  }

  // Until all pieces are taken.
  void run() {
    bool more = true;
    for (std::size_t turn = 0; more || lanes_[0]->busy || lanes_[1]->busy; turn = 1 - turn) {
      Lane& lane = *lanes_[turn];
      if (lane.busy) finish(lane);
      if (more) more = start(lane);
    }
  }
  double kernel_s() const { return kernel_s_; }

 private:
  struct Lane {
    Lane(const DeviceContext& context, const Batch& batch)
        : entries_here(context, entry_bytes(batch)),
          sums_here(context, batch.piece_tasks * sizeof(RootSum)),
          entries(context, entry_bytes(batch)),
          sums(context, batch.piece_tasks * sizeof(RootSum)),
          begin(context),
          end(context),
          stream(context) {}

    static std::uint64_t entry_bytes(const Batch& batch) {
      return batch.piece_matrices * batch.plan.doubles_of_matrix() * sizeof(double);
    }
    static std::uint64_t bytes(const Batch& batch) { return entry_bytes(batch) + batch.piece_tasks * sizeof(RootSum); }

    PinnedBuffer entries_here, sums_here;
    DeviceBuffer entries, sums;
    DeviceEvent begin, end;
    DeviceStream stream;  // the last, so that it has ended its work before anything else goes
    bool busy = false;
    std::uint64_t first = 0, count = 0;
  };

  // Whether there was a piece left.
  bool start(Lane& lane) {
    lane.first = batch_.taken.fetch_add(batch_.piece_tasks);
    if (lane.first >= batch_.tasks) return false;
    batch_.run.check();
    const RootSumPlan& plan = batch_.plan;
    lane.count = std::min(batch_.piece_tasks, batch_.tasks - lane.first);
    const std::uint64_t first_matrix = lane.first / plan.frame.parts;
    const std::uint64_t matrices = (lane.first + lane.count - 1) / plan.frame.parts + 1 - first_matrix;
    const std::span<const double> given =
        batch_.entries.subspan(first_matrix * batch_.doubles_given, matrices * batch_.doubles_given);
    const std::span<std::byte> bytes =
        lane.entries_here.bytes().first(matrices * plan.doubles_of_matrix() * sizeof(double));
    auto* const to = reinterpret_cast<double*>(bytes.data());
    if (plan.widen) {
      for (std::size_t i = 0; i < given.size(); ++i) to[2 * i] = given[i], to[2 * i + 1] = 0;
    } else {
      std::ranges::copy(given, to);
    }
    lane.stream.upload(lane.entries, 0, bytes);
    // Kernels one after the other, so that their times can be told.
    if (launched_ != nullptr) lane.stream.wait(*launched_);
    lane.stream.record(lane.begin);
    module_.launch(plan.kernel, {static_cast<unsigned>(lane.count), gpu::root_threads, plan.shared_bytes}, lane.stream,
                   {argument(plan.frame), argument(lane.entries), argument(roots_), argument(steps_),
                    argument(lane.first), argument(first_matrix), argument(lane.sums)});
    lane.stream.record(lane.end);
    launched_ = &lane.end;
    lane.stream.download(lane.sums, 0, lane.sums_here.bytes().first(lane.count * sizeof(RootSum)));
    lane.busy = true;
    return true;
  }

  void finish(Lane& lane) {
    while (!lane.stream.finished()) {
      batch_.report();
      std::this_thread::sleep_for(poll_interval);
    }
    const auto* const sums = reinterpret_cast<const RootSum*>(lane.sums_here.bytes().data());
    std::copy_n(sums, lane.count, batch_.sums.begin() + static_cast<std::ptrdiff_t>(lane.first));
    kernel_s_ += lane.end.seconds_since(lane.begin);
    batch_.done += lane.count;
    batch_.report();
    lane.busy = false;
  }

  Batch& batch_;
  DeviceContext context_;
  DeviceModule module_;
  DeviceBuffer roots_, steps_;
  std::array<std::optional<Lane>, 2> lanes_;
  const DeviceEvent* launched_ = nullptr;  // when the last kernel ends
  double kernel_s_ = 0;
};

// How many blocks of threads a launch has, so that it is short, devices share the batch, and memory suffices.
void cut(Batch& batch, const std::vector<DeviceInfo>& devices) {
  const auto& plan = batch.plan;
  const auto whole = [](double number) { return static_cast<std::uint64_t>(std::clamp(number, 1.0, 1e9)); };
  const double matrix_bytes = static_cast<double>(plan.doubles_of_matrix() * sizeof(double));
  const double task_s = plan.operations / plan.frame.parts / (efficiency * operations_per_second({devices.front()}));
  const double lanes = 2 * static_cast<double>(devices.size());
  batch.piece_tasks = std::min({whole(most_piece_s / task_s), most_piece_tasks,
                                whole(most_piece_bytes / matrix_bytes * plan.frame.parts),
                                whole((static_cast<double>(batch.tasks) + lanes - 1) / lanes)});
  const auto matrices = [&] { return (batch.piece_tasks + plan.frame.parts - 2) / plan.frame.parts + 1; };
  const auto bytes = [&] {
    return lanes * (static_cast<double>(matrices()) * matrix_bytes +
                    static_cast<double>(batch.piece_tasks * sizeof(RootSum))) +
           static_cast<double>(batch.tasks * sizeof(RootSum));
  };
  while (batch.piece_tasks > 1 && !batch.run.has_memory_for(bytes())) batch.piece_tasks /= 2;
  if (!batch.run.has_memory_for(bytes()))
    throw Unable("a batch needs " + memory_amount(bytes()) + " here, the limit is " +
                 memory_amount(static_cast<double>(batch.run.memory_limit_bytes())));
  batch.piece_matrices = matrices();
}

}  // namespace

double dense_gpu_seconds(const DenseShape& shape, std::uint64_t count, const std::vector<DeviceInfo>& devices) {
  const bool runs =
      std::ranges::all_of(devices, [](const DeviceInfo& device) { return gpu::root_sums_image().runs_on(device); });
  if (!runs || devices.empty()) return std::numeric_limits<double>::infinity();
  const RootSumPlan plan = gpu::plan_root_sums(shape, count);
  const double matrices = static_cast<double>(count);
  const double bytes = matrices * static_cast<double>(plan.doubles_of_matrix() * sizeof(double));
  return (has_lasting_contexts(devices) ? 0 : start_s) + call_s + bytes / copied_bytes_per_s / static_cast<double>(devices.size()) +
         matrices * plan.operations / (efficiency * operations_per_second(devices));
}

std::vector<DenseSum> dense_gpu_sums(const DenseShape& shape, std::span<const double> entries,
                                     const std::vector<DeviceInfo>& devices, const RunContext& run,
                                     DenseGpuReport* report) {
  const std::size_t columns = shape.hafnian ? shape.row_times.size() : shape.column_times.size();
  const std::size_t doubles = shape.row_times.size() * columns * (shape.complex ? 2 : 1);
  const std::size_t count = entries.size() / doubles;
  if (count == 0) return {};
  const RootSumPlan plan = gpu::plan_root_sums(shape, count);
  Batch batch{plan, entries, doubles, count * plan.frame.parts, 1, 1, run, {}};
  cut(batch, devices);
  batch.sums.resize(batch.tasks);
  std::vector<std::unique_ptr<Worker>> workers(devices.size());
  std::vector<double> start_s(devices.size());
  parallel_until(static_cast<int>(devices.size()), [&](int device) {
    auto& worker = workers[static_cast<std::size_t>(device)];
    Stopwatch stopwatch;
    worker = std::make_unique<Worker>(devices[static_cast<std::size_t>(device)], batch);
    start_s[static_cast<std::size_t>(device)] = stopwatch.lap();
    worker->run();
    return false;
  });
  std::vector<DenseSum> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(plan.finish(std::span(batch.sums).subspan(i * plan.frame.parts, plan.frame.parts)));
  if (report != nullptr) {
    report->start_s = std::ranges::max(start_s);
    report->operations = static_cast<double>(count) * plan.operations;
    for (const auto& worker : workers) {
      if (worker) report->kernel_s = std::max(report->kernel_s, worker->kernel_s());
    }
  }
  return values;
}

}  // namespace matchcount
