// Draws of perfect matchings against the list of all of them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

// Returns a number of a matching that tells it from the others of a small graph.
std::uint64_t key_of(std::span<const EdgeId> edges) {
  std::uint64_t key = 0;
  for (const EdgeId edge : edges) key = (key ^ edge) * 0x9E3779B97F4A7C15u + 1;
  return key;
}

// Takes 10^5 draws.
void require_fair(const UndirectedGraph& graph, FrontierEngine engine, std::uint64_t seed,
                  Method method = Method::frontier) {
  INFO(test::to_string(graph));
  INFO("seed " << seed);
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  std::map<std::uint64_t, double> probability;
  for_each_perfect_matching(graph, [&](std::vector<EdgeId> edges) {
    double product = 1;
    for (const EdgeId edge : edges) product *= weights ? static_cast<double>((*weights)[edge]) : 1;
    std::ranges::sort(edges);
    probability[key_of(edges)] = product;
  });
  if (probability.empty()) return;
  constexpr std::size_t draws = 100'000;
  const DistributionOptions options{
      .method = method, .frontier_engine = engine, .run = {.num_threads = 2, .seed = seed}};
  MatchingDistribution distribution(graph, options);
  const std::size_t size = distribution.matching_size();
  const std::vector<EdgeId> edges = distribution.samples(0, draws);
  std::map<std::uint64_t, double> counts;
  for (std::size_t i = 0; i < draws; ++i) ++counts[key_of(std::span(edges).subspan(i * size, size))];
  require_spread(counts, probability);
}

}  // namespace

TEST_CASE("draws are spread over all matchings of small graphs as their weights say") {
  Random random(1320);
  const FrontierEngine engines[] = {FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense};
  for (int round = 0; round < 24; ++round) {
    const Vertex n = static_cast<Vertex>(4 + 2 * (round % 4));
    UndirectedGraph graph = random_graph(n, 0.4 + 0.1 * (round % 4), random);
    if (round % 2 == 1) graph = with_integers(graph, 1, 5, random);
    require_fair(graph, engines[round % 3], 7 + static_cast<std::uint64_t>(round));
  }
  require_fair(UndirectedGraph::from_bipartite(grid_graph(4, 4)), FrontierEngine::automatic, 1);
  require_fair(UndirectedGraph::from_bipartite(grid_graph(4, 5)), FrontierEngine::dense, 2);
  require_fair(UndirectedGraph::from_bipartite(complete_graph(4, 4)), FrontierEngine::automatic, 3);
  require_fair(petersen(), FrontierEngine::automatic, 4);
  require_fair(wheel(8), FrontierEngine::sparse, 5);
  require_fair(closed_ladder(5, true), FrontierEngine::dense, 6);
}

TEST_CASE("draws by inclusion-exclusion are spread over all matchings as their weights say") {
  Random random(1321);
  for (int round = 0; round < 16; ++round) {
    const Vertex n = static_cast<Vertex>(2 + round % 4);
    UndirectedGraph graph =
        UndirectedGraph::from_bipartite(round % 4 == 3 ? complete_graph(n, n) : random_bipartite(n, 0.5, random));
    if (round % 8 >= 4) graph = with_integers(graph, 1, 5, random);
    require_fair(graph, FrontierEngine::automatic, 40 + static_cast<std::uint64_t>(round), Method::ryser);
  }
  REQUIRE_THROWS_AS(MatchingDistribution(petersen(), {.method = Method::ryser}).samples(0, 1), Unable);
}

TEST_CASE("planar draws are spread over all matchings of small planar graphs as their weights say") {
  Random random(1360);
  const auto fair = [&](const UndirectedGraph& graph) {
    require_fair(graph, FrontierEngine::automatic, random(), Method::planar);
  };
  for (int round = 0; round < 8; ++round) {
    UndirectedGraph graph = random_planar(static_cast<Vertex>(6 + 2 * (round % 4)), 0.85, random);
    if (round % 2 == 1) graph = with_integers(graph, 1, 5, random);
    fair(graph);
  }
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(4, 5));
  fair(grid);
  fair(with_integers(grid, 1, 9, random));
  fair(UndirectedGraph::from_bipartite(hexagon_graph(3, 2, 2)));
  fair(with_integers(UndirectedGraph::from_bipartite(hexagon_graph(2, 2, 2)), 1, 3, random));
  fair(UndirectedGraph::from_bipartite(aztec_graph(3)));
  fair(triangular_grid(4, 4));
  fair(with_integers(triangular_grid(3, 4), 1, 4, random));
  fair(dodecahedron());
}

