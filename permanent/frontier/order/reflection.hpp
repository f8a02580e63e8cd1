#pragma once
// Finds reflections of a graph: automorphisms that are their own inverse and take half of the graph to the other half,
// so that a sum over matchings takes the steps of one half alone (cpu/cube.hpp says how).

#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

struct Reflection {
  struct InnerEdge {
    Vertex u, v;
    EdgeId edge;
    bool is_halved;  // is its own mirror image
  };

  std::vector<Vertex> mirror;    // of every vertex
  std::vector<Vertex> sequence;  // A: no vertex, and no neighbour of one, is the mirror of another
  std::vector<Vertex> middle;    // those that are in neither A nor its mirror
  // Edges within the middle, one of each pair that mirror each other.
  std::vector<InnerEdge> inner;
};

// Returns one that keeps the colours of vertices, with A in an order of about the least layers that are found; none
// where there is none or it is not found in a moment. Throws as run.check() does.
std::optional<Reflection> find_reflection(const UndirectedGraph& graph, const std::vector<bool>& colours,
                                          const RunContext& run);

}  // namespace matchcount
