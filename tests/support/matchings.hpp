#pragma once
// Sums over all matchings of small graphs by their definition, for any numbers: a vertex is left out or matched.

#include <cstddef>
#include <vector>

#include "graph/undirected_graph.hpp"

namespace matchcount::test {

// Sums by number of edges, from 0 to half the vertices, over the matchings the product of the weights of their edges
// (by EdgeId) and of the vertices that they leave out.
template <class T>
std::vector<T> matchings_by_size(const UndirectedGraph& graph, const std::vector<T>& edges,
                                 const std::vector<T>& vertices) {
  std::vector<T> sums(graph.num_vertices() / 2 + std::size_t{1}, T(0));
  std::vector<bool> covered(graph.num_vertices(), false);
  const auto from = [&](const auto& self, Vertex v, std::size_t size, const T& product) -> void {
    if (product == T(0)) return;
    while (v < graph.num_vertices() && covered[v]) ++v;
    if (v == graph.num_vertices()) {
      sums[size] = sums[size] + product;
      return;
    }
    covered[v] = true;
    self(self, v + 1, size, product * vertices[v]);
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      const Edge& edge = graph.edges()[id];
      if (edge.row != v || covered[edge.column]) continue;
      covered[edge.column] = true;
      self(self, v + 1, size + 1, product * edges[id]);
      covered[edge.column] = false;
    }
    covered[v] = false;
  };
  from(from, 0, 0, T(1));
  return sums;
}

}  // namespace matchcount::test
