#pragma once
// Colours the vertices of a graph in two, or finds the odd cycle that forbids it.

#include <span>
#include <vector>

#include "graph/bipartite_graph.hpp"

namespace matchcount {

struct TwoColouring {
  std::vector<bool> is_column;    // by vertex; the least vertex of every component is a row
  std::vector<Vertex> odd_cycle;  // its vertices in order, each once; empty where the colouring is proper
};

// The edges are undirected: Edge{u, v} joins vertices u != v below num_vertices. Breadth-first search,
// O(vertices + edges) time, 8 bytes an edge and 17 a vertex.
TwoColouring two_colour(Vertex num_vertices, std::span<const Edge> edges);

}  // namespace matchcount
