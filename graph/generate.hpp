#pragma once
// The graphs that the field counts, by name. All are bipartite with rows and columns as the two colour classes.

#include <cstdint>

#include "graph/bipartite_graph.hpp"
#include "graph/digraph.hpp"

namespace matchcount {

// height x width squares' corners as vertices, neighbours joined. Rows are the vertices with even i + j.
BipartiteGraph grid_graph(Vertex height, Vertex width);
// The same with both directions periodic; both lengths even (else not bipartite) and, to have no parallel edges, above 2.
BipartiteGraph torus_graph(Vertex height, Vertex width);
BipartiteGraph grid3d_graph(Vertex a, Vertex b, Vertex c);
// The honeycomb region whose perfect matchings are the plane partitions in an a x b x c box: MacMahon's
// prod (i+j+k-1)/(i+j+k-2) of them. ab+bc+ca vertices a side.
BipartiteGraph hexagon_graph(Vertex a, Vertex b, Vertex c);
// The Aztec diamond of this order: order (order+1) vertices a side and 2^(order (order+1)/2) perfect matchings.
BipartiteGraph aztec_graph(Vertex order);
BipartiteGraph hypercube_graph(Vertex dimension);
BipartiteGraph complete_graph(Vertex num_rows, Vertex num_columns);
// Row i joined to the columns j with |i - j| <= half_bandwidth.
BipartiteGraph band_graph(Vertex size, Vertex half_bandwidth);
// Random and simple, every vertex of this degree: a union of random permutations, repaired by random switches.
BipartiteGraph random_regular_graph(Vertex size, Vertex degree, std::uint64_t seed);
// Each edge with probability density, 0 <= density <= 1, independently.
BipartiteGraph random_graph(Vertex num_rows, Vertex num_columns, double density, std::uint64_t seed);
// A random planar bipartite graph with `size` vertices a side that has a perfect matching: a grid-like quadrangulation
// with random edges left out.
BipartiteGraph random_planar_graph(Vertex size, double density, std::uint64_t seed);

}  // namespace matchcount
