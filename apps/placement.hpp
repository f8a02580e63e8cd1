#pragma once
// Places the vertices of an input for a picture.

#include <string>
#include <vector>

#include "apps/inputs.hpp"
#include "core/run.hpp"
#include "graph/layout.hpp"

namespace matchcount::app {

// A graph with a place for each vertex: rows and then columns, or, of an undirected graph, vertices in the order of the
// file.
struct PlacedGraph {
  std::vector<std::string> names;  // by vertex
  std::vector<bool> is_column;     // by vertex; empty: there are odd cycles
  std::vector<Edge> edges;         // by EdgeId of the input's graph; its two vertices, in any order
  Layout layout;
  double unit = 1;             // about the distance of neighbours
  bool names_outside = false;  // two columns: names stand beside them
};

// Places the vertices by --coordinates FILE, else as the file says (a comment "# layout: ...", the atoms of a molecule
// unless two fall together), else as a planar graph, else in two columns or on a circle. Throws InputError for
// coordinates that do not fit the graph, and as run.check() does.
PlacedGraph placed_graph(const Options& options, const Input& input, const RunContext& run);

// Returns the graph of an input so, without places.
PlacedGraph without_places(const Input& input);

// Returns the way from the first to the second end of an edge: on a torus the shorter way.
Point step_of(const PlacedGraph& graph, const Edge& edge);

}  // namespace matchcount::app
