// Plans of questions about single matchings. Structure and orders are found without a limit on time, as plans of counts
// are (engine.cpp); limits are asked afterwards, so that a plan can say what they would refuse.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "permanent/engine/covered_graph.hpp"
#include "permanent/engine/distribution.hpp"
#include "permanent/engine/part_marginals.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/engine/part_samplers.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

RunOptions without_time_limit(RunOptions run) {
  run.time_limit_s = infinity;
  return run;
}

void set_size(const BipartiteGraph& graph, Plan& plan) {
  plan.rows = graph.num_rows();
  plan.columns = graph.num_columns();
}
void set_size(const UndirectedGraph& graph, Plan& plan) { plan.vertices = graph.num_vertices(); }

template <class Graph>
DistributionPlan structure_of(const Graph& given, const CoveredGraph& graph) {
  DistributionPlan result;
  Plan& plan = result.plan;
  set_size(given, plan);
  plan.edges = graph.num_edges;
  plan.maximum_matching = graph.maximum_matching_size;
  plan.hall_violator = graph.hall;
  plan.tutte_set = graph.tutte;
  if (!graph.has_perfect_matching()) return result;
  result.are_probabilities = graph.positive;
  EdgeId useful = graph.parts.forced.size();
  for (const CoveredPart& part : graph.parts.parts) useful += part.edges.size();
  plan.reductions.useless_edges = graph.num_edges - useful;
  plan.reductions.fine_blocks = static_cast<Vertex>(graph.parts.forced.size() + graph.num_parts());
  plan.reductions.degree1 = static_cast<Vertex>(2 * graph.parts.forced.size());
  return result;
}

BlockPlan block_of(const CoveredPart& part) {
  BlockPlan block;
  const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern);
  block.bipartite = bipartite != nullptr;
  block.size = bipartite ? bipartite->num_rows() : std::get<UndirectedGraph>(part.pattern).num_vertices();
  block.edges = part.edges.size();
  return block;
}

// forecasts(part): what was looked at, the one that is followed first.
template <class Forecasts>
void plan_parts(const CoveredGraph& graph, const RunContext& limited, Forecasts&& forecasts, DistributionPlan& result) {
  Plan& plan = result.plan;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    BlockPlan block = block_of(graph.parts.parts[i]);
    double seconds = infinity;
    try {
      block.forecasts = forecasts(i);
      const Forecast& first = block.forecasts.front();
      seconds = first.seconds;
      plan.memory_bytes = std::max(plan.memory_bytes, first.memory_bytes);
      require_affordable({first.seconds, first.memory_bytes}, plan.seconds, limited);
    } catch (const OverLimit& limit) {
      if (result.refusal.empty()) result.refusal = limit.what();
    }
    plan.seconds += seconds;
    plan.blocks.push_back(std::move(block));
  }
  std::ranges::stable_sort(plan.blocks, std::ranges::greater(), &BlockPlan::edges);
}

}  // namespace

template <class Graph>
DistributionPlan plan_of_marginals(const Graph& given, const DistributionOptions& options) {
  require_answerable(options);
  const RunContext limited(options.run), run(without_time_limit(options.run));
  const CoveredGraph graph(given, run);
  DistributionPlan result = structure_of(given, graph);
  PartMarginals parts(graph, options, run);
  const auto forecasts = [&](std::size_t part) {
    std::vector<Forecast> found;
    for (const PartChoice& choice : parts.candidates(part))
      found.push_back(forecast_of(choice.method, choice.needs, choice.what));
    return found;
  };
  plan_parts(graph, limited, forecasts, result);
  return result;
}

template <class Graph>
DistributionPlan plan_of_samples(const Graph& given, const DistributionOptions& options) {
  require_answerable(options);
  const RunContext limited(options.run), run(without_time_limit(options.run));
  const CoveredGraph graph(given, run);
  require_positive(graph);
  DistributionPlan result = structure_of(given, graph);
  const auto forecasts = [&](std::size_t part) {
    return std::vector<Forecast>{sampler_forecast(graph, part, options, run)};
  };
  plan_parts(graph, limited, forecasts, result);
  return result;
}

template DistributionPlan plan_of_marginals(const BipartiteGraph&, const DistributionOptions&);
template DistributionPlan plan_of_marginals(const UndirectedGraph&, const DistributionOptions&);
template DistributionPlan plan_of_samples(const BipartiteGraph&, const DistributionOptions&);
template DistributionPlan plan_of_samples(const UndirectedGraph&, const DistributionOptions&);

}  // namespace matchcount
