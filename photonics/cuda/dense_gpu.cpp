// A host thread a device, which takes pieces of the batch: blocks of threads for one matrix after the other. It has two
// pieces in flight, so that entries of one are copied while the other is summed. Sums of parts are kept apart and added
// up here, in their order, so that the bits of an answer do not depend on devices. What a call makes on a device stays
// for the next, of this thread or another.

#include "photonics/cuda/dense_gpu.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/tasks.hpp"
#include "photonics/cuda/root_sum_plan.hpp"

namespace matchcount {
namespace {

using gpu::RootSum;
using gpu::RootSumPlan;

constexpr std::uint64_t most_piece_bytes = 4 << 20;  // of entries
constexpr std::uint64_t most_piece_tasks = 1 << 16;
constexpr double least_piece_s = 5e-5, most_piece_s = 0.05;
// A sleep takes longer than a small batch, so there is none at first.
constexpr auto poll_interval = std::chrono::microseconds(20), longest_spin = std::chrono::microseconds(200);
constexpr std::size_t buffer_step = 1 << 16, most_idle_stations = 4;
constexpr std::size_t copied_doubles = 1 << 15;  // by a thread at a time
constexpr int most_copying_threads = 8;
constexpr std::uint64_t finished_matrices = 1 << 12;  // likewise
// The share of a device's peak that kernels reach at least; of entries that are copied to it. See ryser_gpu.cpp of
// ryser for the start.
constexpr double efficiency = 0.35, copied_bytes_per_s = 1e10, start_s = 0.25, call_s = 2e-4;

struct Batch {
  const RootSumPlan& plan;
  std::span<const double> entries;  // on the host, else
  std::uint64_t address;            // on the device
  std::size_t doubles_given;        // of a matrix
  std::uint64_t tasks, piece_tasks, piece_matrices;
  const RunContext& run;
  std::vector<RootSum> sums;  // by task
  gpu::Dealer dealer;

  std::size_t roots_bytes() const { return plan.roots.size() * sizeof(gpu::Root); }
  std::size_t table_bytes() const { return roots_bytes() + plan.steps.size() * sizeof(gpu::RootStep); }
  // Counts those of so many matrices that are copied to the device.
  std::size_t bytes_of(std::uint64_t matrices) const {
    return address != 0 ? 0 : matrices * plan.doubles_of_matrix() * sizeof(double);
  }
  void report() { run.report("dense", static_cast<double>(dealer.num_taken()), static_cast<double>(tasks)); }
};

// Buffers of the host and the device for a piece in flight. What goes there is one copy: roots, steps, entries.
struct Lane {
  explicit Lane(const DeviceContext& context) : end(context), stream(context) {}

  void make_room(const DeviceContext& context, const Batch& batch) {
    const auto grow = [&](auto& buffer, std::size_t size, std::size_t bytes) {
      if (size < bytes) buffer.emplace(context, (bytes + buffer_step - 1) / buffer_step * buffer_step);
    };
    const std::size_t sum_bytes = batch.piece_tasks * sizeof(RootSum);
    const std::size_t input_bytes = batch.table_bytes() + batch.bytes_of(batch.piece_matrices);
    grow(input_here, input_here ? input_here->bytes().size() : 0, input_bytes);
    grow(input, input ? input->size_bytes() : 0, input_bytes);
    grow(sums_here, sums_here ? sums_here->bytes().size() : 0, sum_bytes);
    grow(sums, sums ? sums->size_bytes() : 0, sum_bytes);
  }

  std::optional<PinnedBuffer> input_here, sums_here;
  std::optional<DeviceBuffer> input, sums;
  DeviceEvent end;
  std::span<const std::byte> results;  // of the last piece
  DeviceStream stream;                 // the last, so that it has ended its work before anything else goes
};

// Station is a call's share of a device. To make it takes milliseconds, longer than many a batch.
struct Station {
  Station(const DeviceContext& device_context, DeviceModule& kernels)
      : context(device_context), module(kernels), lanes{Lane(context), Lane(context)} {}

