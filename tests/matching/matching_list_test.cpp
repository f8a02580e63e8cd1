#include "matching/matching_list.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/permutations.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Matchings = std::vector<std::vector<EdgeId>>;

Matchings all_of(MatchingList list) {
  Matchings result;
  while (list.next()) result.emplace_back(list.edges().begin(), list.edges().end());
  REQUIRE_FALSE(list.next());
  return result;
}

Matchings by_trying(const UndirectedGraph& graph) {
  Matchings result;
  for_each_perfect_matching(graph, [&](const std::vector<EdgeId>& edges) { result.push_back(edges); });
  return result;
}

// Matchings that cover all rows, by trying all columns of each.
Matchings saturating_rows(const BipartiteGraph& graph) {
  Matchings result;
  std::vector<bool> taken(graph.num_columns(), false);
  std::vector<EdgeId> edges;
  const std::function<void(Vertex)> extend = [&](Vertex r) {
    if (r == graph.num_rows()) {
      result.push_back(edges);
      return;
    }
    for (std::size_t i = 0; i < graph.row(r).size(); ++i) {
      const Vertex c = graph.row(r)[i];
      if (taken[c]) continue;
      taken[c] = true;
      edges.push_back(graph.row_begin(r) + i);
      extend(r + 1);
      edges.pop_back();
      taken[c] = false;
    }
  };
  extend(0);
  return result;
}

BipartiteGraph random_rectangle(Vertex rows, Vertex columns, double density, Random& random) {
  return bipartite_where(rows, columns, [&](Vertex, Vertex) { return random.uniform() < density; });
}

}  // namespace

TEST_CASE("the empty graph's list has one matching without edges, that of a triangle none") {
  REQUIRE(all_of(MatchingList(BipartiteGraph())) == Matchings{{}});
  REQUIRE(all_of(MatchingList(UndirectedGraph())) == Matchings{{}});
  REQUIRE(all_of(MatchingList(cycle(3))).empty());
}

TEST_CASE("lists of graphs with odd cycles are those that trying all partners gives, in the same order") {
  Random random(1310);
  for (int round = 0; round < 300; ++round) {
    const UndirectedGraph graph = random_graph(static_cast<Vertex>(2 * (round % 6)), 0.15 + 0.1 * (round % 7), random);
    INFO(test::to_string(graph));
    REQUIRE(all_of(MatchingList(graph)) == by_trying(graph));
  }
  REQUIRE(all_of(MatchingList(petersen())).size() == 6);
  REQUIRE(all_of(MatchingList(complete(10))) == by_trying(complete(10)));
}

TEST_CASE("lists of bipartite graphs are those that trying all columns gives, in the same order") {
  Random random(1311);
  for (int round = 0; round < 300; ++round) {
    const Vertex n = static_cast<Vertex>(round % 7);
    const BipartiteGraph graph = random_rectangle(n, n, 0.2 + 0.1 * (round % 8), random);
    REQUIRE(all_of(MatchingList(graph)) == saturating_rows(graph));
    REQUIRE(all_of(MatchingList(graph)) == by_trying(UndirectedGraph::from_bipartite(graph)));
  }
}

TEST_CASE("lists of sparse graphs of 62 to 68 vertices are those that trying gives") {
  Random random(1312);
  for (int round = 0; round < 16; ++round) {
    const auto n = static_cast<Vertex>(31 + round % 4);
    std::vector<Edge> edges;
    // Some 2 x 2 blocks, and edges between them.
    for (Vertex r = 0; r + 1 < n; r += 2) edges.insert(edges.end(), {{r, r + 1}, {r + 1, r}});
    std::erase_if(edges, [&](const Edge&) { return random.below(5) < 2; });
    for (Vertex r = 0; r < n; ++r) edges.push_back({r, r});
    for (int i = 0; i < 8; ++i)
      edges.push_back({static_cast<Vertex>(random.below(n)), static_cast<Vertex>(random.below(n))});
    std::ranges::sort(edges);
    edges.erase(std::ranges::unique(edges).begin(), edges.end());
    const BipartiteGraph graph = BipartiteGraph::from_edges(n, n, edges);
    const Matchings matchings = saturating_rows(graph);
    CAPTURE(round, matchings.size());
    REQUIRE(all_of(MatchingList(graph)) == matchings);
  }
}

