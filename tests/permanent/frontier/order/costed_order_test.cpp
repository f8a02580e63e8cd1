// Compares the layers that the search expects along an order with those of the engine's steps.

#include "permanent/frontier/order/walk.hpp"

#include <cmath>

#include "permanent/frontier/order/order_instances.hpp"
#include "permanent/frontier/order/starts.hpp"
#include "support/catch.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 20;

TEST_CASE("every layer of a costed order is as wide, and holds as many states, as the engine's") {
  Random random(seed);
  for (const OrderInstance& instance : order_instances(seed)) {
    LayerCosts costs(instance.graph.by_parity, OrderObjective::time);
    for (int repeat = 0; repeat < 10; ++repeat) {
      CAPTURE(instance.name, repeat);
      const std::vector<Vertex> sequence = shuffled_vertices(instance.graph.size(), random);
      const CostedOrder order = costed_order(instance.graph, sequence, costs);
      REQUIRE(is_permutation_of_all(order.sequence(), instance.graph.size()));
      const std::vector<FrontierStep> steps = instance.steps(instance, sequence);
      REQUIRE(std::fabs(order.total - transitions(steps)) <= 1e-9 * order.total);
      std::size_t t = 0;
      for (const OrderStep& step : order.steps) {
        if (step.is_closed) continue;
        REQUIRE(t < steps.size());
        REQUIRE(step.vertex == steps[t].vertex);
        REQUIRE(static_cast<std::uint32_t>(step.layer.width) == steps[t].width);
        REQUIRE(static_cast<std::size_t>(step.choices) == steps[t].choices.size());
        REQUIRE(std::fabs(costs.states(step.layer) - steps[t].states) <= 1e-9 * steps[t].states);
        ++t;
      }
      REQUIRE(t == steps.size());
      // A sequence in that form stays as it is.
      REQUIRE(costed_order(instance.graph, order.sequence(), costs).sequence() == order.sequence());
    }
  }
}

TEST_CASE("a search for memory adds up the cubes of what the steps cost") {
  Random random(seed + 1);
  for (const OrderInstance& instance : order_instances(seed + 1)) {
    LayerCosts costs(instance.graph.by_parity, OrderObjective::memory);
    const std::vector<Vertex> sequence = shuffled_vertices(instance.graph.size(), random);
    double sum = 0;
    for (const FrontierStep& step : instance.steps(instance, sequence)) {
      sum += std::pow(step.states * (1 + 0.5 * static_cast<double>(step.choices.size())), 3);
    }
    CAPTURE(instance.name);
    CHECK(std::fabs(costed_order(instance.graph, sequence, costs).total - sum) <= 1e-9 * sum);
  }
}

TEST_CASE("layers beyond the range of doubles still rank by their width") {
  LayerCosts costs(false, OrderObjective::time);
  CHECK(std::isfinite(costs.cost({100'000, 50'000}, 1000)));
  CHECK(costs.rough_log2_cost({2001, 1000}, 0) > costs.rough_log2_cost({2000, 1000}, 0));
  CHECK(costs.rough_log2_cost({1100, 550}, 0) > costs.rough_log2_cost({1000, 500}, 0));
}

TEST_CASE("every start is an order of all vertices, of the kind that was asked for") {
  const RunContext run;
  StepCheck steps(run);
  for (const OrderInstance& instance : order_instances(seed + 2)) {
    LayerCosts costs(instance.graph.by_parity, OrderObjective::time);
    GreedyOrders greedy(instance.graph, costs, steps);
    for (const auto strategy : {FrontierStrategy::automatic, FrontierStrategy::rows, FrontierStrategy::columns}) {
      Starts starts(instance.graph, strategy, seed);
      for (std::uint64_t i = 0; i < 24; ++i) {
        if (i == 12) starts.find_eigenvectors(steps);
        CAPTURE(instance.name, static_cast<int>(strategy), i);
        const std::vector<Vertex> sequence = starts.make(i, std::numeric_limits<double>::infinity(), greedy);
        REQUIRE(is_permutation_of_all(sequence, instance.graph.size()));
        // The same again, whatever was made before it.
        REQUIRE(starts.make(i, std::numeric_limits<double>::infinity(), greedy) == sequence);
        if (instance.graph.by_parity || strategy == FrontierStrategy::automatic) continue;
        for (const OrderStep& step : costed_order(instance.graph, sequence, costs).steps) {
          if (!instance.graph.of(step.vertex).empty() && !step.is_closed)
            REQUIRE(has_steps(strategy, instance.graph, step.vertex));
        }
      }
    }
  }
}

TEST_CASE("a greedy order that comes to cost more than its limit is given up") {
  const RunContext run;
  StepCheck steps(run);
  const OrderGraph graph = order_graph(grid_graph(6, 6));
  LayerCosts costs(false, OrderObjective::time);
  GreedyOrders greedy(graph, costs, steps);
  const std::vector<Vertex> whole = greedy.run(FrontierStrategy::mixed, 0, {}, 1e300, 1);
  const double total = costed_order(graph, whole, costs).total;
  CHECK(greedy.run(FrontierStrategy::mixed, 0, {}, 0.9 * total, 1).empty());
  CHECK(greedy.run(FrontierStrategy::mixed, 0, {}, 1.1 * total, 1) == whole);
}

}  // namespace
}  // namespace matchcount::test
