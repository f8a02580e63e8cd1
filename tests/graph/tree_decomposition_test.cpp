// Tree decompositions against their definition, and widths that are known.

#include "graph/tree_decomposition.hpp"

#include <algorithm>
#include <cmath>

#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/tree_graphs.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 6;

std::optional<TreeDecomposition> decomposed(const UndirectedGraph& graph, EliminationRule rule, std::uint64_t of_seed,
                                            std::size_t max_width = 1000, std::uint64_t most_work = 1'000'000) {
  const Adjacency adjacency(graph);
  const RunContext run;
  StepCheck steps(run);
  std::uint64_t work = 0;
  return decompose_by_elimination(adjacency.view(), rule, of_seed, max_width, most_work, work, steps);
}

void require_is_decomposition(const UndirectedGraph& graph, const TreeDecomposition& tree) {
  const auto has = [&](std::size_t bag, Vertex v) { return std::ranges::binary_search(tree.bags[bag], v); };
  std::size_t ends = 0;
  for (const auto& neighbours : tree.neighbours) ends += neighbours.size();
  REQUIRE(ends == 2 * (tree.bags.size() - 1));
  for (const auto& bag : tree.bags) REQUIRE(std::ranges::is_sorted(bag));
  if (graph.num_vertices() == 0) return;
  const RootedBags bags = rooted(tree, 0);
  REQUIRE(bags.sequence.size() == tree.bags.size());  // it hangs together
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    std::size_t tops = 0;
    for (const std::uint32_t bag : bags.sequence) tops += has(bag, v) && (bag == 0 || !has(bags.parent[bag], v));
    REQUIRE(tops == 1);
  }
  for (const Edge& edge : graph.edges()) {
    bool is_in_one = false;
    for (std::size_t bag = 0; bag < tree.bags.size(); ++bag) is_in_one |= has(bag, edge.row) && has(bag, edge.column);
    REQUIRE(is_in_one);
  }
}

TEST_CASE("bags cover every edge, and those with a vertex hang together") {
  Random random(seed);
  for (const EliminationRule rule : {EliminationRule::degree, EliminationRule::fill}) {
    for (const Vertex n : {1u, 2u, 3u, 5u, 17u, 40u}) {
      for (const double density : {0.0, 0.04, 0.1, 0.4, 1.0}) {
        const UndirectedGraph graph = random_graph(n, density, random);
        CAPTURE(to_string(graph));
        const auto tree = decomposed(graph, rule, n);
        REQUIRE(tree);
        require_is_decomposition(graph, *tree);
      }
    }
  }
}

TEST_CASE("balanced decompositions are decompositions, of short ways from the first bag, three times as wide") {
  Random random(seed + 3);
  const RunContext run;
  StepCheck steps(run);
  std::vector<UndirectedGraph> graphs{cycle(700), complete(7), partial_k_tree(1, 1, 1, random)};
  for (const Vertex n : {2u, 3u, 20u, 300u, 600u})
    for (const Vertex k : {1u, 2u, 5u}) graphs.push_back(partial_k_tree(n, k, 0.7, random));
  std::vector<Edge> edges;
  for (Vertex v = 1; v < 500; ++v) edges.push_back({v < 300 ? 0 : v - 1, v});  // a star whose last ray is a path
  graphs.push_back(UndirectedGraph::from_edges(500, std::move(edges)));
  for (const UndirectedGraph& graph : graphs) {
    CAPTURE(to_string(graph));
    const auto tree = decomposed(graph, EliminationRule::degree, 1);
    REQUIRE(tree);
    const TreeDecomposition other = balanced(*tree, steps);
    require_is_decomposition(graph, other);
    CHECK(other.width() <= 3 * tree->width() + 2);
    const RootedBags bags = rooted(other, 0);
    std::vector<std::size_t> depth(other.bags.size(), 0);
    for (std::size_t i = bags.sequence.size() - 1; i-- > 0;)
      depth[bags.sequence[i]] = depth[bags.parent[bags.sequence[i]]] + 1;
    // A bag of the tree with many neighbours is a chain of bags.
    CHECK(static_cast<double>(std::ranges::max(depth)) <=
          4 * std::log2(3 * static_cast<double>(tree->bags.size())) + 2);
  }
}

TEST_CASE("the empty graph has a decomposition without bags") {
  const auto tree = decomposed(UndirectedGraph(), EliminationRule::fill, 1);
  REQUIRE(tree);
  CHECK(tree->bags.empty());
  CHECK(tree->width() == 0);
}

TEST_CASE("trees, cycles, k-trees and complete graphs are given their treewidth") {
  Random random(seed + 1);
  for (const EliminationRule rule : {EliminationRule::degree, EliminationRule::fill}) {
    CHECK(decomposed(partial_k_tree(200, 1, 1, random), rule, 1)->width() == 1);
    CHECK(decomposed(cycle(30), rule, 2)->width() == 2);
    CHECK(decomposed(complete(9), rule, 3)->width() == 8);
    CHECK(decomposed(complete(9), rule, 3)->bags.size() == 1);
    for (const Vertex k : {2u, 3u, 5u}) {
      const UndirectedGraph graph = partial_k_tree(100, k, 1, random);
      const auto tree = decomposed(graph, rule, 4);
      CHECK(tree->width() == k);
      require_is_decomposition(graph, *tree);
    }
  }
}

TEST_CASE("a decomposition that would be too wide, or take too long, is none") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid_graph(12, 12));
  CHECK_FALSE(decomposed(graph, EliminationRule::fill, 1, 8));
  CHECK(decomposed(graph, EliminationRule::fill, 1, 40));
  CHECK_FALSE(decomposed(graph, EliminationRule::fill, 1, 40, 1000));
}

}  // namespace
}  // namespace matchcount::test
