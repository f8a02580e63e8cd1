#pragma once
// Finds, by nested dissection, an order of elimination in which sparse matrices of planar graphs fill in little.

#include <cstdint>
#include <limits>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// A tree of separators. The vertices of a node separate those below its children from each other: an edge joins two
// vertices of one node, or of a node and one above it. Children come before parents.
struct Dissection {
  static constexpr std::uint32_t no_parent = std::numeric_limits<std::uint32_t>::max();

  std::vector<Vertex> vertices;       // every vertex of the graph once, node by node
  std::vector<std::size_t> begin;     // of node t: vertices[begin[t]] to vertices[begin[t + 1]]
  std::vector<std::uint32_t> parent;  // the index of a later node, or no_parent
  std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(parent.size()); }
  std::vector<std::uint32_t> node_of_vertices() const;
  std::vector<std::vector<std::uint32_t>> children() const;  // by node
};

// Bisects again and again until pieces have a few vertices left (George 1973, doi:10.1137/0710032). A bisection has few
// edges between its halves: by matching and contracting heavy edges down to some tens of vertices, greedy growth, and
// moving vertices between the halves at every size on the way back (Karypis and Kumar 1998,
// doi:10.1137/S1064827595287997; Fiduccia and Mattheyses 1982). The separator is a least vertex cover of those edges.
// For planar graphs of bounded degree separators of O(sqrt n) vertices are there to be found, and are found. A function
// of its arguments alone. O(edges log vertices) as a rule; throws as run.check() does.
Dissection nested_dissection(const UndirectedGraph& graph, std::uint64_t seed, const RunContext& run);

}  // namespace matchcount
