// Checks that intervals hold the truth as often as they say.

#include <cmath>

#include "approx/blocks.hpp"
#include "approx/estimate.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

double coverage(const BipartiteGraph& graph, double truth, Estimator estimator, std::uint64_t samples, int runs) {
  return test::coverage(truth, estimator, samples, runs, [&](const auto& by) { return estimate_permanent(graph, by); });
}

// A large grid, small populations of which vary by orders of magnitude.
double coverage_by_logarithms(int populations, int size, int runs) {
  constexpr int side = 48;
  const double pi = std::acos(-1.0);
  double truth = 0;  // Kasteleyn's product
  for (int j = 1; j <= side / 2; ++j) {
    for (int k = 1; k <= side / 2; ++k)
      truth +=
          std::log(4 * std::pow(std::cos(pi * j / (side + 1)), 2) + 4 * std::pow(std::cos(pi * k / (side + 1)), 2));
  }
  EstimateOptions options{.method = Estimator::population,
                          .population = size,
                          .samples = static_cast<std::uint64_t>(populations),
                          .run = {.num_threads = 1}};
  int holds = 0, by_logarithms = 0;
  for (int run = 0; run < runs; ++run) {
    options.run.seed = static_cast<std::uint64_t>(run) + 1;
    const Estimate estimate = estimate_perfect_matchings(grid_graph(side, side), options);
    by_logarithms += estimate.blocks.front().by_logarithms;
    holds += estimate.low.log2_abs() * std::log(2) <= truth && truth <= estimate.high.log2_abs() * std::log(2);
  }
  CHECK(by_logarithms > 0.8 * runs);
  return static_cast<double>(holds) / runs;
}

// Returns the share of runs, so many of each of 20 graphs, half of them bipartite, whose interval holds the count.
double coverage_of_20(Estimator estimator, int runs) {
  Random random(20261127);
  EstimateOptions options{
      .method = estimator, .population = 16, .samples = 100, .exact_rows = 0, .run = {.num_threads = 1}};
  int holds = 0, graphs = 0;
  const auto add = [&](const auto& estimate_of, double truth) {
    if (truth == 0) return;
    ++graphs;
    for (int run = 0; run < runs; ++run) {
      options.run.seed = static_cast<std::uint64_t>(run) + 1;
      const Estimate estimate = estimate_of();
      holds += estimate.low.to_double() <= truth * (1 + 1e-9) && truth * (1 - 1e-9) <= estimate.high.to_double();
    }
  };
  for (std::uint64_t i = 0; graphs < 10; ++i) {
    const SmallMatrix matrix = small_matrix(i % 2 == 0 ? Family::planted : Family::half, 8 + i % 5, i % 3 == 0, i);
    add([&, graph = matrix.graph()] { return estimate_permanent(graph, options); }, matrix.permanent());
  }
  while (graphs < 20) {
    const UndirectedGraph graph = random_graph(static_cast<Vertex>(12 + 2 * random.below(3)), 0.4, random);
    add([&] { return estimate_perfect_matchings(graph, options); }, nearest_real(hafnian_by_oracle(graph)).to_double());
  }
  return static_cast<double>(holds) / (graphs * runs);
}

}  // namespace

TEST_CASE("95 % intervals hold the truth in 90 to 99.5 % of 300 runs") {
  // 300 runs have a standard error of sqrt(0.95 * 0.05 / 300) = 1.26 %: four of them below, and 0.995 above.
  for (const Estimator estimator : all_estimators) {
    INFO(to_string(estimator));
    const double share =
        coverage(grid_graph(6, 6), 6728, estimator, estimator == Estimator::population ? 40 : 400, 300);
    CHECK(share >= 0.90);
    CHECK(share <= 0.995);
  }
  // Messages err most in small weighted graphs with cycles: a guide that trusts them too much fails here.
  const SmallMatrix planted = small_matrix(Family::planted, 12, true, 5);
  CHECK(coverage(planted.graph(), planted.permanent(), Estimator::population, 100, 300) >= 0.90);
}

TEST_CASE("intervals by the logarithms of a few populations hold the truth") {
  // 60 runs have a standard error of 2.8 %.
  CHECK(coverage_by_logarithms(4, 16, 60) >= 0.85);
}

TEST_CASE("intervals by the logarithms of populations hold the truth in 93 to 98 % of 1000 runs", "[slow]") {
  for (const auto& [populations, size] : {std::pair(3, 16), {8, 16}, {4, 32}}) {
    const double share = coverage_by_logarithms(populations, size, 1000);
    INFO(populations << " populations of " << size << ": " << share);
    CHECK(share >= 0.93);
    CHECK(share <= 0.98);
  }
}

TEST_CASE("95 % intervals hold the truth in 93 to 97 % of 1000 runs", "[slow]") {
  // 1000 runs have a standard error of 0.69 %, so that 93 and 97 % are 2.9 of them away.
  const SmallMatrix planted = small_matrix(Family::planted, 12, true, 5);
  for (const Estimator estimator : all_estimators) {
    const bool population = estimator == Estimator::population;
    const auto check = [&](const char* name, const BipartiteGraph& graph, double truth) {
      const double share = coverage(graph, truth, estimator, population ? 100 : 2000, 1000);
      INFO(name << ", " << to_string(estimator) << ": " << share);
      CHECK(share >= 0.93);
      CHECK(share <= 0.97);
    };
    check("grid 6 x 6", grid_graph(6, 6), 6728);
    check("grid 8 x 8", grid_graph(8, 8), 12988816);
    check("planted", planted.graph(), planted.permanent());
  }
}

TEST_CASE("95 % intervals by populations hold the counts of 20 graphs in 93 to 97 % of 1000 runs", "[slow]") {
  const double share = coverage_of_20(Estimator::population, 50);
  INFO(share);
  CHECK(share >= 0.93);
  CHECK(share <= 0.97);
}

TEST_CASE("95 % intervals by annealing hold the counts of 20 graphs in 93 to 97 % of 1000 runs", "[slow]") {
  const double share = coverage_of_20(Estimator::annealing, 50);
  INFO(share);
  CHECK(share >= 0.93);
  CHECK(share <= 0.97);
}
