#pragma once
// Says in words and draws how an answer was found: the structure, the methods that were weighed, predicted and taken
// times.

#include <span>
#include <string>

#include "core/api.hpp"
#include "permanent/plan.hpp"

namespace MATCHCOUNT_API matchcount {

// Says what the reductions did, and for each of the first ten blocks what every method would take or why it does not
// apply; with `runs`, one for each block, what was predicted and taken.
std::string blocks_text(const Plan& plan, std::span<const BlockRun> runs = {});

// Says so of an answer, and where the time went. Results of CountOptions::value_only may have no blocks.
std::string explanation(const Result& result);

// Draws the predicted and the taken seconds of the blocks and phases as SVG; of a plan those of every method on its
// largest block.
std::string explanation_picture(const Result& result);
std::string plan_picture(const Plan& plan);

}  // namespace matchcount
