#pragma once
// Draws random graphs of both kinds for the tests of the search for an order, and says by definition what an
// order costs.

#include <algorithm>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/order/walk.hpp"
#include "support/graphs.hpp"

namespace matchcount::test {

struct OrderInstance {
  std::string name;
  OrderGraph graph;
  // The steps of the engine along a sequence.
  std::vector<FrontierStep> (*steps)(const OrderInstance&, const std::vector<Vertex>&);
  BipartiteGraph bipartite;
  UndirectedGraph general;
};

inline std::vector<OrderInstance> order_instances(std::uint64_t seed) {
  const auto of_bipartite = [](const OrderInstance& instance, const std::vector<Vertex>& sequence) {
    return frontier_steps(instance.bipartite, sequence).steps;
  };
  const auto of_general = [](const OrderInstance& instance, const std::vector<Vertex>& sequence) {
    return frontier_steps(instance.general, sequence).steps;
  };
  std::vector<OrderInstance> result;
  const auto add_bipartite = [&](std::string name, const BipartiteGraph& graph) {
    result.push_back({std::move(name), order_graph(graph), of_bipartite, graph, {}});
  };
  const auto add_general = [&](std::string name, const UndirectedGraph& graph) {
    result.push_back({std::move(name), order_graph(graph), of_general, {}, graph});
  };
  Random random(seed);
  add_bipartite("path", band_graph(2, 0));
  add_bipartite("grid", grid_graph(4, 7));
  add_bipartite("sparse", random_planar_graph(14, 0.5, seed));  // with vertices of degree 1
  add_bipartite("regular", random_regular_graph(15, 3, seed));
  add_bipartite("complete", complete_graph(6, 6));
  add_general("king", king_graph(4, 6));
  add_general("sparse, odd", random_graph(20, 0.2, random));
  add_general("dense", random_graph(11, 0.6, random));
  return result;
}

// Sums over the engine's steps.
inline double transitions(const std::vector<FrontierStep>& steps) {
  double total = 0;
  for (const FrontierStep& step : steps) total += step.states * (1 + 0.5 * static_cast<double>(step.choices.size()));
  return total;
}

inline std::vector<Vertex> shuffled_vertices(Vertex size, Random& random) {
  std::vector<Vertex> sequence(size);
  for (Vertex v = 0; v < size; ++v) {
    const auto at = static_cast<std::size_t>(random.below(v + 1));
    sequence[v] = sequence[at];
    sequence[at] = v;
  }
  return sequence;
}

inline bool is_permutation_of_all(std::vector<Vertex> sequence, Vertex size) {
  std::sort(sequence.begin(), sequence.end());
  if (sequence.size() != size) return false;
  for (Vertex v = 0; v < size; ++v) {
    if (sequence[v] != v) return false;
  }
  return true;
}

}  // namespace matchcount::test
