#include "matchcount/optimal_matchings.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261129;

// Counts the perfect matchings by the sum of their edges' weights.
std::map<std::int64_t, std::size_t> numbers_by_weight(const UndirectedGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  std::map<std::int64_t, std::size_t> numbers;
  for_each_perfect_matching(graph, [&](const std::vector<EdgeId>& edges) {
    std::int64_t sum = 0;
    for (const EdgeId edge : edges) sum += weights ? (*weights)[edge] : 1;
    ++numbers[sum];
  });
  return numbers;
}

template <class Graph>
void check(const Graph& graph, const UndirectedGraph& same) {
  CAPTURE(to_string(same));
  const std::map<std::int64_t, std::size_t> numbers = numbers_by_weight(same);
  for (const Optimum optimum : {Optimum::lightest, Optimum::heaviest}) {
    CAPTURE(static_cast<int>(optimum));
    const OptimalMatchings found = count_optimal_matchings(graph, optimum);
    REQUIRE(found.weight.has_value() == !numbers.empty());
    if (numbers.empty()) {
      REQUIRE(to_string(found.run.value) == "0");
      continue;
    }
    const auto [weight, number] = optimum == Optimum::lightest ? *numbers.begin() : *numbers.rbegin();
    REQUIRE(*found.weight == Rational(weight));
    REQUIRE(to_string(found.run.value) == std::to_string(number));
  }
}

}  // namespace

TEST_CASE("the lightest and heaviest perfect matchings are those of a list of all") {
  Random random(seed, 1);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(seed, i);
    const auto n = static_cast<Vertex>(2 * random.below(6));
    UndirectedGraph graph = random_graph(n, 0.3 + 0.6 * random.uniform(), random);
    // Few values, so that many matchings have the same sum.
    if (i % 5 != 0) graph = with_integers(graph, i % 2 == 0 ? 0 : -3, 5, random);
    check(graph, graph);
  }
  for (int i = 0; i < 200; ++i) {
    CAPTURE(seed, i);
    BipartiteGraph graph = matchcount::random_graph(static_cast<Vertex>(i % 7), static_cast<Vertex>(i % 7), 0.6,
                                                    static_cast<std::uint64_t>(i) + 1);
    if (i % 5 != 0)
      graph = with_random_weights(graph, {RandomWeights::Law::integers, -2, 2}, static_cast<std::uint64_t>(i));
    check(graph, UndirectedGraph::from_bipartite(graph));
  }
}

TEST_CASE("weights of decimals, fractions and 60 bits are compared exactly") {
  const BipartiteGraph square = grid_graph(2, 2);  // two matchings, 0 3 and 1 2
  const auto best = [&](const Weights& weights, std::span<const Rational> fractions = {}) {
    return count_optimal_matchings(square.with_weights(weights), Optimum::lightest, {}, fractions);
  };
  // 0.1 + 0.2 is 0.3 + 0.0, which it is not in doubles.
  const DoubleDouble tenth = DoubleDouble(1.0) / 10.0, fifth = DoubleDouble(2.0) / 10.0,
                     three = DoubleDouble(3.0) / 10.0;
  const OptimalMatchings equal = best(std::vector<DoubleDouble>{tenth, three, 0.0, fifth});
  CHECK(*equal.weight == Rational(3, 10));
  CHECK(to_string(equal.run.value) == "2");
  const Rational table[] = {0, Rational(1, 3), Rational(1, 6), Rational(1, 2)};
  const OptimalMatchings thirds = best(std::vector<std::int64_t>{1, 3, 0, 2}, table);
  CHECK(*thirds.weight == Rational(1, 2));
  CHECK(to_string(thirds.run.value) == "2");
  const std::int64_t large = std::int64_t{1} << 56;
  const OptimalMatchings close = best(std::vector<std::int64_t>{large, large, large - 1, large});
  CHECK(*close.weight == Rational(Integer(2 * large - 1)));
  CHECK(to_string(close.run.value) == "1");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const OptimalMatchings wide = best(std::vector<std::int64_t>{most, most, most, most - 1});
  CHECK(*wide.weight == Rational(Integer(most) + Integer(most - 1)));
  CHECK(to_string(wide.run.value) == "1");
  CHECK_THROWS_AS(best(std::vector<ComplexDoubleDouble>(4)), InputError);
}

