#pragma once
// Draws small graphs of whatever shape, with sides or without, for comparisons with lists of all matchings.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graph/bipartite_graph.hpp"
#include "support/graphs.hpp"

namespace matchcount::test {

struct Instance {
  std::optional<BipartiteGraph> bipartite;
  UndirectedGraph graph;  // the same without sides
  Vertex rows = 0;
  std::vector<std::int64_t> weights;
};

// Draws a graph of 0 to 8 vertices with weights of 1 to 3; with sides where that is asked for, else in half of all.
inline Instance random_instance(bool has_sides, Random& random) {
  Instance result;
  const auto n = static_cast<Vertex>(random.below(9));
  result.rows = static_cast<Vertex>(random.below(n + 1));
  has_sides = has_sides || random.below(2) == 0;
  const double density = 0.3 + 0.6 * random.uniform();
  std::vector<Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) {
      if ((has_sides && (u >= result.rows || v < result.rows)) || random.uniform() > density) continue;
      edges.push_back({u, v});
      result.weights.push_back(1 + static_cast<std::int64_t>(random.below(3)));
    }
  }
  result.graph = UndirectedGraph::from_edges(n, edges, result.weights);
  if (!has_sides) return result;
  for (Edge& edge : edges) edge.column -= result.rows;
  result.bipartite = BipartiteGraph::from_edges(result.rows, n - result.rows, std::move(edges), result.weights);
  return result;
}

}  // namespace matchcount::test
