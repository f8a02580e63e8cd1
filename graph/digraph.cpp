#include "graph/digraph.hpp"

#include <string>

#include "core/error.hpp"

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

}  // namespace matchcount
