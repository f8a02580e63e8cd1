#include "matchcount/marginals.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/exact.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

DistributionOptions exactly(FrontierEngine engine = FrontierEngine::automatic, int threads = 1) {
  DistributionOptions options{.exact = true, .frontier_engine = engine};
  if (engine != FrontierEngine::automatic) options.method = Method::frontier;
  options.run.num_threads = threads;
  return options;
}

template <class Graph>
Graph with_random_integers(const Graph& graph, std::int64_t least, std::uint64_t count, Random& random) {
  std::vector<std::int64_t> weights;
  for (EdgeId e = 0; e < graph.num_edges(); ++e)
    weights.push_back(least + static_cast<std::int64_t>(random.below(count)));
  return graph.with_weights(weights);
}

UndirectedGraph as_undirected(const UndirectedGraph& graph) { return graph; }
UndirectedGraph as_undirected(const BipartiteGraph& graph) { return UndirectedGraph::from_bipartite(graph); }

// Exact sums and total against the list of all matchings.
template <class Graph>
void require_listed(const Graph& graph, const DistributionOptions& options) {
  INFO(test::to_string(as_undirected(graph)));
  const std::vector<Integer> listed = sums_by_listing(as_undirected(graph));
  const Marginals marginals = MatchingDistribution(graph, options).marginals();
  REQUIRE(std::get<Integer>(marginals.total) == listed.back());
  REQUIRE(marginals.edges.size() + 1 == listed.size());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    REQUIRE(std::get<Integer>(marginals.edges[e].sum) == listed[e]);
    if (!marginals.are_probabilities) continue;
    const Rational truth(listed[e], listed.back());
    REQUIRE(abs(exact(marginals.edges[e].probability) - truth) <= exact(marginals.edges[e].error));
  }
}

// Requires that each sum's bound holds the truth, and that it is told to `digits` digits of the magnitude.
void require_bounds(const Marginals& marginals, const std::vector<Integer>& listed, const Rational& unit) {
  const auto require = [&](const Value& value, const Integer& truth) {
    const auto& real = std::get<RealValue>(value);
    const double log2_error = std::max(real.log2_error, -1000.0);
    const Rational bound = power_of_two(static_cast<std::int64_t>(std::ceil(log2_error)));
    REQUIRE(abs(exact(real.value) - Rational(truth) * unit) <= bound);
    REQUIRE(real.log2_error <= real.log2_magnitudes - 30);
  };
  for (std::size_t e = 0; e < marginals.edges.size(); ++e) require(marginals.edges[e].sum, listed[e]);
  require(marginals.total, listed.back());
}

}  // namespace

TEST_CASE("the empty graph has one matching, of no edges") {
  MatchingDistribution none{BipartiteGraph()};
  REQUIRE(none.has_perfect_matching());
  REQUIRE(none.marginals().edges.empty());
  REQUIRE(none.samples(0, 3).empty());
}

TEST_CASE("sums of graphs with sides and without agree with a list of all matchings, signed or not") {
  Random random(1302);
  for (int round = 0; round < 120; ++round) {
    const Vertex n = static_cast<Vertex>(1 + round % 7);
    const BipartiteGraph graph = random_bipartite(n, 0.2 + 0.1 * (round % 6), random);
    const auto engine = std::array{FrontierEngine::automatic, FrontierEngine::sparse, FrontierEngine::dense}[round % 3];
    require_listed(graph, exactly(engine));
    require_listed(with_random_integers(graph, 1, 9, random), exactly(engine));
    require_listed(with_random_integers(graph, -3, 7, random), exactly(engine));
    const auto even = static_cast<Vertex>(2 + 2 * (round % 5));
    const UndirectedGraph odd = random_graph(even, 0.3 + 0.1 * (round % 6), random);
    require_listed(odd, exactly(engine));
    require_listed(with_random_integers(odd, -3, 7, random), exactly(engine));
  }
}

TEST_CASE("sums of large weights take several primes and stay exact") {
  Random random(1304);
  for (int round = 0; round < 20; ++round) {
    const std::uint64_t count = std::uint64_t{1} << 61;
    require_listed(with_random_integers(random_bipartite(5, 0.6, random), -(std::int64_t{1} << 60), count, random),
                   exactly());
  }
}

