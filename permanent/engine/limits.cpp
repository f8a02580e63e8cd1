#include "permanent/engine/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/work.hpp"

namespace matchcount {

double seconds_to_plan(const RunContext& run) { return seconds_to_plan(run, run.options().time_limit_s); }

double seconds_to_plan(const RunContext& run, double time_limit_s) {
  const bool can_be_resumed = run.work() && run.work()->keeps();
  return can_be_resumed ? std::numeric_limits<double>::infinity() : time_limit_s - run.elapsed_s();
}

RunOptions what_is_left(const RunContext& run) {
  RunOptions left = run.options();
  left.time_limit_s = run.seconds_left();
  return left;
}
CountOptions what_is_left(CountOptions options, const RunContext& run) {
  options.run.time_limit_s = std::min(options.run.time_limit_s, run.seconds_left());
  return options;
}

void refuse(const std::string& what, const Needs& needs, const std::string& how, double seconds_left,
            double memory_bytes) {
  const std::string time_left =
      std::isinf(seconds_left) ? "" : "the time limit leaves " + time_amount(std::max(seconds_left, 0.0)) + ", ";
  throw OverLimit(what + " needs about " + time_amount(needs.seconds) + " and " + memory_amount(needs.memory_bytes) +
                      (how.empty() ? "" : " (" + how + ")") + "; " + time_left + "the memory limit leaves " +
                      memory_amount(memory_bytes),
                  needs.seconds, needs.memory_bytes);
}

void require_within_limits(const std::string& what, const Needs& needs, const RunContext& run, double seconds_before) {
  const double seconds_left = seconds_to_plan(run) - seconds_before / prediction_factor;
  if (needs.seconds <= prediction_factor * seconds_left && run.has_memory_for(needs.memory_bytes)) return;
  refuse(what, needs, "", seconds_left, static_cast<double>(run.memory_limit_bytes()));
}

void require_memory(const std::string& what, double bytes, const RunContext& run) {
  if (run.has_memory_for(bytes)) return;
  throw OverLimit(what + " would take " + memory_amount(bytes) + "; the memory limit is " +
                  memory_amount(static_cast<double>(run.memory_limit_bytes())));
}

}  // namespace matchcount
