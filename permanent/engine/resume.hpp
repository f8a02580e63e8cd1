#pragma once
// Makes a run that resumes from a checkpoint, and every rank of one, choose alike (core/work.hpp).
//
// A block's choices are saved under the name of run.part(). Where a run shares and saves nothing, nothing of this does
// anything.

#include <string>

#include "permanent/plan.hpp"

namespace matchcount {

// Says what this is a run of: throws InputError where the checkpoint is one of another input, seed or precision. Of a
// run with a part it says that of this part alone.
void identify(const std::string& input, const CountOptions& options, const RunContext& run);

// Returns the options to plan a block by: the method and, but where any device can resume its sums, the device that it
// was begun with. Throws InputError where the caller asks for others.
CountOptions resumed_options(const CountOptions& options, bool is_exact, const RunContext& run);

// Returns the forecast that all follow on a block: `mine`, or that of the same name as was followed before; where any
// device can resume its sums, on the device that suits this rank. Throws Unable where that can't be done here.
Forecast agreed(const Forecast& mine, const BlockPlan& plan, bool is_exact, const RunContext& run);

}  // namespace matchcount
