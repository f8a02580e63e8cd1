#pragma once
// Makes graphs that look like trees from afar.

#include <utility>
#include <vector>

#include "core/random.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount::test {

// A random partial k-tree of n >= k >= 1 vertices: each hangs on a random clique of k before it. Of the edges the share
// `keep` is left, and those of 2 i and 2 i + 1, so that an even graph has a perfect matching.
inline UndirectedGraph partial_k_tree(Vertex n, Vertex k, double keep, Random& random) {
  std::vector<std::vector<Vertex>> cliques{{}};
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    // The cliques with the vertex before are the last k.
    const std::size_t back = v % 2 == 1 && v > k ? k : cliques.size();
    const std::vector<Vertex> clique = cliques[cliques.size() - 1 - random.below(back)];
    for (const Vertex u : clique)
      if (random.uniform() < keep || (v % 2 == 1 && u + 1 == v)) edges.push_back({u, v});
    if (v < k) cliques.back().push_back(v);
    for (std::size_t i = 0; v >= k && i < k; ++i) {
      cliques.push_back(clique);
      cliques.back()[i] = v;
    }
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

}  // namespace matchcount::test
