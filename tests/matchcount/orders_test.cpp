// Counts along orders that are given, against brute force.

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/error.hpp"
#include "matchcount/count.hpp"
#include "matchcount/matchings.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"
#include "support/permutations.hpp"
#include "support/tree_graphs.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 11;

MatchingOptions along(std::vector<Vertex> order, MatchingKind kind = MatchingKind::perfect) {
  return {.kind = kind,
          .count = {.order = std::make_shared<const std::vector<Vertex>>(std::move(order)), .wants_order = true}};
}

bool has_each_once(std::vector<Vertex> order, std::size_t size) {
  std::ranges::sort(order);
  bool is_right = order.size() == size;
  for (Vertex v = 0; v < order.size(); ++v) is_right = is_right && order[v] == v;
  return is_right;
}

TEST_CASE("random orders of random graphs give the counts of brute force, by frontier and trees") {
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    const auto n = static_cast<Vertex>(2 * random.below(7));
    UndirectedGraph graph = random_graph(n, 0.15 + 0.5 * random.uniform(), random);
    CAPTURE(i, to_string(graph));
    std::vector<Integer> by_size = matchings_by_size<Integer>(graph, std::vector<Integer>(graph.num_edges(), 1),
                                                              std::vector<Integer>(graph.num_vertices(), 1));
    const Integer all = std::accumulate(by_size.begin(), by_size.end(), Integer(0));
    for (const Method method : {Method::automatic, Method::frontier, Method::trees}) {
      for (const bool reduce : {true, false}) {
        MatchingOptions options = along(random_permutation<Vertex>(n, random));
        options.count.method = method;
        options.count.reduce = options.count.prune = reduce;
        const MatchingResult result = count_matchings(graph, options);
        CHECK(std::get<Integer>(result.run.value) == by_size[n / 2]);
        CHECK(has_each_once(result.run.plan.order, n));
      }
      MatchingOptions options = along(random_permutation<Vertex>(n, random), MatchingKind::all);
      options.count.method = method;
      const MatchingResult result = count_matchings(graph, options);
      CHECK(std::get<Integer>(result.run.value) == all);
      CHECK(has_each_once(result.run.plan.order, n));
    }
    const MatchingResult sizes =
        count_matchings(graph, along(random_permutation<Vertex>(n, random), MatchingKind::by_size));
    for (std::size_t k = 0; k < sizes.by_size.size(); ++k)
      CHECK(std::get<Integer>(sizes.by_size[k].value) == by_size[k]);
    const MatchingResult maximum =
        count_matchings(graph, along(random_permutation<Vertex>(n, random), MatchingKind::maximum));
    while (by_size.back() == 0) by_size.pop_back();
    CHECK(std::get<Integer>(maximum.run.value) == by_size.back());
  }
}

TEST_CASE("random orders of bipartite graphs give the count, and verify it") {
  Random random(seed + 1);
  for (int i = 0; i < 30; ++i) {
    const auto n = static_cast<Vertex>(random.below(8));
    const BipartiteGraph graph = random_bipartite(n, 0.3, random);
    const Integer truth = hafnian_by_oracle(UndirectedGraph::from_bipartite(graph));
    MatchingOptions options = along(random_permutation<Vertex>(2 * std::size_t{n}, random));
    options.count.verify = i % 2 == 0;
    const MatchingResult result = count_matchings(graph, options);
    CHECK(std::get<Integer>(result.run.value) == truth);
    CHECK(has_each_once(result.run.plan.order, 2 * std::size_t{n}));
  }
}

TEST_CASE("the order of a count is followed again, block for block") {
  Random random(seed + 2);
  const UndirectedGraph graphs[] = {partial_k_tree(120, 3, 0.9, random), random_graph(24, 0.2, random),
                                    UndirectedGraph::from_bipartite(random_bipartite(20, 0.15, random))};
  for (const UndirectedGraph& graph : graphs) {
    for (const MatchingKind kind : {MatchingKind::perfect, MatchingKind::all}) {
      for (const Method method : {Method::frontier, Method::trees}) {
        CAPTURE(to_string(graph), to_string(method));
        const MatchingOptions first{.kind = kind, .count = {.method = method, .wants_order = true}};
        const MatchingResult one = count_matchings(graph, first);
        MatchingOptions second = along(one.run.plan.order, kind);
        second.count.method = method;
        const MatchingResult two = count_matchings(graph, second);
        CHECK(std::get<Integer>(one.run.value) == std::get<Integer>(two.run.value));
        CHECK(one.run.plan.order == two.run.plan.order);
        REQUIRE(one.run.plan.blocks.size() == two.run.plan.blocks.size());
        if (method != Method::frontier) continue;
        for (std::size_t i = 0; i < one.run.plan.blocks.size(); ++i)
          CHECK(one.run.plan.blocks[i].forecasts.front().log2_operations ==
                two.run.plan.blocks[i].forecasts.front().log2_operations);
      }
    }
  }
}

TEST_CASE("a plan shows what an order costs") {
  std::vector<Edge> edges;
  for (Vertex v = 0; v + 1 < 40; ++v) edges.push_back({v, v + 1});
  for (Vertex v = 0; v + 3 < 40; ++v) edges.push_back({v, v + 3});
  const UndirectedGraph band = UndirectedGraph::from_edges(40, edges);
  auto straight = ascending<Vertex>(40);
  Random random(seed + 3);
  const auto log2_operations = [&](std::vector<Vertex> order) {
    MatchingOptions options = along(std::move(order));
    options.count.method = Method::frontier;
    options.count.reduce = options.count.prune = false;
    return plan_matchings(band, options).blocks.front().forecasts.front().log2_operations;
  };
  CHECK(log2_operations(straight) + 2 < log2_operations(random_permutation<Vertex>(40, random)));
}

TEST_CASE("orders of other vertices, and of methods without one, are refused") {
  const UndirectedGraph graph = complete(6);
  CHECK_THROWS_AS(count_matchings(graph, along({0, 1, 2, 3, 4})), InputError);
  CHECK_THROWS_AS(count_matchings(graph, along({0, 1, 2, 3, 4, 4})), InputError);
  CHECK_THROWS_AS(count_matchings(graph, along({0, 1, 2, 3, 4, 6})), InputError);
  CHECK_THROWS_AS(count_matchings(graph, along({0, 1, 2, 3, 4, 6}, MatchingKind::all)), InputError);
  MatchingOptions planar = along({0, 1, 2, 3, 4, 5});
  planar.count.method = Method::planar;
  CHECK_THROWS_AS(count_matchings(graph, planar), InputError);
}

}  // namespace
}  // namespace matchcount::test
