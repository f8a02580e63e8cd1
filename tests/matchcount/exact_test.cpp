// Fractions, integers beyond 64 bits, and reals and complex numbers as they are held, by every method.

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "matchcount/agreement.hpp"
#include "matchcount/count.hpp"
#include "matchcount/results.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/exact.hpp"
#include "support/graphs.hpp"
#include "support/instances.hpp"
#include "support/oracles.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261122;
constexpr std::array methods{Method::automatic, Method::frontier, Method::staged,
                             Method::skipper,   Method::ryser,    Method::expansion};

// A matrix of fractions: row-major, and as the public functions take it.
struct FractionMatrix {
  std::size_t n;
  std::vector<Rational> entries;

  Matrix matrix() const {
    std::vector<Edge> edges;
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      edges.push_back({static_cast<Vertex>(i / n), static_cast<Vertex>(i % n)});
      places.push_back(static_cast<std::int64_t>(i) + 1);
    }
    const auto size = static_cast<Vertex>(n);
    return BipartiteGraph::from_edges(size, size, std::move(edges), std::move(places));
  }
  std::vector<Rational> table() const {
    std::vector<Rational> result{Rational(0)};
    result.insert(result.end(), entries.begin(), entries.end());
    return result;
  }
};

Integer random_integer(Random& random, int words) {
  Integer result = 0;
  for (int i = 0; i < words; ++i) result = (result << 32) + static_cast<std::int64_t>(random.below(1ull << 32));
  return random.below(2) ? result : Integer(-result);
}

// A third of them 0. Denominators of so many words of 32 bits; 0 words: integers.
FractionMatrix random_fractions(std::size_t n, int words, int words_below, std::uint64_t stream) {
  Random random(seed, stream);
  FractionMatrix result{n, {}};
  for (std::size_t i = 0; i < n * n; ++i) {
    const Integer below = words_below == 0 ? Integer(1) : abs(random_integer(random, words_below)) + 1;
    result.entries.push_back(random.below(3) == 0 ? Rational(0) : Rational(random_integer(random, words), below));
  }
  return result;
}

Rational as_fraction(const ExactResult& result) {
  if (const auto* integer = std::get_if<Integer>(&result.value)) return Rational(*integer);
  return std::get<Rational>(result.value);
}

CountOptions by(Method method, Precision precision = Precision::automatic) {
  return {.method = method, .run = {.precision = precision}};
}

}  // namespace

TEST_CASE("a permanent of fractions is exact, by every method, at every size of the fractions") {
  std::uint64_t stream = 0;
  for (std::size_t n = 0; n <= 7; ++n) {
    for (const int words : {1, 2, 5}) {
      for (const int words_below : {0, 1, 3}) {
        const FractionMatrix given = random_fractions(n, words, words_below, ++stream);
        const Rational truth = reference::permanent_by_subsets(given.entries, n);
        for (const Method method : methods) {
          CAPTURE(n, words, words_below, stream, to_string(method));
          const ExactResult result = permanent(given.matrix(), given.table(), by(method));
          REQUIRE(as_fraction(result) == truth);
          REQUIRE(std::holds_alternative<Integer>(result.value) == (words_below == 0 || n == 0));
          if (const auto* real = std::get_if<RealValue>(&result.run.value))
            CHECK(test::within_relative(test::exact(real->value), truth, test::power_of_two(-99)));
          test::check_names(result.run);
        }
      }
    }
  }
}

TEST_CASE("a hafnian of fractions is exact, of any graph") {
  Random random(seed, 7);
  for (Vertex n = 0; n <= 8; n += 2) {
    for (const int words_below : {0, 1, 4}) {
      const UndirectedGraph graph = test::random_graph(n, 0.8, random);
      std::vector<Rational> table{Rational(0)};
      std::vector<std::int64_t> places;
      std::vector<Rational> dense(std::size_t{n} * n, Rational(0));
      for (const Edge& edge : graph.edges()) {
        const Integer below = words_below == 0 ? Integer(1) : abs(random_integer(random, words_below)) + 1;
        table.push_back(random.below(5) == 0 ? Rational(0) : Rational(random_integer(random, 3), below));
        places.push_back(static_cast<std::int64_t>(table.size()) - 1);
        dense[std::size_t{edge.row} * n + edge.column] = table.back();
      }
      const Rational truth = reference::hafnian_by_expansion(dense, n);
      CAPTURE(n, words_below, test::to_string(graph));
      REQUIRE(as_fraction(hafnian(graph.with_weights(places), table)) == truth);
    }
  }
}

TEST_CASE("fractions that have no perfect matching give 0 with the reason, sides of different size too") {
  const std::vector<Rational> table{Rational(0), Rational(Integer(1), Integer(3))};
  const auto matrix = [](Vertex rows, Vertex columns, std::vector<Edge> edges, std::vector<std::int64_t> places) {
    return BipartiteGraph::from_edges(rows, columns, std::move(edges), std::move(places));
  };
  for (const Matrix& none : {matrix(2, 2, {{0, 0}, {1, 0}}, {1, 1}), matrix(2, 3, {{0, 0}, {1, 1}}, {1, 1}),
                             matrix(2, 2, {{0, 0}, {0, 1}, {1, 0}}, {1, 0, 1})}) {
    const ExactResult result = permanent(none, table);
    CHECK(as_fraction(result) == Rational(0));
    CHECK(result.run.plan.hall_violator.has_value());
  }
  CHECK_THROWS_AS(permanent(matrix(1, 1, {{0, 0}}, {2}), table), InputError);
  CHECK_THROWS_AS(permanent(matrix(1, 1, {{0, 0}}, {-1}), table), InputError);
  CHECK_THROWS_AS(permanent(BipartiteGraph::from_dense(1, 1, std::vector<double>{1.5}), table), InputError);
}

