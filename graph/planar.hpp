#pragma once
// Finds planar embeddings, or the proof that there is none. Boost.Graph does the work and stays behind this header.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// The edges around each vertex in clockwise order: a drawing in the plane without crossings.
struct PlanarEmbedding {
  std::vector<EdgeId> rotation;             // of vertex v: [rotation_begin[v], rotation_begin[v + 1])
  std::vector<std::size_t> rotation_begin;  // num_vertices + 1
};

// Finds an embedding, or nothing where the graph is not planar (Boyer and Myrvold 2004, doi:10.7155/jgaa.00091).
// Weights are ignored. What is returned has been checked by Euler's formula. O(vertices + edges); a graph with more
// than 3 vertices - 6 edges is refused at once. Throws as run.check() does.
std::optional<PlanarEmbedding> planar_embedding(const UndirectedGraph& graph, const RunContext& run = {});

// Every edge has two sides, one for each direction in which it can be walked. Side 2 * id is that from edges()[id].row
// to edges()[id].column, side 2 * id + 1 the way back. The faces are the closed walks that turn to the next edge in the
// rotation at every vertex.
struct Faces {
  std::vector<std::uint32_t> of_side;  // 2 * num_edges
  std::uint32_t count = 0;             // isolated vertices have none
};
Faces faces_of(const UndirectedGraph& graph, const PlanarEmbedding& embedding);

// Finds the edge ids of a subdivision of K5 or K3,3, ascending: why the graph is not planar (Kuratowski 1930). Empty
// where it is planar. O(vertices + edges) for an edge set that holds one, and that for every edge of it, to leave out
// the rest.
std::vector<EdgeId> kuratowski_subgraph(const UndirectedGraph& graph);

// Bounds the faces that an embedding in a surface has: an edge borders two of them, each at least as long as the
// shortest cycle through it, as far as that is looked for. (An edge with one face on both of its sides may have a
// shorter one.) O(edges); throws as run.check() does.
double most_faces(const UndirectedGraph& graph, const RunContext& run);

// Finds edges without which the graph is planar, at most `most` of them, ascending: not always as few as there could
// be, but none that could go back. Nothing where more are needed, or where more were found than that; but where up to
// 64 edges join places far apart, they are named with the rest, of which some might go back then. A function of its
// arguments alone. O(edges) to see that many more are needed, else about 5 tests of planarity for each edge. Throws as
// run.check() does.
std::optional<std::vector<EdgeId>> edges_off_the_plane(const UndirectedGraph& graph, std::size_t most,
                                                       std::uint64_t seed, const RunContext& run = {});

// Finds out whether these edges are a subdivision of K5 or K3,3: a check that shares nothing with the above.
enum class KuratowskiKind { none, k5, k33 };
KuratowskiKind kuratowski_kind(const UndirectedGraph& graph, const std::vector<EdgeId>& edges);

}  // namespace matchcount
