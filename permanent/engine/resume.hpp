#pragma once
// A run that may be put by and gone on with, or is shared by ranks: what it is a run of, and the choices that all of
// its parts must make alike (core/work.hpp). Private to permanent/. Without RunOptions::work nothing of it does
// anything.

#include <string>

#include "permanent/engine/planner.hpp"
#include "permanent/permanent.hpp"

namespace matchcount {

// Says what this is a run of: throws InputError where the checkpoint is one of another input, seed or precision.
void identify(const std::string& input, const CountOptions& options);

// The options to plan a part by: the method and, but where sums over subsets are exact, the device that it was begun
// with. Throws InputError where the caller asks for others.
CountOptions begun_with(const CountOptions& options, bool is_exact, const std::string& part);
// The forecast that all follow on a part: `mine`, or that of the same name as was followed before; where sums over
// subsets are exact, on the device that suits this rank.
Forecast agreed(const Forecast& mine, const BlockPlan& plan, const CountOptions& options, bool is_exact,
                const std::string& part);
Precision agreed(Precision mine, const CountOptions& options, const std::string& part);
bool agreed(bool mine, const CountOptions& options, const std::string& part);

}  // namespace matchcount
