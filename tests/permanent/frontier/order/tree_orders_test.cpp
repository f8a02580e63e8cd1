// Orders along tree decompositions: whole, and narrow where graphs look like trees from afar.

#include "permanent/frontier/order/starts.hpp"

#include "graph/tree_decomposition.hpp"

#include "permanent/frontier/matchings.hpp"
#include "permanent/frontier/order/order_instances.hpp"
#include "support/catch.hpp"
#include "support/tree_graphs.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 31;

TEST_CASE("an order along a tree decomposition has every vertex once, from whichever root") {
  const RunContext run;
  StepCheck steps(run);
  for (const OrderInstance& instance : order_instances(seed)) {
    CAPTURE(instance.name);
    std::uint64_t work = 0;
    const auto tree = decompose_by_elimination({instance.graph.offsets, instance.graph.neighbours},
                                               EliminationRule::fill, seed, 100, 1'000'000, work, steps);
    REQUIRE(tree);
    for (std::uint32_t root = 0; root < tree->bags.size(); ++root)
      REQUIRE(is_permutation_of_all(order_along_tree(*tree, root), instance.graph.size()));
  }
}

TEST_CASE("a complete binary tree is ordered along its Strahler number") {
  std::vector<Edge> edges;
  constexpr Vertex size = 255;
  for (Vertex v = 1; v < size; ++v) edges.push_back({(v - 1) / 2, v});
  const OrderGraph graph = order_graph(UndirectedGraph::from_edges(size, std::move(edges)));
  const RunContext run;
  StepCheck steps(run);
  LayerCosts costs(true, OrderObjective::time);
  std::uint64_t work = 0;
  std::int32_t width = 0;
  for (const OrderStep& step : order_along_tree(graph, 0, seed, 1'000'000, costs, steps, work).steps)
    width = std::max(width, step.layer.width);
  CHECK(width <= 8);
  CHECK(order_along_tree(graph, 0, seed, 10, costs, steps, work).steps.empty());
}

TEST_CASE("partial 3-trees of 1,000 vertices are ordered within a frontier of 16") {
  Random random(seed + 1);
  for (int i = 0; i < 3; ++i) {
    const UndirectedGraph graph = partial_k_tree(1000, 3, 0.8, random);
    const FrontierOrder order = find_frontier_order(graph, seed, RunContext());
    CHECK(order.max_width <= 16);
    CHECK(is_permutation_of_all(order.sequence, graph.num_vertices()));
    CHECK(is_permutation_of_all(find_matching_order(graph, {}, RunContext()), graph.num_vertices()));
  }
}

}  // namespace
}  // namespace matchcount::test
