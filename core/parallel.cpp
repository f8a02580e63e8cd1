// OpenMP's library ends the process where a thread can't be had (a limit on a user's processes, a control group's on
// pids, too little room for stacks). So they are asked for beforehand, once for each larger number: they start, wait
// until all are there, and end; 20 us each. Another process may take their places before OpenMP does, in the moments
// that follow; nothing can be done about that.

#include "core/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace matchcount {
namespace {

// Starts threads beside this one until there are `wanted` in all, or no more can be had; returns how many there were.
int start_and_end(int wanted) {
  std::mutex mutex;
  std::condition_variable all_tried;
  bool may_end = false;
  std::vector<std::jthread> threads;
  try {
    while (static_cast<int>(threads.size()) + 1 < wanted) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        all_tried.wait(lock, [&] { return may_end; });
      });
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  {
    const std::lock_guard lock(mutex);
    may_end = true;
  }
  all_tried.notify_all();
  return static_cast<int>(threads.size()) + 1;
}

}  // namespace

int startable_threads(int wanted) {
  static std::atomic<int> known{1};
  static std::mutex mutex;
  static bool is_most = false;  // under the mutex: `known` is all that can be had
  if (wanted <= known.load(std::memory_order_relaxed)) return wanted;
  const std::lock_guard lock(mutex);
  if (!is_most && wanted > known) {
    const int started = start_and_end(wanted);
    is_most = started < wanted;
    // A few are left to others: the process itself may need one yet.
    known = is_most ? std::max(1, started - 1) : started;
  }
  return std::min(wanted, known.load());
}

}  // namespace matchcount
