#include "core/tasks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "core/bytes.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/folder.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using gpu::TaskSpan;
using test::Folder;

namespace {

// Sums of these depend on their order.
double value_of_task(std::uint64_t task) { return std::sqrt(static_cast<double>(task) + 0.1) * (task % 3 ? 1 : -1); }

// Finishes a launch after so many looks at it, by chance.
class FakeDevice {
 public:
  explicit FakeDevice(std::uint64_t seed) : random_(seed) {}

  void start(std::size_t lane, const TaskSpan& tasks) {
    require(looks_[lane] == 0);
    looks_[lane] = 1 + random_.below(4);
    values_[lane].clear();
    for (std::uint64_t task = tasks.first; task < tasks.end; ++task) values_[lane].push_back(value_of_task(task));
    require(++num_started <= num_finished + 2);
  }
  bool finished(std::size_t lane) {
    require(looks_[lane] > 0);
    if (--looks_[lane] > 0) return false;
    ++num_finished;
    return true;
  }
  std::span<const std::byte> results(std::size_t lane) const { return std::as_bytes(std::span(values_[lane])); }

  std::uint64_t num_started = 0, num_finished = 0;

 private:
  // Catch2's own are for one thread.
  static void require(bool holds) {
    if (!holds) throw DeviceError("a launch in a lane that is in use, or a look at one that is not");
  }

  Random random_;
  std::array<std::uint64_t, 2> looks_{};
  std::array<std::vector<double>, 2> values_;
};

double sum_of(std::span<const double> values) {
  if (values.size() == 1) return values[0];
  const std::size_t half = values.size() / 2;
  return sum_of(values.first(half)) + sum_of(values.subspan(half));
}
std::vector<double> doubles_of(std::span<const std::byte> bytes) {
  return unpacked<double>({bytes.begin(), bytes.end()});
}

gpu::TaskKernel kernel_of(std::uint64_t num_tasks) {
  gpu::TaskKernel kernel;
  kernel.out_bytes = sizeof(double);
  kernel.num_tasks = num_tasks;
  return kernel;
}

// The sum of all tasks; pieces of a power of two of them.
gpu::TaskSums sums_of(std::uint64_t num_tasks, std::uint64_t tasks_of_piece) {
  gpu::TaskSums sums;
  sums.job = {"sum", "doubles", num_tasks / tasks_of_piece,
              [](const Bytes& a, const Bytes& b) { return to_bytes(from_bytes<double>(a) + from_bytes<double>(b)); }};
  sums.method = "tasks";
  sums.tasks_of_piece = tasks_of_piece;
  sums.record = [](std::span<const std::byte> results) { return to_bytes(sum_of(doubles_of(results))); };
  return sums;
}

}  // namespace

TEST_CASE("a dealer gives every number to one of many threads") {
  for (const std::uint64_t count : {0, 1, 7, 1000}) {
    for (const std::uint64_t most : {1, 3, 2000}) {
      gpu::Dealer dealer(count);
      std::vector<std::vector<TaskSpan>> taken(4);
      {
        std::vector<std::jthread> threads;
        for (auto& mine : taken) {
          threads.emplace_back([&] {
            while (const auto span = dealer.take_some(most)) mine.push_back(*span);
          });
        }
      }
      std::vector<int> times(count, 0);
      for (const auto& mine : taken) {
        for (const TaskSpan& span : mine) {
          REQUIRE(gpu::size_of(span) <= most);
          for (std::uint64_t i = span.first; i < span.end; ++i) ++times.at(i);
        }
      }
      CHECK(std::ranges::all_of(times, [](int time) { return time == 1; }));
      CHECK(dealer.num_taken() == count);
    }
  }
}

TEST_CASE("a device has two launches in flight, whose results are given once, with their tasks") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::uint64_t count : {0, 1, 2, 5, 64}) {
      FakeDevice device(seed);
      gpu::Dealer dealer(count);
      std::vector<int> times(count, 0);
      gpu::keep_busy(
          device, [&] { return dealer.take_some(3); },
          [&](const TaskSpan& tasks, std::span<const std::byte> results) {
            const std::vector<double> values = doubles_of(results);
            REQUIRE(values.size() == gpu::size_of(tasks));
            for (std::uint64_t i = 0; i < values.size(); ++i) {
              REQUIRE(values[i] == value_of_task(tasks.first + i));
              ++times.at(tasks.first + i);
            }
          },
          [] {});
      REQUIRE(std::ranges::all_of(times, [](int time) { return time == 1; }));
      REQUIRE(device.num_started == device.num_finished);
    }
  }
}

TEST_CASE("what is in flight when a run must end is given, but not after a failure") {
  const auto given_until = [](const auto& stop) {
    FakeDevice device(7);
    gpu::Dealer dealer(100);
    std::uint64_t given = 0;
    int waits = 0;
    const auto run = [&] {
      gpu::keep_busy(
          device, [&] { return dealer.take_some(1); },
          [&](const TaskSpan& tasks, std::span<const std::byte>) { given += gpu::size_of(tasks); },
          [&] {
            if (++waits == 5) stop();
          });
    };
    CHECK_THROWS_AS(run(), Error);
    return std::pair(given, device.num_started);
  };
  const auto [kept, started] = given_until([] { throw Cancelled("enough"); });
  CHECK(kept == started);
  const auto [after_failure, begun] = given_until([] { throw DeviceError("broken"); });
  CHECK(after_failure < begun);
}

