#include "approx/cpu/sampler.hpp"

#include <cmath>

#include "approx/blocks.hpp"
#include "approx/statistics.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

SampleSums draw(const Problem& problem, Estimator estimator, std::uint64_t samples, std::uint64_t seed,
                bool far_messages = false) {
  SampleOptions options;
  options.far_messages = far_messages;
  options.estimator = estimator;
  options.population = 8;
  const auto sampler = Sampler::make(problem, options);
  SampleSums sums;
  for (std::uint64_t i = 0; i < samples; ++i) sums.add(sampler->log_sample(seed, i));
  return sums;
}

}  // namespace

TEST_CASE("the mean of every estimator's samples is the permanent") {
  // 170 means with normal errors: one of them beyond 4.5 standard errors has a probability of 0.1 %. The standard error
  // is the samples' own, plus rounding where they are all equal.
  for (const Family family : {Family::complete, Family::half, Family::planted, Family::band, Family::arrow,
                              Family::triangular, Family::twins, Family::circulant, Family::regular, Family::path}) {
    for (const std::size_t n : {1u, 4u, 7u}) {
      for (const bool weighted : {false, true}) {
        const SmallMatrix matrix = small_matrix(family, n, weighted, 100 * n + weighted);
        const BipartiteGraph graph = matrix.graph();
        if (!maximum_matching(graph).is_perfect()) continue;
        const Problem problem = problem_of(graph);
        const double exact = matrix.permanent();
        const auto check = [&](Estimator estimator, bool far_messages) {
          const std::uint64_t samples = estimator == Estimator::population ? 500 : 3000;
          const SampleSums sums = draw(problem, estimator, samples, 7, far_messages);
          INFO(matrix.name << (weighted ? " weighted, " : ", ") << to_string(estimator));
          const double error = std::exp(sums.log_mean()) / exact - 1;
          const double standard_error = std::sqrt(sums.relative_variance() / static_cast<double>(samples));
          CHECK(std::fabs(error) <= 4.5 * standard_error + 1e-12);
        };
        for (const Estimator estimator : all_estimators) check(estimator, false);
        check(Estimator::population, true);
      }
    }
  }
}

TEST_CASE("the variance of Rasmussen's samples is what a hand finds") {
  // [111; 110; 011]: the first row's choice of column 1, 2 or 3 leaves one matching each, so every sample is 3, and so
  // is the permanent.
  const std::vector<double> constant{1, 1, 1, 1, 1, 0, 0, 1, 1};
  const SampleSums equal = draw(problem_of(BipartiteGraph::from_dense(3, 3, std::span<const double>(constant))),
                                Estimator::rasmussen, 100, 1);
  CHECK(equal.relative_variance() < 1e-12);
  CHECK(std::exp(equal.log_mean()) == Approx(3));
  // [114; 110; 110]: column 3 has one choice, which is forced and leaves 2 matchings: no sample dies, every one is 8.
  const std::vector<double> with_forced{1, 1, 4, 1, 1, 0, 1, 1, 0};
  const BipartiteGraph graph = BipartiteGraph::from_dense(3, 3, std::span<const double>(with_forced));
  const SampleSums forced = draw(problem_of(graph), Estimator::rasmussen, 100, 1);
  CHECK(forced.zeros == 0);
  CHECK(forced.relative_variance() < 1e-12);
  CHECK(std::exp(forced.log_mean()) == Approx(8));
  // [1100; 1110; 0111; 1011], nothing forced at first: whichever column the first row takes, 3 matchings are left, and
  // one more choice of 2 leaves 1 or 2 of them, where all is forced or one choice of 2 is left. Samples are 4 or 8 with
  // probability 1/2 each: mean 6, relative variance 1/9.
  const std::vector<double> uneven{1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1};
  const SampleSums sums = draw(problem_of(BipartiteGraph::from_dense(4, 4, std::span<const double>(uneven))),
                               Estimator::rasmussen, 4000, 1);
  // The mean's standard error is 0.53 %, the share of 8s has one of 0.8 %, and the variance depends on it to second
  // order.
  CHECK(std::exp(sums.log_mean()) == Approx(6).epsilon(0.024));
  CHECK(sums.relative_variance() == Approx(1.0 / 9).epsilon(0.05));
}

TEST_CASE("a sample is a function of seed and number, whatever was drawn before") {
  const Problem problem = problem_of(grid_graph(8, 8));
  for (const Estimator estimator : all_estimators) {
    INFO(to_string(estimator));
    SampleOptions options;
    options.estimator = estimator;
    const auto one = Sampler::make(problem, options), other = Sampler::make(problem, options);
    std::vector<double> forward, backward(20);
    for (std::uint64_t i = 0; i < 20; ++i) forward.push_back(one->log_sample(3, i));
    for (std::uint64_t i = 20; i-- > 0;) backward[i] = other->log_sample(3, i);
    CHECK((forward == backward));
    CHECK(forward[0] != one->log_sample(4, 0));
  }
}

TEST_CASE("guided samples never run into a dead end, published ones do") {
  const Problem problem = problem_of(grid_graph(12, 12));
  CHECK(draw(problem, Estimator::guided, 300, 1).zeros == 0);
  CHECK(draw(problem, Estimator::population, 20, 1).zeros == 0);
  CHECK(draw(problem, Estimator::rasmussen, 300, 1).zeros > 0);
  CHECK(draw(problem, Estimator::rasmussen_plus, 300, 1).zeros > 30);
}

TEST_CASE("sides of 63 to 65 and thousands of vertices are sampled alike") {
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u, 4096u, 4097u}) {
    // Every sample of a complete graph's permanent with a row of equal choices is n!; here two edges a row, one cycle:
    // 2 matchings.
    std::vector<Edge> edges;
    for (Vertex r = 0; r < n; ++r) {
      edges.push_back({r, r});
      edges.push_back({r, (r + 1) % n});
    }
    const Problem problem = problem_of(BipartiteGraph::from_edges(n, n, edges));
    for (const Estimator estimator : all_estimators) {
      if (estimator == Estimator::population && n > 100) continue;
      INFO(n << " " << to_string(estimator));
      CHECK(draw(problem, estimator, 3, 1).log_mean() == Approx(std::log(2)));
    }
  }
}

TEST_CASE("samples of complete graphs are n factorial") {
  for (const Vertex n : {2u, 33u, 64u, 65u}) {
    const Problem problem = problem_of(complete_graph(n, n));
    for (const Estimator estimator : all_estimators) {
      INFO(n << " " << to_string(estimator));
      const SampleSums sums = draw(problem, estimator, 5, 2);
      CHECK(sums.log_mean() == Approx(std::lgamma(n + 1.0)).epsilon(1e-12));
    }
  }
}

TEST_CASE("a problem takes what fits only") {
  const BipartiteGraph graph = complete_graph(3, 3);
  const Matching matching = maximum_matching(graph);
  CHECK_THROWS_AS(make_problem(graph, std::vector<double>(8, 1.0), matching), InputError);
  CHECK_THROWS_AS(make_problem(graph, std::vector<double>(9, 0.0), matching), InputError);
  CHECK_THROWS_AS(make_problem(graph, std::vector<double>(9, -1.0), matching), InputError);
  CHECK_THROWS_AS(make_problem(complete_graph(3, 4), std::vector<double>(12, 1.0), matching), InputError);
}