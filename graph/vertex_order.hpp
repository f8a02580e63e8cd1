#pragma once
// Reads orders of a graph's vertices: names, one a line, or a tree decomposition in the format of PACE (.td).

#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// Names the vertices of a graph as its file does.
struct VertexNames {
  std::vector<std::string> names;
  // Two separate sides: the first so many vertices are rows, the others columns. Nothing: one set of names.
  std::optional<Vertex> num_rows = {};
};

// Reads FILE; "-" is standard input. Lines `NAME` or, of two sides, `row NAME` and `column NAME`, in double quotes
// where a name holds blanks, with # and % comments; a name that both sides have can't stand alone. Or PACE's "s td BAGS
// LARGEST VERTICES", bags "b I V1 V2 .." and edges "I J" of the tree, with "c" comments, where V is the V-th vertex:
// then the order is that of order_along_tree, from an end of the tree. Throws InputError where a vertex is missing,
// unknown or named again, and where the bags are no tree decomposition of the graph, with what they lack; and as
// run.check() does.
std::vector<Vertex> read_vertex_order(const std::string& file, const UndirectedGraph& graph,
                                      const VertexNames& vertices, const RunContext& run = {});

}  // namespace matchcount