TEST_CASE("lists of graphs without odd cycles or sides go through the vertices in the order of their numbers") {
  Random random(1313);
  for (int round = 0; round < 300; ++round) {
    const Vertex n = static_cast<Vertex>(round % 6);
    const BipartiteGraph sides = random_rectangle(n, n, 0.2 + 0.1 * (round % 8), random);
    const auto place = random_permutation<Vertex>(2 * n, random);
    std::vector<Edge> edges = sides.edges();
    for (Edge& edge : edges) edge = {place[edge.row], place[n + edge.column]};
    const UndirectedGraph graph = UndirectedGraph::from_edges(2 * n, edges);
    INFO(test::to_string(graph));
    REQUIRE(all_of(MatchingList(graph)) == by_trying(graph));
  }
}

TEST_CASE("lists of matchings that saturate the smaller side are those that trying gives, in the same order") {
  Random random(1312);
  for (int round = 0; round < 200; ++round) {
    const Vertex rows = static_cast<Vertex>(round % 5), columns = rows + static_cast<Vertex>(round % 4);
    const BipartiteGraph graph = random_rectangle(rows, columns, 0.2 + 0.1 * (round % 8), random);
    REQUIRE(all_of(MatchingList(graph, true)) == saturating_rows(graph));
    // With the columns as the smaller side, the edges' numbers follow.
    const BipartiteGraph turned = graph.transposed();
    Matchings expected = saturating_rows(graph);
    const std::vector<Edge> edges = graph.edges();
    const std::vector<Edge> turned_edges = turned.edges();
    for (auto& matching : expected) {
      for (EdgeId& edge : matching) {
        const Edge wanted{edges[edge].column, edges[edge].row};
        edge = static_cast<EdgeId>(std::ranges::find(turned_edges, wanted) - turned_edges.begin());
      }
    }
    if (columns > rows) REQUIRE(all_of(MatchingList(turned, true)) == expected);
    if (columns > rows) REQUIRE(all_of(MatchingList(graph)).empty());
  }
}

TEST_CASE("the first matchings of a large graph come at once") {
  // It has more matchings than could ever be listed; a walk into dead ends would not come back.
  MatchingList list(grid_graph(60, 60));
  std::vector<EdgeId> before;
  for (int i = 0; i < 200; ++i) {
    REQUIRE(list.next());
    const std::vector<EdgeId> edges(list.edges().begin(), list.edges().end());
    REQUIRE(edges.size() == 1800);
    REQUIRE(before < edges);
    before = edges;
  }
}

TEST_CASE("a list of many small parts with odd cycles takes time in proportion to what changes") {
  constexpr Vertex parts = 50'000;
  std::vector<Edge> edges;
  for (Vertex part = 0; part < parts; ++part) {
    for (Vertex u = 0; u < 4; ++u) {
      for (Vertex v = u + 1; v < 4; ++v) edges.push_back({4 * part + u, 4 * part + v});
    }
  }
  RunOptions options;
  test::StepClock clock;
  clock.drive(options);
  options.time_limit_s = 1e9;
  MatchingList list(UndirectedGraph::from_edges(4 * parts, edges), RunContext(options));
  for (int i = 0; i < 27; ++i) REQUIRE(list.next());
  REQUIRE(list.edges().size() == 2 * parts);
  CHECK(clock.looks() < 500);  // of 4096 steps each; searches through all vertices took minutes
}

TEST_CASE("a stop token ends a list") {
  std::stop_source source;
  MatchingList list(complete_graph(12, 12), false, RunContext({.stop = source.get_token()}));
  REQUIRE(list.next());
  source.request_stop();
  const auto rest = [&] {
    while (list.next()) {
    }
  };
  REQUIRE_THROWS_AS(rest(), Cancelled);
}
