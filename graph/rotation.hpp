#pragma once
// Reads rotation systems: the neighbours of each vertex in the order in which they lie around it, counterclockwise or
// clockwise for all vertices alike. Such an order at every vertex is an embedding in an orientable surface (Heffter
// 1891, Edmonds 1960; Mohar and Thomassen, "Graphs on Surfaces", 2001).

#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/layout.hpp"
#include "graph/surface.hpp"
#include "graph/undirected_graph.hpp"
#include "graph/vertex_order.hpp"

namespace matchcount {

using RotationSystem = std::vector<std::vector<Vertex>>;  // by vertex

// Reads FILE; "-" is standard input. Lines `NAME NEIGHBOUR NEIGHBOUR ..` or, of two sides, `row NAME ..` and `column
// NAME ..`, whose neighbours are of the other side, with quotes and comments as read_vertex_order has them; or one
// graph of planar_code, whose V-th vertex is the V-th of this graph. Throws InputError where a vertex or a neighbour is
// missing, unknown or named again, and as run.check() does.
RotationSystem read_rotation(const std::string& file, const UndirectedGraph& graph, const VertexNames& vertices,
                             const RunContext& run = {});

// Returns the directions in which neighbours lie on a torus with these periods, 0 for none, each edge being drawn as
// the shortest line. Throws InputError where two such lines leave a vertex in one direction, or two are as short.
RotationSystem rotation_of_points(const UndirectedGraph& graph, const std::vector<Point>& points, Point period,
                                  const std::vector<std::string>& names);

// Throws InputError where the rotation has not every end of every edge once. It may have others.
void require_rotation_of(const UndirectedGraph& graph, const RotationSystem& rotation);
// Returns the rotation among some vertices, with these names in the given one, numbered anew.
RotationSystem rotation_among(const RotationSystem& rotation, const std::vector<Vertex>& names);
// Returns the embedding of a graph whose edges the rotation has, and maybe others.
SurfaceEmbedding embedding_of(const UndirectedGraph& graph, const RotationSystem& rotation);

}  // namespace matchcount
