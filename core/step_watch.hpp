#pragma once
// A watch (core/run.hpp) for loops whose steps are shorter than a look at the clock.

#include <cstdint>

#include "core/run.hpp"

namespace matchcount {

// Asks a watch once in many steps, or none.
class StepWatch {
 public:
  explicit StepWatch(const Watch* watch) : watch_(watch) {}

  void step() {
    constexpr std::uint32_t steps_a_check = 1 << 12;
    if (++steps_ % steps_a_check == 0) check();
  }
  void check() const {
    if (watch_) watch_->check();
  }
  const Watch* watch() const { return watch_; }

 private:
  const Watch* watch_;
  std::uint32_t steps_ = 0;
};

}  // namespace matchcount
