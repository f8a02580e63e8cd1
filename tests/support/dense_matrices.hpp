#pragma once
// Makes dense matrices and graphs for methods that use their structure, and compares what these methods say of single
// matchings with a list of all.

#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "matchcount/count.hpp"
#include "matchcount/marginals.hpp"
#include "support/catch.hpp"
#include "support/listed_matchings.hpp"

namespace matchcount::test {

inline CountOptions by_method(Method method, bool whole = false) {
  return {.method = method, .prune = !whole, .reduce = !whole, .run = {.num_threads = 2}};
}

inline Integer integer(const Result& result) { return std::get<Integer>(result.value); }

// Row by row.
struct SquareMatrix {
  std::size_t n = 0;
  std::vector<std::int64_t> entries = std::vector<std::int64_t>(n * n);
  std::vector<Integer> integers() const { return {entries.begin(), entries.end()}; }
};

// Has the cells that are not 0, times a factor; or those of them above the diagonal.
template <class Graph, class Weight = std::int64_t>
Graph graph_of(const SquareMatrix& matrix, Weight factor = Weight(1)) {
  constexpr bool symmetric = std::is_same_v<Graph, UndirectedGraph>;
  const auto n = static_cast<Vertex>(matrix.n);
  std::vector<Edge> edges;
  std::vector<Weight> weights;
  for (Vertex i = 0; i < n; ++i)
    for (Vertex j = symmetric ? i + 1 : 0; j < n; ++j)
      if (const std::int64_t entry = matrix.entries[i * matrix.n + j]; entry != 0) {
        edges.push_back({i, j});
        if constexpr (std::is_same_v<Weight, DoubleDouble>) {
          weights.push_back(static_cast<double>(entry) * factor);
        } else {
          weights.push_back(entry * factor);
        }
      }
  if constexpr (symmetric) {
    return UndirectedGraph::from_edges(n, std::move(edges), std::move(weights));
  } else {
    return BipartiteGraph::from_edges(n, n, std::move(edges), std::move(weights));
  }
}

// Calls run() and counts it, unless the method asked for does not apply.
template <class Run>
void where_it_applies(int& applied, Run&& run) {
  try {
    run();
    ++applied;
  } catch (const OverLimit&) {
    throw;
  } catch (const Unable&) {
  }
}

inline UndirectedGraph with_odd_cycles(const BipartiteGraph& graph) { return UndirectedGraph::from_bipartite(graph); }
inline UndirectedGraph with_odd_cycles(const UndirectedGraph& graph) { return graph; }

// Compares the sums of a graph with integer weights with those of a list of its matchings.
template <class Graph>
void check_marginals(const Graph& graph, Method method) {
  const std::vector<Integer> sums = sums_by_listing(with_odd_cycles(graph));
  for (const bool exact : {true, false}) {
    const DistributionOptions options{.exact = exact, .method = method, .run = {.num_threads = 2}};
    const Marginals found = MatchingDistribution(graph, options).marginals();
    const auto check = [](const Value& value, const Integer& truth) {
      if (const auto* integer = std::get_if<Integer>(&value)) {
        REQUIRE(*integer == truth);
      } else {
        const RealValue& real = std::get<RealValue>(value);
        const ScaledReal difference = real.value + -nearest_real(truth);
        REQUIRE((difference.is_zero() || difference.log2_abs() <= real.log2_error));
        REQUIRE((truth == 0 || real.log2_error < log2_abs(truth) - 80));
      }
    };
    REQUIRE((!exact || std::holds_alternative<Integer>(found.total)));
    check(found.total, sums.back());
    for (EdgeId e = 0; e < graph.num_edges(); ++e) check(found.edges[e].sum, sums[e]);
  }
}

// Draws samples, which are to be matchings with each edge as often as its share, within six standard deviations, and
// the same ones whatever the range they are drawn in.
template <class Graph>
void check_samples(const Graph& given, Method method) {
  constexpr std::size_t count = 2000;
  MatchingDistribution distribution(given, {.method = method});
  const UndirectedGraph graph = with_odd_cycles(given);
  const std::vector<Integer> sums = sums_by_listing(graph);
  if (sums.back() == 0) return;
  const std::size_t size = distribution.matching_size();
  REQUIRE(size == graph.num_vertices() / 2);
  const std::vector<EdgeId> edges = distribution.samples(0, count), again = distribution.samples(100, 2);
  REQUIRE(edges.size() == count * size);
  REQUIRE(std::equal(again.begin(), again.end(), edges.begin() + static_cast<std::ptrdiff_t>(100 * size)));
  require_shares(graph, edges, count, sums);
}

}  // namespace matchcount::test
