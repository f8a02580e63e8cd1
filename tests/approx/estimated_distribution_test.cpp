#include "approx/estimated_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "approx/sampled_part.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261127;

// Leaves nothing to exact answers.
DistributionEstimateOptions all_sampled(std::uint64_t samples, std::uint64_t of = seed) {
  return {.samples = samples, .exact_rows = 0, .run = {.num_threads = 1, .seed = of}};
}

template <class Graph>
void check_matchings(const Graph& graph, const std::vector<Edge>& edges, const std::vector<EdgeId>& samples,
                     std::size_t size, Vertex shift) {
  REQUIRE(samples.size() % size == 0);
  for (std::size_t at = 0; at < samples.size(); at += size) {
    std::set<Vertex> met;
    for (std::size_t e = at; e < at + size; ++e) {
      REQUIRE(samples[e] < graph.num_edges());
      REQUIRE((e == at || samples[e - 1] < samples[e]));
      met.insert(edges[samples[e]].row);
      met.insert(edges[samples[e]].column + shift);
    }
    REQUIRE(met.size() == 2 * size);
  }
}

// Counts the intervals of runs with seeds 1, 2, ... that hold the exact probabilities, of edges that are likely enough.
template <class Graph>
double coverage(const Graph& graph, std::uint64_t samples, int runs) {
  const std::vector<EdgeMarginal> exact = MatchingDistribution(graph).marginals().edges;
  double held = 0, all = 0;
  for (int i = 1; i <= runs; ++i) {
    const EstimatedMarginals found =
        EstimatedDistribution(graph, all_sampled(samples, static_cast<std::uint64_t>(i))).marginals();
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const double p = exact[e].probability;
      if (p < 0.03 || p > 0.97) continue;
      ++all;
      held += found.edges[e].low <= p && p <= found.edges[e].high ? 1 : 0;
    }
  }
  return held / all;
}

}  // namespace

TEST_CASE("estimated marginals hold the exact ones in their intervals") {
  Random random(seed, 1);
  for (int i = 0; i < 12; ++i) {
    CAPTURE(seed, i);
    const auto check = [&](const auto& graph) {
      const std::vector<EdgeMarginal> exact = MatchingDistribution(graph).marginals().edges;
      DistributionEstimateOptions options = all_sampled(20000);
      options.confidence = 1 - 1e-7;  // of about 700 intervals none fails
      const EstimatedMarginals found = EstimatedDistribution(graph, options).marginals();
      REQUIRE(found.samples >= 20000);
      for (EdgeId e = 0; e < graph.num_edges(); ++e) {
        CAPTURE(e, exact[e].probability, found.edges[e].probability, found.edges[e].low, found.edges[e].high);
        CHECK(found.edges[e].low <= exact[e].probability + 1e-12);
        CHECK(found.edges[e].high >= exact[e].probability - 1e-12);
        CHECK(found.edges[e].high - found.edges[e].low < 0.12);
      }
    };
    if (i % 2 == 0) {
      BipartiteGraph graph = matchcount::random_graph(8, 8, 0.6, static_cast<std::uint64_t>(i) + 1);
      if (i % 4 == 0) graph = with_random_weights(graph, {RandomWeights::Law::integers, 0, 9}, 3);
      if (!MatchingDistribution(graph).has_perfect_matching()) continue;
      check(graph);
    } else {
      UndirectedGraph graph = test::random_graph(10, 0.7, random);
      if (i % 4 == 1) graph = with_integers(graph, 1, 6, random);
      if (!MatchingDistribution(graph).has_perfect_matching()) continue;
      check(graph);
    }
  }
}

TEST_CASE("intervals of estimated marginals hold as often as they say") {
  // The intervals of a run are not independent: 100 runs of 60 and more intervals have a standard error of about 1 %.
  const double grid = coverage(grid_graph(6, 6), 1000, 100);
  CAPTURE(grid);
  CHECK(grid > 0.92);
  CHECK(grid < 0.985);
  const double king = coverage(king_graph(4, 4), 1000, 100);
  CAPTURE(king);
  CHECK(king > 0.92);
  CHECK(king < 0.985);
}

