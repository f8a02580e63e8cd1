// Tests the public functions for matchings that need not be perfect.

#include "matchcount/matchings.hpp"

#include <cmath>
#include <complex>
#include <limits>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/matchings.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261122;

MatchingOptions of(MatchingKind kind, bool weighted = false) { return {.kind = kind, .weighted = weighted}; }

template <class Graph>
Integer count(const Graph& graph, MatchingKind kind) {
  const MatchingResult result = count_matchings(graph, of(kind));
  CHECK_FALSE(result.fraction);
  return std::get<Integer>(result.run.value);
}

template <class Graph>
std::vector<Integer> sizes(const Graph& graph) {
  const MatchingResult result = count_matchings(graph, of(MatchingKind::by_size));
  std::vector<Integer> values;
  Integer sum = 0;
  for (const MatchingSum& one : result.by_size) {
    values.push_back(std::get<Integer>(one.value));
    sum += values.back();
  }
  CHECK(std::get<Integer>(result.run.value) == sum);
  return values;
}

// Draws a graph of 0 to 10 vertices, of any density, in one piece or several.
UndirectedGraph any_graph(Random& random) {
  const auto n = static_cast<Vertex>(random.below(11));
  const double density = random.uniform();
  const Vertex parts = 1 + static_cast<Vertex>(random.below(3));
  return test::graph_where(n, [&](Vertex u, Vertex v) { return u % parts == v % parts && random.uniform() < density; });
}
BipartiteGraph any_bipartite(Random& random) {
  const auto rows = static_cast<Vertex>(random.below(6)), columns = static_cast<Vertex>(random.below(7));
  const double density = random.uniform();
  return test::bipartite_where(rows, columns, [&](Vertex, Vertex) { return random.uniform() < density; });
}

// Returns the unweighted counts by size, without the zeros behind those of maximum matchings.
std::vector<Integer> sizes_by_oracle(const UndirectedGraph& graph) {
  std::vector<Integer> counts = test::matchings_by_size<Integer>(graph, std::vector<Integer>(graph.num_edges(), 1),
                                                                 std::vector<Integer>(graph.num_vertices(), 1));
  while (counts.back() == 0) counts.pop_back();
  return counts;
}

TEST_CASE("counts of matchings of 500 random graphs agree with their definition, by size, in all and maximum") {
  Random random(seed, 1);
  for (int instance = 0; instance < 500; ++instance) {
    const UndirectedGraph graph = any_graph(random);
    CAPTURE(seed, instance, test::to_string(graph));
    const std::vector<Integer> expected = sizes_by_oracle(graph);
    CHECK(sizes(graph) == expected);
    Integer sum = 0;
    for (const Integer& one : expected) sum += one;
    CHECK(count(graph, MatchingKind::all) == sum);
    const MatchingResult maximum = count_matchings(graph, of(MatchingKind::maximum));
    CHECK(std::get<Integer>(maximum.run.value) == expected.back());
    CHECK(maximum.edges_of_each == expected.size() - 1);
    const bool perfect = 2 * (expected.size() - 1) == graph.num_vertices();
    CHECK(count(graph, MatchingKind::perfect) == (perfect ? expected.back() : Integer(0)));
  }
}

TEST_CASE("counts of matchings of 500 random bipartite graphs agree with their definition, saturating ones too") {
  Random random(seed, 2);
  int saturated = 0;
  for (int instance = 0; instance < 500; ++instance) {
    const BipartiteGraph graph = any_bipartite(random);
    const UndirectedGraph same = UndirectedGraph::from_bipartite(graph);
    CAPTURE(seed, instance, graph.num_rows(), test::to_string(same));
    const std::vector<Integer> expected = sizes_by_oracle(same);
    CHECK(sizes(graph) == expected);
    CHECK(count(graph, MatchingKind::maximum) == expected.back());
    const MatchingResult result = count_matchings(graph, of(MatchingKind::saturating));
    const Vertex smaller = std::min(graph.num_rows(), graph.num_columns());
    const bool saturates = expected.size() - 1 == smaller;
    CHECK(std::get<Integer>(result.run.value) == (saturates ? expected.back() : Integer(0)));
    if (!saturates) {
      REQUIRE(result.run.plan.hall_violator);
      CHECK(is_hall_violator(graph, *result.run.plan.hall_violator));
      if (graph.num_rows() != graph.num_columns())
        CHECK(result.run.plan.hall_violator->of_rows == (graph.num_rows() == smaller));
    }
    saturated += saturates && graph.num_rows() != graph.num_columns();
  }
  CHECK(saturated > 100);
}

