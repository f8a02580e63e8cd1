#pragma once
// Answers questions about graphs of Boost.Graph as they are: any that graph/boost_adapter.hpp takes.
//
//   boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> square(4);
//   for (int v = 0; v < 4; ++v) add_edge(v, (v + 1) % 4, square);
//   matchcount::count_perfect_matchings(square).value;                          // 2
//   std::map<Square::edge_descriptor, double> share;
//   matchcount::marginals(square, boost::make_assoc_property_map(share));       // 0.5 each
//   matchcount::sample_matchings(square, 0, 10);                                // ten times two edge descriptors
//
// Cycle covers and permanents are of directed graphs, all else is of undirected ones; undirected_graph_from adapts one
// whose directions are to be ignored. Weights come from a property map on edges.
// All throw what the adapter and the functions for our own graphs throw; parallel edges are refused: for those, and for
// bipartite graphs whose sides are given, adapt the graph first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "graph/boost_adapter.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "matchcount/matchings.hpp"

namespace MATCHCOUNT_API matchcount {

template <class G>
concept BoostGraph = ForeignGraph<G> && requires(const G& g) {
  vertices(g);
  edges(g);
} && boost_adapter::Graph<G>;

namespace boost_adapter {

template <class G, class... WeightMap>
AdaptedUndirectedGraph<G> as_undirected(const G& g, const WeightMap&... weight_of) {
  static_assert(std::is_convertible_v<typename boost::graph_traits<G>::directed_category, boost::undirected_tag>,
                "a directed graph has cycle covers (count_cycle_covers); undirected_graph_from(g) ignores directions");
  return undirected_graph_from(g, weight_of...);
}

}  // namespace boost_adapter

template <BoostGraph G>
Result count_perfect_matchings(const G& g, const CountOptions& options = {}, Work* work = nullptr) {
  return count_perfect_matchings(boost_adapter::as_undirected(g), options, work);
}

template <BoostGraph G>
MatchingResult count_matchings(const G& g, const MatchingOptions& options, Work* work = nullptr) {
  return count_matchings(boost_adapter::as_undirected(g), options, work);
}

template <BoostGraph G, boost_adapter::EdgeMapOf<G> WeightMap>
Result hafnian(const G& g, const WeightMap& weight_of, const CountOptions& options = {}, Work* work = nullptr) {
  return hafnian(boost_adapter::as_undirected(g, weight_of), options, work);
}

template <BoostGraph G>
Result count_cycle_covers(const G& g, const CountOptions& options = {}, Work* work = nullptr) {
  return count_cycle_covers(digraph_from(g), options, work);
}

// Computes the permanent of the matrix whose entry (u, v) is the weight of the edge from u to v.
template <BoostGraph G, boost_adapter::EdgeMapOf<G> WeightMap>
Result permanent(const G& g, const WeightMap& weight_of, const CountOptions& options = {}, Work* work = nullptr) {
  return permanent(digraph_from(g, weight_of).bipartite(), options, work);
}

namespace boost_adapter {

// Returns the edge descriptors by EdgeId of the adapted graph.
template <class G>
std::vector<BoostEdge<G>> edges_by_id(const G& g, const AdaptedUndirectedGraph<G>& adapted) {
  const Numbers<BoostVertex<G>> numbers(adapted.vertices);
  std::vector<std::pair<EdgeId, BoostEdge<G>>> found;
  for (auto range = edges(g); range.first != range.second; ++range.first) {
    const BoostEdge<G> edge = *range.first;
    const auto [u, v] = std::minmax({numbers(source(edge, g)), numbers(target(edge, g))});
    const auto at = std::ranges::lower_bound(adapted.neighbours(u), v) - adapted.neighbours(u).begin();
    found.emplace_back(adapted.incident_edges(u)[static_cast<std::size_t>(at)], edge);
  }
  std::ranges::sort(found, {}, &std::pair<EdgeId, BoostEdge<G>>::first);
  std::vector<BoostEdge<G>> by_id;
  by_id.reserve(found.size());
  for (const auto& [id, edge] : found) by_id.push_back(edge);
  return by_id;
}

template <class G, class ProbabilityMap>
Marginals marginals_into(const G& g, const AdaptedUndirectedGraph<G>& adapted, ProbabilityMap& probability_of,
                         const DistributionOptions& options) {
  Marginals found = MatchingDistribution(adapted, options).marginals();
  const std::vector<BoostEdge<G>> by_id = edges_by_id(g, adapted);
  for (EdgeId id = 0; id < by_id.size() && found.are_probabilities; ++id)
    put(probability_of, by_id[id], found.edges[id].probability);
  return found;
}

template <class G>
std::vector<std::vector<BoostEdge<G>>> samples_of(const G& g, const AdaptedUndirectedGraph<G>& adapted,
                                                  std::uint64_t first, std::size_t count,
                                                  const DistributionOptions& options) {
  MatchingDistribution distribution(adapted, options);
  const std::vector<EdgeId> ids = distribution.samples(first, count);
  const std::vector<BoostEdge<G>> by_id = edges_by_id(g, adapted);
  std::vector<std::vector<BoostEdge<G>>> samples(count);
  for (std::size_t i = 0; i < ids.size(); ++i) samples[i / distribution.matching_size()].push_back(by_id[ids[i]]);
  return samples;
}

}  // namespace boost_adapter

// Puts the probability of every edge in a random perfect matching into a property map, where there are probabilities
// (Marginals::are_probabilities); with weights, in one drawn in proportion to the products of its edges' weights.
template <BoostGraph G, class ProbabilityMap>
requires requires(ProbabilityMap map, BoostEdge<G> edge) { put(map, edge, 0.5); }
Marginals marginals(const G& g, ProbabilityMap probability_of, const DistributionOptions& options = {}) {
  return boost_adapter::marginals_into(g, boost_adapter::as_undirected(g), probability_of, options);
}
template <BoostGraph G, boost_adapter::EdgeMapOf<G> WeightMap, class ProbabilityMap>
requires requires(ProbabilityMap map, BoostEdge<G> edge) { put(map, edge, 0.5); }
Marginals marginals(const G& g, const WeightMap& weight_of, ProbabilityMap probability_of,
                    const DistributionOptions& options = {}) {
  return boost_adapter::marginals_into(g, boost_adapter::as_undirected(g, weight_of), probability_of, options);
}

// Draws perfect matchings, first, ..., first + count - 1 of those that MatchingDistribution::samples() gives.
template <BoostGraph G>
std::vector<std::vector<BoostEdge<G>>> sample_matchings(const G& g, std::uint64_t first, std::size_t count,
                                                        const DistributionOptions& options = {}) {
  return boost_adapter::samples_of(g, boost_adapter::as_undirected(g), first, count, options);
}
template <BoostGraph G, boost_adapter::EdgeMapOf<G> WeightMap>
std::vector<std::vector<BoostEdge<G>>> sample_matchings(const G& g, const WeightMap& weight_of, std::uint64_t first,
                                                        std::size_t count, const DistributionOptions& options = {}) {
  return boost_adapter::samples_of(g, boost_adapter::as_undirected(g, weight_of), first, count, options);
}

}  // namespace matchcount
