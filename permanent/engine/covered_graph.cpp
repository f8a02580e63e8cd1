#include "permanent/engine/covered_graph.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount {
namespace {

template <class Graph>
Entries entries_of_kind(const Graph& graph) {
  if (graph.weight_kind() == WeightKind::real) return entries_of<RealEntry>(graph);
  if (graph.weight_kind() == WeightKind::complex) return entries_of<ComplexEntry>(graph);
  return entries_of<std::int64_t>(graph);
}

bool are_positive(const Entries& entries) {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&entries))
    return std::ranges::all_of(*integers, [](std::int64_t entry) { return entry > 0; });
  if (const auto* reals = std::get_if<std::vector<RealEntry>>(&entries))
    return std::ranges::all_of(*reals, [](const RealEntry& entry) { return entry.value.hi > 0; });
  return false;
}

template <class Graph>
std::vector<bool> nonzero_edges(const Graph& graph) {
  std::vector<bool> keep(graph.num_edges(), true);
  std::visit(
      [&](const auto& weights) {
        if constexpr (requires { weights.size(); }) {
          using Weight = typename std::decay_t<decltype(weights)>::value_type;
          for (std::size_t i = 0; i < weights.size(); ++i) keep[i] = !(weights[i] == Weight{});
        }
      },
      graph.weights());
  return keep;
}

Vertex size_of_sequence(const BipartiteGraph& graph) { return graph.num_rows() + graph.num_columns(); }
Vertex size_of_sequence(const UndirectedGraph& graph) { return graph.num_vertices(); }

// Sets all but the parts. Returns the graph without edges of weight 0.
template <class Graph>
Graph without_zeros(const Graph& graph, CoveredGraph& covered) {
  const std::vector<bool> keep = nonzero_edges(graph);
  covered.num_edges = graph.num_edges();
  for (EdgeId id = 0; id < covered.num_edges; ++id) {
    if (keep[id]) covered.given_edge.push_back(id);
  }
  const Graph nonzero = graph.filtered(keep);
  covered.entries = entries_of_kind(nonzero);
  covered.positive = are_positive(covered.entries);
  covered.matching_size = size_of_sequence(graph) / 2;
  return nonzero.pattern();
}

}  // namespace

CoveredGraph::CoveredGraph(const BipartiteGraph& given, const RunContext& run) {
  const BipartiteGraph graph = without_zeros(given, *this);
  const Matching matching = maximum_matching(graph, run);
  maximum_matching_size = matching.size;
  if (matching.is_perfect()) {
    parts = covered_parts(graph, matching, run);
  } else {
    hall = hall_violator(graph, matching, matching.size < graph.num_rows());
  }
}

CoveredGraph::CoveredGraph(const UndirectedGraph& given, const RunContext& run) {
  const UndirectedGraph graph = without_zeros(given, *this);
  const GraphMatching matching = maximum_matching(graph, run);
  maximum_matching_size = matching.size;
  if (matching.is_perfect()) {
    parts = covered_parts(graph, matching, run);
  } else {
    tutte = tutte_set(graph, matching);
  }
}

OwnedBlock CoveredGraph::block(std::size_t part, bool in_reals) const {
  const CoveredPart& given = parts.parts[part];
  return std::visit(
      [&](const auto& pattern, const auto& all) -> OwnedBlock {
        using Graph = std::decay_t<decltype(pattern)>;
        const auto with = [&](auto mine) -> OwnedBlock {
          using Entry = typename decltype(mine)::value_type;
          if constexpr (std::is_same_v<Graph, BipartiteGraph>) {
            return Block<Entry>{pattern, std::move(mine), {}, {}};
          } else {
            return GraphBlock<Entry>{pattern, std::move(mine)};
          }
        };
        std::decay_t<decltype(all)> mine;
        mine.reserve(given.edges.size());
        for (const EdgeId edge : given.edges) mine.push_back(all[edge]);
        if constexpr (std::is_same_v<decltype(mine), std::vector<std::int64_t>>) {
          if (in_reals) {
            std::vector<RealEntry> reals;
            std::ranges::transform(mine, std::back_inserter(reals), as_real);
            return with(std::move(reals));
          }
        }
        return with(std::move(mine));
      },
      given.pattern, entries);
}

AnyBlock view_of(const OwnedBlock& block) {
  return std::visit([](const auto& given) { return AnyBlock(&given); }, block);
}

RealEntry as_real(std::int64_t entry) {
  const DoubleDouble value =
      two_sum(static_cast<double>(entry >> 32) * 0x1p32, static_cast<double>(entry & 0xffffffff));
  return {value, std::fabs(value.hi) * (1 + 0x1p-51)};
}

}  // namespace matchcount