TEST_CASE("graphs without vertices and without edges have the empty matching alone") {
  for (const Vertex n : {0u, 1u, 5u}) {
    const UndirectedGraph graph = UndirectedGraph::from_edges(n, {});
    CHECK(sizes(graph) == std::vector<Integer>{1});
    CHECK(count(graph, MatchingKind::all) == 1);
    CHECK(count(graph, MatchingKind::maximum) == 1);
  }
  CHECK(count(BipartiteGraph::from_edges(0, 3, {}), MatchingKind::saturating) == 1);
  CHECK(count(BipartiteGraph::from_edges(2, 3, {}), MatchingKind::saturating) == 0);
}

TEST_CASE("sums of integer and fraction weights agree with the definition, by size, in all, saturating and maximum") {
  Random random(seed, 3);
  std::vector<Rational> table = {0};
  for (int k = 1; k < 12; ++k)
    table.push_back(
        Rational(Integer(static_cast<int>(random.below(19)) - 9), Integer(1 + static_cast<int>(random.below(6)))));
  for (int instance = 0; instance < 200; ++instance) {
    const bool fractions = random.below(2) == 0;
    const BipartiteGraph shape = any_bipartite(random);
    std::vector<std::int64_t> places;
    for (EdgeId id = 0; id < shape.num_edges(); ++id)
      places.push_back(static_cast<std::int64_t>(random.below(12)) - (fractions ? 0 : 5));
    const BipartiteGraph graph = shape.with_weights(places);
    // Edges of weight 0 are edges, by the definition of the answers.
    const UndirectedGraph same = UndirectedGraph::from_bipartite(graph);
    std::vector<Rational> weights;
    for (const std::int64_t place : places)
      weights.push_back(fractions ? table[static_cast<std::size_t>(place)] : Rational(place));
    CAPTURE(seed, instance, fractions, test::to_string(same));
    const std::size_t largest = sizes_by_oracle(same.pattern()).size() - 1;
    const auto value = [&](MatchingKind kind, Rational activity = 1) {
      MatchingOptions options = of(kind, true);
      if (fractions) options.fractions = table;
      options.activity = activity;
      const MatchingResult result = count_matchings(graph, options);
      return std::pair(result.fraction ? *result.fraction : Rational(std::get<Integer>(result.run.value)), result);
    };
    const auto sums = test::matchings_by_size<Rational>(same, weights, std::vector<Rational>(same.num_vertices(), 1));
    Rational total = 0;
    for (const Rational& sum : sums) total += sum;
    CHECK(value(MatchingKind::all).first == total);
    const auto [of_sizes, result] = value(MatchingKind::by_size);
    CHECK(of_sizes == total);
    REQUIRE(result.by_size.size() == largest + 1);
    for (std::size_t k = 0; k <= largest; ++k) {
      const MatchingSum& one = result.by_size[k];
      CHECK((one.fraction ? *one.fraction : Rational(std::get<Integer>(one.value))) == sums[k]);
    }
    CHECK(value(MatchingKind::maximum).first == sums[largest]);
    const bool saturates = largest == std::min(graph.num_rows(), graph.num_columns());
    CHECK(value(MatchingKind::saturating).first == (saturates ? sums[largest] : Rational(0)));
    const Rational activity(2, 3);
    const auto with_activity =
        test::matchings_by_size<Rational>(same, weights, std::vector<Rational>(same.num_vertices(), activity));
    total = 0;
    for (const Rational& sum : with_activity) total += sum;
    CHECK(value(MatchingKind::all, activity).first == total);
  }
}