TEST_CASE("estimated probabilities of a vertex sum to 1, and forced edges have 1") {
  // Two triangles joined by 0 3, which is in all matchings.
  const UndirectedGraph graph =
      UndirectedGraph::from_edges(6, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {3, 4}, {3, 5}, {4, 5}});
  const EstimatedMarginals forced = EstimatedDistribution(graph, all_sampled(10)).marginals();
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const Edge edge = graph.edges()[e];
    const bool is_in = edge == Edge{0, 3} || edge == Edge{1, 2} || edge == Edge{4, 5};
    CHECK(forced.edges[e].probability == (is_in ? 1 : 0));
    CHECK(forced.edges[e].low == forced.edges[e].high);
  }
  const BipartiteGraph grid = grid_graph(8, 8);
  const EstimatedMarginals found = EstimatedDistribution(grid, all_sampled(500)).marginals();
  for (Vertex c = 0; c < grid.num_columns(); ++c) {
    double sum = 0;
    for (const EdgeId e : grid.column_edges(c)) sum += found.edges[e].probability;
    CHECK(std::fabs(sum - 1) < 1e-9);
  }
}

TEST_CASE("estimates end when no interval reaches farther than was asked for") {
  DistributionEstimateOptions options = all_sampled(0);
  options.absolute_error = 0.02;
  const EstimatedMarginals found = EstimatedDistribution(grid_graph(6, 6), options).marginals();
  double widest = 0;
  for (const EstimatedProbability& edge : found.edges)
    widest = std::max({widest, edge.high - edge.probability, edge.probability - edge.low});
  CHECK(widest <= 0.02);
  CHECK(widest > 0.005);
  CHECK_FALSE(found.out_of_time);
  CHECK(found.warning.empty());
}

TEST_CASE("small parts are exact, and estimates do not depend on the number of threads") {
  const EstimatedMarginals exact = EstimatedDistribution(grid_graph(4, 4)).marginals();
  CHECK(exact.samples == 0);
  for (const EstimatedProbability& edge : exact.edges) CHECK(edge.high - edge.low < 1e-9);
  DistributionEstimateOptions options = all_sampled(3000);
  const EstimatedMarginals one = EstimatedDistribution(king_graph(6, 6), options).marginals();
  options.run.num_threads = 3;
  const EstimatedMarginals three = EstimatedDistribution(king_graph(6, 6), options).marginals();
  for (std::size_t e = 0; e < one.edges.size(); ++e) {
    REQUIRE(one.edges[e].probability == three.edges[e].probability);
    REQUIRE(one.edges[e].high == three.edges[e].high);
  }
}

TEST_CASE("approximate samples are perfect matchings, a function of seed, population and number alone") {
  const BipartiteGraph grid = grid_graph(6, 6);
  DistributionEstimateOptions options = all_sampled(0);
  options.population = 200;
  EstimatedDistribution first(grid, options);
  const std::vector<EdgeId> all = first.samples(0, 50);
  check_matchings(grid, grid.edges(), all, 18, 18);
  options.run.num_threads = 2;
  EstimatedDistribution second(grid, options);
  const std::vector<EdgeId> later = second.samples(20, 30);
  REQUIRE(std::equal(later.begin(), later.end(), all.begin() + 20 * 18));
  options.population = 300;
  REQUIRE(EstimatedDistribution(grid, options).samples(0, 50) != all);
  const UndirectedGraph king = king_graph(4, 6);
  EstimatedDistribution odd(king, options);
  check_matchings(king, king.edges(), odd.samples(0, 40), 12, 0);
  const PopulationReport report = odd.population();
  CHECK(report.population == 304);  // populations of 16
  CHECK(report.drawn == 40);
  CHECK(report.distinct <= 40);
  CHECK(report.distinct > 10);
  CHECK(report.effective > 1);
  CHECK(report.effective <= 300);
  CHECK(report.largest_share >= 1.0 / 300);
}

