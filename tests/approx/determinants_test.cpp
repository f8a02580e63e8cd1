#include "approx/cpu/determinants.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "approx/blocks.hpp"
#include "approx/cpu/sampler.hpp"
#include "approx/estimate.hpp"
#include "approx/statistics.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261128;

SampleSums draw(const Problem& problem, bool cube_roots, std::uint64_t samples) {
  DeterminantSampler sampler(problem, cube_roots);
  SampleSums sums;
  for (std::uint64_t i = 0; i < samples; ++i) sums.add(sampler.log_sample(seed, i, {}));
  return sums;
}

// Checks that the mean is within 5 standard errors of the samples' own.
void check_mean(const SampleSums& sums, double truth) {
  const double error = std::sqrt(sums.relative_variance() / static_cast<double>(sums.count));
  CAPTURE(truth, std::exp(sums.log_mean()), error);
  CHECK(std::fabs(std::exp(sums.log_mean()) / truth - 1) < 5 * error + 1e-12);
}

double number(const Value& value) { return std::stod(to_string(value)); }

}  // namespace

TEST_CASE("the mean of squared determinants of random signs, or cube roots of 1, is the permanent") {
  for (int i = 0; i < 6; ++i) {
    BipartiteGraph graph = matchcount::random_graph(6, 6, 0.7, static_cast<std::uint64_t>(i) + 1);
    if (i % 2 == 1) graph = with_random_weights(graph, {RandomWeights::Law::integers, 1, 9}, 2);
    if (!maximum_matching(graph, RunContext()).is_perfect()) continue;
    for (const bool cube_roots : {false, true}) {
      CAPTURE(i, cube_roots);
      check_mean(draw(problem_of(graph), cube_roots, 20000), number(permanent(graph).value));
    }
  }
}

TEST_CASE("the mean of determinants of random skew-symmetric matrices is the hafnian") {
  Random random(seed, 1);
  for (int i = 0; i < 6; ++i) {
    UndirectedGraph graph = test::random_graph(8, 0.8, random);
    if (i % 2 == 1) graph = with_integers(graph, 1, 6, random);
    if (!maximum_matching(graph, RunContext()).is_perfect()) continue;
    for (const bool cube_roots : {false, true}) {
      CAPTURE(i, cube_roots, to_string(graph));
      check_mean(draw(problem_of(graph), cube_roots, 20000), number(hafnian(graph).value));
    }
  }
}

TEST_CASE("determinants of two rows of ones are squares of 0 or 2, and a lone matching is its weight") {
  const Problem ones = problem_of(complete_graph(2, 2));
  DeterminantSampler sampler(ones, false);
  int zeros = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double log_sample = sampler.log_sample(seed, i, {});
    if (std::isinf(log_sample)) {
      ++zeros;
    } else {
      REQUIRE(std::fabs(log_sample - std::log(4.0)) < 1e-12);
    }
  }
  CHECK(zeros > 400);
  CHECK(zeros < 600);
  const BipartiteGraph diagonal =
      BipartiteGraph::from_edges(3, 3, {{0, 0}, {1, 1}, {2, 2}}, std::vector<std::int64_t>{2, 3, 5});
  const Problem lone = problem_of(diagonal);
  for (const bool cube_roots : {false, true}) {
    DeterminantSampler alone(lone, cube_roots);
    for (std::uint64_t i = 0; i < 10; ++i) CHECK(std::fabs(alone.log_sample(seed, i, {}) - std::log(30.0)) < 1e-12);
  }
}

TEST_CASE("cube roots of 1 vary less than signs do") {
  const Problem problem = problem_of(complete_graph(8, 8));
  CHECK(draw(problem, true, 20000).relative_variance() < 0.5 * draw(problem, false, 20000).relative_variance());
}

TEST_CASE("estimates by determinants hold what they estimate, of any graph, on the CPU") {
  for (const Estimator method : {Estimator::godsil_gutman, Estimator::karmarkar}) {
    const EstimateOptions options{.method = method, .samples = 40000, .confidence = 1 - 1e-6, .exact_rows = 0};
    const Estimate grid = estimate_perfect_matchings(grid_graph(4, 4), options);
    CAPTURE(std::string(to_string(method)), grid.low.to_double(), grid.high.to_double());
    CHECK(grid.low.to_double() <= 36);
    CHECK(grid.high.to_double() >= 36);
    CHECK(grid.method == method);
    CHECK_THAT(grid.warning, ContainsSubstring("grows exponentially"));
    const Estimate king = estimate_perfect_matchings(king_graph(4, 3), options);
    CAPTURE(king.low.to_double(), king.high.to_double());
    const double truth = number(count_perfect_matchings(king_graph(4, 3)).value);
    CHECK(king.low.to_double() <= truth);
    CHECK(king.high.to_double() >= truth);
  }
  CHECK_THROWS_AS(estimate_perfect_matchings(king_graph(6, 6), {.method = Estimator::rasmussen}), Unable);
}