TEST_CASE("large planar graphs are drawn by the planar method, small ones and all others by layers") {
  const auto draw = [](const auto& graph, Method method) {
    return MatchingDistribution(graph, {.method = method, .run = {.seed = 3}}).samples(5, 2);
  };
  const BipartiteGraph large = grid_graph(40, 40), small = grid_graph(10, 10);
  REQUIRE(draw(large, Method::automatic) == draw(large, Method::planar));
  REQUIRE(draw(small, Method::automatic) == draw(small, Method::frontier));
  REQUIRE(draw(small, Method::automatic) != draw(small, Method::planar));
  REQUIRE_THROWS_AS(draw(complete_graph(9, 9), Method::planar), Unable);
  REQUIRE(draw(complete_graph(5, 5), Method::automatic).size() == 10);
  // One of the two matchings has 10^-600 of the weight.
  const auto apart = cycle(6).with_weights(std::vector<DoubleDouble>{1e-300, 1, 1, 1e-300, 1, 1});
  REQUIRE_THROWS_AS(draw(apart, Method::planar), Unable);
  REQUIRE(draw(apart, Method::automatic) == draw(apart, Method::frontier));
}

TEST_CASE("lattices on surfaces are drawn by the planar method, each edge as often as its marginal says") {
  for (const auto& [name, boundary] : {std::pair{"grid", Boundary::torus},
                                       {"triangular", Boundary::klein},
                                       {"honeycomb", Boundary::torus},
                                       {"kagome", Boundary::moebius}}) {
    INFO(name);
    const DistributionOptions options{.method = Method::planar, .run = {.num_threads = 2}};
    const auto graph = lattice_graph(name, 12, 12, boundary);
    std::visit(
        [&](const auto& given) {
          MatchingDistribution distribution(given, options);
          constexpr std::size_t draws = 400;
          const Marginals marginals = distribution.marginals();
          std::vector<double> counts(given.num_edges(), 0);
          for (const EdgeId edge : distribution.samples(0, draws)) ++counts[edge];
          for (EdgeId e = 0; e < given.num_edges(); ++e) {
            const double p = marginals.edges[e].probability;
            // Seven standard deviations; some hundreds of edges.
            REQUIRE(std::fabs(counts[e] - draws * p) <= 7 * std::sqrt(draws * p * (1 - p)) + 1e-6);
          }
        },
        graph);
  }
}

TEST_CASE("draws by the planar method and by inclusion-exclusion depend on the seed and their numbers alone") {
  const bool is_planar = GENERATE(true, false);
  const UndirectedGraph graph =
      is_planar ? triangular_grid(12, 12) : UndirectedGraph::from_bipartite(complete_graph(11, 11));
  const auto draw = [&](std::uint64_t seed, std::uint64_t first, std::size_t count, int threads) {
    const DistributionOptions options{
        .method = is_planar ? Method::planar : Method::ryser,
        .run = {.num_threads = threads,
                .seed = seed,
                .time_limit_s = threads == 1 ? 1000 : std::numeric_limits<double>::infinity()}};
    return MatchingDistribution(graph, options).samples(first, count);
  };
  const std::vector<EdgeId> all = draw(5, 0, 60, 1);
  REQUIRE(draw(5, 0, 60, 2) == all);
  const std::vector<EdgeId> some = draw(5, 40, 7, 2);
  REQUIRE(std::equal(some.begin(), some.end(), all.begin() + 40 * graph.num_vertices() / 2));
  REQUIRE(draw(6, 0, 60, 1) != all);
}

