// The search for an order: what it finds, on how many threads, and that on graphs so large that no order helps it keeps
// the limits, and its effort grows with the size alone.

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/order/order_instances.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

namespace matchcount {
namespace {

// Has the time be over at the n-th look at the clock.
RunContext within_looks(test::StepClock& clock, std::uint64_t n) {
  RunOptions options;
  clock.end_at_look(n, options);
  return RunContext(options);
}

TEST_CASE("the greedy search for an order ends when the time is over", "[timing]") {
  const BipartiteGraph graph = random_regular_graph(100'000, 6, 1);
  test::StepClock clock;
  CHECK_THROWS_AS(find_frontier_order(graph, FrontierStrategy::mixed, 1, within_looks(clock, 5)), Unable);
  CHECK(clock.looks_after() == 0);
  CHECK_THROWS_AS(find_frontier_order(UndirectedGraph::from_bipartite(graph), 1, within_looks(clock, 5)), Unable);
  CHECK(clock.looks_after() == 0);
}

TEST_CASE("an order of a large graph has every vertex once, and says that it is of no use") {
  const Vertex n = 50'000;
  const BipartiteGraph graph = random_regular_graph(n, 6, 2);
  // Annealing gains nothing there: beyond catching up with another method.
  const FrontierOrder order =
      find_frontier_order(graph, FrontierStrategy::mixed, 1, RunContext(), {.useful_log2_transitions = 40});
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

RunContext on_threads(int num_threads) { return RunContext({.num_threads = num_threads}); }

TEST_CASE("a search that threads share finds the same order on one, two and three of them") {
  const OrderEffort effort{.seconds = 0.05};  // so long that they are taken
  const BipartiteGraph graph = random_regular_graph(50, 3, 3);
  const UndirectedGraph board = king_graph(9, 10);
  const auto order = find_frontier_order(graph, FrontierStrategy::automatic, 1, on_threads(1), effort).sequence;
  const auto order_of_board = find_frontier_order(board, 1, on_threads(1), effort).sequence;
  for (const int num_threads : {2, 3}) {
    CHECK(find_frontier_order(graph, FrontierStrategy::automatic, 1, on_threads(num_threads), effort).sequence ==
          order);
    CHECK(find_frontier_order(board, 1, on_threads(num_threads), effort).sequence == order_of_board);
  }
}

TEST_CASE("the order of a kings' board of 22 x 22 moves along one side, as the best that is known") {
  // Column by column the frontier is as wide as a column and a few squares more: 2^32.1 transitions. Greedy orders and
  // annealing came to 2^39.5.
  const FrontierOrder order = find_frontier_order(king_graph(22, 22), 1, RunContext());
  CHECK(order.log2_transitions < 32.3);
  CHECK(order.log2_transitions < order.log2_transitions_of_start + 1e-9);
}

TEST_CASE("a search of given length improves what is cheap enough for the others") {
  const BipartiteGraph graph = random_regular_graph(40, 3, 5);
  const auto transitions = [&](const OrderEffort& effort) {
    return find_frontier_order(graph, FrontierStrategy::mixed, 1, RunContext(), effort).log2_transitions;
  };
  const double greedy = transitions({.most_seconds = 0});
  CHECK(transitions({.seconds = 0.1}) < greedy - 0.5);
}

TEST_CASE("an order for memory has layers half as large on a kings' board, for a tenth more transitions") {
  const auto search = [](bool for_memory) {
    return find_frontier_order(king_graph(16, 18), 1, RunContext(), {.seconds = 0.1, .for_memory = for_memory});
  };
  const FrontierOrder time = search(false), memory = search(true);
  CAPTURE(time.log2_transitions, time.log2_peak_states, memory.log2_transitions, memory.log2_peak_states);
  CHECK(memory.log2_peak_states < time.log2_peak_states - 0.9);
  CHECK(memory.log2_transitions < time.log2_transitions + 0.15);
}

TEST_CASE("a graph without edges has nothing to search for, however long a search is to last") {
  const OrderEffort effort{.seconds = 1e9};
  for (const Vertex size : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u}) {
    CAPTURE(size);
    test::StepClock clock;
    const RunContext run = within_looks(clock, 1000);
    CHECK(find_frontier_order(UndirectedGraph::from_edges(size, {}), 1, run, effort).sequence.size() == size);
    CHECK(find_frontier_order(BipartiteGraph::from_edges(size, size, {}), FrontierStrategy::automatic, 1, run, effort)
              .sequence.size() == 2 * size);
  }
}

TEST_CASE("a search ends when the time is over, however long it was to last") {
  const OrderEffort effort{.seconds = 1e9};
  const BipartiteGraph graph = random_regular_graph(60, 3, 7);
  test::StepClock clock;
  CHECK_THROWS_AS(find_frontier_order(graph, FrontierStrategy::mixed, 1, within_looks(clock, 50), effort), Unable);
  CHECK_THROWS_AS(find_frontier_order(king_graph(12, 12), 1, within_looks(clock, 50), effort), Unable);
}

}  // namespace
}  // namespace matchcount
