#include "permanent/planar/nearly_planar.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

// Adds so many edges, between vertices at random.
UndirectedGraph with_more(const UndirectedGraph& graph, std::size_t count, Random& random) {
  std::set<Edge> edges(graph.edges().begin(), graph.edges().end());
  const Vertex n = graph.num_vertices();
  for (const std::size_t wanted = edges.size() + count; edges.size() < wanted;) {
    const auto u = static_cast<Vertex>(random.below(n)), v = static_cast<Vertex>(random.below(n));
    if (u < v) edges.insert({u, v});
  }
  return UndirectedGraph::from_edges(n, {edges.begin(), edges.end()});
}

// A planar graph with odd cycles, one without, or a random one, and some edges more.
UndirectedGraph random_instance(int round, std::size_t more, Random& random) {
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(4, 4));
  const UndirectedGraph planar = round % 3 == 0   ? triangular_grid(4, 4)
                                 : round % 3 == 1 ? grid
                                                  : random_planar(14, 0.9, random);
  return shuffled(with_more(planar, more, random), random);
}

CountOptions by_terms() { return {.method = Method::planar, .prune = false, .reduce = false}; }

}  // namespace

TEST_CASE("few edges are found without which a graph is planar, and none that could stay") {
  Random random(1401);
  for (int round = 0; round < 60; ++round) {
    const std::size_t more = random.below(5);
    const UndirectedGraph graph = random_instance(round, more, random);
    INFO(round << ": " << test::to_string(graph));
    const auto extra = edges_off_the_plane(graph, more, 1);
    std::vector<bool> keep(graph.num_edges(), true);
    if (!extra) continue;  // as many obstacles, or not as few edges as there are
    for (const EdgeId id : *extra) keep[id] = false;
    REQUIRE(planar_embedding(graph.filtered(keep)));
    if (extra->size() > more) continue;  // they join places far apart, which are named in any case
    for (const EdgeId id : *extra) {
      keep[id] = true;
      REQUIRE_FALSE(planar_embedding(graph.filtered(keep)));
      keep[id] = false;
    }
  }
}

TEST_CASE("the edges that were added to a planar graph are found") {
  Random random(1402);
  for (const bool is_grid : {true, false}) {
    for (const std::size_t more : {1, 2, 5}) {
      const UndirectedGraph planar =
          is_grid ? UndirectedGraph::from_bipartite(grid_graph(20, 20)) : triangular_grid(20, 20);
      const UndirectedGraph graph = shuffled(with_more(planar, more, random), random);
      INFO(is_grid << ", " << more);
      const auto extra = edges_off_the_plane(graph, more, 1);
      REQUIRE(extra);
      REQUIRE(extra->size() <= more);
    }
  }
  // Squares with both diagonals: no edge is a long way around.
  std::vector<Edge> edges = triangular_grid(16, 16).edges();
  for (const Vertex corner : {17, 100, 150, 201}) edges.push_back({corner + 1, corner + 16});
  const auto extra = edges_off_the_plane(UndirectedGraph::from_edges(256, edges), 4, 1);
  REQUIRE(extra);
  REQUIRE(extra->size() == 4);
  // Squares of a grid, which has room beside a small part of it: some at the rim, some near each other.
  for (int round = 0; round < 3; ++round) {
    std::vector<Edge> crossed = UndirectedGraph::from_bipartite(grid_graph(40, 40)).edges();
    const auto by_place = [&](Vertex i, Vertex j) { return i * 20 + j / 2 + ((i + j) % 2 == 0 ? 0 : 800); };
    std::set<std::pair<Vertex, Vertex>> squares{{38, 27}};
    while (squares.size() < 8)
      squares.insert({static_cast<Vertex>(random.below(39)), static_cast<Vertex>(random.below(39))});
    for (const auto& [i, j] : squares) {
      crossed.push_back({by_place(i, j), by_place(i + 1, j + 1)});
      crossed.push_back({by_place(i, j + 1), by_place(i + 1, j)});
    }
    const auto found = edges_off_the_plane(UndirectedGraph::from_edges(1600, crossed), 8, 1);
    REQUIRE(found);
    REQUIRE(found->size() == 8);
  }
}

TEST_CASE("a graph that many edges keep from being planar is given up") {
  REQUIRE_FALSE(edges_off_the_plane(complete(12), 10, 1));
  Random random(1403);
  REQUIRE_FALSE(edges_off_the_plane(random_graph(60, 0.1, random), 10, 1));
  REQUIRE_FALSE(plan_planar_terms(complete(12), ExtraEdges::of_all, 1, RunContext()));
}

TEST_CASE("sums and marginals of planar graphs and some edges are those of a list") {
  Random random(1404);
  for (int round = 0; round < 150; ++round) {
    const UndirectedGraph pattern = random_instance(round, 1 + random.below(4), random);
    const bool is_signed = round % 2 == 1;
    const UndirectedGraph graph = with_integers(pattern, is_signed ? -3 : 1, 6, random).drop_zeros();
    INFO(round << ": " << test::to_string(graph));
    const std::vector<Integer> listed = sums_by_listing(graph);
    REQUIRE(std::get<Integer>(hafnian(graph, by_terms()).value) == listed.back());
    std::vector<DoubleDouble> reals;
    for (const std::int64_t weight : std::get<std::vector<std::int64_t>>(graph.weights()))
      reals.push_back(static_cast<double>(weight) / 8);
    const auto real = std::get<RealValue>(hafnian(graph.with_weights(reals), by_terms()).value);
    const double truth = nearest_real(listed.back()).to_double() * std::pow(8.0, -0.5 * graph.num_vertices());
    REQUIRE(std::fabs(real.value.to_double() - truth) <= std::exp2(real.log2_error));
    MatchingDistribution distribution(graph, {.exact = true, .method = Method::planar});
    if (!distribution.has_perfect_matching() || listed.back() == 0) continue;
    const Marginals marginals = distribution.marginals();
    REQUIRE(std::get<Integer>(marginals.total) == listed.back());
    for (EdgeId id = 0; id < graph.num_edges(); ++id) REQUIRE(std::get<Integer>(marginals.edges[id].sum) == listed[id]);
  }
}

TEST_CASE("samples of a planar graph and some edges have every edge as often as marginals say") {
  Random random(1405);
  const UndirectedGraph graph = with_more(UndirectedGraph::from_bipartite(grid_graph(6, 6)), 3, random);
  MatchingDistribution distribution(graph, {.method = Method::planar});
  const Marginals marginals = distribution.marginals();
  constexpr std::size_t draws = 2000;
  const std::vector<EdgeId> drawn = distribution.samples(0, draws);
  std::vector<double> count(graph.num_edges(), 0);
  for (const EdgeId id : drawn) ++count[id];
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const double share = marginals.edges[id].probability;
    // Six standard deviations of a binomial law, of which 63 edges see more once in 10^7 times.
    REQUIRE(std::fabs(count[id] - share * draws) <= 6 * std::sqrt(share * (1 - share) * draws) + 1e-9);
  }
  // The same, whatever is drawn with them.
  const std::vector<EdgeId> alone = distribution.samples(7, 1);
  REQUIRE(std::equal(alone.begin(), alone.end(), drawn.begin() + 7 * 18));
}