TEST_CASE("sums in doubles hold the truth within their bounds") {
  const DistributionOptions options{.method = Method::frontier};
  Random random(1305);
  for (int round = 0; round < 60; ++round) {
    const BipartiteGraph graph =
        with_random_integers(random_bipartite(static_cast<Vertex>(2 + round % 6), 0.5, random), 1, 1000, random);
    const std::vector<Integer> listed = sums_by_listing(as_undirected(graph));
    const Marginals marginals = MatchingDistribution(graph, options).marginals();
    require_bounds(marginals, listed, 1);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const Rational truth(listed[e], listed.back());
      REQUIRE(abs(exact(marginals.edges[e].probability) - truth) <= exact(marginals.edges[e].error));
      REQUIRE(marginals.edges[e].error < 1e-11);
    }
  }
}

TEST_CASE("sums of signed reals far apart hold the truth within their bounds") {
  Random random(1306);
  for (int round = 0; round < 40; ++round) {
    const Vertex n = static_cast<Vertex>(4 + 2 * (round % 3));
    const UndirectedGraph graph = with_random_integers(random_graph(n, 0.7, random), -500, 1001, random).drop_zeros();
    const int exponent = round % 2 == 0 ? -12 : 300;
    std::vector<DoubleDouble> weights;
    for (const std::int64_t weight : std::get<std::vector<std::int64_t>>(graph.weights()))
      weights.push_back(std::ldexp(static_cast<double>(weight), exponent));
    const std::vector<Integer> listed = sums_by_listing(graph);
    require_bounds(MatchingDistribution(graph.pattern().with_weights(weights)).marginals(), listed,
                   power_of_two(exponent * std::int64_t{n / 2}));
  }
}

TEST_CASE("complex sums have the parts that two lists give") {
  // Times i for some edges: products are those of the integers times a power of i.
  Random random(1307);
  for (int round = 0; round < 30; ++round) {
    const BipartiteGraph graph = with_random_integers(random_bipartite(5, 0.6, random), 1, 9, random);
    const auto& integers = std::get<std::vector<std::int64_t>>(graph.weights());
    std::vector<bool> turned;
    std::vector<ComplexDoubleDouble> weights;
    for (const std::int64_t weight : integers) {
      turned.push_back(random.below(2) == 1);
      const double value = static_cast<double>(weight);
      weights.push_back(turned.back() ? ComplexDoubleDouble(0.0, value) : ComplexDoubleDouble(value));
    }
    std::vector<Integer> re(graph.num_edges()), im(graph.num_edges());
    for_each_perfect_matching(as_undirected(graph), [&](const std::vector<EdgeId>& edges) {
      Integer product = 1;
      int turns = 0;
      for (const EdgeId edge : edges) {
        product *= integers[edge];
        turns += turned[edge];
      }
      for (const EdgeId edge : edges) (turns % 2 ? im : re)[edge] += turns % 4 < 2 ? product : -product;
    });
    const Marginals marginals = MatchingDistribution(graph.pattern().with_weights(weights)).marginals();
    REQUIRE_FALSE(marginals.are_probabilities);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto& sum = std::get<ComplexValue>(marginals.edges[e].sum);
      const double error = std::exp2(sum.log2_error);
      REQUIRE(error < 1e-15);
      REQUIRE(std::fabs(sum.value.re.to_double() - static_cast<double>(re[e])) <= error);
      REQUIRE(std::fabs(sum.value.im.to_double() - static_cast<double>(im[e])) <= error);
    }
  }
}

TEST_CASE("without a perfect matching all sums are 0 and the reason is there") {
  MatchingDistribution bipartite(BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}}), exactly());
  REQUIRE(bipartite.hall_violator());
  REQUIRE_FALSE(bipartite.marginals().are_probabilities);
  REQUIRE(std::get<Integer>(bipartite.marginals().edges[1].sum) == 0);
  REQUIRE_THROWS_AS(bipartite.samples(0, 1), Unable);
  MatchingDistribution triangle(cycle(3), exactly());
  REQUIRE(triangle.tutte_set());
  REQUIRE(std::get<Integer>(triangle.marginals().total) == 0);
}

