#include "graph/condensation.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "core/error.hpp"
#include "graph/strong_components.hpp"

namespace matchcount {

Digraph Digraph::from_arcs(Vertex num_vertices, std::vector<Edge> arcs, Weights weights, Duplicates duplicates) {
  for (const Edge& arc : arcs) {
    if (arc.row >= num_vertices || arc.column >= num_vertices) {
      throw InputError("the arc " + std::to_string(arc.row) + " -> " + std::to_string(arc.column),
                       "vertices below " + std::to_string(num_vertices));
    }
  }
  Digraph graph;
  graph.bipartite_ =
      BipartiteGraph::from_edges(num_vertices, num_vertices, std::move(arcs), std::move(weights), duplicates);
  return graph;
}

Condensation condensation(const Digraph& graph, const RunContext& run) {
  Condensation result;
  StepCheck check(run);
  const Vertex count = number_strong_components(
      graph.num_vertices(), [&](Vertex v) { return graph.successors(v); }, [](Vertex to, Vertex) { return to; }, check,
      result.component);
  result.has_cycle.assign(count, false);
  result.member_offsets.assign(std::size_t{count} + 1, 0);
  for (const Vertex c : result.component) ++result.member_offsets[std::size_t{c} + 1];
  for (Vertex c = 0; c < count; ++c) result.member_offsets[std::size_t{c} + 1] += result.member_offsets[c];
  result.member_vertices.resize(graph.num_vertices());
  std::vector<EdgeId> next(result.member_offsets.begin(), result.member_offsets.end() - 1);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) result.member_vertices[next[result.component[v]]++] = v;

  result.arc_offsets.assign(1, 0);
  for (Vertex c = 0; c < count; ++c) {
    const std::size_t begin = result.arc_targets.size();
    for (const Vertex v : result.members(c)) {
      for (const Vertex to : graph.successors(v)) {
        check.step();
        if (result.component[to] != c) {
          result.arc_targets.push_back(result.component[to]);
        } else {
          result.has_cycle[c] = true;
        }
      }
    }
    const auto first = result.arc_targets.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, result.arc_targets.end(), std::greater<>());
    result.arc_targets.erase(std::unique(first, result.arc_targets.end()), result.arc_targets.end());
    result.arc_offsets.push_back(result.arc_targets.size());
  }
  return result;
}

}  // namespace matchcount
