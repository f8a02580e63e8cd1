#pragma once
// Plans and counts one block in the precision that is affordable, again where no digits were left.

#include "permanent/engine/planner.hpp"

namespace matchcount {

// Prepares a block as plan_block does, for the numbers that the block is counted in, and by every method if a second
// one is to verify. If the options leave the precision of reals and complex numbers open, these are double-doubles if
// what would be followed is predicted to take little time with them, else doubles. `all`: forecasts for every method.
PreparedBlock prepare_block(const AnyBlock& block, const CountOptions& options, bool all, double seconds_left,
                            const RunContext& run);

struct BlockOutcome {
  Value value;
  Precision precision = Precision::automatic;  // of reals and complex numbers
};

// Throws as the method does. The precision is a choice of run.part() (permanent/engine/resume.hpp).
BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run);

}  // namespace matchcount