using Complex = std::complex<long double>;

// |value - expected| within the bound that is stated, and a bound that leaves 12 digits of the magnitudes.
void check_close(const Value& value, Complex expected, long double magnitudes) {
  Complex found;
  double log2_error;
  if (const auto* real = std::get_if<RealValue>(&value)) {
    found = real->value.to_double();
    log2_error = real->log2_error;
  } else {
    const auto& complex = std::get<ComplexValue>(value);
    found = {complex.value.re.to_double(), complex.value.im.to_double()};
    log2_error = complex.log2_error;
  }
  const long double error = std::abs(found - expected);
  // The oracle's own error, and that of a double.
  CHECK(error <= std::exp2(log2_error) + 1e-14L * magnitudes);
  CHECK(std::exp2(log2_error) <= 1e-10L * magnitudes + 1e-300L);
}

TEST_CASE("sums of reals and complex numbers agree with the definition within their bounds, loops included") {
  Random random(seed, 4);
  for (int instance = 0; instance < 200; ++instance) {
    const UndirectedGraph shape = any_graph(random);
    const bool complex = random.below(2) == 0, loops = random.below(2) == 0;
    const auto real = [&] { return DoubleDouble(random.below(8) == 0 ? 0 : random.uniform() * 4 - 2); };
    std::vector<ComplexDoubleDouble> edges, vertices;
    std::vector<DoubleDouble> real_edges, real_vertices;
    for (EdgeId id = 0; id < shape.num_edges(); ++id) {
      real_edges.push_back(real());
      edges.push_back({real_edges.back(), complex ? real() : DoubleDouble(0)});
    }
    for (Vertex v = 0; v < shape.num_vertices(); ++v) {
      real_vertices.push_back(random.below(4) == 0 ? DoubleDouble(0) : real());
      vertices.push_back({real_vertices.back(), complex && real_vertices.back().hi != 0 ? real() : DoubleDouble(0)});
    }
    std::vector<Complex> of_edges, of_vertices;
    std::vector<long double> size_of_edges, size_of_vertices;
    for (const auto& weight : edges)
      of_edges.push_back({weight.re.hi, weight.im.hi}), size_of_edges.push_back(std::abs(of_edges.back()));
    for (const auto& weight : vertices) {
      of_vertices.push_back(loops ? Complex(weight.re.hi, weight.im.hi) : Complex(1));
      size_of_vertices.push_back(std::abs(of_vertices.back()));
    }
    const UndirectedGraph graph = complex ? shape.with_weights(edges) : shape.with_weights(real_edges);
    CAPTURE(seed, instance, complex, loops, test::to_string(shape));
    MatchingOptions options = of(MatchingKind::all, true);
    if (loops) options.loops = complex ? Weights(vertices) : Weights(real_vertices);
    const auto expected = test::matchings_by_size<Complex>(shape, of_edges, of_vertices);
    const auto magnitudes = test::matchings_by_size<long double>(shape, size_of_edges, size_of_vertices);
    Complex total = 0;
    long double size = 0;
    for (const Complex& sum : expected) total += sum;
    for (const long double sum : magnitudes) size += sum;
    for (const Precision precision :
         {Precision::automatic, Precision::float64, Precision::double_double, Precision::exact}) {
      options.count.run.precision = precision;
      options.count.verify = precision == Precision::float64;
      check_close(count_matchings(graph, options).run.value, total, size);
    }
    if (loops) continue;
    const MatchingResult by_size = count_matchings(graph, of(MatchingKind::by_size, true));
    for (std::size_t k = 0; k < by_size.by_size.size(); ++k)
      check_close(by_size.by_size[k].value, expected[k], magnitudes[k]);
    const MatchingResult maximum = count_matchings(graph, of(MatchingKind::maximum, true));
    check_close(maximum.run.value, expected[*maximum.edges_of_each], magnitudes[*maximum.edges_of_each]);
  }
}

