// Estimates of matchings that need not be perfect, against sums over all matchings and exact counts.

#include <cmath>
#include <numeric>
#include <vector>

#include "approx/estimate.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/matchings.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261127;

double log_of(const Integer& value) { return value == 0 ? -INFINITY : nearest_real(value).log2_abs() * std::log(2); }

// All vertices that are left alone have this weight.
double log_of_all(const UndirectedGraph& graph, std::int64_t activity) {
  std::vector<Integer> edges(graph.num_edges(), 1);
  if (const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights()))
    edges.assign(weights->begin(), weights->end());
  const std::vector<Integer> sums =
      matchings_by_size(graph, edges, std::vector<Integer>(graph.num_vertices(), Integer(activity)));
  return log_of(std::accumulate(sums.begin(), sums.end(), Integer(0)));
}

MatchingOptions of_kind(MatchingKind kind) { return {.kind = kind, .weighted = true}; }

// How many of the intervals hold; 1e-9 is what rounding of logarithms may take.
struct Holds {
  int of = 0, held = 0;
  void add(const Estimate& estimate, double log_truth) {
    ++of;
    REQUIRE_FALSE(estimate.unknown);
    if (log_truth == -INFINITY) {
      held += estimate.exact && estimate.value.is_zero();
      return;
    }
    CHECK(estimate.bracket.log_lower <= log_truth + 1e-9);
    CHECK(estimate.bracket.log_upper >= log_truth - 1e-9);
    // Beyond 6 standard errors is a wrong number.
    CHECK(std::fabs(estimate.log_value - log_truth) < 6 * estimate.standard_error + 1e-9);
    held += estimate.low.log2_abs() * std::log(2) <= log_truth + 1e-9 &&
            estimate.high.log2_abs() * std::log(2) >= log_truth - 1e-9;
  }
  // 200 intervals at 95 % have a standard error of 1.5 %.
  void check() const { CHECK(held >= 0.89 * of); }
};

}  // namespace

TEST_CASE("estimates of all matchings hold the sum over all of them, whatever the weights of edges and vertices") {
  Random random(seed, 1);
  Holds holds;
  EstimateOptions options{.population = 8, .samples = 200, .run = {.num_threads = 1}};
  for (int i = 0; i < 200; ++i) {
    const auto n = static_cast<Vertex>(random.below(13));
    UndirectedGraph graph = random_graph(n, 0.1 + 0.6 * random.uniform(), random);
    if (i % 2 == 1) graph = with_integers(graph, 1, 9, random);
    MatchingOptions question = of_kind(MatchingKind::all);
    const auto activity = static_cast<std::int64_t>(1 + random.below(3));
    question.activity = activity;
    options.exact_rows = i % 4 == 0 ? 3 : 0;
    options.run.seed = static_cast<std::uint64_t>(i) + 1;
    CAPTURE(seed, i, to_string(graph), activity);
    holds.add(estimate_matchings(graph, question, options), log_of_all(graph, activity));
  }
  holds.check();
}

TEST_CASE("estimates of maximum, saturating, lightest and heaviest matchings hold their exact counts") {
  Random random(seed, 2);
  Holds holds;
  EstimateOptions options{.samples = 400, .exact_rows = 0, .run = {.num_threads = 1}};
  for (int i = 0; i < 200; ++i) {
    constexpr MatchingKind kinds[] = {MatchingKind::maximum, MatchingKind::saturating, MatchingKind::lightest,
                                      MatchingKind::heaviest};
    MatchingOptions question = of_kind(kinds[i % 4]);
    const auto n = static_cast<Vertex>(1 + random.below(8)), m = static_cast<Vertex>(1 + random.below(8));
    options.run.seed = static_cast<std::uint64_t>(i) + 1;
    CAPTURE(seed, i);
    if (i % 3 == 0 && question.kind == MatchingKind::maximum) {
      const UndirectedGraph graph = with_integers(random_graph(n + m, 0.4, random), 1, 3, random);
      holds.add(estimate_matchings(graph, question, options),
                log_of(std::get<Integer>(count_matchings(graph, question).run.value)));
    } else {
      const Vertex columns = i % 4 < 2 ? m : n;
      std::vector<Edge> edges;
      std::vector<std::int64_t> weights;
      for (Vertex r = 0; r < n; ++r) {
        for (Vertex c = 0; c < columns; ++c) {
          if (random.uniform() < 0.5) continue;
          edges.push_back({r, c});
          weights.push_back(static_cast<std::int64_t>(1 + random.below(3)));
        }
      }
      const BipartiteGraph weighted = BipartiteGraph::from_edges(n, columns, edges, weights);
      holds.add(estimate_matchings(weighted, question, options),
                log_of(std::get<Integer>(count_matchings(weighted, question).run.value)));
    }
  }
  holds.check();
}

TEST_CASE("95 % intervals of all matchings hold the truth in 93 to 98 % of 1000 runs", "[slow]") {
  Random random(seed, 3);
  for (const Vertex n : {14u, 17u, 20u}) {
    const UndirectedGraph graph = random_graph(n, 3.0 / n, random);
    const double truth = log_of_all(graph, 1);
    EstimateOptions options{.population = 8, .samples = 64, .exact_rows = 0, .run = {.num_threads = 1}};
    int held = 0;
    for (int run = 0; run < 1000; ++run) {
      options.run.seed = static_cast<std::uint64_t>(run) + 1;
      const Estimate estimate = estimate_matchings(graph, of_kind(MatchingKind::all), options);
      held += estimate.low.log2_abs() * std::log(2) <= truth && truth <= estimate.high.log2_abs() * std::log(2);
    }
    CAPTURE(n, held, to_string(graph));
    CHECK(held >= 930);
    CHECK(held <= 980);
  }
}

TEST_CASE("estimates of other matchings: vertices that must be matched, weights of 0, fractions, refusals") {
  EstimateOptions options{.samples = 2000};
  const UndirectedGraph path =
      UndirectedGraph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}}, std::vector<std::int64_t>{1, 0, 1});
  MatchingOptions all = of_kind(MatchingKind::all);
  CHECK(estimate_matchings(path, all, options).value.to_double() == 4);
  all.loops = std::vector<std::int64_t>{0, 1, 1, 0};  // the loop hafnian: the ends must be matched
  CHECK(estimate_matchings(path, all, options).value.to_double() == 1);
  all.loops.reset();
  all.weighted = false;
  all.activity = Rational(1, 2);
  // 1/16 + 3/4 + 1
  CHECK(std::fabs(estimate_matchings(path, all, options).value.to_double() - 1.8125) < 1e-12);
  CHECK(estimate_matchings(UndirectedGraph::from_edges(0, {}), of_kind(MatchingKind::all)).value.to_double() == 1);
  CHECK(estimate_matchings(grid_graph(1, 3), of_kind(MatchingKind::maximum)).value.to_double() == 2);
  CHECK_THROWS_AS(estimate_matchings(path, of_kind(MatchingKind::by_size), options), InputError);
  options.method = Estimator::guided;
  options.exact_rows = 0;
  CHECK_THROWS_AS(estimate_matchings(path.pattern(), of_kind(MatchingKind::all), options), Unable);
  const UndirectedGraph negative = path.pattern().with_weights(std::vector<std::int64_t>{1, -1, 1});
  CHECK_THROWS_AS(estimate_matchings(negative, of_kind(MatchingKind::all), options), InputError);
}
