#pragma once
// What each method would cost on one block, before any of it is run.

#include <functional>
#include <optional>

#include "permanent/permanent.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// A block's number type, as far as costs depend on it.
struct NumberType {
  WeightKind kind = WeightKind::integer;       // integer, real or complex
  Precision precision = Precision::automatic;  // of reals: float64, compensated or double_double
  bool nonnegative = true;                     // a real block whose error bound needs no second run
  double log2_bound = 0;                       // of integers: log2_permanent_bound
  bool all_ones = false;                       // of integers: a count
  // Of reals and complex numbers: kasteleyn_sizes of the block; called where the planar method is in question.
  std::function<KasteleynSizes(const KasteleynPlan&)> planar_sizes = {};
};

// What was found out on the way to a plan and is needed to carry it out.
struct PreparedBlock {
  BlockPlan plan;
  FrontierOrder order;  // where `ordered`
  bool ordered = false;
  double share_of_time = 1;   // along that order: what a rank takes of the time of one process
  FrontierOrder other_order;  // where some forecast is for it
  FrontierEngine other_engine = FrontierEngine::automatic;  // to follow it
  std::optional<KasteleynPlan> planar;                      // where it was looked for and the block is planar
  RyserPlan ryser, sparyser, skipper, staged;               // those that a forecast was made for
  std::vector<DeviceInfo> gpus;                             // where some forecast is for them

  const RyserPlan& subsets(Method method) const;
};

// Forecasts for every method, or, when `only_if_needed` is set, for as many as it takes to choose: a block that the
// frontier method counts in a moment gets no plan of subsets. options.method restricts the choice to that method.
// twin_before: of the block, by find_twins.
PreparedBlock plan_block(const BipartiteGraph& pattern, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run, const std::vector<Vertex>& twin_before = {});

// The same for a block with odd cycles: the planar and the frontier method, and expansion. log2_bound is
// log2_hafnian_bound.
PreparedBlock plan_block(const UndirectedGraph& pattern, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run);

// Predicted seconds of one forecast in another precision, for choosing it.
double predicted_seconds(const PreparedBlock& block, const BipartiteGraph& pattern, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options);
double predicted_seconds(const PreparedBlock& block, const UndirectedGraph& pattern, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options);

// Whether the options allow a block to be counted so: method and device are what was asked for. Blocks of a few rows
// (or twice as many vertices) are expanded, whatever the device.
bool allowed(const Forecast& forecast, const BlockPlan& block, const CountOptions& options);

// The forecast to follow: the cheapest that applies and keeps within the limits of time (by a factor of 2) and memory.
// Throws Unable, saying what the cheapest would need, where there is none.
const Forecast& choose(const BlockPlan& plan, const CountOptions& options, double seconds_left);

}  // namespace matchcount