TEST_CASE("maximum matchings counted as perfect ones of a completed graph are as many, weighted and not") {
  Random random(seed, 5);
  int completed = 0;
  const auto agree_for = [&](const auto& graph, MatchingKind kind, std::initializer_list<Method> methods) {
    for (const bool weighted : {false, true}) {
      MatchingOptions options = of(kind, weighted);
      options.count.method = Method::frontier;
      const MatchingResult native = count_matchings(graph, options);
      for (const Method method : methods) {
        options.count.method = method;
        const MatchingResult other = count_matchings(graph, options);
        completed += other.run.method == method;
        if (const auto* integer = std::get_if<Integer>(&native.run.value)) {
          CHECK(std::get<Integer>(other.run.value) == *integer);
          continue;
        }
        const auto& value = std::get<RealValue>(native.run.value);
        check_close(other.run.value, value.value.to_double(), std::exp2(value.log2_magnitudes));
      }
    }
  };
  for (int instance = 0; instance < 60; ++instance) {
    const BipartiteGraph shape = any_bipartite(random);
    const UndirectedGraph general = any_graph(random);
    CAPTURE(seed, instance, test::to_string(UndirectedGraph::from_bipartite(shape)), test::to_string(general));
    std::vector<std::int64_t> weights;
    std::vector<DoubleDouble> reals;
    for (EdgeId id = 0; id < shape.num_edges(); ++id) {
      weights.push_back(static_cast<std::int64_t>(1 + random.below(9)) * (random.below(2) == 0 ? 1 : -1));
      reals.push_back(DoubleDouble(random.uniform() + 0.25));
    }
    agree_for(shape.with_weights(weights), MatchingKind::maximum, {Method::staged, Method::expansion});
    agree_for(shape.with_weights(reals), MatchingKind::saturating, {Method::staged, Method::expansion});
    weights.clear();
    for (EdgeId id = 0; id < general.num_edges(); ++id)
      weights.push_back(static_cast<std::int64_t>(1 + random.below(9)) * (random.below(2) == 0 ? 1 : -1));
    agree_for(general.with_weights(weights), MatchingKind::maximum, {Method::expansion});
  }
  CHECK(completed > 100);
}

// Counts modulo 2^64, square by square: a bit for each of the next n squares says whether it is taken.
std::uint64_t hosoya_of_grid(Vertex n) {
  std::vector<std::uint64_t> counts(std::size_t{1} << n, 0), next;
  counts[0] = 1;
  for (Vertex square = 0; square < n * n; ++square) {
    next.assign(counts.size(), 0);
    const bool right = square % n + 1 < n, below = square + n < n * n;
    for (std::size_t taken = 0; taken < counts.size(); ++taken) {
      const std::size_t rest = taken >> 1;
      next[rest] += counts[taken];
      if (taken & 1) continue;
      if (right && !(rest & 1)) next[rest | 1] += counts[taken];
      if (below) next[rest | (counts.size() >> 1)] += counts[taken];
    }
    counts.swap(next);
  }
  return counts[0];
}

TEST_CASE("the Hosoya indices of n x n grids to n = 16 are those of a transfer square by square, modulo 2^64") {
  for (Vertex n = 1; n <= 16; ++n) {
    const Integer found = count(grid_graph(n, n), MatchingKind::all);
    CHECK((found & Integer(std::numeric_limits<std::uint64_t>::max())) == Integer(hosoya_of_grid(n)));
    if (n >= 10) CHECK(log2_abs(found) > 0.9 * n * n);
  }
  CHECK(count(grid_graph(9, 9), MatchingKind::all) == Integer("10185111919160666118608"));  // A028420
}

TEST_CASE("the matchings of the 5 x 5 x 5 grid are as published", "[slow]") {
  CHECK(count(grid3d_graph(5, 5, 5), MatchingKind::all) == Integer("463310369790129032480118384076035223552"));
}

