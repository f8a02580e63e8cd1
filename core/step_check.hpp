#pragma once
// Keeps a run's limits in loops whose steps are shorter than a look at the clock.

#include <cstdint>

#include "core/run.hpp"

namespace matchcount {

// Checks a run once in many steps.
class StepCheck {
 public:
  // `run` outlives this.
  explicit StepCheck(const RunContext& run) : run_(run) {}

  void step() {
    constexpr std::uint32_t steps_a_check = 1 << 12;
    if (++steps_ % steps_a_check == 0) check();
  }
  void check() const { run_.check(); }
  const RunContext& run() const { return run_; }

 private:
  const RunContext& run_;
  std::uint32_t steps_ = 0;
};

}  // namespace matchcount
