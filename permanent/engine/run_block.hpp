#pragma once
// Plans and counts one block in the precision that is affordable, again where no digits were left, and by a second
// method where the two are to be compared.

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

// Chooses how a block is counted a second time: by another method, sharing no code with the one that ran; where that is
// expensive, by the same along another order, if the plan has one. Throws Unable where none is affordable in ten
// minutes or in twice the seconds that are left.
Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left);

// Returns the block's value by such a forecast. Where nothing may be rounded (Precision::exact) the second method gets
// entries scaled as it wants them, and what scaling lost is counted.
Value run_second(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& second, Precision precision,
                 const RunContext& run);

// Verified tells how parts were counted a second time.
struct Verified {
  bool agreed = true;
  std::string by;  // "by planar, frontier"; empty: nothing was

  void note(const std::string& how);
};

}  // namespace matchcount
