#pragma once
// Cuts a graph in a surface along some of its vertices, so that what is left is planar. Of the Pfaffians that add up to
// the graph's sum all have the rest in common, and differ in what the vertices of the cut do alone.

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// SurfaceCut has the vertices beside the cut and, of a vertex of the cut, a copy for each stretch of its rotation
// between two edges of the cut, with the edges to vertices beside the cut that are there. In the plane, where all
// copies are on outer faces, the perfect matchings of the graph without any of the copies have terms of one sign.
struct SurfaceCut {
  UndirectedGraph graph;
  KasteleynPlan plan;          // of the graph; the last node of its dissection has the copies
  std::vector<Vertex> cut;     // the vertices of the given graph that were cut, ascending
  std::vector<Vertex> vertex;  // by vertex: of the given graph
  std::vector<EdgeId> edges;   // by EdgeId: of the given graph
  // Edges of the given graph between two vertices of the cut, with the places of these.
  struct CutEdge {
    EdgeId id;
    std::uint32_t row, column;
  };
  std::vector<CutEdge> cut_edges;
  // Holds l(v) by term of the surface and vertex: entry (u, v) of the term's matrix is that of `plan`'s times
  // i^(l(u) + l(v)), for edges of the graph.
  std::vector<std::vector<std::uint8_t>> powers;
};

// CutFront tells the lines of the last front of an elimination of the cut's graph: copies of vertices of the cut, and
// vertices that were left over.
struct CutFront {
  CutFront(const SurfaceCut& cut, const std::vector<Vertex>& rows, const std::vector<Vertex>& columns);

  std::vector<Vertex> vertices;                  // of the given graph: the cut, and behind it what was left over
  std::vector<std::uint32_t> of_row, of_column;  // by line: the place there of its vertex
};

// Returns the power of i, modulo 4, that a term's matrix has at an edge, from edges()[id].row to its column.
unsigned power_of_edge(const SurfacePfaffians& surface, const SurfacePfaffians::Term& term, EdgeId id);

// The plan is that of the graph, in a surface. O(edges (terms + log edges)); throws as run.check() does.
SurfaceCut cut_surface(const UndirectedGraph& graph, const KasteleynPlan& plan, std::uint64_t seed,
                       const RunContext& run);

}  // namespace matchcount
