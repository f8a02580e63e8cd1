// Segments of an order, beside all of their orders.

#include "permanent/frontier/order/segment_beam.hpp"

#include <cmath>

#include "permanent/frontier/order/local_search.hpp"
#include "permanent/frontier/order/order_instances.hpp"
#include "support/catch.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 21;

struct Segment {
  std::uint32_t first = 0, last = 0;
  double cost = 0;
};

// Draws a segment of about this length, whose ends are no closed vertices.
Segment random_segment(const CostedOrder& order, std::uint32_t length, Random& random) {
  const auto size = static_cast<std::uint32_t>(order.steps.size());
  Segment segment;
  segment.first = static_cast<std::uint32_t>(random.below(size));
  segment.last = std::min(size, segment.first + length);
  while (segment.first > 0 && order.steps[segment.first].is_closed) --segment.first;
  while (segment.last < size && order.steps[segment.last].is_closed) ++segment.last;
  for (std::uint32_t t = segment.first; t < segment.last; ++t) segment.cost += order.steps[t].cost;
  return segment;
}

std::vector<std::uint32_t> positions(const CostedOrder& order) {
  std::vector<std::uint32_t> position(order.steps.size());
  for (std::uint32_t t = 0; t < order.steps.size(); ++t) position[order.steps[t].vertex] = t;
  return position;
}

// Returns the least that an order of these vertices costs, what is before them being as it is.
double least_cost(const OrderInstance& instance, std::vector<Vertex> sequence, const Segment& segment) {
  const auto begin = sequence.begin() + segment.first, end = sequence.begin() + segment.last;
  std::sort(begin, end);
  const std::vector<Vertex> sorted(begin, end);
  double least = std::numeric_limits<double>::infinity();
  do {
    double cost = 0;
    for (const FrontierStep& step : instance.steps(instance, sequence)) {
      if (std::binary_search(sorted.begin(), sorted.end(), step.vertex)) cost += transitions({step});
    }
    least = std::min(least, cost);
  } while (std::next_permutation(begin, end));
  return least;
}

TEST_CASE("an exhaustive beam finds the cheapest of all orders of a window") {
  const RunContext run;
  Random random(seed);
  std::size_t gains = 0;
  for (const OrderInstance& instance : order_instances(seed)) {
    OrderWorker worker(instance.graph, FrontierStrategy::automatic, OrderObjective::time, run);
    for (int repeat = 0; repeat < 6; ++repeat) {
      CAPTURE(instance.name, repeat);
      const CostedOrder order =
          costed_order(instance.graph, shuffled_vertices(instance.graph.size(), random), worker.costs);
      const Segment segment = random_segment(order, 5, random);
      if (segment.last - segment.first > 7) continue;
      BeamSettings settings;
      settings.exhaustive = true;
      settings.limit = segment.cost * (1 + 1e-9) + 1e-9;
      const std::vector<OrderStep> found =
          worker.beam.run(order, positions(order), segment.first, segment.last, settings);
      REQUIRE(found.size() == segment.last - segment.first);
      const double least = least_cost(instance, order.sequence(), segment);
      REQUIRE(std::fabs(worker.beam.cost() - least) <= 1e-9 * least);
      gains += worker.beam.cost() < segment.cost * (1 - 1e-9);
    }
  }
  CHECK(gains > 5);
}

TEST_CASE("a reordered segment costs what the beam says, less than its limit, and changes nothing else") {
  const RunContext run;
  Random random(seed + 1);
  for (const OrderInstance& instance : order_instances(seed + 1)) {
    OrderWorker worker(instance.graph, FrontierStrategy::automatic, OrderObjective::time, run);
    for (int repeat = 0; repeat < 30; ++repeat) {
      CAPTURE(instance.name, repeat);
      CostedOrder order = costed_order(instance.graph, shuffled_vertices(instance.graph.size(), random), worker.costs);
      const Segment segment = random_segment(order, 2 + static_cast<std::uint32_t>(random.below(20)), random);
      BeamSettings settings;
      settings.width = 1 + static_cast<std::uint32_t>(random.below(8));
      settings.weight_of_layer = random.uniform();
      settings.weight_of_position = 0.1 * random.uniform();
      settings.noise = random.uniform();
      settings.seed = random();
      settings.limit = segment.cost * (0.5 + random.uniform());
      const auto position = positions(order);
      const std::vector<OrderStep> found = worker.beam.run(order, position, segment.first, segment.last, settings);
      const double cost = worker.beam.cost();
      REQUIRE(worker.beam.run(order, position, segment.first, segment.last, settings).size() == found.size());
      if (found.empty()) continue;
      REQUIRE(cost < settings.limit);
      REQUIRE(found.size() == segment.last - segment.first);
      std::copy(found.begin(), found.end(), order.steps.begin() + segment.first);
      const CostedOrder afresh = costed_order(instance.graph, order.sequence(), worker.costs);
      REQUIRE(is_permutation_of_all(afresh.sequence(), instance.graph.size()));
      REQUIRE(afresh.sequence() == order.sequence());
      double cost_afresh = 0;
      for (std::uint32_t t = segment.first; t < segment.last; ++t) cost_afresh += afresh.steps[t].cost;
      REQUIRE(std::fabs(cost - cost_afresh) <= 1e-9 * cost);
      // By parity `ones` is less than before by two for every vertex that was processed instead of closed.
      const std::int32_t shift = segment.last == order.steps.size()
                                     ? 0
                                     : afresh.steps[segment.last].layer.ones - order.steps[segment.last].layer.ones;
      REQUIRE((instance.graph.by_parity ? shift % 2 : shift) == 0);
      for (std::uint32_t t = 0; t < order.steps.size(); ++t) {
        REQUIRE(afresh.steps[t].is_closed == order.steps[t].is_closed);
        REQUIRE(afresh.steps[t].layer.width == order.steps[t].layer.width);
        REQUIRE(afresh.steps[t].layer.ones == order.steps[t].layer.ones + (t < segment.last ? 0 : shift));
      }
    }
  }
}

TEST_CASE("a local search never makes an order dearer, and its total is that of its steps") {
  const RunContext run;
  Random random(seed + 2);
  for (const OrderInstance& instance : order_instances(seed + 2)) {
    for (const auto objective : {OrderObjective::time, OrderObjective::memory}) {
      OrderWorker worker(instance.graph, FrontierStrategy::automatic, objective, run);
      const CostedOrder start =
          costed_order(instance.graph, shuffled_vertices(instance.graph.size(), random), worker.costs);
      LocalSearch search(start, Random(seed));
      double before = start.total;
      for (const double hot : {0.0, 0.5}) {
        search.improve(20'000, hot, 0.1 * hot, worker);
        search.perfect_windows(6, 20'000, worker);
        CAPTURE(instance.name, hot);
        CHECK(search.best_total() <= before * (1 + 1e-9));
        const CostedOrder afresh = costed_order(instance.graph, search.best().sequence(), worker.costs);
        CHECK(is_permutation_of_all(afresh.sequence(), instance.graph.size()));
        CHECK(std::fabs(afresh.total - search.best_total()) <= 1e-6 * afresh.total);
        before = search.best_total();
      }
    }
  }
}

}  // namespace
}  // namespace matchcount::test
