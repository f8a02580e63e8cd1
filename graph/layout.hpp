#pragma once
// Places the vertices of a graph in the plane for a picture: as the lattice that it is, as a planar graph without
// crossings, in two columns or on a circle.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// x to the right, y upwards.
struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Layout {
  // Cells names what a vertex is the centre of, so that an edge is a tile of two cells.
  enum class Cells {
    none,
    squares,   // of side 1, on integer points: dominoes
    triangles  // of side sqrt(3), so that centres of neighbours are 1 apart: lozenges
  };
  std::vector<Point> points;  // by vertex
  Cells cells = Cells::none;
  Point period;  // of a torus, which is [-1/2, x - 1/2] times [1/2 - y, 1/2]; 0: none
};

// A graph of graph/generate.hpp by the words that make it, as "aztec 10", "grid 8 8" or "honeycomb 8 8 torus".
struct LatticeLayout {
  std::vector<Point> rows, columns;  // by number; all vertices of one that is not bipartite are rows
  Layout::Cells cells = Layout::Cells::none;
  Point period;
};
// Lays out torus, grid3d, hexagon, aztec, hypercube and the lattices that have boundaries (graph/generate.hpp), whose
// boundary stands behind the sizes unless it is open; nothing for another first word. Throws
// InputError where the numbers behind it are not as many or not as large as the generator asks, and Unable above
// 2^22 vertices, which no picture shows.
std::optional<LatticeLayout> lattice_layout(std::string_view words);
// Says whether a first word is one of these.
bool is_lattice(std::string_view name);

// Finds a drawing in which edges are straight and none cross, or nothing where the graph is not planar. Of two the one
// whose shortest edge is longer, where the largest distance is the same: Chrobak and Payne 1995
// (doi:10.1016/0020-0190(95) 00020-D), by Boost.Graph, on integer points; and, where its faces come out convex, as in
// any 3-connected graph, Tutte 1963 (doi:10.1112/plms/s3-13.1.743), every vertex in the middle of its neighbours,
// around the longest face. Time linear for the first, and at most 2000 sweeps over the edges for the second. Throws as
// run.check() does.
std::optional<Layout> planar_layout(const UndirectedGraph& graph, const RunContext& run = {});

// Reads the places of vertices from a file of lines `name x y`, in any order, or of lines `x y` in the order of
// `names`, one for each. Fields stand apart by blanks and tabs or by commas; names may be in double quotes; # and % begin
// comments. Throws InputError with file and line for anything else: a name that is missing, given twice or not among
// `names`, or that two of these share where lines have names; a number that is not finite. "-" is standard input.
std::vector<Point> read_coordinates(const std::string& file, const std::vector<std::string>& names,
                                    const RunContext& run = {});

// Rows on the left and columns on the right, from the top downwards.
Layout two_column_layout(Vertex num_rows, Vertex num_columns);
// Places vertices clockwise from the top.
Layout circle_layout(Vertex num_vertices);

}  // namespace matchcount
