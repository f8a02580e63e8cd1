#include "apps/writing.hpp"

#include <atomic>
#include <mutex>

namespace matchcount::app {
namespace {

using Clock = std::chrono::steady_clock;

// One mutex for what the process writes and for its end.
std::recursive_mutex& writing() {
  static std::recursive_mutex mutex;
  return mutex;
}
std::atomic<Clock::rep>& last_end() {
  static std::atomic<Clock::rep> end{Clock::time_point::min().time_since_epoch().count()};
  return end;
}

}  // namespace

Writing::Writing() { writing().lock(); }
Writing::~Writing() {
  last_end() = Clock::now().time_since_epoch().count();
  writing().unlock();
}

bool Writing::end() { return writing().try_lock(); }
Clock::time_point Writing::last() { return Clock::time_point(Clock::duration(last_end())); }

}  // namespace matchcount::app