  DeviceContext context;
  DeviceModule& module;
  std::array<Lane, 2> lanes;
  DeviceBuffer verdict{context, sizeof(double)};
};

// Holds, by device, its kernels and the stations that no call has at present.
struct Stations {
  std::mutex mutex;
  std::map<int, DeviceModule> modules;
  std::map<int, std::vector<std::unique_ptr<Station>>> idle;
};
// Never freed: at the process's end the driver may be gone before.
Stations& stations() {
  static Stations& kept = *new Stations;
  return kept;
}

std::unique_ptr<Station> take_station(const DeviceInfo& device) {
  const DeviceContext context = lasting_context(device);
  const std::lock_guard lock(stations().mutex);
  auto& idle = stations().idle[device.index];
  if (!idle.empty()) {
    auto station = std::move(idle.back());
    idle.pop_back();
    return station;
  }
  auto& modules = stations().modules;
  auto at = modules.find(device.index);
  if (at == modules.end())
    at = modules.emplace(device.index, DeviceModule(context, gpu::root_sums_image().code())).first;
  return std::make_unique<Station>(context, at->second);
}
// One whose work has ended without an error.
void give_back(std::unique_ptr<Station> station) {
  const std::lock_guard lock(stations().mutex);
  auto& idle = stations().idle[station->context.device().index];
  if (idle.size() < most_idle_stations) idle.push_back(std::move(station));
}

class Worker {
 public:
  Worker(const DeviceInfo& device, Batch& batch) : batch_(batch), station_(take_station(device)) {
    for (Lane& lane : station_->lanes) lane.make_room(station_->context, batch);
  }

  // Runs until all pieces are taken. After an error the device's things go with this.
  void run() {
    gpu::keep_busy(
        *this,
        [&] {
          batch_.run.check();
          return batch_.dealer.take_some(batch_.piece_tasks);
        },
        [&](const gpu::TaskSpan& tasks, std::span<const std::byte> results) {
          std::ranges::copy(results, std::as_writable_bytes(std::span(batch_.sums).subspan(tasks.first)).begin());
          batch_.report();
        },
        [&] {
          if (std::chrono::steady_clock::now() < asleep_from_) return;
          batch_.report();
          std::this_thread::sleep_for(poll_interval);
        });
    give_back(std::move(station_));
  }

  void start(std::size_t i, const gpu::TaskSpan& tasks) {
    Lane& lane = station_->lanes[i];
    const RootSumPlan& plan = batch_.plan;
    const std::uint64_t count = gpu::size_of(tasks), first_matrix = tasks.first / plan.frame.parts;
    const std::uint64_t matrices = (tasks.end - 1) / plan.frame.parts + 1 - first_matrix;
    const std::size_t table = batch_.table_bytes();
    const std::span<std::byte> bytes = lane.input_here->bytes().first(table + batch_.bytes_of(matrices));
    const auto steps = std::ranges::copy(std::as_bytes(std::span(plan.roots)), bytes.begin()).out;
    std::ranges::copy(std::as_bytes(std::span(plan.steps)), steps);
    const std::size_t first = first_matrix * batch_.doubles_given;
    if (batch_.address == 0)
      copy_entries(batch_.entries.subspan(first, matrices * batch_.doubles_given),
                   reinterpret_cast<double*>(bytes.data() + table));
    lane.stream.upload(*lane.input, 0, bytes);
    // Kernels run one after the other.
    if (launched_ != nullptr) lane.stream.wait(*launched_);
    const std::uint64_t roots = lane.input->address();
    const std::uint64_t entries = batch_.address == 0 ? roots + table : batch_.address + first * sizeof(double);
    station_->module.launch(
        plan.kernel, {static_cast<unsigned>(count), plan.threads, plan.shared_bytes}, lane.stream,
        arguments(plan.frame, entries, roots, roots + batch_.roots_bytes(), tasks.first, first_matrix, *lane.sums));
    lane.stream.record(lane.end);
    launched_ = &lane.end;
    const std::span<std::byte> results = lane.sums_here->bytes().first(count * sizeof(RootSum));
    lane.stream.download(*lane.sums, 0, results);
    lane.results = results;
    asleep_from_ = std::chrono::steady_clock::now() + longest_spin;
  }
  bool finished(std::size_t i) {
    Lane& lane = station_->lanes[i];
    if (!lane.stream.finished()) return false;
    asleep_from_ = std::chrono::steady_clock::now() + longest_spin;
    return true;
  }
  std::span<const std::byte> results(std::size_t i) const { return station_->lanes[i].results; }

 private:
  // One thread copies more slowly than devices read.
  void copy_entries(std::span<const double> given, double* to) const {
    const std::size_t chunks = (given.size() + copied_doubles - 1) / copied_doubles;
    const int threads = chunks == 1 ? 1 : std::min(batch_.run.num_threads(), most_copying_threads);
    parallel_for_chunks(threads, chunks, [&](std::uint64_t chunk, int) {
      const std::size_t end = std::min<std::size_t>(given.size(), (chunk + 1) * copied_doubles);
      const std::size_t first = chunk * copied_doubles;
      if (batch_.plan.widen) {
        for (std::size_t i = first; i < end; ++i) to[2 * i] = given[i], to[2 * i + 1] = 0;
      } else {
        std::ranges::copy(given.subspan(first, end - first), to + first);
      }
    });
  }

