// Planar draws where it takes long numbers, and nodes by themselves.

#include "permanent/planar/samples.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/planar/cpu/node_draw.hpp"
#include "permanent/planar/marginals.hpp"
#include "permanent/planar/plans.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261122;

GraphBlock<RealEntry> ones(const UndirectedGraph& graph) {
  return {graph, std::vector<RealEntry>(graph.num_edges(), RealEntry{1.0, 1.0})};
}

void require_perfect(const UndirectedGraph& graph, std::span<const EdgeId> edges) {
  std::vector<int> degree(graph.num_vertices(), 0);
  for (const EdgeId edge : edges) {
    ++degree[graph.edges()[edge].row];
    ++degree[graph.edges()[edge].column];
  }
  REQUIRE(std::ranges::all_of(degree, [](int d) { return d == 1; }));
}

}  // namespace

TEST_CASE("planar draws are perfect matchings, of weighted graphs and by pairs as well") {
  Random random(1370);
  const RunContext run;
  for (int round = 0; round < 24; ++round) {
    const UndirectedGraph graph = UndirectedGraph::from_bipartite(random_planar_graph(
        static_cast<Vertex>(20 + 10 * (round % 12)), 0.6 + 0.1 * (round % 4), static_cast<std::uint64_t>(round)));
    INFO(test::to_string(graph));
    GraphBlock<RealEntry> block = ones(graph);
    if (round % 3 > 0) {
      for (RealEntry& entry : block.entries) {
        const double weight = std::ldexp(
            1 + random.uniform(), (round % 5 - 2) * 75 - static_cast<int>(random.below(round % 3 == 1 ? 4 : 60)));
        entry = {weight, weight};
      }
    }
    const KasteleynPlan plan = plan_of(graph, round % 2 == 1);
    const auto sampler = planar_sampler(block, plan, run);
    const std::vector<EdgeId> edges = sampler->draw(seed, 1, 0, 20);
    for (std::size_t i = 0; i < 20; ++i)
      require_perfect(graph, std::span(edges).subspan(i * sampler->matching_size(), sampler->matching_size()));
  }
}

TEST_CASE("draws of frozen corners have all edges that nearly all matchings have") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(aztec_graph(62));
  const KasteleynPlan plan = plan_of(graph);
  const RunContext run;
  const auto marginals = marginals_kasteleyn({graph, unit_weights(graph)}, plan, run);
  REQUIRE(marginals);
  // Balanced entries take no longer numbers, for which there is no room.
  const RunContext without_room(
      {.memory_limit_bytes = static_cast<std::uint64_t>(1.2 * samples_kasteleyn_cost(graph, plan).memory_bytes)});
  const auto sampler = planar_sampler(ones(graph), plan, without_room);
  constexpr std::size_t draws = 1;
  const std::vector<EdgeId> edges = sampler->draw(seed, 0, 0, draws);
  std::vector<std::size_t> count(graph.num_edges(), 0);
  for (std::size_t i = 0; i < draws; ++i) {
    const auto sample = std::span(edges).subspan(i * sampler->matching_size(), sampler->matching_size());
    require_perfect(graph, sample);
    for (const EdgeId edge : sample) ++count[edge];
  }
  std::size_t frozen = 0;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if ((marginals->total - marginals->of_edge[e]) * 1'000'000'000 > marginals->total) continue;
    ++frozen;
    REQUIRE(count[e] == draws);
  }
  REQUIRE(frozen > 80);
}

TEST_CASE("balanced entries have sums near 1, and matchings keep their probabilities") {
  const auto triangles = std::get<UndirectedGraph>(lattice_graph("triangular", 4, 4));
  for (const UndirectedGraph& graph : {UndirectedGraph::from_bipartite(aztec_graph(3)), triangles, UndirectedGraph()}) {
    std::vector<RealEntry> entries = ones(graph).entries;
    balance_entries(graph, entries, 500, {});
    for (Vertex v = 0; v < graph.num_vertices(); ++v) {
      double sum = 0;
      for (const EdgeId edge : graph.incident_edges(v)) sum += entries[edge].value.hi;
      CAPTURE(v, sum);
      REQUIRE(sum > 0.4);
      REQUIRE(sum < 2.5);
    }
    std::set<double> products;
    for_each_perfect_matching(graph, [&](const std::vector<EdgeId>& edges) {
      double product = 1;
      for (const EdgeId edge : edges) product *= entries[edge].value.hi;
      products.insert(product);
    });
    REQUIRE(products.size() == 1);
  }
}

