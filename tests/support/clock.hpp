#pragma once
// Gives runs a clock that the test advances, so that limits and stops come after so many looks at it, whatever else the
// machine does meanwhile.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <stop_token>
#include <utility>

#include "core/run.hpp"

namespace matchcount::test {

// Returns the token of a stop that is raised already.
inline std::stop_token raised_stop() {
  std::stop_source source;
  source.request_stop();
  return source.get_token();
}

// Advances by the same step at every look, and acts at one of them. Outlives the runs that have it; any number of
// threads look.
class StepClock {
 public:
  explicit StepClock(double step_s = 0) : step_s_(step_s) {}
  StepClock(const StepClock&) = delete;
  StepClock& operator=(const StepClock&) = delete;

  // Has the options' time limit, if any, go by this clock.
  void drive(RunOptions& options) {
    options.clock_s = [this] { return look(); };
  }
  // Has the time be over at the n-th look from now on, 1 or more.
  void end_at_look(std::uint64_t n, RunOptions& options) {
    drive(options);
    options.time_limit_s = 1e9;
    act_at(n, [this] { advance(2e9); });
  }
  // Has the stop token raised at the n-th look. A time limit that is far away makes every check a look.
  void stop_at_look(std::uint64_t n, RunOptions& options) {
    source_ = std::stop_source();
    drive(options);
    options.time_limit_s = 1e9;
    options.stop = source_.get_token();
    act_at(n, [this] { source_.request_stop(); });
  }
  void advance(double seconds) { offset_s_.fetch_add(seconds); }

  // Tells the time without a look.
  double now_s() const { return offset_s_ + step_s_ * static_cast<double>(looks_); }
  std::uint64_t looks() const { return looks_; }
  // Returns the looks since the time was over or the stop raised: those of checks that did not throw, and of threads
  // that were looking meanwhile. 0 where it has not come to that.
  std::uint64_t looks_after() const { return looks_ - std::min<std::uint64_t>(act_at_, looks_); }

 private:
  void act_at(std::uint64_t n, std::function<void()> act) {
    act_ = std::move(act);
    act_at_ = looks_ + n;
  }
  double look() {
    const std::uint64_t look = ++looks_;
    if (look == act_at_) act_();
    return offset_s_ + step_s_ * static_cast<double>(look);
  }

  double step_s_;
  std::atomic<double> offset_s_{0};
  std::atomic<std::uint64_t> looks_{0}, act_at_{std::numeric_limits<std::uint64_t>::max()};
  std::function<void()> act_;
  std::stop_source source_;
};

}  // namespace matchcount::test
