#pragma once
// Lists matchings by trying all partners of the first vertex that has none: the slow truth of what is said
// about single matchings.

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "core/numbers/integer.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount::test {

// Calls visit(edge ids, in the order of their least vertices) for every matching, perfect or not: each vertex goes
// through its partners in ascending order and is left alone after that, if it may be.
inline void for_each_matching(const UndirectedGraph& graph, bool may_be_alone,
                              const std::function<void(const std::vector<EdgeId>&)>& visit) {
  std::vector<bool> matched(graph.num_vertices(), false);
  std::vector<EdgeId> edges;
  const std::function<void(Vertex)> extend = [&](Vertex v) {
    while (v < graph.num_vertices() && matched[v]) ++v;
    if (v == graph.num_vertices()) {
      visit(edges);
      return;
    }
    matched[v] = true;
    for (std::size_t i = 0; i < graph.neighbours(v).size(); ++i) {
      const Vertex u = graph.neighbours(v)[i];
      if (matched[u]) continue;
      matched[u] = true;
      edges.push_back(graph.incident_edges(v)[i]);
      extend(v + 1);
      edges.pop_back();
      matched[u] = false;
    }
    if (may_be_alone) extend(v + 1);
    matched[v] = false;
  };
  extend(0);
}

// The same for perfect matchings, in lexicographic order.
inline void for_each_perfect_matching(const UndirectedGraph& graph,
                                      const std::function<void(const std::vector<EdgeId>&)>& visit) {
  for_each_matching(graph, false, visit);
}

// Sums for every edge, over the perfect matchings that contain it, the product of integer weights (1 without), and
// behind them over all perfect matchings.
inline std::vector<Integer> sums_by_listing(const UndirectedGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  std::vector<Integer> sums(graph.num_edges() + 1);
  for_each_perfect_matching(graph, [&](const std::vector<EdgeId>& edges) {
    Integer product = 1;
    for (const EdgeId edge : edges) product *= weights ? (*weights)[edge] : 1;
    for (const EdgeId edge : edges) sums[edge] += product;
    sums.back() += product;
  });
  return sums;
}

}  // namespace matchcount::test