TEST_CASE("a node is drawn alike by numbers of every length") {
  Random random(1371);
  for (int round = 0; round < 40; ++round) {
    const bool skew = round % 2 == 1;
    const auto size = static_cast<std::uint32_t>(2 + 2 * random.below(4));
    // A ladder, whose rungs change the sign of the matrix so that all matchings have one.
    NodeMatrix<DoubleDouble> doubled{skew, size, {}, {}};
    NodeMatrix<WideReal<4>> wide{skew, size, {}, {}};
    NodeMatrix<WideReal<10>> widest{skew, size, {}, {}};
    const auto add = [&](std::uint32_t row, std::uint32_t column) {
      const DoubleDouble value = 1 + random.uniform();
      const EdgeId edge = doubled.edges.size();
      doubled.edges.push_back({row, column, edge, value});
      wide.edges.push_back({row, column, edge, value});
      widest.edges.push_back({row, column, edge, value});
    };
    // A cycle of odd faces: rows i to columns i and i + 1, of an odd number; pairs on a path.
    for (std::uint32_t i = 0; i < size; ++i) {
      if (skew) {
        if (i + 1 < size) add(i, i + 1);
        if (i + 3 < size && i % 2 == 0) add(i, i + 3);
      } else {
        add(i, i);
        if (i + 1 < size) add(i, i + 1);
      }
    }
    SampleNumbers numbers[4] = {{seed, 0, 7}, {seed, 0, 7}, {seed, 0, 7}, {seed, 0, 7}};
    const NodeDraw draws[] = {draw_node<double>(doubled, 1, numbers[0], RunContext()),
                              draw_node<DoubleDouble>(doubled, 1, numbers[1], RunContext()),
                              draw_node<WideReal<4>>(wide, 1, numbers[2], RunContext()),
                              draw_node<WideReal<10>>(widest, 1, numbers[3], RunContext())};
    for (const NodeDraw& draw : draws) {
      REQUIRE(draw.edges == draws[0].edges);
      REQUIRE(draw.child_of_row == draws[0].child_of_row);
    }
    REQUIRE(draws[0].relative_error < 1e-10);
    REQUIRE(draws[1].relative_error < 1e-24);
    REQUIRE(draws[2].relative_error < 1e-70);
    REQUIRE(draws[3].relative_error < 1e-180);
  }
}

TEST_CASE("a node whose errors pass the limit says so, and one without a matching has no bound") {
  NodeMatrix<DoubleDouble> node{false, 2, {{0, 0, 0, 1.0}, {0, 1, 1, 1.0}, {1, 0, 2, -1.0}, {1, 1, 3, 1.0}}, {}};
  SampleNumbers numbers(seed, 0, 0);
  REQUIRE(draw_node<double>(node, 1e-10, numbers, RunContext()).relative_error < 1e-14);
  REQUIRE(draw_node<double>(node, 1e-30, numbers, RunContext()).relative_error > 1e-30);
  node.edges[2].value = 1.0;  // 1 - 1
  REQUIRE(std::isinf(draw_node<double>(node, 1, numbers, RunContext()).relative_error));
}

TEST_CASE("a planar sampler refuses weights of 0 and plans of other graphs") {
  const UndirectedGraph graph = cycle(4);
  GraphBlock<RealEntry> block = ones(graph);
  block.entries[2] = {0.0, 0.0};
  const RunContext run;
  REQUIRE_THROWS_AS(planar_sampler(block, plan_of(graph), run), InputError);
  REQUIRE_THROWS_AS(planar_sampler(ones(cycle(6)), plan_of(graph), run), InputError);
}
