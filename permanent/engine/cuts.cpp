#include "permanent/engine/cuts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "permanent/engine/cut_sums.hpp"
#include "permanent/engine/engine.hpp"

namespace matchcount {
namespace {

// Smaller blocks, and those of more edges than this for each vertex, have no pieces that are worth it.
constexpr Vertex least_vertices = 8;
constexpr EdgeId most_edges_of_vertex = 32;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct BlockCuts : MethodPlan {
  CutPlan cuts;
  CountOptions options;
  Cost cost;
};

bool is_nonnegative(const AnyBlock& block) {
  return std::visit(
      [](const auto* given) {
        return std::ranges::all_of(given->entries, [](const auto& entry) {
          if constexpr (requires { entry.value.hi; }) {
            return entry.value.hi >= 0;
          } else if constexpr (std::is_same_v<std::decay_t<decltype(entry)>, std::int64_t>) {
            return entry >= 0;
          } else {
            return false;
          }
        });
      },
      block);
}

// A part with ones for weights, in the numbers of the block.
template <class Entry>
Plan plan_part(const UndirectedGraph& pattern, const CountOptions& options, const RunContext& run) {
  CountOptions mine = options_of_pieces(options, run);
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    return plan_only<Entry>(pattern, mine, nullptr);
  } else {
    using Weight = decltype(Entry::value);
    return plan_only<Entry>(pattern.with_weights(std::vector<Weight>(pattern.num_edges(), Weight(1.0))), mine, nullptr);
  }
}

// The cost of all pieces and of what is left.
template <class Entry>
Cost cost_of(const BlockCuts& found, const RunContext& run) {
  Cost cost;
  std::map<std::vector<Edge>, Plan> known;  // of pieces alike
  const auto add = [&](const CutPart& part, double times) {
    const auto [place, is_new] = known.try_emplace(part.pattern.edges());
    if (is_new) place->second = plan_part<Entry>(part.pattern, found.options, run);
    cost.seconds += (is_new ? times : 0) * place->second.seconds;
    cost.memory_bytes = std::max(cost.memory_bytes, place->second.memory_bytes);
    return place->second.blocks.empty() ? std::string("nothing")
                                        : place->second.blocks.front().forecasts.front().reason;
  };
  std::size_t widest = 0;
  for (const Cut& cut : found.cuts.cuts) {
    run.check();
    widest = std::max(widest, cut.piece.boundary.size());
    const Cut::Subset* most = nullptr;
    double times = 0;
    for (const Cut::Subset& subset : cut.subsets) {
      if (!subset.is_possible) continue;
      ++times;
      if (!most || subset.taken.size() > most->taken.size()) most = &subset;
    }
    if (most) add(piece_with(found.cuts, cut, *most), times);
  }
  const CutPart rest = part_of(found.cuts, found.cuts.vertices, found.cuts.rest);
  const std::string reason = add(rest, 1);
  cost.log2_operations = std::log2(static_cast<double>(found.cuts.cuts.size()) + 1);
  cost.description = std::to_string(found.cuts.cuts.size()) + " pieces behind at most " + std::to_string(widest) +
                     " vertices; " + std::to_string(rest.pattern.num_vertices()) + " vertices are left: " + reason;
  return cost;
}

Planned plan_from(const PlanRequest& request, bool other_root, const RunContext& run) {
  const BlockPattern pattern = pattern_of(request.block);
  const UndirectedGraph graph =
      pattern.general ? *pattern.general : UndirectedGraph::from_bipartite(*pattern.bipartite);
  if (graph.num_vertices() < least_vertices) return {nullptr, "too few vertices to hang pieces on"};
  if (graph.num_edges() > most_edges_of_vertex * graph.num_vertices())
    return {nullptr, "too many edges for pieces behind few vertices"};
  auto found = std::make_shared<BlockCuts>();
  found->options = request.options;
  found->cuts = plan_cuts(graph, is_nonnegative(request.block) ? 3 : 2, other_root, run);
  if (found->cuts.cuts.empty()) return {nullptr, "no piece hangs behind at most three vertices"};
  found->cost = std::visit(
      [&](const auto* block) {
        return cost_of<typename std::decay_t<decltype(block->entries)>::value_type>(*found, run);
      },
      request.block);
  if (std::isinf(found->cost.seconds)) return {nullptr, found->cost.description + ", which no method takes"};
  return {std::move(found), {}};
}

Planned plan(const PlanRequest& request, const RunContext& run) { return plan_from(request, false, run); }
Planned plan_again(const PlanRequest& request, const MethodPlan&, const RunContext& run) {
  return plan_from(request, true, run);
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& plan, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  return static_cast<const BlockCuts&>(plan).cost;
}

Value run_cuts(const RunRequest& request, const RunContext& run) {
  const auto& found = static_cast<const BlockCuts&>(request.plan);
  CountOptions options = found.options;
  options.run.precision = request.precision;
  return std::visit(
      [&](const auto* block) -> Value {
        using Entry = typename std::decay_t<decltype(block->entries)>::value_type;
        return CutSums<Entry>(found.cuts, block->entries, options).total(run);
      },
      request.block);
}

}  // namespace

MethodVerbs cuts_method() {
  return {
      .plan = plan, .cost = cost, .run = run_cuts, .plan_again = plan_again, .marginals = nullptr, .sampler = nullptr};
}

}  // namespace matchcount