TEST_CASE("a sum over tasks has the same bits on any number of devices, however often it ends and is resumed") {
  constexpr std::uint64_t num_tasks = 1 << 14;
  for (const std::uint64_t of_piece : {1, 8}) {
    const gpu::TaskKernel kernel = kernel_of(num_tasks);
    const gpu::TaskSums sums = sums_of(num_tasks, of_piece);
    std::vector<double> values;
    for (std::uint64_t task = 0; task < num_tasks; ++task) values.push_back(value_of_task(task));
    const double expected = sum_of(values);
    for (const std::size_t num_devices : {1, 3}) {
      for (const std::uint64_t launches : {1, 4, 1000}) {
        const Folder folder;
        const CheckpointOptions options{.file = folder.path() / "c", .resume = true, .program = "tests"};
        std::optional<double> sum;
        for (std::uint64_t attempt = 1; !sum; ++attempt) {
          REQUIRE(attempt < 1000);
          Checkpoint checkpoint(options);
          Work work(&checkpoint);
          const RunContext run(RunOptions(), &work);
          std::atomic<std::uint64_t> left{launches};
          try {
            sum = from_bytes<double>(total_of(run_job(sums.job, run, [&](Pieces& pieces) {
              const gpu::TaskDeal deal = gpu::deal_of(kernel, sums, run, pieces);
              std::atomic<std::uint64_t> next{0};
              on_devices(num_devices, [&](std::size_t i) {
                FakeDevice device(10 * attempt + i);
                gpu::keep_busy(
                    device,
                    [&] {
                      if (next++ >= left) throw Cancelled("enough");
                      return deal.take();
                    },
                    deal.give, [&] { deal.check(); });
                return false;
              });
            })));
          } catch (const Cancelled&) {
            checkpoint.write();
          }
        }
        CAPTURE(of_piece, num_devices, launches);
        REQUIRE(*sum == expected);
      }
    }
  }
}

TEST_CASE("launches are a power of two of pieces, and neither give too much nor take too long") {
  const RunContext run;
  class NoPieces : public Pieces {
    std::optional<TaskSpan> take_some(std::uint64_t) override { return std::nullopt; }
    void give(CompletedRanges::Range) override {}
    double share_done() override { return 0; }
  } none;
  for (const std::uint64_t of_piece : {1, 4, 64}) {
    for (const std::uint64_t num_tasks : {std::uint64_t{64}, std::uint64_t{1} << 20, std::uint64_t{1} << 40}) {
      for (const std::size_t out_bytes : {std::size_t{8}, std::size_t{4096}}) {
        gpu::TaskKernel kernel = kernel_of(num_tasks);
        kernel.out_bytes = out_bytes;
        gpu::TaskSums sums = sums_of(num_tasks, of_piece);
        sums.most_tasks = 1000;
        const std::uint64_t most = gpu::deal_of(kernel, sums, run, none).most;
        CAPTURE(of_piece, num_tasks, out_bytes, most);
        CHECK(most % of_piece == 0);
        CHECK(std::has_single_bit(most / of_piece));
        CHECK((most == of_piece || most <= 1000));
        CHECK((most == of_piece || most * out_bytes <= 1 << 20));
      }
    }
  }
}

TEST_CASE("tasks of a kernel are run on GPUs, each once, with its data", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  if (const std::string why_not = why_no_kernel_compiler(); !why_not.empty()) MATCHCOUNT_SKIP(why_not);
  gpu::TaskKernel kernel;
  kernel.source = R"(
extern "C" __global__ void squares(long long scale, const long long* shift, const long long* more,
                                   unsigned long long first, unsigned count, unsigned* next, long long* out,
                                   unsigned* scratch) {
  __shared__ unsigned task;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) task = atomicAdd(next, 1u);
    __syncthreads();
    if (task >= count) return;
    scratch[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    const long long number = first + task;
    if (threadIdx.x == 0) out[task] = scale * number * number + shift[number % 2] + more[0];
  }
}
)";
  const std::vector<std::int64_t> shift{5, -7}, more{100};
  kernel.name = "squares";
  kernel.threads = 64;
  kernel.out_bytes = sizeof(std::int64_t);
  kernel.num_tasks = 100'003;
  kernel.parameter = argument(std::int64_t{3}).bytes;
  kernel.data = {packed(shift)};
  kernel.views = {std::as_bytes(std::span(more))};
  kernel.scratch_bytes = 64 * sizeof(unsigned);
  std::vector<DeviceInfo> devices = found.devices;
  devices.push_back(devices.front());
  for (const bool lasting : {false, true}) {
    std::vector<std::int64_t> values(kernel.num_tasks, -1);
    gpu::Dealer dealer(kernel.num_tasks);
    const gpu::TaskDeal deal{1000, [&] { return dealer.take_some(1000); },
                             [&](const TaskSpan& tasks, std::span<const std::byte> results) {
                               std::memcpy(values.data() + tasks.first, results.data(), results.size());
                             },
                             [] {}};
    gpu::TaskReport report;
    gpu::run_tasks(kernel, devices, lasting ? lasting_contexts(devices) : start_contexts(devices), deal, report);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i)
      REQUIRE(values[static_cast<std::size_t>(i)] == 3 * i * i + shift[static_cast<std::size_t>(i % 2)] + 100);
    CHECK(report.kernel_s > 0);
    CHECK(std::accumulate(report.tasks_of_device.begin(), report.tasks_of_device.end(), std::uint64_t{0}) ==
          kernel.num_tasks);
  }
}
