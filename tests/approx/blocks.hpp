#pragma once
// Makes small matrices for samplers, with their exact permanents, and the problems made of them.

#include <string>
#include <vector>

#include "approx/bethe.hpp"
#include "approx/estimate.hpp"
#include "approx/estimator.hpp"
#include "approx/problem.hpp"
#include "core/random.hpp"
#include "support/instances.hpp"
#include "support/oracles.hpp"

namespace matchcount::test {

inline constexpr Estimator all_estimators[] = {Estimator::rasmussen, Estimator::rasmussen_plus,
                                               Estimator::scaling,   Estimator::scaling_plus,
                                               Estimator::guided,    Estimator::population};

struct SmallMatrix {
  std::string name;
  std::size_t size = 0;
  std::vector<double> entries;  // row-major

  BipartiteGraph graph() const {
    const auto n = static_cast<Vertex>(size);
    return BipartiteGraph::from_dense(n, n, std::span<const double>(entries));
  }
  double permanent() const { return reference::permanent_by_subsets(entries, size); }
};

// Weighted: uniform in [0.1, 1.1) where there is an entry, else 1.
inline SmallMatrix small_matrix(Family family, std::size_t n, bool weighted, std::uint64_t seed) {
  Random random(seed);
  const std::vector<bool> pattern = random_pattern(family, n, random);
  SmallMatrix matrix{std::string(to_string(family)) + " " + std::to_string(n) + " seed " + std::to_string(seed), n, {}};
  for (const bool present : pattern) matrix.entries.push_back(present ? (weighted ? 0.1 + random.uniform() : 1) : 0);
  return matrix;
}

// Makes a problem of the graph as it is: samplers take any graph with a perfect matching.
template <class Graph>
Problem problem_of(const Graph& graph) {
  std::vector<double> weights(graph.num_edges(), 1.0);
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&graph.weights())) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (*reals)[i].hi;
  }
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.weights()))
    weights.assign(integers->begin(), integers->end());
  return make_problem(graph, weights, maximum_matching(graph, RunContext()));
}

// Returns the share of runs, one for every seed, whose interval holds the truth.
template <class EstimateBy>
double coverage(double truth, Estimator estimator, std::uint64_t samples, int runs, const EstimateBy& estimate_by) {
  EstimateOptions options{
      .method = estimator, .population = 16, .samples = samples, .exact_rows = 0, .run = {.num_threads = 1}};
  int holds = 0;
  for (int run = 0; run < runs; ++run) {
    options.run.seed = static_cast<std::uint64_t>(run) + 1;
    const Estimate estimate = estimate_by(options);
    holds += estimate.low.to_double() <= truth && truth <= estimate.high.to_double();
  }
  return static_cast<double>(holds) / runs;
}

}  // namespace matchcount::test
