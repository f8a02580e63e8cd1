#pragma once
// Recognises the grids on a torus, whatever their vertices are called.

#include <optional>
#include <vector>

#include "graph/undirected_graph.hpp"

namespace matchcount {

// at(i, j) is joined to at(i + 1, j) and at(i, j + 1), both lengths periodic, and there are no other edges.
struct TorusGrid {
  Vertex height = 0, width = 0;
  std::vector<Vertex> vertices;  // line by line

  Vertex at(Vertex i, Vertex j) const { return vertices[std::size_t{i % height} * width + j % width]; }
};

// Finds the grid that the graph is, with both lengths 5 or more, or nothing: shorter ones, of which 4 x 4 is ambiguous,
// are not looked for. What is returned has been checked edge by edge. O(vertices log vertices).
std::optional<TorusGrid> torus_grid(const UndirectedGraph& graph);

}  // namespace matchcount