TEST_CASE("approximate samples of a large population are nearly uniform, weighted ones in proportion") {
  // 36 tilings of the 4 x 4 square. The population's own deviations add to those of the draws.
  for (const bool weighted : {false, true}) {
    BipartiteGraph grid = grid_graph(4, 4);
    if (weighted) grid = with_random_weights(grid, {RandomWeights::Law::integers, 1, 4}, 5);
    const std::vector<EdgeMarginal> exact = MatchingDistribution(grid).marginals().edges;
    DistributionEstimateOptions options = all_sampled(0);
    options.population = 40000;
    EstimatedDistribution distribution(grid, options);
    const std::size_t samples = 40000;
    const std::vector<EdgeId> edges = distribution.samples(0, samples);
    std::vector<double> share(grid.num_edges());
    for (const EdgeId e : edges) share[e] += 1.0 / samples;
    for (EdgeId e = 0; e < grid.num_edges(); ++e) {
      const double p = exact[e].probability;
      CAPTURE(weighted, e, p, share[e]);
      CHECK(std::fabs(share[e] - p) < 6 * std::sqrt(2 * p * (1 - p) / samples) + 1e-12);
    }
    std::set<std::vector<EdgeId>> different;
    for (std::size_t i = 0; i < samples; ++i) different.emplace(edges.begin() + 8 * i, edges.begin() + 8 * (i + 1));
    CHECK(different.size() == 36);
  }
}

TEST_CASE("where there is no perfect matching, or a weight is negative, estimates say so") {
  const BipartiteGraph none = BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}});
  EstimatedDistribution distribution(none);
  REQUIRE(distribution.hall_violator());
  CHECK_THROWS_AS(distribution.marginals(), Unable);
  CHECK_THROWS_AS(distribution.samples(0, 1), Unable);
  REQUIRE(EstimatedDistribution(UndirectedGraph::from_edges(3, {{0, 1}, {1, 2}, {0, 2}})).tutte_set());
  const BipartiteGraph square = grid_graph(2, 2);
  CHECK_THROWS_AS(EstimatedDistribution(square.with_weights(std::vector<std::int64_t>{1, -1, 1, 1})), InputError);
  CHECK_THROWS_AS(EstimatedDistribution(square.with_weights(std::vector<ComplexDoubleDouble>(4))), InputError);
  // An edge of weight 0 is no edge.
  EstimatedDistribution zero(square.with_weights(std::vector<std::int64_t>{1, 0, 1, 1}), all_sampled(10));
  CHECK(zero.marginals().edges[1].probability == 0);
  CHECK(zero.marginals().edges[0].probability == 1);
  DistributionEstimateOptions options{.samples = 1};
  CHECK_THROWS_AS(EstimatedDistribution(square, options), InputError);
  options = {};
  options.confidence = 1;
  CHECK_THROWS_AS(EstimatedDistribution(square, options), InputError);
  options = {};
  options.population = 1;
  CHECK_THROWS_AS(EstimatedDistribution(square, options), InputError);
}

TEST_CASE("uneven weights of matchings, and uneven weights of edges, are told of") {
  DistributionEstimateOptions options = all_sampled(4);
  CHECK_THAT(EstimatedDistribution(grid_graph(12, 12), options).marginals().warning, ContainsSubstring("too uneven"));
  const BipartiteGraph grid = grid_graph(4, 4);
  std::vector<DoubleDouble> weights(grid.num_edges(), 1.0);
  weights[0] = 1e-30;
  CHECK_THAT(EstimatedDistribution(grid.with_weights(weights), all_sampled(100)).marginals().warning,
             ContainsSubstring("2^60"));
}

