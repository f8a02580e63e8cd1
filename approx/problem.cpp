#include "approx/problem.hpp"

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "graph/vertices.hpp"

namespace matchcount {

std::uint32_t Problem::largest_degree() const {
  std::uint32_t largest = 0;
  for (std::uint32_t v = 0; v < num_vertices(); ++v) largest = std::max(largest, degree(v));
  return largest;
}

namespace {

template <class Graph>
Problem with_slots(const Graph& pattern, Vertex size, const std::vector<double>& weights) {
  constexpr EdgeId most_edges = (EdgeId{1} << 31) - 1;
  if (pattern.num_edges() > most_edges || size > most_edges / 2) throw Unable("estimates take at most 2^31 - 1 edges");
  for (const double weight : weights) {
    if (!(weight > 0) || !std::isfinite(weight)) {
      throw InputError("the weight " + std::to_string(weight), "positive and finite weights");
    }
  }
  Problem problem;
  problem.size = size;
  std::vector<std::uint32_t> first_slot(pattern.num_edges(), unmatched);
  problem.reverse.resize(2 * pattern.num_edges());
  for (Vertex v = 0; v < num_vertices(pattern); ++v) {
    problem.offset.push_back(static_cast<std::uint32_t>(problem.target.size()));
    for_each_neighbour(pattern, v, [&](Vertex neighbour, EdgeId edge) {
      const auto slot = static_cast<std::uint32_t>(problem.target.size());
      problem.target.push_back(neighbour);
      problem.weight.push_back(weights[edge]);
      if (const std::uint32_t other = std::exchange(first_slot[edge], slot); other != unmatched) {
        problem.reverse[slot] = other;
        problem.reverse[other] = slot;
      }
    });
  }
  problem.offset.push_back(static_cast<std::uint32_t>(problem.target.size()));
  problem.message = problem.weight;
  return problem;
}

}  // namespace

Problem make_problem(const BipartiteGraph& pattern, const std::vector<double>& weights, const Matching& perfect) {
  const Vertex n = pattern.num_rows();
  if (n != pattern.num_columns() || weights.size() != pattern.num_edges() || !is_matching(pattern, perfect) ||
      !perfect.is_perfect()) {
    throw InputError("a graph of " + std::to_string(n) + " rows and " + std::to_string(pattern.num_columns()) +
                         " columns with " + std::to_string(weights.size()) + " weights",
                     "a square graph with a perfect matching and a weight for every edge");
  }
  Problem problem = with_slots(pattern, n, weights);
  problem.mate.resize(2 * std::size_t{n});
  for (Vertex row = 0; row < n; ++row) {
    problem.mate[row] = n + perfect.column_of_row[row];
    problem.mate[n + perfect.column_of_row[row]] = row;
  }
  return problem;
}

Problem make_problem(const UndirectedGraph& pattern, const std::vector<double>& weights, const GraphMatching& perfect) {
  const Vertex n = pattern.num_vertices();
  if (weights.size() != pattern.num_edges() || !is_matching(pattern, perfect) || !perfect.is_perfect()) {
    throw InputError(
        "a graph of " + std::to_string(n) + " vertices with " + std::to_string(weights.size()) + " weights",
        "a graph with a perfect matching and a weight for every edge");
  }
  Problem problem = with_slots(pattern, n / 2, weights);
  problem.bipartite = false;
  problem.mate.assign(perfect.partner.begin(), perfect.partner.end());
  return problem;
}

Problem make_problem_of_all(const UndirectedGraph& graph, const std::vector<double>& weights) {
  Problem problem = with_slots(graph, (graph.num_vertices() + 1) / 2, weights);
  problem.bipartite = false;
  problem.alone = 1;
  problem.offset.resize(problem.num_vertices() + 1, static_cast<std::uint32_t>(problem.target.size()));
  for (std::uint32_t v = 0; v < problem.num_vertices(); ++v) problem.mate.push_back(v);
  return problem;
}

}  // namespace matchcount