TEST_CASE("the matchings of n x n x n grids are as published for n = 1 to 4, and by size they are as many") {
  const char* expected[] = {"1", "108", "49793133", "17312701462385916505"};
  for (Vertex n = 1; n <= 4; ++n) {
    const BipartiteGraph graph = grid3d_graph(n, n, n);
    CHECK(count(graph, MatchingKind::all) == Integer(expected[n - 1]));
    Integer sum = 0;
    for (const Integer& one : sizes(graph)) sum += one;
    CHECK(sum == Integer(expected[n - 1]));
  }
}

TEST_CASE("knights' graphs have the published numbers of maximum matchings for n = 5 to 10") {
  const char* expected[] = {"644", "10304", "65113608", "2849759680", "118928612871184", "58888109421793792"};
  for (Vertex n = 5; n <= 10; ++n) CHECK(count(knight_graph(n, n), MatchingKind::maximum) == Integer(expected[n - 5]));
}

TEST_CASE("the matchings of a complete graph by size have a closed form, with more digits than one prime") {
  // n! / (2^k k! (n - 2k)!).
  constexpr int n = 24;
  const std::vector<Integer> counts = sizes(test::complete(n));
  REQUIRE(counts.size() == n / 2 + 1);
  Integer expected = 1;
  for (int k = 0; k <= n / 2; ++k) {
    CHECK(counts[static_cast<std::size_t>(k)] == expected);
    expected = expected * (n - 2 * k) * (n - 2 * k - 1) / (2 * (k + 1));
  }
}

TEST_CASE("a second sum verifies the first, along another order or, of a star, in other numbers") {
  std::vector<Edge> star;
  for (Vertex v = 1; v < 100; ++v) star.push_back({0, v});
  for (const bool is_star : {true, false}) {
    const UndirectedGraph graph = is_star ? UndirectedGraph::from_edges(100, star) : test::petersen();
    for (const MatchingKind kind : {MatchingKind::all, MatchingKind::by_size}) {
      MatchingOptions options = of(kind);
      options.count.verify = true;
      const MatchingResult result = count_matchings(graph, options);
      CHECK(std::get<Integer>(result.run.value) == (is_star ? 100 : 1 + 15 + 75 + 145 + 90 + 6));
      REQUIRE(result.run.checks.size() == 1);
      CHECK(result.run.checks[0].kind == Check::Kind::verify);
      CHECK(result.run.checks[0].detail ==
            (is_star ? "by frontier in other numbers" : "by frontier along another order"));
    }
  }
}

TEST_CASE("kinds and weights that do not go together are refused") {
  const BipartiteGraph grid = grid_graph(2, 3);
  const UndirectedGraph graph = test::cycle(5);
  CHECK_THROWS_AS(count_matchings(graph, of(MatchingKind::saturating)), InputError);
  for (const MatchingKind kind : {MatchingKind::perfect, MatchingKind::maximum, MatchingKind::by_size}) {
    MatchingOptions options = of(kind);
    options.activity = 2;
    CHECK_THROWS_AS(count_matchings(graph, options), InputError);
    options.activity = 1;
    options.loops = Weights(std::vector<std::int64_t>(5, 1));
    CHECK_THROWS_AS(count_matchings(graph, options), InputError);
  }
  MatchingOptions options = of(MatchingKind::all);
  options.loops = Weights(std::vector<std::int64_t>(5, 1));
  CHECK_THROWS_AS(count_matchings(grid, options), InputError);
  options.loops = Weights(std::vector<std::int64_t>(4, 1));
  CHECK_THROWS_AS(count_matchings(graph, options), InputError);
  options.loops.reset();
  options.count.method = Method::staged;
  CHECK_THROWS_AS(count_matchings(grid, options), Unable);
  options.count.method = Method::automatic;
  options.count.run.memory_limit_bytes = 1000;
  CHECK_THROWS_AS(count_matchings(grid_graph(14, 14), options), OverLimit);
}

}  // namespace
}  // namespace matchcount
