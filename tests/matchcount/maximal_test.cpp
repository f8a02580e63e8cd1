// Tests counts of and sums over maximal matchings: against their definition, closed forms and published terms.

#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/marginals.hpp"
#include "matchcount/matchings.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261126;

MatchingOptions maximal(bool weighted = false) { return {.kind = MatchingKind::maximal, .weighted = weighted}; }

template <class Graph>
Integer count(const Graph& graph) {
  return std::get<Integer>(count_matchings(graph, maximal()).run.value);
}

// Sums over all sets of edges: those that share no vertex, and of whose complement no edge has two free ends.
Rational by_definition(const UndirectedGraph& graph, const std::vector<Rational>& edges,
                       const std::vector<Rational>& vertices) {
  std::vector<bool> covered(graph.num_vertices(), false);
  const auto from = [&](const auto& self, EdgeId id, const Rational& product) -> Rational {
    if (id < graph.num_edges()) {
      const Edge edge = graph.edges()[id];
      Rational sum = self(self, id + 1, product);
      if (covered[edge.row] || covered[edge.column]) return sum;
      covered[edge.row] = covered[edge.column] = true;
      sum += self(self, id + 1, product * edges[id]);
      covered[edge.row] = covered[edge.column] = false;
      return sum;
    }
    for (const Edge& edge : graph.edges()) {
      if (!covered[edge.row] && !covered[edge.column]) return 0;
    }
    Rational result = product;
    for (Vertex v = 0; v < graph.num_vertices(); ++v) result *= covered[v] ? Rational(1) : vertices[v];
    return result;
  };
  return from(from, 0, 1);
}

// Draws a graph of 0 to 10 vertices, of any density but of few edges, in one piece or several, with sides or without.
UndirectedGraph any_graph(Random& random) {
  const auto n = static_cast<Vertex>(random.below(11));
  const double density = random.uniform();
  const auto parts = static_cast<Vertex>(1 + random.below(3)), sides = static_cast<Vertex>(1 + random.below(2));
  std::vector<Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) {
      const bool may_be = u % parts == v % parts && (sides == 1 || (u < n / 2) != (v < n / 2));
      if (may_be && edges.size() < 18 && random.uniform() < density) edges.push_back({u, v});
    }
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

TEST_CASE("sums over maximal matchings of 600 random graphs agree with their definition, in any order") {
  Random random(seed, 1);
  for (int instance = 0; instance < 600; ++instance) {
    const UndirectedGraph shape = any_graph(random);
    const Vertex n = shape.num_vertices();
    const bool ones = instance % 3 == 0, loops = instance % 3 == 1;
    std::vector<std::int64_t> weights, left_out;
    for (EdgeId id = 0; id < shape.num_edges(); ++id)
      weights.push_back(ones ? 1 : static_cast<std::int64_t>(random.below(9)) - 4);
    for (Vertex v = 0; v < n; ++v) left_out.push_back(static_cast<std::int64_t>(random.below(5)) - 2);
    MatchingOptions options = maximal(true);
    std::vector<Rational> of_vertices(n, 1);
    if (loops) {
      options.loops = left_out;
      of_vertices.assign(left_out.begin(), left_out.end());
    } else if (!ones) {
      options.activity = Rational(2, 3);
      of_vertices.assign(n, options.activity);
    }
    if (instance % 2 == 1) {
      options.count.order = std::make_shared<const std::vector<Vertex>>(test::random_permutation<Vertex>(n, random));
    }
    options.count.verify = instance % 5 == 0;
    options.count.run.num_threads = instance % 4 == 0 ? 3 : 1;
    CAPTURE(seed, instance, test::to_string(shape));
    const MatchingResult result = count_matchings(shape.with_weights(weights), options);
    CHECK((result.fraction ? *result.fraction : Rational(std::get<Integer>(result.run.value))) ==
          by_definition(shape, {weights.begin(), weights.end()}, of_vertices));
  }
}

TEST_CASE("sums of reals and complex numbers over maximal matchings are within their bounds") {
  Random random(seed, 2);
  for (int instance = 0; instance < 100; ++instance) {
    const UndirectedGraph shape = any_graph(random);
    std::vector<DoubleDouble> weights;
    std::vector<ComplexDoubleDouble> turned;
    std::vector<Rational> exact;
    for (EdgeId id = 0; id < shape.num_edges(); ++id) {
      const int eighths = static_cast<int>(random.below(33)) - 16;
      weights.emplace_back(eighths / 8.0);
      turned.push_back({DoubleDouble(0), weights.back()});
      exact.emplace_back(eighths, 8);
    }
    const Rational expected = by_definition(shape, exact, std::vector<Rational>(shape.num_vertices(), 1));
    CAPTURE(seed, instance, test::to_string(shape));
    MatchingOptions options = maximal(true);
    options.count.run.precision = instance % 2 == 0 ? Precision::float64 : Precision::exact;
    const Value real = count_matchings(shape.with_weights(weights), options).run.value;
    const double error = std::abs(std::get<RealValue>(real).value.to_double() - nearest_real(expected).to_double());
    CHECK(error <= std::exp2(std::get<RealValue>(real).log2_error) + 1e-12);
    CHECK(std::get<RealValue>(real).log2_error < -20);
    // Matchings of even size alone are left in the real part, by turns of one sign.
    const Value complex = count_matchings(shape.with_weights(turned), options).run.value;
    CHECK(std::get<ComplexValue>(complex).log2_error < -20);
  }
}