TEST_CASE("intervals of edges' probabilities hold where weights spread from 10^-2 to 10^2, or a warning stands") {
  // Populations of grids with such weights often lose what counts before it shows in the weights that they end with.
  double held = 0, all = 0;
  int warned = 0, runs = 0;
  for (std::uint64_t i = 1; i <= 6; ++i) {
    const BipartiteGraph grid = grid_graph(10, 10);
    Random random(i, 2);
    std::vector<DoubleDouble> weights;
    for (EdgeId e = 0; e < grid.num_edges(); ++e) weights.emplace_back(std::pow(10.0, 4 * random.uniform() - 2));
    const BipartiteGraph graph = grid.with_weights(weights);
    const std::vector<EdgeMarginal> exact = MatchingDistribution(graph).marginals().edges;
    for (std::uint64_t run = 1; run <= 4; ++run) {
      const EstimatedMarginals found = EstimatedDistribution(graph, all_sampled(4000, run)).marginals();
      ++runs;
      warned += found.warning.empty() ? 0 : 1;
      if (!found.warning.empty()) continue;
      for (EdgeId e = 0; e < graph.num_edges(); ++e) {
        const double p = exact[e].probability;
        if (p < 0.03 || p > 0.97) continue;
        ++all;
        held += found.edges[e].low <= p && p <= found.edges[e].high ? 1 : 0;
      }
    }
  }
  CAPTURE(warned, runs, held, all);
  CHECK(warned >= runs / 2);
  CHECK(held >= 0.92 * all);
}

TEST_CASE("a population that missed the heaviest matchings warns, for probabilities and for samples") {
  // Weights from 10^-4 to 10^4: all edges look sure, which one matching alone makes them.
  int warned = 0, populations_warned = 0;
  for (std::uint64_t i = 1; i <= 8; ++i) {
    const BipartiteGraph grid = grid_graph(10, 10);
    Random random(i, 3);
    std::vector<DoubleDouble> weights;
    for (EdgeId e = 0; e < grid.num_edges(); ++e) weights.emplace_back(std::pow(10.0, 8 * random.uniform() - 4));
    DistributionEstimateOptions options = all_sampled(4000);
    options.population = 2000;
    EstimatedDistribution distribution(grid.with_weights(weights), options);
    warned += distribution.marginals().warning.empty() ? 0 : 1;
    populations_warned += distribution.population().warning.empty() ? 0 : 1;
  }
  CAPTURE(warned, populations_warned);
  CHECK(warned >= 6);
  CHECK(populations_warned >= 6);
  const PopulationReport even = EstimatedDistribution(grid_graph(10, 10), all_sampled(4000)).population();
  CHECK(even.warning.empty());
  CHECK(even.effective > 100);
  CHECK(even.effective < static_cast<double>(even.population));
}

TEST_CASE("no interval is narrower than that of as many fair draws, also of rare edges") {
  BipartiteGraph graph = matchcount::random_graph(20, 20, 0.4, 1);
  Random random(seed, 4);
  std::vector<DoubleDouble> weights;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) weights.emplace_back(std::pow(10.0, 4 * random.uniform() - 2));
  const EstimatedMarginals found = EstimatedDistribution(graph.with_weights(weights), all_sampled(4000)).marginals();
  int rare = 0;
  for (const EstimatedProbability& edge : found.edges) {
    if (edge.low == edge.high) continue;  // in all perfect matchings or none
    rare += edge.probability < 1e-3 ? 1 : 0;
    const ProbabilityInterval fair = wilson_interval(edge.probability, static_cast<double>(found.samples), 1.95);
    CHECK(edge.high - edge.low >= fair.high - fair.low);
  }
  CHECK(rare > 10);
}

TEST_CASE("limits of memory are kept") {
  DistributionEstimateOptions options = all_sampled(100);
  options.run.memory_limit_bytes = 1000;
  CHECK_THROWS_AS(EstimatedDistribution(grid_graph(6, 6), options).marginals(), Unable);
  options.run.memory_limit_bytes = 20'000'000;
  options.population = 10'000'000;
  EstimatedDistribution distribution(grid_graph(6, 6), options);
  CHECK_THROWS_AS(distribution.samples(0, 1), OverLimit);
}

