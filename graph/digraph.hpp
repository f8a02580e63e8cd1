#pragma once
// Digraph is a directed graph, weighted or not. Its cycle covers (sets of vertex-disjoint directed cycles through every
// vertex, a self-loop being a cycle of length one and u -> v -> u one of length two) are the perfect matchings of
// `bipartite()`.

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

class Digraph {
 public:
  Digraph() = default;
  // Edge{u, v} is the arc u -> v. Throws as BipartiteGraph::from_edges does.
  static Digraph from_arcs(Vertex num_vertices, std::vector<Edge> arcs, Weights weights = {},
                           Duplicates duplicates = Duplicates::refuse);

  Vertex num_vertices() const { return bipartite_.num_rows(); }
  EdgeId num_arcs() const { return bipartite_.num_edges(); }
  std::span<const Vertex> successors(Vertex v) const { return bipartite_.row(v); }
  std::span<const Vertex> predecessors(Vertex v) const { return bipartite_.column(v); }
  const Weights& weights() const { return bipartite_.weights(); }

  // Row u and column v adjacent for every arc u -> v: the adjacency matrix.
  const BipartiteGraph& bipartite() const { return bipartite_; }

 private:
  BipartiteGraph bipartite_;
};

}  // namespace matchcount
