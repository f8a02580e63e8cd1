#pragma once
// Finds embeddings of graphs in surfaces, orientable or not, and their faces; recognises the grids on a torus, whatever
// their vertices are called.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run.hpp"
#include "graph/planar.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// at(i, j) is joined to at(i + 1, j) and at(i, j + 1), both lengths periodic, and there are no other edges.
struct TorusGrid {
  Vertex height = 0, width = 0;
  std::vector<Vertex> vertices;  // line by line

  Vertex at(Vertex i, Vertex j) const { return vertices[std::size_t{i % height} * width + j % width]; }
};

// Finds the grid that the graph is, with both lengths 5 or more, or nothing: shorter ones, of which 4 x 4 is ambiguous,
// are not looked for. What is returned has been checked edge by edge. O(vertices log vertices).
std::optional<TorusGrid> torus_grid(const UndirectedGraph& graph);

// SurfaceEmbedding gives the edges around each vertex in the sense of rotation that the vertex has. Along an edge that
// is twisted the senses of its two ends differ.
struct SurfaceEmbedding {
  PlanarEmbedding rotation;
  std::vector<bool> twisted;  // by EdgeId
};

// SurfaceStep walks along an edge: it is 4 * id + 2 * back + mirrored, back where it goes from edges()[id].column to
// the row, and mirrored where the walk's own sense of rotation is not that of the vertex where it begins.
using SurfaceStep = std::size_t;
// SurfaceFaces holds the closed walks that turn to the next edge in their own sense at every vertex, each in one
// direction. The two sides of an edge are those of its steps 4 * id and 4 * id + 1.
struct SurfaceFaces {
  std::vector<std::vector<SurfaceStep>> walks;
  std::vector<std::uint32_t> of_step;  // by step; a walk and its reverse are one face
};
SurfaceFaces faces_of(const UndirectedGraph& graph, const SurfaceEmbedding& embedding);
// Returns the step of a walk that comes after this one, along an edge at the vertex where it ends.
SurfaceStep step_along(const UndirectedGraph& graph, const SurfaceEmbedding& embedding, SurfaceStep before, EdgeId id);

// Returns 2 - vertices + edges - faces: 0 for the sphere, 1 for the projective plane, 2 for the torus and the Klein
// bottle. Requires a connected graph with an edge.
std::size_t euler_genus(const UndirectedGraph& graph, const SurfaceFaces& faces);

// Returns an embedding of Euler genus `most` or less, or nothing where none is found. Grids on a torus are recognised
// (torus_grid). Else patches of at most 1024 vertices around vertices of the graph are embedded in the plane, and
// what they say of their inner vertices is put together: so that lattices are embedded, and graphs that look like a
// plane from each of their vertices, but not graphs with crossings or on a narrow handle. What is returned has been
// checked by its faces. Requires a connected graph. O(edges), and as many tests of planarity of each patch as its size
// is halved. Throws as run.check() does.
std::optional<SurfaceEmbedding> surface_embedding(const UndirectedGraph& graph, std::size_t most,
                                                  const RunContext& run);

}  // namespace matchcount
