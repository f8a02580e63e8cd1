#pragma once
// Directs the edges of a plane graph so that all its perfect matchings have terms of the same sign in the Pfaffian
// (Kasteleyn 1967), and says which sign a term has.

#include <cstdint>
#include <vector>

#include "graph/planar.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// Directs each edge: by EdgeId, +1 if it is directed from edges()[id].row to its column and -1 if it is directed back,
// so that every face but one of each component has an odd number of edges directed along its walk. Throws InputError if
// the embedding is not one of the graph. O(vertices + edges).
std::vector<std::int8_t> kasteleyn_orientation(const UndirectedGraph& graph, const PlanarEmbedding& embedding);

// Says whether v_0, v_1, ... is an odd permutation of 0, 1, ...
bool is_odd_permutation(const std::vector<Vertex>& sequence);

// Says whether the term of a perfect matching in the Pfaffian is negative, entries' own signs left out.
bool term_is_negative(const UndirectedGraph& graph, const std::vector<std::int8_t>& orientation,
                      const std::vector<Vertex>& partner);

}  // namespace matchcount
