// Tests the public functions for graphs that need not be bipartite.

#include <cmath>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261124;

Integer count(const UndirectedGraph& graph, const CountOptions& options = {}) {
  const Result result = count_perfect_matchings(graph, options);
  for (const Check& check : result.checks) CHECK(check.passed);
  return std::get<Integer>(result.value);
}

// Draws a graph that is random, of every shape that the structure knows: with odd components, bipartite ones, pendant
// trees, multi-edges.
UndirectedGraph any_graph(Vertex n, Random& random) {
  const double density = random.uniform() * random.uniform();
  const bool bipartite = random.below(4) == 0;
  const Vertex parts = 1 + static_cast<Vertex>(random.below(3));
  return test::graph_where(n, [&](Vertex u, Vertex v) {
    if (u % parts != v % parts && random.below(8) != 0) return false;
    if (bipartite && (u / parts + v / parts) % 2 == 0) return false;
    return random.uniform() < density + 2.0 / n;
  });
}

TEST_CASE("counts of random graphs with 0 to 16 vertices agree with the oracle, whatever the options") {
  Random random(seed, 1);
  int positive = 0;
  for (int instance = 0; instance < 400; ++instance) {
    const auto n = static_cast<Vertex>(random.below(17));
    const UndirectedGraph graph = any_graph(n, random);
    if (graph.num_edges() > 50) continue;
    CountOptions options;
    options.run.num_threads = 1 + static_cast<int>(random.below(2));
    options.prune = random.below(4) != 0;
    options.reduce = random.below(4) != 0;
    options.verify = random.below(3) == 0;
    options.method = random.below(3) == 0 ? Method::frontier : Method::automatic;
    const Integer expected = test::hafnian_by_oracle(graph);
    CAPTURE(seed, instance, test::to_string(graph));
    CHECK(count(graph, options) == expected);
    positive += expected > 0;
  }
  CHECK(positive > 80);
}

TEST_CASE("hafnians of integers of both signs and of any size agree with the oracle") {
  Random random(seed, 2);
  for (int instance = 0; instance < 200; ++instance) {
    const auto n = static_cast<Vertex>(2 * random.below(7));
    const bool large = instance % 5 == 0;
    const UndirectedGraph graph = test::with_integers(any_graph(n, random), large ? -(std::int64_t{1} << 62) : -2,
                                                      large ? std::uint64_t{1} << 63 : 5, random);
    const Result result = hafnian(graph);
    CAPTURE(seed, instance, test::to_string(graph));
    CHECK(std::get<Integer>(result.value) == test::hafnian_by_oracle(graph));
  }
  // A weight of 0 is no edge.
  CHECK(std::get<Integer>(hafnian(UndirectedGraph::from_edges(2, {{0, 1}}, std::vector<std::int64_t>{0})).value) == 0);
}

TEST_CASE("hafnians of reals and complex numbers lie within their bounds, at any scale") {
  Random random(seed, 3);
  for (int instance = 0; instance < 150; ++instance) {
    const auto n = static_cast<Vertex>(2 * (1 + random.below(6)));
    const UndirectedGraph integers = test::with_integers(any_graph(n, random), -99, 199, random);
    const auto& weights = std::get<std::vector<std::int64_t>>(integers.weights());
    // The weight of uv times 2^(scale u + scale v): the hafnian times the product of all of those.
    std::vector<int> scale(n);
    int log2_scale = 0;
    for (int& s : scale) log2_scale += s = instance % 3 == 0 ? static_cast<int>(random.below(401)) - 200 : 0;
    std::vector<DoubleDouble> reals;
    std::vector<ComplexDoubleDouble> complexes;
    for (EdgeId id = 0; id < integers.num_edges(); ++id) {
      const Edge edge = integers.edges()[id];
      const double w = std::ldexp(static_cast<double>(weights[id]), scale[edge.row] + scale[edge.column]);
      reals.emplace_back(w);
      complexes.emplace_back(0.0, w);
    }
    const Integer exact = test::hafnian_by_oracle(integers);
    ScaledReal expected(static_cast<double>(exact));  // below 2^53 where it matters: n <= 12
    CAPTURE(seed, instance, n, test::to_string(integers));
    if (abs(exact) >= Integer(1) << 53) continue;
    if (!expected.is_zero()) expected.exponent += log2_scale;
    const CountOptions options{.verify = instance % 4 == 0,
                               .run = {.precision = instance % 2 == 0 ? Precision::automatic : Precision::float64}};
    const Result real_result = hafnian(integers.with_weights(reals), options);
    const auto& real = std::get<RealValue>(real_result.value);
    CHECK((real.value + -expected).log2_abs() <= real.log2_error + 1e-6);
    CHECK((expected.is_zero() || real.log2_error < real.log2_magnitudes - 30));
    const Result complex_result = hafnian(integers.with_weights(complexes), options);
    const auto& complex = std::get<ComplexValue>(complex_result.value);
    // i^(n/2) times the same.
    const ScaledReal signed_value = n / 2 % 4 < 2 ? expected : -expected;
    const ScaledReal zero(0.0);
    const ScaledReal re = n / 2 % 2 == 0 ? signed_value : zero, im = n / 2 % 2 == 0 ? zero : signed_value;
    const ScaledComplex difference{complex.value.re + -re, complex.value.im + -im};
    CHECK(log2_abs(difference) <= complex.log2_error + 1e-6);
  }
}

