#pragma once
// Splits a graph with a perfect matching into parts in each of which every edge is in some perfect matching, and keeps
// the names of their edges: edges in no perfect matching are dropped, and an edge that is alone is in all of them.

#include <variant>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/dulmage_mendelsohn.hpp"
#include "matching/graph_matching.hpp"

namespace matchcount {

// Connected, with at least 4 vertices; a BipartiteGraph where it has no odd cycle. Without weights.
struct CoveredPart {
  std::variant<BipartiteGraph, UndirectedGraph> pattern;
  std::vector<EdgeId> edges;  // by EdgeId of the pattern: the edge of the graph that was given
  // Maps a vertex, rows before columns, to the vertex that was given, column c being vertex rows + c.
  std::vector<Vertex> vertices;
};

struct CoveredParts {
  std::vector<EdgeId> forced;      // in every perfect matching, ascending
  std::vector<CoveredPart> parts;  // by their least vertices; perfect matchings of the graph are products of theirs
};

// Throws InputError where the matching is not perfect, and as run.check() does. O(edges), but in components with odd
// cycles O(vertices edges).
CoveredParts covered_parts(const BipartiteGraph& graph, const Matching& perfect, const RunContext& run);
CoveredParts covered_parts(const UndirectedGraph& graph, const GraphMatching& perfect, const RunContext& run);

}  // namespace matchcount
