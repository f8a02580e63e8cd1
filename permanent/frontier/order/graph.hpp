#pragma once
// Holds a graph for the search for an order: rows and columns in one numbering, or the vertices of a graph with odd
// cycles, which all count as rows.

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "graph/vertices.hpp"

namespace matchcount {

struct OrderGraph {
  std::vector<std::size_t> offsets{0};
  std::vector<Vertex> neighbours;
  std::vector<char> is_row;
  bool by_parity = false;  // has odd cycles

  Vertex size() const { return static_cast<Vertex>(is_row.size()); }
  std::span<const Vertex> of(Vertex v) const {
    return {neighbours.data() + offsets[v], neighbours.data() + offsets[v + 1]};
  }
};

// Row r is vertex r, column c vertex num_rows + c.
template <class Graph>
OrderGraph order_graph(const Graph& graph) {
  OrderGraph result;
  result.by_parity = std::is_same_v<Graph, UndirectedGraph>;
  result.is_row.assign(num_vertices(graph), 1);
  if constexpr (!std::is_same_v<Graph, UndirectedGraph>)
    std::fill(result.is_row.begin() + graph.num_rows(), result.is_row.end(), char{0});
  result.offsets.reserve(result.is_row.size() + 1);
  result.neighbours.reserve(2 * graph.num_edges());
  for (Vertex v = 0; v < result.size(); ++v) {
    for_each_neighbour(graph, v, [&](Vertex u, EdgeId) { result.neighbours.push_back(u); });
    result.offsets.push_back(result.neighbours.size());
  }
  return result;
}

}  // namespace matchcount