TEST_CASE("sums are the same on any number of threads and where layers are computed again") {
  const BipartiteGraph grid = grid_graph(14, 14);
  const Marginals one = MatchingDistribution(grid, exactly(FrontierEngine::sparse)).marginals();
  REQUIRE(one.method == Method::frontier);
  const Integer count = std::get<Integer>(count_perfect_matchings(grid).value);
  REQUIRE(std::get<Integer>(one.total) == count);
  DistributionOptions options = exactly(FrontierEngine::dense, 2);
  const Marginals two = MatchingDistribution(grid, options).marginals();
  options.run.memory_limit_bytes = 1 << 20;  // layers are computed again
  const Marginals again = MatchingDistribution(grid, options).marginals();
  for (EdgeId e = 0; e < grid.num_edges(); ++e) {
    REQUIRE(std::get<Integer>(one.edges[e].sum) == std::get<Integer>(two.edges[e].sum));
    REQUIRE(std::get<Integer>(one.edges[e].sum) == std::get<Integer>(again.edges[e].sum));
  }
}

TEST_CASE("large planar graphs take the planar method, exactly or not, and others refuse it") {
  const BipartiteGraph grid = grid_graph(24, 24);
  const Marginals exact = MatchingDistribution(grid, exactly()).marginals();
  const Marginals rounded = MatchingDistribution(grid).marginals();
  REQUIRE(exact.method == Method::planar);
  REQUIRE(rounded.method == Method::planar);
  REQUIRE(std::get<Integer>(exact.total) == std::get<Integer>(count_perfect_matchings(grid).value));
  for (EdgeId e = 0; e < grid.num_edges(); ++e) {
    REQUIRE(std::fabs(exact.edges[e].probability - rounded.edges[e].probability) <=
            exact.edges[e].error + rounded.edges[e].error);
    REQUIRE(rounded.edges[e].error < 1e-14);
  }
  DistributionOptions options{.method = Method::planar};
  REQUIRE_THROWS_AS(MatchingDistribution(complete_graph(9, 9), options).marginals(), Unable);
  options.method = Method::staged;
  REQUIRE_THROWS_AS(MatchingDistribution(grid, options), InputError);
  // If all matchings cancel there is no inverse, and the frontier method takes over.
  const auto cancelled = cycle(4).with_weights(std::vector<std::int64_t>{1, 1, 1, -1});
  options = exactly();
  options.method = Method::planar;
  REQUIRE(std::get<Integer>(MatchingDistribution(cancelled, options).marginals().edges[0].sum) == -1);
}

TEST_CASE("sums of bipartite graphs by inclusion-exclusion agree with a list, and graphs with odd cycles are refused") {
  Random random(1308);
  DistributionOptions options = exactly();
  options.method = Method::ryser;
  for (int round = 0; round < 60; ++round) {
    const BipartiteGraph graph = random_bipartite(static_cast<Vertex>(1 + round % 7), 0.2 + 0.1 * (round % 6), random);
    require_listed(graph, options);
    require_listed(with_random_integers(graph, 1, 9, random), options);
    require_listed(with_random_integers(graph, -3, 7, random), options);
    // A bipartite part of any graph, and rows that are scaled: powers of two take nothing from the integers.
    const BipartiteGraph integers = with_random_integers(graph, 1, 1000, random);
    std::vector<DoubleDouble> reals;
    for (const std::int64_t weight : std::get<std::vector<std::int64_t>>(integers.weights()))
      reals.push_back(std::ldexp(static_cast<double>(weight), 500));
    DistributionOptions rounded = options;
    rounded.exact = false;
    const UndirectedGraph undirected = as_undirected(integers.pattern().with_weights(reals));
    require_bounds(MatchingDistribution(undirected, rounded).marginals(), sums_by_listing(as_undirected(integers)),
                   power_of_two(500 * std::int64_t{graph.num_rows()}));
  }
  const auto tetrahedron = UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  REQUIRE_THROWS_AS(MatchingDistribution(tetrahedron, options).marginals(), Unable);
}

