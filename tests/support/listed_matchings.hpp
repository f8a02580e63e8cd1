#pragma once
// Lists matchings by trying all partners of the first vertex that has none: the slow truth of what is said
// about single matchings.

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <variant>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "graph/undirected_graph.hpp"
#include "support/catch.hpp"

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

// Requires that so many draws are matchings of all vertices, and have each edge as often as its share, its sum over the
// last one, within six standard deviations.
inline void require_shares(const UndirectedGraph& graph, const std::vector<EdgeId>& drawn, std::size_t count,
                           const std::vector<Integer>& sums) {
  const std::size_t size = graph.num_vertices() / 2;
  REQUIRE(drawn.size() == count * size);
  const auto draws = static_cast<double>(count);
  std::vector<double> times(graph.num_edges(), 0);
  for (std::size_t s = 0; s < count; ++s) {
    std::vector<bool> used(graph.num_vertices(), false);
    for (std::size_t k = 0; k < size; ++k) {
      const Edge& edge = graph.edges()[drawn[s * size + k]];
      REQUIRE_FALSE((used[edge.row] || used[edge.column]));
      used[edge.row] = used[edge.column] = true;
      ++times[drawn[s * size + k]];
    }
  }
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const double share = nearest_real(Rational(sums[e], sums.back())).to_double();
    REQUIRE(std::fabs(times[e] / draws - share) <= 6 * std::sqrt(share * (1 - share) / draws) + 1e-9);
  }
}

// Requires that draws are spread over all matchings as these weigh, and that nothing else was drawn. Fisher's square
// root of chi-square is nearly normal: that it passes sqrt(2 k - 1) + 6, 8.5 standard deviations, has a probability
// below 10^-9 in a fair draw, and seeds are fixed.
template <class Key>
void require_spread(std::map<Key, double>& counts, const std::map<Key, double>& weights) {
  double total = 0, draws = 0, chi_square = 0;
  for (const auto& [key, weight] : weights) total += weight;
  for (const auto& [key, count] : counts) draws += count;
  for (const auto& [key, weight] : weights) {
    const double expected = draws * weight / total;
    chi_square += (counts[key] - expected) * (counts[key] - expected) / expected;
  }
  REQUIRE(counts.size() == weights.size());
  const double freedom = static_cast<double>(weights.size()) - 1;
  if (freedom > 0) REQUIRE(std::sqrt(2 * chi_square) < std::sqrt(2 * freedom - 1) + 6);
}

}  // namespace matchcount::test