// All squares of a board; those of one line or column are neighbours.
UndirectedGraph rooks_graph(Vertex n) {
  return test::graph_where(n * n, [&](Vertex u, Vertex v) { return u / n == v / n || u % n == v % n; });
}

TEST_CASE("maximal matchings of paths are Padovan's numbers, those of cycles Perrin's") {
  // A path begins with an edge, or leaves one vertex out before the next: a(n) = a(n - 2) + a(n - 3).
  std::vector<Integer> padovan{1, 1, 1, 2}, perrin{3, 0, 2};
  for (Vertex n = 4; n <= 70; ++n) padovan.push_back(padovan[n - 2] + padovan[n - 3]);
  for (Vertex n = 3; n <= 70; ++n) perrin.push_back(perrin[n - 2] + perrin[n - 3]);
  for (const Vertex n : {0u, 1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 63u, 64u, 65u}) {
    CHECK(count(test::path(n)) == padovan[n]);
    if (n >= 3) CHECK(count(test::cycle(n)) == perrin[n]);
  }
}

TEST_CASE("maximal matchings of complete graphs leave one vertex, or one side's excess") {
  Integer all = 1;  // n!!, of odd n, is n (n - 2)!!: all choices of the vertex that is left
  for (Vertex n = 1; n <= 11; n += 2) {
    all *= n;
    CHECK(count(test::complete(n)) == all);
    if (n < 11) CHECK(count(test::complete(n + 1)) == all);
  }
  for (Vertex rows = 1; rows <= 6; ++rows) {
    Integer expected = 1;
    for (Vertex r = 0; r < rows; ++r) expected *= 8 - r;
    CHECK(count(complete_graph(rows, 8)) == expected);
  }
}

TEST_CASE("maximal matchings agree with published terms") {
  // A288028: grids 3 x n; A289198: rooks' graphs. Knights' graphs (A289200, of which 6 terms are published) to
  // 6 x 6 by a list of all; 7 x 7, beyond them, by a table of states of another program.
  const std::vector<Integer> grids{2, 5, 22, 75, 264, 941, 3286, 11623, 40960, 144267, 508812, 1792981};
  for (Vertex n = 1; n <= grids.size(); ++n) CHECK(count(grid_graph(3, n)) == grids[n - 1]);
  CHECK(count(grid_graph(3, 26)) == Integer("81918995835971"));
  const std::vector<Integer> rooks{1, 2, 84, 22368, 84961440};
  for (Vertex n = 1; n <= rooks.size(); ++n) CHECK(count(rooks_graph(n)) == rooks[n - 1]);
  const std::vector<Integer> knights{1, 1, 10, 538, 94868, 59059198};
  for (Vertex n = 1; n <= knights.size(); ++n) CHECK(count(knight_graph(n, n)) == knights[n - 1]);
}

TEST_CASE("maximal matchings of a knight's board of 7 x 7 go beyond the published terms", "[slow]") {
  CHECK(count(knight_graph(7, 7)) == Integer("167292764792"));
}

TEST_CASE("what maximal matchings do not have is refused, and limits hold") {
  MatchingOptions options = maximal();
  for (const Method method : {Method::trees, Method::power_traces, Method::planar}) {
    options.count.method = method;
    CHECK_THROWS_AS(count_matchings(grid_graph(3, 3), options), Unable);
  }
  options.count.method = Method::frontier;
  CHECK(std::get<Integer>(count_matchings(grid_graph(3, 3), options).run.value) == 22);
  options.count.run.memory_limit_bytes = 1000;
  CHECK_THROWS_AS(count_matchings(grid_graph(14, 14), options), OverLimit);
  CHECK_THROWS_AS(list_matchings(grid_graph(2, 2), MatchingKind::maximal), InputError);
  // All leaves of a star that is entered by its hub may be left out, in 2^50 ways.
  std::vector<Edge> star;
  auto hub_first = std::make_shared<std::vector<Vertex>>(std::vector<Vertex>{0});
  for (Vertex v = 1; v <= 50; ++v) {
    star.push_back({0, v});
    hub_first->push_back(v);
  }
  options = maximal();
  const UndirectedGraph graph = UndirectedGraph::from_edges(51, star);
  CHECK(std::get<Integer>(count_matchings(graph, options).run.value) == 50);
  options.count.order = hub_first;
  CHECK_THROWS_AS(count_matchings(graph, options), Unable);
}

}  // namespace
}  // namespace matchcount
