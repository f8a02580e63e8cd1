// The search for an order on graphs so large that no order helps: it keeps the limits, and its effort grows with the
// size alone.

#include <algorithm>
#include <stop_token>
#include <vector>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/frontier.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

RunContext within_s(double seconds) {
  RunOptions options;
  options.time_limit_s = seconds;
  return RunContext(options);
}

TEST_CASE("the greedy search for an order ends when the time is over") {
  const BipartiteGraph graph = random_regular_graph(100'000, 6, 1);
  Stopwatch watch;
  CHECK_THROWS_AS(find_frontier_order(graph, FrontierStrategy::mixed, 1, within_s(0.02)), Unable);
  CHECK(watch.lap() < 1);
  CHECK_THROWS_AS(find_frontier_order(UndirectedGraph::from_bipartite(graph), 1, within_s(0.02)), Unable);
  CHECK(watch.lap() < 1);
}

TEST_CASE("an order of a large graph has every vertex once, and says that it is of no use") {
  const Vertex n = 50'000;
  const BipartiteGraph graph = random_regular_graph(n, 6, 2);
  // Annealing gains nothing there: beyond catching up with another method.
  const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::mixed, 1, RunContext(), 40);
  std::vector<Vertex> sorted = order.sequence;
  std::sort(sorted.begin(), sorted.end());
  REQUIRE(sorted.size() == 2 * n);
  for (Vertex v = 0; v < 2 * n; ++v) REQUIRE(sorted[v] == v);
  CHECK(order.log2_transitions > 900);
}

TEST_CASE("a long narrow graph of 10^5 vertices is ordered as well as a short one") {
  const auto width = [](Vertex length) {
    return find_frontier_order(grid_graph(4, length), FrontierStrategy::mixed, 1, RunContext()).max_width;
  };
  const auto expected = width(200);
  CAPTURE(expected);
  CHECK(width(25'000) <= expected + 1);
}

}  // namespace
}  // namespace matchcount
