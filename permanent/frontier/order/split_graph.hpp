#pragma once
// Splits vertices of a graph, so that it is narrower and has at least as many matchings: each part of a vertex has some
// of the edges.

#include <vector>

#include "graph/undirected_graph.hpp"

namespace matchcount {

struct SplitGraph {
  UndirectedGraph graph;
  std::vector<Vertex> sequence;   // an order of it
  std::vector<Vertex> vertex_of;  // which vertex each is a part of
  std::vector<bool> is_part;      // not all of it
  std::vector<EdgeId> edge_of;
};

// Splits vertices of the frontier where it is wider than so many (two or more), those that are processed last.
SplitGraph split_graph(const UndirectedGraph& graph, const std::vector<Vertex>& sequence, std::size_t width);

}  // namespace matchcount
