#pragma once
// Runs the tasks of a kernel on the GPUs of this host, for all that is a sum or a list over numbered tasks: deals out
// neighbouring ones to devices, so that unequal ones stay busy, keeps two launches in flight on each, hands over their
// results as they come, and looks at limits meanwhile. Who did which task when does not matter to the results.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/contexts.hpp"
#include "core/device.hpp"
#include "core/error.hpp"
#include "core/kernel_image.hpp"
#include "core/run.hpp"
#include "core/work.hpp"

namespace matchcount::gpu {

using TaskSpan = CompletedRanges::Span;
inline std::uint64_t size_of(const TaskSpan& span) { return span.end - span.first; }

// Dealer deals out the numbers below `count`. Any number of threads.
class Dealer {
 public:
  explicit Dealer(std::uint64_t count) : count_(count) {}

  // Takes at most so many neighbours; nothing if none is left.
  std::optional<TaskSpan> take_some(std::uint64_t most) {
    const std::uint64_t first = next_.fetch_add(most);
    if (first >= count_) return std::nullopt;
    return TaskSpan{first, std::min(first + most, count_)};
  }
  std::uint64_t num_taken() const { return std::min(next_.load(), count_); }

 private:
  std::uint64_t count_;
  std::atomic<std::uint64_t> next_{0};
};

// A kernel is called with `parameter` by value (where there is one), the address of each of `data`, and
//   u64 first_task, unsigned num_tasks, unsigned* next, Out* out
// and the address of its blocks' scratch memory, if they have any. Its blocks take tasks in turn, or by additions to
// *next, which is 0 before; what task first_task + i gives goes to out[i].
struct TaskKernel {
  std::string source;                // CUDA C++ to be compiled for the device, or empty:
  KernelImage (*image)() = nullptr;  // where the kernel is, compiled with the library
  std::string name;
  unsigned threads = 0;       // of a block
  unsigned shared_bytes = 0;  // dynamic
  std::size_t out_bytes = 0;  // of a task
  std::uint64_t num_tasks = 0;
  std::vector<std::byte> parameter;
  std::vector<std::vector<std::byte>> data;
  std::vector<std::span<const std::byte>> views;  // more data, which others hold
  std::size_t scratch_bytes = 0;                  // of the device's memory, for each block
};

// TaskReport tells what a run did, for benchmarks and curious people.
struct TaskReport {
  double compile_s = 0;
  bool from_cache = false;
  double start_s = 0;   // contexts and modules
  double kernel_s = 0;  // of the device that took longest, by its own clock
  int registers = 0, local_bytes = 0, blocks_per_multiprocessor = 0;
  std::vector<std::uint64_t> tasks_of_device;
};

// TaskDeal says where tasks come from and what they give goes. Any number of threads, one for each device.
struct TaskDeal {
  std::uint64_t most = 1;  // of a launch, which nothing interrupts
  // Takes the next tasks, at most so many, or none if all are taken.
  std::function<std::optional<TaskSpan>()> take;
  // Takes what they gave, of TaskKernel::out_bytes each, in order.
  std::function<void(const TaskSpan&, std::span<const std::byte>)> give;
  // Looks at limits and reports, while devices work: throws as run.check() does.
  std::function<void()> check;
};

// Runs tasks until there are none to take. Adds to `report` what it took. Throws Unable where the kernel can't be had
// for a device, DeviceError when a device fails, and what the deal's functions throw: after Unable, when what was in
// flight is given, so that it is not lost.
void run_tasks(const TaskKernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
               const TaskDeal& deal, TaskReport& report);

// TaskSums says how the sums of tasks are joined.
struct TaskSums {
  Job job;                           // of num_tasks / tasks_of_piece pieces
  std::string_view method;           // to report progress of
  double amount = 1;                 // that is reported as done in the end
  std::uint64_t tasks_of_piece = 1;  // neighbours
  std::uint64_t most_tasks = 16384;  // of a launch
  // The record of a range of pieces: their tasks' sums in order.
  std::function<Bytes(std::span<const std::byte> sums)> record;
};

// Deals out the pieces of a job, many at a time: enough to fill a device, and not so many that others wait for the last
// ones in the end. Keeps the addresses of all.
TaskDeal deal_of(const TaskKernel& kernel, const TaskSums& sums, const RunContext& run, Pieces& pieces);

// Runs all tasks of the kernel, but those that a checkpoint has, and returns their record. Devices take pieces of
// run.work(), as threads and ranks do.
Bytes run_tasks(const TaskKernel& kernel, const std::vector<DeviceInfo>& devices, const StartingContexts& contexts,
                const RunContext& run, TaskReport& report, const TaskSums& sums);

// Keeps two launches in flight on one device, each in a lane of its own:
//   device.start(lane, tasks)  starts a launch, without waiting for it
//   device.finished(lane)      says whether it is over
//   device.results(lane)       what it gave, until the lane starts again
//   take()                     the next tasks, or none
//   give(tasks, results)       takes what a launch gave
//   wait()                     is called where there is nothing else to do, and may throw
// After Unable it waits for what is in flight and gives that.
template <class Device, class Take, class Give, class Wait>
void keep_busy(Device& device, const Take& take, const Give& give, const Wait& wait) {
  std::array<std::optional<TaskSpan>, 2> in_flight;
  const auto end = [&](std::size_t lane) {
    const TaskSpan tasks = *std::exchange(in_flight[lane], std::nullopt);
    give(tasks, device.results(lane));
  };
  try {
    for (bool more = true; more || in_flight[0] || in_flight[1];) {
      bool idle = true;
      for (std::size_t lane = 0; lane < in_flight.size(); ++lane) {
        if (in_flight[lane]) {
          if (!device.finished(lane)) continue;
          end(lane);
          idle = false;
        }
        const std::optional<TaskSpan> tasks = more ? take() : std::nullopt;
        more = tasks.has_value();
        if (!more) continue;
        device.start(lane, *tasks);
        in_flight[lane] = tasks;
        idle = false;
      }
      if (idle && (in_flight[0] || in_flight[1])) wait();
    }
  } catch (const Unable&) {
    for (std::size_t lane = 0; lane < in_flight.size(); ++lane) {
      if (!in_flight[lane]) continue;
      while (!device.finished(lane)) std::this_thread::sleep_for(std::chrono::microseconds(40));
      end(lane);
    }
    throw;
  }
}

}  // namespace matchcount::gpu