TEST_CASE("what takes several runs keeps the time limit and tells what all will take", "[timing]") {
  const FractionMatrix given = random_fractions(6, 5, 0, 99);
  const FractionMatrix words = random_fractions(6, 1, 0, 99);
  const Plan one = plan_permanent_of_fractions(words.matrix(), words.table());
  const Plan all = plan_permanent_of_fractions(given.matrix(), given.table());
  REQUIRE(all.blocks.size() == 1);
  CHECK_THAT(all.blocks[0].forecasts[0].reason, ContainsSubstring(" times"));
  CHECK(one.blocks[0].forecasts[0].reason.find(" times") == std::string::npos);

  // 30 dense rows of 100 decimal digits: hours of runs, each of which would fit.
  FractionMatrix large{30, {}};
  Random random(seed, 5);
  for (int i = 0; i < 900; ++i) large.entries.push_back(Rational(abs(random_integer(random, 10)) + 1));
  CountOptions options{.throughput = Throughput{}};
  test::StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 1;
  CHECK_THAT(test::unable_message([&] { permanent(large.matrix(), large.table(), options); }),
             ContainsSubstring("needs about") && ContainsSubstring("the time limit leaves 1.0 s"));
  CHECK(clock.looks() < 20'000);
}

TEST_CASE("exact precision gives reals and complex numbers as they are held, by every method") {
  std::size_t turn = 0;
  for (std::size_t n = 0; n <= 8; ++n) {
    for (const Family family : {Family::complete, Family::half, Family::planted, Family::triangular, Family::band}) {
      for (const RealWeights weights : test::all_real_weights) {
        const Method method = methods[turn++ % methods.size()];
        const auto reals = test::real_instance(family, weights, n, seed);
        const auto numbers = test::complex_instance(family, weights, n, seed);
        CAPTURE(to_string(method));
        INFO(to_string(reals));
        const CountOptions options = by(method, Precision::exact);
        const Result real = permanent(reals.graph(), options);
        if (reals.graph().num_edges() > 0) {
          const auto& value = std::get<RealValue>(real.value);
          const auto truth = test::exact_permanent(reals);
          const double log2_truth = test::log2_abs(truth);
          REQUIRE(test::log2_abs(test::dyadic(value.value) - truth) <= log2_truth - 98);
          REQUIRE(value.log2_error <= log2_truth - 95);
          REQUIRE((relative_error(real.value) < 0x1p-94));
          if (method != Method::automatic && !real.blocks.empty()) CHECK(real.blocks[0].method == method);
        }
        if (n > 6 || numbers.graph().num_edges() == 0) continue;
        INFO(to_string(numbers));
        const Result complex = permanent(numbers.graph(), options);
        const auto truth = test::exact_permanent(numbers);
        const auto& value = std::get<ComplexValue>(complex.value);
        const double log2_truth = std::max(test::log2_abs(truth.re), test::log2_abs(truth.im));
        REQUIRE(test::log2_abs(test::dyadic(value.value.re) - truth.re) <= log2_truth - 97);
        REQUIRE(test::log2_abs(test::dyadic(value.value.im) - truth.im) <= log2_truth - 97);
      }
    }
  }
}

TEST_CASE("exact precision proves a 0 that cancellation hides, where the graph is not planar") {
  // Rows 0 and 1 are x and -x beside equal others: the permanent of [1 1; 1 -1] times a full block that holds 0.1.
  std::vector<double> entries(36, 0);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) entries[static_cast<std::size_t>(6 * i + j)] = (i < 2) == (j < 2) ? 0.1 + i * j : 0;
  entries[0] = entries[1] = entries[6] = 0.3;
  entries[7] = -0.3;
  const Matrix matrix = BipartiteGraph::from_dense(6, 6, entries).drop_zeros();
  for (const Method method : methods) {
    CAPTURE(to_string(method));
    const Result result = permanent(matrix, by(method, Precision::exact));
    CHECK(std::get<RealValue>(result.value).value.is_zero());
    CHECK(relative_error(result.value) == 0);
  }
}

TEST_CASE("exact hafnians of graphs that are not planar agree with the planar method on those that are") {
  const UndirectedGraph wheel = test::wheel(10);
  std::vector<DoubleDouble> weights;
  Random random(seed, 3);
  for (EdgeId id = 0; id < wheel.num_edges(); ++id) weights.emplace_back(two_sum(random.uniform() - 0.5, 0x1p-60));
  const UndirectedGraph weighted = wheel.with_weights(weights);
  const Result planar = hafnian(weighted, by(Method::planar, Precision::exact));
  const Result frontier = hafnian(weighted, by(Method::frontier, Precision::exact));
  const auto& a = std::get<RealValue>(planar.value).value;
  const auto& b = std::get<RealValue>(frontier.value).value;
  CHECK_FALSE(a.is_zero());
  CHECK((a + -b).log2_abs() <= a.log2_abs() - 97);
}
