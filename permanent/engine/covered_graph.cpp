#include "permanent/engine/covered_graph.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "graph/weights.hpp"
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

}  // namespace

CoveredGraph::CoveredGraph(GraphView view, const RunContext& run) {
  std::visit(
      [&](const auto* given) {
        describe(*given, plan);
        num_edges = plan.edges;
        matching_size = (std::size_t{plan.rows} + plan.columns + plan.vertices) / 2;
        std::vector<bool> keep = nonzeros(given->weights());
        if (keep.empty()) keep.assign(num_edges, true);
        for (EdgeId id = 0; id < num_edges; ++id) {
          if (keep[id]) given_edge.push_back(id);
        }
        const auto nonzero = given->filtered(keep);
        entries = entries_of_kind(nonzero);
        positive = are_positive(entries);
        const auto graph = nonzero.pattern();
        const auto matching = find_matching(graph, plan, run);
        if (has_perfect_matching()) parts = covered_parts(graph, matching, run);
      },
      view);
}

OwnedBlock CoveredGraph::block(std::size_t part, bool in_reals) const {
  const CoveredPart& given = parts.parts[part];
  return std::visit(
      [&](const auto& pattern, const auto& all) -> OwnedBlock {
        using Graph = std::decay_t<decltype(pattern)>;
        const auto with = [&](auto mine) -> OwnedBlock {
          return BlockOf<Graph, typename decltype(mine)::value_type>{pattern, std::move(mine)};
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
