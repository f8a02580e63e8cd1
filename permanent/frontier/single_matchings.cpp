#include "permanent/frontier/single_matchings.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "core/error.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/marginals.hpp"

namespace matchcount {
namespace {

// Seconds of a transition, forwards and backwards, all layers being kept; a prediction (bcsstk01, grids).
constexpr double seconds_of_transition = 4e-9;
// The share of the time limit for the search for an order.
constexpr double order_share_of_time = 0.02;

std::shared_ptr<const FrontierOrder> order_of(const PlanRequest& request, const RunContext& run) {
  const CountOptions& options = request.options;
  OrderEffort effort;
  effort.most_seconds = order_share_of_time * options.run.time_limit_s;
  effort.seconds = std::min(options.effort_s, options.run.time_limit_s);
  effort.useful_log2_transitions = std::log2(request.useful_s / seconds_of_transition);
  const BlockPattern pattern = pattern_of(request.block);
  return std::make_shared<const FrontierOrder>(
      pattern.bipartite
          ? find_frontier_order(*pattern.bipartite, options.frontier_strategy, options.run.seed, run, effort)
          : find_frontier_order(*pattern.general, options.run.seed, run, effort));
}

// Layers forwards and backwards, all of them kept.
Cost cost_of(const FrontierOrder& order) {
  return {0, seconds_of_transition * std::exp2(order.log2_transitions),
          2 * sizeof(double) * std::exp2(order.log2_peak_states),
          "width " + std::to_string(order.max_width) + ", at most " + two_to(order.log2_peak_states) + " states"};
}

}  // namespace

Way way_frontier(const PlanRequest& request, Asked, const RunContext& run) {
  Way way;
  const auto order = order_of(request, run);
  way.cost = cost_of(*order);
  const FrontierEngine engine = request.options.frontier_engine;
  way.marginals = [order, engine](const AnyBlock& block, const RunContext& inner) {
    return marginals_frontier(block, *order, engine, inner);
  };
  way.sampler = [order, engine](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::unique_ptr<PartSampler> {
          if constexpr (requires { FrontierSampler(*block, *order, engine, inner); })
            return std::make_unique<FrontierSampler>(*block, *order, engine, inner);
          throw Error("samples of numbers that are not real");
        },
        given);
  };
  return way;
}

}  // namespace matchcount
