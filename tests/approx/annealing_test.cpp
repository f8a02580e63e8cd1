// Annealing, against sums over all matchings by their definition.

#include "approx/cpu/annealing.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "approx/estimate.hpp"
#include "approx/estimated_sizes.hpp"
#include "approx/estimation.hpp"
#include "approx/statistics.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261126;

// A random graph with odd cycles, and weights by edge.
struct Weighted {
  UndirectedGraph graph;
  std::vector<double> weights;
  std::vector<double> sums() const {
    return matchings_by_size(graph, weights, std::vector<double>(graph.num_vertices(), 1));
  }
};
Weighted instance(Vertex n, bool weighted, Random& random) {
  Weighted result{random_graph(n, 0.3 + 0.5 * random.uniform(), random), {}};
  for (EdgeId id = 0; id < result.graph.num_edges(); ++id)
    result.weights.push_back(weighted ? 0.1 + 3 * random.uniform() : 1);
  return result;
}

// 4.5 standard errors of a mean are passed once in 150,000.
void check_mean(const SampleSums& sums, double truth) {
  const double error = std::sqrt(sums.relative_variance() / static_cast<double>(sums.count)) + 1e-10;
  CHECK(std::fabs(std::exp(sums.log_mean()) / truth - 1) < 4.5 * error);
}

EstimateOptions annealing(std::uint64_t samples, std::uint64_t of_seed = 1) {
  return {.method = Estimator::annealing,
          .population = 8,
          .samples = samples,
          .exact_rows = 0,
          .run = {.num_threads = 1, .seed = of_seed}};
}

bool holds(const Estimate& estimate, double truth) {
  return estimate.low.to_double() <= truth * (1 + 1e-9) && truth * (1 - 1e-9) <= estimate.high.to_double();
}

}  // namespace

TEST_CASE("the mean of annealing's samples is the sum over perfect matchings, whatever weights and odd cycles") {
  Random random(seed, 1);
  int checked = 0;
  for (int i = 0; i < 24; ++i) {
    const auto n = static_cast<Vertex>(2 + 2 * (i % 4));
    const Weighted of = instance(n, i % 2 == 1, random);
    const double truth = of.sums().back();
    if (truth == 0) continue;
    const Problem problem = make_problem(of.graph, of.weights, maximum_matching(of.graph, RunContext()));
    const auto stages = Annealing::find_stages(problem, problem.size, 16, seed, {});
    Annealing population(problem, 4, stages);
    SampleSums sums;
    for (std::uint64_t k = 0; k < 100; ++k) sums.add(population.log_sample(seed, k, {}));
    CAPTURE(seed, i, to_string(of.graph), truth, std::exp(sums.log_mean()));
    check_mean(sums, truth);
    ++checked;
  }
  CHECK(checked > 12);
}

TEST_CASE("the means of annealing's samples of all matchings, and of each size, are what the definition says") {
  Random random(seed, 2);
  for (int i = 0; i < 16; ++i) {
    const Weighted of = instance(static_cast<Vertex>(1 + i % 8), i % 2 == 1, random);
    const std::vector<double> truth = of.sums();
    const Problem problem = make_problem_of_all(of.graph, of.weights);
    CAPTURE(seed, i, to_string(of.graph));
    const auto largest = maximum_matching(of.graph, RunContext()).size;
    // To activity 1, and on to the largest matchings.
    for (const auto most_edges : {0u, static_cast<std::uint32_t>(largest)}) {
      const auto stages = Annealing::find_stages(problem, most_edges, 16, seed, {});
      Annealing population(problem, 4, stages);
      SampleSums sums;
      std::vector<SampleSums> of_size(problem.size + 1);
      for (std::uint64_t k = 0; k < 100; ++k) {
        sums.add(population.log_sample(seed, k, {}));
        for (std::size_t size = 0; size < of_size.size(); ++size) of_size[size].add(population.log_sizes()[size]);
      }
      if (most_edges == 0) check_mean(sums, std::accumulate(truth.begin(), truth.end(), 0.0));
      for (std::size_t size = 0; size < truth.size() && (most_edges > 0 || size == 0); ++size) {
        CAPTURE(size, truth[size], std::exp(of_size[size].log_mean()));
        if (truth[size] == 0) CHECK(of_size[size].log_mean() == -INFINITY);
        if (truth[size] > 0) check_mean(of_size[size], truth[size]);
      }
    }
  }
}

TEST_CASE("intervals by annealing hold the truth in 29 of 33 graphs at least") {
  Random random(seed, 3);
  int held = 0;
  for (int i = 0; i < 33; ++i) {
    const auto n = static_cast<Vertex>(4 + 2 * (i % 5));
    const Weighted of = instance(n, true, random);
    const UndirectedGraph graph =
        of.graph.with_weights(std::vector<DoubleDouble>(of.weights.begin(), of.weights.end()));
    const Estimate estimate = estimate_hafnian(graph, annealing(16, static_cast<std::uint64_t>(i)));
    held += holds(estimate, of.sums().back());
  }
  // Fewer than 29 of 33 come once in 130 at 95 %, and the seed is fixed.
  CHECK(held >= 29);
  const auto near = [](const Estimate& estimate, double truth) {
    CHECK(std::fabs(estimate.log_value - std::log(truth)) < 4.5 * estimate.standard_error + 1e-10);
  };
  near(estimate_perfect_matchings(grid_graph(6, 6), annealing(60)), 6728);
  near(estimate_perfect_matchings(wheel(14), annealing(60)), 13);
  near(estimate_perfect_matchings(petersen(), annealing(60)), 6);
}

