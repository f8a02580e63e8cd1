#pragma once
// Colours the vertices of a graph in two, or finds the odd cycle that forbids it.

#include <span>
#include <vector>

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

struct TwoColouring {
  std::vector<bool> is_column;    // by vertex; the least vertex of every component is a row
  std::vector<Vertex> odd_cycle;  // its vertices in order, each once; empty where the colouring is proper
};

// The edges are undirected: Edge{u, v} joins vertices u != v below num_vertices. Breadth-first search,
// O(vertices + edges) time, 8 bytes an edge and 17 a vertex.
TwoColouring two_colour(Vertex num_vertices, std::span<const Edge> edges);

// The connected components, each coloured as far as it can be.
struct ColouredComponents {
  std::vector<Vertex> component;    // by vertex; numbered by their least vertices, ascending
  std::vector<bool> is_column;      // by vertex; proper where the component has no odd cycle, its least vertex a row
  std::vector<bool> has_odd_cycle;  // by component

  Vertex count() const { return static_cast<Vertex>(has_odd_cycle.size()); }
};
// Colours by breadth-first search, O(vertices + edges).
ColouredComponents coloured_components(const UndirectedGraph& graph);

}  // namespace matchcount
