#pragma once
// Directs the edges of a plane graph so that all its perfect matchings have terms of the same sign in the Pfaffian
// (Kasteleyn 1967), and says which sign a term has.

#include <cstdint>
#include <vector>

#include "graph/planar.hpp"
#include "graph/vertices.hpp"

namespace matchcount {

// Returns the end of an edge that is not v.
inline Vertex other_end(const Edge& edge, Vertex v) { return edge.row == v ? edge.column : edge.row; }

// Spans a graph by trees, breadth first: calls visit(u, v, edge) where v is reached from u. The first tree grows from
// `root`, others from vertices that are left.
template <class Visit>
void for_each_tree_edge(const UndirectedGraph& graph, Vertex root, Visit&& visit) {
  std::vector<bool> reached(graph.num_vertices(), false);
  std::vector<Vertex> queue;
  for (Vertex i = 0; i < graph.num_vertices(); ++i) {
    const Vertex start = i < graph.num_vertices() - root ? root + i : root + i - graph.num_vertices();
    if (reached[start]) continue;
    reached[start] = true;
    queue.assign(1, start);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for_each_neighbour(graph, queue[at], [&](Vertex v, EdgeId edge) {
        if (reached[v]) return;
        reached[v] = true;
        visit(queue[at], v, edge);
        queue.push_back(v);
      });
    }
  }
}

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