  Batch& batch_;
  std::unique_ptr<Station> station_;
  const DeviceEvent* launched_ = nullptr;  // when the last kernel ends
  std::chrono::steady_clock::time_point asleep_from_;
};

// Chooses how many blocks of threads a launch has, so that it is short, devices share the batch, and memory suffices.
void cut(Batch& batch, const std::vector<DeviceInfo>& devices) {
  const auto& plan = batch.plan;
  const auto whole = [](double number) { return static_cast<std::uint64_t>(std::clamp(number, 1.0, 1e9)); };
  const double matrix_bytes = static_cast<double>(plan.doubles_of_matrix() * sizeof(double));
  const double matrix_s = plan.operations / (efficiency * operations_per_second({devices.front()}));
  const double parts = plan.frame.parts, copy_s = matrix_bytes / copied_bytes_per_s;
  const double lanes = 2 * static_cast<double>(devices.size());
  batch.piece_tasks = std::min({whole(most_piece_s / matrix_s * parts), most_piece_tasks, batch.tasks,
                                whole(most_piece_bytes / matrix_bytes * parts),
                                whole(std::max((static_cast<double>(batch.tasks) + lanes - 1) / lanes,
                                               least_piece_s / (matrix_s + copy_s) * parts))});
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

std::size_t doubles_of(const DenseShape& shape) {
  const std::size_t columns = shape.hafnian ? shape.row_times.size() : shape.column_times.size();
  return shape.row_times.size() * columns * (shape.complex ? 2 : 1);
}

// Sums so many matrices, which are on the host or, at an address, on the device.
std::vector<DenseSum> sums_of(const DenseShape& shape, std::span<const double> entries, std::uint64_t address,
                              std::size_t count, const std::vector<DeviceInfo>& devices, const RunContext& run) {
  if (count == 0) return {};
  const RootSumPlan plan = gpu::plan_root_sums(shape, count);
  const std::uint64_t tasks = count * plan.frame.parts;
  Batch batch{plan, entries, address, doubles_of(shape), tasks, 1, 1, run, {}, gpu::Dealer(tasks)};
  cut(batch, devices);
  batch.sums.resize(batch.tasks);
  work_on_devices(
      devices.size(), [&](std::size_t i) { return std::make_unique<Worker>(devices[i], batch); },
      [](Worker& worker) {
        worker.run();
        return false;
      });
  std::vector<DenseSum> values(count);
  const std::uint64_t chunks = (count + finished_matrices - 1) / finished_matrices;
  parallel_for_chunks(chunks == 1 ? 1 : run.num_threads(), chunks, [&](std::uint64_t chunk, int) {
    for (std::size_t i = chunk * finished_matrices; i < std::min<std::size_t>(count, (chunk + 1) * finished_matrices);
         ++i)
      values[i] = plan.finish(std::span(batch.sums).subspan(i * plan.frame.parts, plan.frame.parts));
  });
  return values;
}

}  // namespace

double dense_gpu_seconds(const DenseShape& shape, std::uint64_t count, const std::vector<DeviceInfo>& devices) {
  const bool runs =
      std::ranges::all_of(devices, [](const DeviceInfo& device) { return gpu::root_sums_image().runs_on(device); });
  if (!runs || devices.empty()) return std::numeric_limits<double>::infinity();
  const RootSumPlan plan = gpu::plan_root_sums(shape, count);
  const double matrices = static_cast<double>(count);
  const double bytes = matrices * static_cast<double>(plan.doubles_of_matrix() * sizeof(double));
  return (has_lasting_contexts(devices) ? 0 : start_s) + call_s +
         bytes / copied_bytes_per_s / static_cast<double>(devices.size()) +
         matrices * plan.operations / (efficiency * operations_per_second(devices));
}

std::vector<DenseSum> dense_gpu_sums(const DenseShape& shape, std::span<const double> entries,
                                     const std::vector<DeviceInfo>& devices, const RunContext& run) {
  return sums_of(shape, entries, 0, entries.size() / doubles_of(shape), devices, run);
}

std::optional<std::vector<DenseSum>> dense_gpu_sums(const DenseShape& shape, std::uint64_t entries, std::size_t count,
                                                    double least, double most, const DeviceInfo& device,
                                                    const RunContext& run) {
  auto station = take_station(device);
  station->verdict.clear();
  const std::uint64_t doubles = count * doubles_of(shape);
  const unsigned rows = shape.hafnian ? static_cast<unsigned>(shape.row_times.size()) : 0;
  station->module.launch("examine_entries",
                         {static_cast<unsigned>((doubles - 1) / gpu::root_threads + 1), gpu::root_threads, 0},
                         station->lanes[0].stream,
                         arguments(entries, doubles, shape.complex ? 2u : 1u, rows, least, most, station->verdict));
  double is_odd = 0;
  station->verdict.download(std::as_writable_bytes(std::span(&is_odd, 1)));
  give_back(std::move(station));
  if (is_odd != 0) return std::nullopt;
  return sums_of(shape, {}, entries, count, {device}, run);
}

}  // namespace matchcount
