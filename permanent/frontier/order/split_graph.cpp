#include "permanent/frontier/order/split_graph.hpp"

#include <algorithm>
#include <utility>

#include "matching/maximum_matching.hpp"

namespace matchcount {

SplitGraph split_graph(const UndirectedGraph& graph, const std::vector<Vertex>& sequence, std::size_t width) {
  SplitGraph split;
  std::vector<Vertex> time(sequence.size());
  for (Vertex i = 0; i < sequence.size(); ++i) time[sequence[i]] = i;
  std::vector<Vertex> part(graph.num_vertices(), unmatched);  // that is on the frontier
  std::vector<Vertex> frontier, parts_of(graph.num_vertices(), 0);
  std::vector<std::pair<Edge, EdgeId>> edges;
  const auto part_of = [&](Vertex v) {
    if (part[v] == unmatched) {
      part[v] = static_cast<Vertex>(split.vertex_of.size());
      split.vertex_of.push_back(v);
      frontier.push_back(v);
      ++parts_of[v];
    }
    return part[v];
  };
  for (const Vertex v : sequence) {
    const Vertex own = part_of(v);
    const auto neighbours = graph.neighbours(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (time[neighbours[i]] < time[v]) continue;
      const Vertex other = part_of(neighbours[i]);
      edges.push_back({{std::min(own, other), std::max(own, other)}, graph.incident_edges(v)[i]});
      for (; frontier.size() > width; frontier.pop_back()) {
        std::ranges::sort(frontier, std::ranges::less{}, [&](Vertex u) { return time[u]; });
        split.sequence.push_back(std::exchange(part[frontier.back()], unmatched));
      }
    }
    split.sequence.push_back(own);
    std::erase(frontier, v);
  }
  std::ranges::sort(edges, std::ranges::less{},
                    [](const auto& edge) { return std::pair(edge.first.row, edge.first.column); });
  std::vector<Edge> ends;
  for (const auto& [edge, id] : edges) {
    ends.push_back(edge);
    split.edge_of.push_back(id);
  }
  for (const Vertex v : split.vertex_of) split.is_part.push_back(parts_of[v] > 1);
  split.graph = UndirectedGraph::from_edges(static_cast<Vertex>(split.vertex_of.size()), std::move(ends));
  return split;
}

}  // namespace matchcount
