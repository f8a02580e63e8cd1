#include "permanent/planar/surface.hpp"

#include <cmath>

#include "matchcount/count.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/marginals.hpp"
#include "support/catch.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"
#include "support/surface_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261123;

Integer by_frontier(const UndirectedGraph& graph) {
  CountOptions options;
  options.method = Method::frontier;
  return std::get<Integer>(hafnian(graph, options).value);
}

}  // namespace

TEST_CASE("an embedding by coordinates has the Euler genus of its surface") {
  Random random(1501);
  for (const auto& [lines, columns] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
    const EmbeddedGraph given = random_on_surface(6, 7, lines, columns, 1, random);
    REQUIRE(euler_genus(given.graph, faces_of(given.graph, given.embedding)) == (lines && columns ? 1 : 2));
  }
}

TEST_CASE("a thousand random graphs on a torus have the sums that other methods find") {
  Random random(1502);
  int torical = 0;
  for (int round = 0; round < 1000; ++round) {
    const int height = 4 + static_cast<int>(random.below(2)), width = 5 + static_cast<int>(random.below(2));
    const EmbeddedGraph given = random_on_surface(height, width, false, false, 0.6 + 0.4 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    torical += plan->surface->log2_divisor == 2;
    const UndirectedGraph graph = with_integers(given.graph, round % 2 == 0 ? 1 : -2, 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) ==
            by_frontier(graph));
  }
  REQUIRE(torical > 500);
}

TEST_CASE("random graphs on the Klein bottle and the projective plane have the sums of all matchings") {
  Random random(1503);
  int genus[3] = {0, 0, 0};
  for (int round = 0; round < 300; ++round) {
    const bool lines = round % 3 != 1, columns = round % 3 != 0;
    const EmbeddedGraph given = random_on_surface(3 + static_cast<int>(random.below(2)), 4, lines, columns,
                                                  0.7 + 0.3 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    ++genus[plan->surface->log2_divisor];
    const UndirectedGraph graph = with_integers(given.graph, round % 2 == 0 ? 1 : -2, 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const Integer truth = hafnian_by_oracle(graph);
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) == truth);
    // The same times i for each edge of a matching, by complex entries, and an eighth of it by reals.
    GraphBlock<ComplexEntry> complex{given.graph, {}};
    GraphBlock<RealEntry> real{given.graph, {}};
    for (const std::int64_t weight : weights) {
      const auto value = static_cast<double>(weight);
      complex.entries.push_back({{0.0, value}, std::fabs(value)});
      real.entries.push_back({value / 8, std::fabs(value / 8)});
    }
    const int pairs = static_cast<int>(graph.num_vertices() / 2);
    const double size = nearest_real(truth).to_double();
    const ComplexValue turned = hafnian_kasteleyn(complex, *plan, Precision::double_double, RunContext());
    const double signs[4] = {1, 0, -1, 0};
    REQUIRE(turned.value.re.to_double() == size * signs[pairs % 4]);
    REQUIRE(turned.value.im.to_double() == size * signs[(pairs + 3) % 4]);
    const RealValue eighth = hafnian_kasteleyn(real, *plan, Precision::double_double, RunContext());
    REQUIRE(eighth.value.to_double() == std::ldexp(size, -3 * pairs));
  }
  REQUIRE(genus[1] > 50);
  REQUIRE(genus[2] > 50);
}

TEST_CASE("the sums of edges of graphs in surfaces are those of a list") {
  Random random(1506);
  int seen[3] = {0, 0, 0}, singular = 0;
  for (int round = 0; round < 200; ++round) {
    const bool lines = round % 3 != 1, columns = round % 3 != 0;
    // Whole tori of ones have a Pfaffian that is 0.
    const bool is_whole = round % 10 == 0;
    const EmbeddedGraph given = is_whole ? random_on_surface(4, 4, false, false, 1, random)
                                         : random_on_surface(3 + static_cast<int>(random.below(2)), 4, lines, columns,
                                                             0.7 + 0.3 * random.uniform(), random);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    const UndirectedGraph graph =
        with_integers(given.graph, is_whole || round % 2 == 0 ? 1 : -2, is_whole ? 1 : 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const auto found = marginals_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    const std::vector<Integer> sums = sums_by_listing(graph);
    REQUIRE((found || sums.back() == 0));
    if (!found) continue;
    REQUIRE(found->total == sums.back());
    for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(found->of_edge[e] == sums[e]);
    ++seen[plan->surface->twisted.empty() ? 0 : plan->surface->log2_divisor];
    singular += is_whole;
    if (round % 2 != 0) continue;
    std::vector<RealEntry> reals;
    for (const std::int64_t weight : weights) {
      const auto real = static_cast<double>(weight);
      reals.push_back({DoubleDouble(real), real});
    }
    const auto real = marginals_kasteleyn(GraphBlock<RealEntry>{given.graph, reals}, *plan, RunContext());
    REQUIRE(real);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const ScaledReal difference = real->of_edge[e].value + -nearest_real(sums[e]);
      REQUIRE((difference.is_zero() || difference.log2_abs() <= real->of_edge[e].log2_error));
    }
  }
  REQUIRE(std::min({seen[0], seen[1], seen[2]}) > 15);
  REQUIRE(singular > 10);
}

