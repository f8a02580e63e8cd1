#pragma once
// Places the vertices of a graph for a picture, by what is known of them.

#include <optional>
#include <string>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/layout.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

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

struct KnownPlaces {
  std::optional<std::vector<Point>> wanted = {};  // by vertex; taken as they are
  std::string lattice = {};                       // words of lattice_layout; the names are the numbers of its vertices
  bool one_set = false;                           // which number all of them, and not those of each side
  std::vector<Point> found = {};                  // by vertex, or none: taken unless two fall together
};

// Fills in the layout: by what is known, else as that of a planar graph, else in two columns or on a circle. Throws
// InputError for a name that is none of the lattice's, and as run.check() does.
void place(PlacedGraph& graph, const KnownPlaces& known, const RunContext& run = {});

// Returns the way from the first to the second end of an edge: on a torus the shorter way.
Point step_of(const PlacedGraph& graph, const Edge& edge);

}  // namespace matchcount