TEST_CASE("tiny weights are no zeros") {
  // Two triangles with large weights joined by one edge of a tiny one, through which every matching goes.
  const double tiny = 1e-200;
  const UndirectedGraph graph =
      UndirectedGraph::from_edges(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}},
                                  std::vector<DoubleDouble>{1e10, 1e10, 1e10, 1e10, 1e10, 1e10, tiny});
  for (const bool reduce : {true, false}) {
    const Result result = hafnian(graph, {.prune = reduce, .reduce = reduce});
    CHECK(log10_abs(result.value) == Approx(-180).epsilon(1e-12));
    CHECK(relative_error(result.value) < 1e-12);
  }
}

TEST_CASE("known counts: the Petersen graph, the dodecahedron, the buckminsterfullerene") {
  CHECK(count(test::petersen()) == 6);
  CHECK(count(test::buckminsterfullerene()) == 12500);
  // The dodecahedron as the generalised Petersen graph (10, 2).
  std::vector<Edge> dodecahedron;
  for (Vertex v = 0; v < 10; ++v) {
    dodecahedron.insert(dodecahedron.end(), {{v, (v + 1) % 10}, {v, v + 10}, {v + 10, (v + 2) % 10 + 10}});
  }
  CHECK(count(UndirectedGraph::from_edges(20, dodecahedron)) == 36);
  CHECK(count(test::buckminsterfullerene(), {.verify = true}) == 12500);
}

TEST_CASE("prisms, Moebius ladders, wheels and cycles of hundreds of vertices") {
  Random random(seed, 4);
  for (const Vertex n : {16u, 32u, 33u, 65u, 200u, 501u}) {
    for (const bool crosswise : {false, true}) {
      CAPTURE(n, crosswise);
      CHECK(count(test::shuffled(test::closed_ladder(n, crosswise), random)) ==
            test::closed_ladder_count(n, crosswise));
    }
    CHECK(count(test::cycle(n)) == (n % 2 == 0 ? 2 : 0));
    CHECK(count(test::wheel(2 * n)) == 2 * n - 1);
  }
}

TEST_CASE("a count is the product over components, with and without odd cycles") {
  // Triangle prisms (4 each), squares (2 each), edges.
  std::vector<Edge> edges;
  Vertex n = 0;
  const auto add = [&](const UndirectedGraph& graph) {
    for (const Edge& edge : graph.edges()) edges.push_back({edge.row + n, edge.column + n});
    n += graph.num_vertices();
  };
  for (int i = 0; i < 3; ++i) {
    add(test::closed_ladder(3, false));
    add(test::cycle(4));
    add(test::complete(2));
    add(UndirectedGraph::from_bipartite(grid_graph(4, 4)));
  }
  Random random(seed, 5);
  const UndirectedGraph graph = test::shuffled(UndirectedGraph::from_edges(n, edges), random);
  const Result result = count_perfect_matchings(graph);
  CHECK(std::get<Integer>(result.value) == 4 * 4 * 4 * 8 * Integer(36) * 36 * 36);
  CHECK(result.plan.vertices == n);
  CHECK(result.plan.maximum_matching == n / 2);
}

TEST_CASE("without a perfect matching the answer is 0, with a Tutte set for a reason") {
  const UndirectedGraph odd = test::cycle(5);
  const Result result = count_perfect_matchings(odd);
  CHECK(std::get<Integer>(result.value) == 0);
  REQUIRE(result.plan.tutte_set);
  CHECK(is_tutte_set(odd, *result.plan.tutte_set));
  CHECK_FALSE(result.plan.has_perfect_matching());
  CHECK(std::get<Integer>(count_perfect_matchings(UndirectedGraph::from_edges(1, {})).value) == 0);
  const Result real = hafnian(odd.with_weights(std::vector<DoubleDouble>(5, 0.5)));
  CHECK(std::get<RealValue>(real.value).value.is_zero());
  CHECK(relative_error(real.value) == 0);
  // The graph with no vertices has one.
  CHECK(count(UndirectedGraph()) == 1);
}

TEST_CASE("a plan of a graph with odd cycles runs nothing, and its limits are kept") {
  Random random(seed, 6);
  const UndirectedGraph graph = test::random_graph(120, 0.3, random);
  const Plan plan = plan_hafnian(graph);
  CHECK(plan.vertices == 120);
  REQUIRE(plan.blocks.size() == 1);
  CHECK_FALSE(plan.blocks[0].bipartite);
  CHECK(plan.blocks[0].size == 120);
  CHECK(plan.seconds > 1e6);
  CHECK(plan.memory_bytes > 1e12);
  for (const Forecast& forecast : plan.blocks[0].forecasts) {
    CHECK(forecast.applies == (forecast.method == Method::frontier));
  }
  CountOptions limited;
  test::StepClock clock;
  clock.drive(limited.run);
  limited.run.time_limit_s = 30;
  CHECK_THROWS_WITH(count_perfect_matchings(graph, limited), ContainsSubstring("120 vertices"));
  const CountOptions small{.method = Method::frontier, .run = {.memory_limit_bytes = 1 << 20}};
  CHECK_THROWS_AS(count_perfect_matchings(test::complete(40), small), Unable);
  const CountOptions other_method{.method = Method::staged};
  CHECK_THROWS_WITH(count_perfect_matchings(test::complete(20), other_method), ContainsSubstring("odd cycles"));
  CHECK_THROWS_AS(count_perfect_matchings(test::complete(30), {.run = {.stop = test::raised_stop()}}), Cancelled);
}

}  // namespace
}  // namespace matchcount