TEST_CASE("a draw depends on the seed and its number alone") {
  const BipartiteGraph grid = grid_graph(10, 10);
  const auto draw = [&](std::uint64_t seed, std::uint64_t first, std::size_t count, int threads, std::uint64_t memory) {
    const DistributionOptions options{.run = {.num_threads = threads, .seed = seed, .memory_limit_bytes = memory}};
    return MatchingDistribution(grid, options).samples(first, count);
  };
  const std::vector<EdgeId> all = draw(5, 0, 3000, 1, 0);
  REQUIRE(draw(5, 0, 40'000, 2, 0) == draw(5, 0, 40'000, 1, 0));    // so many are shared by a team
  const std::vector<EdgeId> some = draw(5, 1200, 100, 2, 150'000);  // layers are computed again
  REQUIRE(std::equal(some.begin(), some.end(), all.begin() + 1200 * 50));
  const std::vector<EdgeId> one = draw(5, 1234, 1, 1, 0);
  REQUIRE(std::equal(one.begin(), one.end(), all.begin() + 1234 * 50));
  REQUIRE(draw(6, 0, 3000, 1, 0) != all);
}

TEST_CASE("a draw depends neither on limits nor on the marginals that were asked for before", "[timing]") {
  // The search for an order is worth more than a small share of this time limit, and less than all that it finds where
  // the planar method answers the marginals.
  const UndirectedGraph king = king_graph(14, 14);
  DistributionOptions options;
  StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 4;
  REQUIRE(MatchingDistribution(king, options).samples(0, 5) == MatchingDistribution(king).samples(0, 5));
  const BipartiteGraph grid = grid_graph(20, 20);
  MatchingDistribution asked(grid);
  REQUIRE(asked.marginals().method == Method::planar);
  REQUIRE(asked.samples(0, 5) == MatchingDistribution(grid).samples(0, 5));
}

TEST_CASE("layers and planar draws that do not fit into memory are refused beforehand with the limit that was given") {
  DistributionOptions options{.method = Method::frontier, .run = {.memory_limit_bytes = 30 << 20}};
  MatchingDistribution distribution(torus_graph(12, 12), options);
  try {
    distribution.samples(0, 1);
    FAIL("it was drawn");
  } catch (const OverLimit& error) {
    CHECK_THAT(error.what(), ContainsSubstring("the memory limit leaves 30 MiB"));
  }
  options.method = Method::planar;
  options.run.memory_limit_bytes = 1 << 20;
  REQUIRE_THROWS_AS(MatchingDistribution(grid_graph(60, 60), options).samples(0, 1), OverLimit);
}

TEST_CASE("more samples at once than the memory limit holds are refused") {
  MatchingDistribution distribution(grid_graph(4, 4), {.run = {.memory_limit_bytes = 1 << 20}});
  const auto most = static_cast<std::size_t>((1 << 20) / distribution.bytes_of_sample());
  REQUIRE(distribution.samples(0, most).size() == 8 * most);
  REQUIRE_THROWS_AS(distribution.samples(0, most + 1), OverLimit);
  REQUIRE_THROWS_AS(distribution.samples(0, std::size_t{1} << 62), OverLimit);
}

namespace {

void require_frequencies(const BipartiteGraph& graph, Method method, std::size_t draws) {
  MatchingDistribution distribution(graph, {.method = method});
  const std::vector<EdgeId> edges = distribution.samples(0, draws);
  const std::vector<Edge> ends = graph.edges();
  const std::size_t size = graph.num_rows();
  std::vector<double> counts(graph.num_edges(), 0);
  for (std::size_t i = 0; i < draws; ++i) {
    std::vector<bool> rows(size, false), columns(size, false);
    for (const EdgeId edge : std::span(edges).subspan(i * size, size)) {
      rows[ends[edge].row] = columns[ends[edge].column] = true;
      ++counts[edge];
    }
    REQUIRE(std::ranges::count(rows, true) + std::ranges::count(columns, true) ==
            static_cast<std::ptrdiff_t>(2 * size));
  }
  const Marginals marginals = distribution.marginals();
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const double p = marginals.edges[e].probability, n = static_cast<double>(draws);
    // Seven standard deviations; some hundreds of edges.
    REQUIRE(std::fabs(counts[e] - n * p) < 7 * std::sqrt(n * p * (1 - p)));
  }
}

}  // namespace

TEST_CASE("draws of large graphs are perfect matchings, and their edges as frequent as the marginals say") {
  require_frequencies(grid_graph(12, 12), Method::frontier, 20'000);
  require_frequencies(grid_graph(16, 16), Method::planar, 4'000);
  Random random(1322);
  const BipartiteGraph dense = complete_graph(11, 11);
  std::vector<DoubleDouble> weights;
  for (EdgeId e = 0; e < dense.num_edges(); ++e) weights.push_back(std::ldexp(0.1 + random.uniform(), 400));
  require_frequencies(dense.with_weights(weights), Method::ryser, 20'000);
}

TEST_CASE("draws by weights that are negative or complex are refused") {
  const auto graph = BipartiteGraph::from_dense(2, 2, std::vector<std::int64_t>{1, 2, 3, -1});
  REQUIRE_THROWS_AS(MatchingDistribution(graph).samples(0, 1), InputError);
  const auto complex = graph.pattern().with_weights(std::vector<ComplexDoubleDouble>(4, ComplexDoubleDouble(1.0)));
  REQUIRE_THROWS_AS(MatchingDistribution(complex).samples(0, 1), InputError);
}

TEST_CASE("draws by weights far apart follow them") {
  // The other matching has 10^-600 of the weight.
  const auto graph = BipartiteGraph::from_dense(2, 2, std::vector<double>{1e150, 1e-150, 1e-150, 1e150});
  const std::vector<EdgeId> edges = MatchingDistribution(graph).samples(0, 1000);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE((edges[2 * i] == 0 && edges[2 * i + 1] == 3));
}
