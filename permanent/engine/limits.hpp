#pragma once
// Keeps the limits of a run: says whether what is predicted fits into them, and refuses what does not.

#include <string>

#include "core/run.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// Needs is a predicted cost.
struct Needs {
  double seconds = 0, memory_bytes = 0;
};

// A prediction is right to about this factor: the one by which it may pass the time that is left.
inline constexpr double prediction_factor = 2;

// Returns the seconds that may be planned with, of the run's own time limit or another. A run that can be resumed need
// not end in time.
double seconds_to_plan(const RunContext& run);
double seconds_to_plan(const RunContext& run, double time_limit_s);

// Returns the options with what is left of the time limit.
RunOptions what_is_left(const RunContext& run);
CountOptions what_is_left(CountOptions options, const RunContext& run);

// Throws OverLimit: WHAT needs so much (HOW), and the limits leave so little.
[[noreturn]] void refuse(const std::string& what, const Needs& needs, const std::string& how, double seconds_left,
                         double memory_bytes);
// Refuses what does not fit into the memory, or takes longer than what is left after `seconds_before`.
void require_within_limits(const std::string& what, const Needs& needs, const RunContext& run,
                           double seconds_before = 0);
// Throws OverLimit where so much memory, which WHAT would take, is not there.
void require_memory(const std::string& what, double bytes, const RunContext& run);

}  // namespace matchcount
