#pragma once
// Counts one block as planned: in the precision that is affordable, again where no digits were left.

#include "permanent/engine/planner.hpp"

namespace matchcount {

struct BlockOutcome {
  Value value;
  Precision precision = Precision::automatic;  // of reals and complex numbers
};

// Throws as the method does. The precision that is chosen is a choice of run.part() (permanent/engine/resume.hpp).
BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run);

}  // namespace matchcount