TEST_CASE("Wilson's interval is that of the score test") {
  // 0 of 10 and 5 of 10 at 1.96, by hand.
  CHECK(wilson_interval(0, 10, 1.96).low == 0);
  CHECK(std::fabs(wilson_interval(0, 10, 1.96).high - 3.8416 / 13.8416) < 1e-12);
  const ProbabilityInterval half = wilson_interval(0.5, 10, 1.96);
  CHECK(std::fabs(half.high - 0.7634) < 1e-4);
  CHECK(std::fabs(half.low + half.high - 1) < 1e-12);
}

TEST_CASE("numbers of approximate samples end at 2^64 - 1") {
  constexpr std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  EstimatedDistribution distribution(grid_graph(4, 4), all_sampled(0));
  CHECK(distribution.samples(last, 1).size() == distribution.matching_size());
  CHECK_THROWS_AS(distribution.samples(last, 2), InputError);
}

TEST_CASE("matchings that saturate the smaller side are estimated and drawn as their exact distribution has them") {
  Random random(seed, 77);
  int held = 0, all = 0;
  for (int round = 0; round < 24; ++round) {
    const auto rows = static_cast<Vertex>(5 + random.below(4)), columns = static_cast<Vertex>(5 + random.below(4));
    std::vector<Edge> edges;
    std::vector<std::int64_t> weights;
    for (Vertex row = 0; row < rows; ++row) {
      for (Vertex column = 0; column < columns; ++column) {
        if (random.below(2) == 0) continue;
        edges.push_back({row, column});
        weights.push_back(1 + static_cast<std::int64_t>(random.below(3)));
      }
    }
    const auto graph = BipartiteGraph::from_edges(rows, columns, edges, weights);
    MatchingDistribution distribution(graph, {.matchings = MatchingKind::saturating});
    DistributionEstimateOptions options{.matchings = MatchingKind::saturating};
    if (!distribution.has_matching()) {
      if (rows != columns) CHECK_THROWS_AS(EstimatedDistribution(graph, options), Unable);
      continue;
    }
    const std::vector<EdgeMarginal> truth = distribution.marginals().edges;
    const EstimatedMarginals small = EstimatedDistribution(graph, options).marginals();
    options = all_sampled(2000, static_cast<std::uint64_t>(round));
    options.matchings = MatchingKind::saturating;
    EstimatedDistribution estimated(graph, options);
    const EstimatedMarginals sampled = estimated.marginals();
    REQUIRE(small.edges.size() == graph.num_edges());
    REQUIRE(sampled.edges.size() == graph.num_edges());
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      REQUIRE(std::fabs(small.edges[e].probability - truth[e].probability) < 1e-9);
      held += sampled.edges[e].low <= truth[e].probability && truth[e].probability <= sampled.edges[e].high ? 1 : 0;
      ++all;
    }
    const std::size_t size = std::min(rows, columns);
    REQUIRE(estimated.matching_size() == size);
    const std::vector<EdgeId> drawn = estimated.samples(0, 50);
    REQUIRE(drawn.size() == 50 * size);
    check_matchings(graph, graph.edges(), drawn, size, rows);
  }
  INFO(held << " of " << all);
  CHECK(held > 0.9 * all);  // of intervals of 95 %, those of a graph together
  DistributionEstimateOptions others{.matchings = MatchingKind::all};
  CHECK_THROWS_AS(EstimatedDistribution(complete_graph(3, 3), others), InputError);
  others.matchings = MatchingKind::saturating;
  CHECK_THROWS_AS(EstimatedDistribution(cycle(4), others), InputError);
  others.run.memory_limit_bytes = 1 << 20;
  CHECK_THROWS_AS(EstimatedDistribution(complete_graph(2, 2000), others), OverLimit);
}
