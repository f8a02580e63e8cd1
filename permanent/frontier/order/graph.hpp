#pragma once
// Holds a graph for the search for an order: rows and columns in one numbering, or the vertices of a graph with odd
// cycles, which all count as rows.

#include <cstddef>
#include <span>
#include <vector>

#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

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
OrderGraph order_graph(const BipartiteGraph& graph);
OrderGraph order_graph(const UndirectedGraph& graph);

}  // namespace matchcount