TEST_CASE("weights of any length are compared to their last bit, with odd cycles and without") {
  Random random(seed, 2);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(seed, i);
    // Small differences on top of large numbers, so that the order is told by the last digits alone.
    std::vector<Rational> table{0};
    for (int k = 1; k < 12; ++k)
      table.push_back(
          Rational(pow(Integer(10), static_cast<unsigned>(random.below(3) * 40)) * static_cast<int>(random.below(3)) +
                       static_cast<int>(random.below(3)) - 1,
                   i % 2 == 0 ? Integer(1) : pow(Integer(10), 60)));
    const auto weighted = [&](const auto& graph) {
      std::vector<std::int64_t> places;
      for (EdgeId edge = 0; edge < graph.num_edges(); ++edge)
        places.push_back(static_cast<std::int64_t>(random.below(12)));
      return graph.with_weights(places);
    };
    const auto verify = [&](const auto& graph, const UndirectedGraph& same) {
      std::map<Rational, int> numbers;
      const auto& places = std::get<std::vector<std::int64_t>>(same.weights());
      for_each_perfect_matching(same, [&](const std::vector<EdgeId>& edges) {
        Rational sum = 0;
        for (const EdgeId edge : edges) sum += table[static_cast<std::size_t>(places[edge])];
        ++numbers[sum];
      });
      for (const Optimum optimum : {Optimum::lightest, Optimum::heaviest}) {
        const OptimalMatchings found = count_optimal_matchings(graph, optimum, {}, table);
        REQUIRE(found.weight.has_value() == !numbers.empty());
        if (numbers.empty()) continue;
        const auto [weight, number] = optimum == Optimum::lightest ? *numbers.begin() : *numbers.rbegin();
        REQUIRE(*found.weight == weight);
        REQUIRE(to_string(found.run.value) == std::to_string(number));
      }
    };
    const UndirectedGraph odd = weighted(random_graph(static_cast<Vertex>(2 + 2 * random.below(4)), 0.8, random));
    verify(odd, odd);
    const BipartiteGraph even = weighted(matchcount::random_graph(5, 5, 0.8, static_cast<std::uint64_t>(i) + 1));
    verify(even, UndirectedGraph::from_bipartite(even));
  }
}

TEST_CASE("optimal matchings of large graphs are counted by all methods") {
  // All tilings of the 20 x 20 square weigh as much.
  const OptimalMatchings grid = count_optimal_matchings(grid_graph(20, 20), Optimum::heaviest);
  CHECK(*grid.weight == Rational(200));
  CHECK(to_string(grid.run.value) == to_string(count_perfect_matchings(grid_graph(20, 20)).value));
  const OptimalMatchings king = count_optimal_matchings(king_graph(6, 6), Optimum::lightest);
  CHECK(*king.weight == Rational(18));
  CHECK(to_string(king.run.value) == to_string(count_perfect_matchings(king_graph(6, 6)).value));
}

TEST_CASE("what has no perfect matching has no optimum, and says why") {
  const OptimalMatchings none =
      count_optimal_matchings(BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}}), Optimum::lightest);
  CHECK_FALSE(none.weight);
  CHECK(none.run.plan.hall_violator);
  const OptimalMatchings odd = count_optimal_matchings(cycle(5), Optimum::lightest);
  CHECK_FALSE(odd.weight);
  CHECK(odd.run.plan.tutte_set);
  const OptimalMatchings unequal =
      count_optimal_matchings(BipartiteGraph::from_edges(1, 2, {{0, 0}, {0, 1}}), Optimum::lightest);
  CHECK_FALSE(unequal.weight);
}

TEST_CASE("limits and methods that do not apply to optimal matchings are refused") {
  CountOptions options{.method = Method::staged};
  CHECK_THROWS_AS(count_optimal_matchings(king_graph(4, 4), Optimum::lightest, options), Unable);
  CHECK(to_string(count_optimal_matchings(grid_graph(4, 4), Optimum::lightest, options).run.value) == "36");
  options = {};
  options.run.memory_limit_bytes = 1000;
  CHECK_THROWS_AS(count_optimal_matchings(king_graph(8, 8), Optimum::lightest, options), Unable);
  options = {};
  options.verify = true;
  CHECK_THROWS_AS(count_optimal_matchings(king_graph(4, 4), Optimum::lightest, options), Unable);
  const Plan plan = plan_optimal_matchings(king_graph(8, 8), Optimum::lightest);
  REQUIRE(plan.blocks.size() == 1);
  CHECK(plan.seconds > 0);
  CHECK(plan.blocks[0].forecasts[0].memory_bytes > 1000);
}