TEST_CASE("bipartite graphs and graphs of Euler genus 3 to 6 have the sums, and those of edges, that others find") {
  Random random(1507);
  int seen[7] = {}, found_edges = 0;
  for (int round = 0; round < 160; ++round) {
    const auto part = [&](int height, double density) {
      return random_on_surface(height, 4, random.below(3) == 0, random.below(3) == 0, density, random);
    };
    const bool is_bipartite = round % 2 == 0;
    EmbeddedGraph given = part(4, 0.9);
    if (is_bipartite) given = two_coloured(part(4 + static_cast<int>(random.below(2)), 1), 4);
    if (!is_bipartite) given = joined(part(3, 0.8), part(3, 0.8));
    if (round % 16 == 1) given = joined(given, part(3, 0.6));
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    if (!plan) continue;
    ++seen[plan->surface->log2_divisor];
    const UndirectedGraph graph = with_integers(given.graph, round % 4 < 2 ? 1 : -2, round % 3 == 0 ? 1 : 4, random);
    INFO(round << ": " << test::to_string(graph));
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    const Integer sum = hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    REQUIRE(sum == by_frontier(graph));
    if (given.graph.num_vertices() > 24) continue;
    const auto found = marginals_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext());
    if (!found) continue;
    const std::vector<Integer> sums = sums_by_listing(graph);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(found->of_edge[e] == sums[e]);
    ++found_edges;
  }
  REQUIRE(std::min({seen[1], seen[2], seen[3], seen[4], seen[5] + seen[6]}) > 3);
  REQUIRE(found_edges > 80);
}

TEST_CASE("lattices on surfaces are embedded whatever their vertices are called") {
  Random random(1504);
  for (const auto& [lines, columns] : {std::pair{false, false}, {true, false}, {true, true}}) {
    const EmbeddedGraph given = random_on_surface(20, 22, lines, columns, 1, random);
    const UndirectedGraph graph = shuffled(given.graph, random);
    const auto found = surface_embedding(graph, 6, RunContext());
    REQUIRE(found);
    REQUIRE(euler_genus(graph, faces_of(graph, *found)) == (lines && columns ? 1 : 2));
    const auto plan = plan_kasteleyn(graph, *found, seed, RunContext());
    const auto first = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    REQUIRE(plan);
    REQUIRE(first);
    const std::vector<std::int64_t> ones(graph.num_edges(), 1);
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{graph, ones}, *plan, RunContext()) ==
            hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, ones}, *first, RunContext()));
  }
}

TEST_CASE("two tori with a tube between them have Euler genus 4, and are counted") {
  // The corners of a square of each are joined to those of the other's.
  constexpr Vertex height = 8, width = 10;
  std::vector<Edge> edges;
  for (Vertex copy = 0; copy < 2; ++copy) {
    const auto number = [&](Vertex i, Vertex j) { return (copy * height + i % height) * width + j % width; };
    for (Vertex i = 0; i < height; ++i) {
      for (Vertex j = 0; j < width; ++j)
        edges.insert(edges.end(), {{number(i, j), number(i, j + 1)}, {number(i, j), number(i + 1, j)}});
    }
  }
  for (const Vertex corner : {Vertex{0}, Vertex{1}, width, width + 1})
    edges.push_back({corner, corner + height * width});
  Random random(1505);
  const UndirectedGraph graph = shuffled(UndirectedGraph::from_edges(2 * height * width, edges), random);
  const auto plan = plan_kasteleyn(graph, seed, RunContext());
  REQUIRE(plan);
  REQUIRE(plan->surface->terms.size() == 16);
  const std::vector<std::int64_t> ones(graph.num_edges(), 1);
  REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{graph, ones}, *plan, RunContext()) == by_frontier(graph));
}