TEST_CASE("the sums of inclusion-exclusion are those of the frontier method, on a dense graph") {
  Random random(1309);
  const BipartiteGraph graph = with_random_integers(complete_graph(17, 17), -1000, 2001, random);
  DistributionOptions options =
      exactly();  // which of the two is the quicker depends on the instructions that are there
  options.method = Method::ryser;
  const Marginals minors = MatchingDistribution(graph, options).marginals();
  REQUIRE(minors.method == Method::ryser);
  options.method = Method::frontier;
  const Marginals layers = MatchingDistribution(graph, options).marginals();
  REQUIRE(std::get<Integer>(minors.total) == std::get<Integer>(layers.total));
  for (EdgeId e = 0; e < graph.num_edges(); ++e)
    REQUIRE(std::get<Integer>(minors.edges[e].sum) == std::get<Integer>(layers.edges[e].sum));
}

TEST_CASE("probabilities of a dense 24 x 24 matrix by inclusion-exclusion are those of the frontier method", "[slow]") {
  Random random(1310);
  std::vector<double> entries;
  for (int i = 0; i < 24 * 24; ++i) entries.push_back(random.uniform());
  const auto matrix = BipartiteGraph::from_dense(24, 24, entries);
  const Marginals minors = MatchingDistribution(matrix).marginals();
  REQUIRE(minors.method == Method::ryser);
  const Marginals layers = MatchingDistribution(matrix, {.method = Method::frontier}).marginals();
  for (EdgeId e = 0; e < matrix.num_edges(); ++e) {
    const double error = minors.edges[e].error + layers.edges[e].error;
    REQUIRE(error < 1e-7);
    REQUIRE(std::fabs(minors.edges[e].probability - layers.edges[e].probability) <= error);
  }
}

TEST_CASE("what does not fit into memory or time is refused before it is tried") {
  DistributionOptions options{.method = Method::frontier, .run = {.memory_limit_bytes = 20 << 20}};
  REQUIRE_THROWS_AS(MatchingDistribution(complete_graph(24, 24), options).marginals(), OverLimit);
  options.method = Method::automatic;
  options.run.memory_limit_bytes = std::uint64_t{1} << 40;
  StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 0.1;
  REQUIRE_THROWS_AS(MatchingDistribution(random_graph(28, 28, 0.7, 1), options).marginals(), OverLimit);
}

TEST_CASE("a memory limit too small to see whether a graph is planar is told, where that is the least need") {
  const BipartiteGraph grid = grid_graph(24, 24);  // 600 bytes for each of 1680 vertices and edges: 0.96 MiB
  DistributionOptions options{.run = {.memory_limit_bytes = 3 << 18}};
  const auto marginals = [&] { return MatchingDistribution(grid, options).marginals(); };
  const auto told = ContainsSubstring("to see whether part 1 is planar would take 984 KiB");
  for (const Method method : {Method::automatic, Method::planar}) {
    options.method = method;
    REQUIRE_THROWS_AS(marginals(), OverLimit);
    REQUIRE_THROWS_WITH(marginals(), told);
  }
  options.method = Method::frontier;
  REQUIRE_THROWS_WITH(marginals(), !told && ContainsSubstring("this needs about"));
  // Too many edges for a plane.
  options.method = Method::planar;
  REQUIRE_THROWS_WITH(MatchingDistribution(complete_graph(80, 80), options).marginals(),
                      ContainsSubstring("does not apply"));
}

TEST_CASE("what is fast but does not fit into memory makes room for what does") {
  DistributionOptions options{.exact = true};
  options.run.num_threads = 64;  // each of which takes memory for the planar method
  const BipartiteGraph ladder = grid_graph(2, 2000);
  REQUIRE(MatchingDistribution(ladder, options).marginals().method == Method::planar);
  options.run.memory_limit_bytes = 7 << 20;
  REQUIRE(MatchingDistribution(ladder, options).marginals().method == Method::frontier);
}
