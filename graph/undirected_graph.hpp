#pragma once
// UndirectedGraph is a simple undirected graph, weighted or not, bipartite or not. The sum over its perfect matchings
// of the product of their weights is the hafnian of its symmetric matrix.

#include <cstddef>
#include <span>
#include <vector>

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// 32 bytes an edge, plus weights. Immutable once built.
class UndirectedGraph {
 public:
  // The graph with no vertices; it has one perfect matching.
  UndirectedGraph() : UndirectedGraph(from_edges(0, {})) {}

  // Edge{u, v} joins u and v, whichever comes first; edges in any order, weights (if any) parallel to them. Zero
  // weights are kept: drop_zeros removes them. Throws InputError for a vertex out of range, a self-loop (no matching
  // has one, and the diagonal of a matrix is more often a mistake than meant), a weight count that differs, a weight
  // that is not finite, an edge repeated either way round under Duplicates::refuse, or an integer sum beyond 64 bits.
  // O(edges log edges + vertices), without the logarithm for edges that ascend.
  static UndirectedGraph from_edges(Vertex num_vertices, std::vector<Edge> edges, Weights weights = {},
                                    Duplicates duplicates = Duplicates::refuse);
  // Rows keep their numbers and column c becomes vertex num_rows + c; weights follow.
  static UndirectedGraph from_bipartite(const BipartiteGraph& graph);

  Vertex num_vertices() const { return static_cast<Vertex>(offsets_.size() - 1); }
  EdgeId num_edges() const { return edges_.size(); }

  // The edges by EdgeId: row < column in each, ascending.
  const std::vector<Edge>& edges() const { return edges_; }
  // Returns the neighbours of a vertex, ascending, and in parallel the ids of the edges to them.
  std::span<const Vertex> neighbours(Vertex v) const {
    return {neighbours_.data() + offsets_[v], neighbours_.data() + offsets_[std::size_t{v} + 1]};
  }
  std::span<const EdgeId> incident_edges(Vertex v) const {
    return {incident_edges_.data() + offsets_[v], incident_edges_.data() + offsets_[std::size_t{v} + 1]};
  }

  const Weights& weights() const { return weights_; }
  WeightKind weight_kind() const { return static_cast<WeightKind>(weights_.index()); }

  // Rows and columns are the vertices, every edge stands both ways; weights follow. Row v has the neighbours of v.
  BipartiteGraph symmetric_matrix() const;

  // The same edges without, or with other, weights (one per edge, in order of EdgeId).
  UndirectedGraph pattern() const;
  UndirectedGraph with_weights(Weights weights) const;
  // Returns the graph without the edges of weight 0.
  UndirectedGraph drop_zeros() const;
  // Returns the subgraph on these vertices (each distinct), renumbered in the order given. O(edges of the graph) at
  // worst.
  UndirectedGraph induced(std::span<const Vertex> vertices) const;
  // The same vertices and only the edges with keep[id] true; weights follow.
  UndirectedGraph filtered(const std::vector<bool>& keep) const;

 private:
  struct Empty {};
  explicit UndirectedGraph(Empty) {}

  std::vector<Edge> edges_;
  std::vector<EdgeId> offsets_;  // num_vertices + 1
  std::vector<Vertex> neighbours_;
  std::vector<EdgeId> incident_edges_;
  Weights weights_;
};

}  // namespace matchcount
