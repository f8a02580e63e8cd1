#pragma once
// Chooses how a block is counted a second time, so that the two counts can be compared.

#include "permanent/engine/planner.hpp"

namespace matchcount {

// Another method, sharing no code with the one that ran; where that is expensive, the same along another order, if the
// plan has one. Throws Unable where none is affordable in ten minutes or in twice the seconds that are left.
Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left);

// Returns the block's value by such a forecast. Where nothing may be rounded (Precision::exact) the second method gets
// entries scaled as it wants them, and what scaling lost is counted.
Value run_second(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& second, Precision precision,
                 const RunContext& run);

}  // namespace matchcount