TEST_CASE("annealing: the empty graph, graphs in pieces, and 0 with its proof") {
  CHECK(estimate_perfect_matchings(UndirectedGraph(), annealing(2)).value.to_double() == 1);
  std::vector<Edge> edges;  // two complete graphs of 4: 3 x 3
  for (const Vertex from : {0u, 4u}) {
    for (Vertex u = 0; u < 4; ++u)
      for (Vertex v = u + 1; v < 4; ++v) edges.push_back({from + u, from + v});
  }
  CHECK(holds(estimate_perfect_matchings(UndirectedGraph::from_edges(8, edges), annealing(200)), 9));
  const Estimate none = estimate_perfect_matchings(complete(5), annealing(2));
  CHECK((none.exact && none.value.is_zero() && none.tutte_set));
  const Estimate no_side = estimate_perfect_matchings(grid_graph(3, 3), annealing(2));
  CHECK((no_side.exact && no_side.value.is_zero() && no_side.hall_violator));
}

TEST_CASE("annealing is the same on any number of threads, and where the time is short names what it needs") {
  EstimateOptions options = annealing(12);
  const Estimate one = estimate_perfect_matchings(grid_graph(8, 8), options);
  options.run.num_threads = 3;
  const Estimate three = estimate_perfect_matchings(grid_graph(8, 8), options);
  CHECK(one.log_value == three.log_value);
  CHECK(one.standard_error == three.standard_error);
  CHECK(one.method == Estimator::annealing);
  CHECK(one.blocks.front().population == 8);
  StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 2;
  CHECK_THROWS_WITH(estimate_perfect_matchings(grid_graph(40, 40), options),
                    ContainsSubstring("annealing is predicted to need"));
}

TEST_CASE("annealing verifies other estimates, and they it; nothing is compared where nothing is sampled") {
  EstimateOptions options{.relative_error = 0.04, .verify = true, .run = {.num_threads = 1}};
  for (const Estimator method : {Estimator::guided, Estimator::annealing}) {
    options.method = method;
    options.exact_rows = 0;
    const Estimate estimate = estimate_perfect_matchings(grid_graph(4, 4), options);
    REQUIRE(estimate.checks.size() == 1);
    CHECK(estimate.checks.front().passed);
    CHECK_THAT(estimate.checks.front().detail, StartsWith(method == Estimator::guided ? "by annealing" : "by "));
    CHECK(std::fabs(estimate.log_value - std::log(36.0)) < 0.06);
  }
  options.exact_rows = 12;
  CHECK(estimate_perfect_matchings(grid_graph(4, 4), options).checks.front().detail == "nothing was left to sample");
}

TEST_CASE("two estimates that do not agree are an error") {
  const EstimateOptions options{.verify = true};
  const auto of_log = [](double log_value, double arm) {
    Estimate estimate;
    estimate.log_value = log_value;
    estimate.low = ScaledReal(DoubleDouble(std::exp(log_value - arm)));
    estimate.high = ScaledReal(DoubleDouble(std::exp(log_value + arm)));
    estimate.confidence = 0.95;
    estimate.method = Estimator::guided;
    return estimate;
  };
  const auto ask = [&](double apart) {
    return verified(options, nullptr, [&](const EstimateOptions& how, Work*) {
      return of_log(how.method == Estimator::annealing ? 3 + apart : 3, 0.1);
    });
  };
  // 2.3 times both reaches together, 0.1 sqrt 2, are 0.325.
  CHECK(ask(0.31).checks.front().passed);
  CHECK(ask(-0.31).checks.front().passed);
  CHECK_THROWS_WITH(ask(0.34), ContainsSubstring("two estimates disagree"));
  CHECK_THROWS_WITH(ask(-0.34), ContainsSubstring("two estimates disagree"));
}

TEST_CASE("estimates by size hold what the definition says, small sizes exactly, whatever edges weigh") {
  Random random(seed, 4);
  int held = 0, of = 0;
  for (int i = 0; i < 12; ++i) {
    UndirectedGraph graph = random_graph(static_cast<Vertex>(i % 10), 0.4, random);
    const MatchingOptions question{.weighted = i % 2 == 1};
    std::vector<double> weights(graph.num_edges(), 1);
    if (question.weighted) {
      graph = with_integers(graph, 1, 5, random);
      const auto& integers = std::get<std::vector<std::int64_t>>(graph.weights());
      weights.assign(integers.begin(), integers.end());
    }
    const std::vector<double> truth = matchings_by_size(graph, weights, std::vector<double>(graph.num_vertices(), 1));
    EstimateOptions options = annealing(12, static_cast<std::uint64_t>(i));
    const std::vector<SizeEstimate> sizes = estimate_matchings_by_size(graph, question, options);
    CAPTURE(seed, i, to_string(graph));
    REQUIRE(sizes.size() <= truth.size());
    for (std::size_t k = sizes.size(); k < truth.size(); ++k) CHECK(truth[k] == 0);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      CHECK(sizes[k].exact == (k < 2));
      if (k < 2) CHECK(sizes[k].value.to_double() == truth[k]);
      if (k < 2) continue;
      ++of;
      held += sizes[k].low.to_double() <= truth[k] && truth[k] <= sizes[k].high.to_double();
      CHECK(std::fabs(sizes[k].value.to_double() / truth[k] - 1) < 3 * sizes[k].relative_error + 1e-9);
    }
  }
  CHECK(of > 8);
  CHECK(held >= 0.8 * of);
}
