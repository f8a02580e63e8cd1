#include "matching/reduce.hpp"

#include <cmath>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261123;

const RunContext& context() {
  static const RunContext unlimited;
  return unlimited;
}

std::vector<std::int64_t> entries_of(const UndirectedGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  return weights ? *weights : std::vector<std::int64_t>(graph.num_edges(), 1);
}

ReducedGraph<std::int64_t> reduced(const UndirectedGraph& graph, const ReduceOptions& options = {}) {
  return reduce(graph, entries_of(graph), maximum_matching(graph, context()), options, context());
}

// Multiplies all parts, by the oracles.
Integer value_of(const ReducedGraph<std::int64_t>& parts) {
  Integer value = 1;
  for (const std::int64_t factor : parts.factors) value *= factor;
  const UndirectedGraph bipartite =
      UndirectedGraph::from_bipartite(parts.bipartite.with_weights(parts.bipartite_entries));
  value *= test::hafnian_by_oracle(bipartite);
  for (const auto& block : parts.blocks) value *= test::hafnian_by_oracle(block.pattern.with_weights(block.entries));
  return value;
}

TEST_CASE("reductions keep the hafnian of random graphs, weighted or not") {
  Random random(seed, 1);
  int merges = 0, blocks = 0, bipartite = 0;
  for (int instance = 0; instance < 600; ++instance) {
    const auto n = static_cast<Vertex>(2 * random.below(8));
    UndirectedGraph graph = test::random_graph(n, 0.1 + 0.4 * random.uniform() * random.uniform(), random);
    if (instance % 2 == 1) graph = test::with_integers(graph, -2, 5, random);
    if (!maximum_matching(graph, context()).is_perfect()) continue;
    ReduceOptions options{
        .decompose = random.below(4) != 0, .degree1 = random.below(4) != 0, .degree2 = random.below(4) != 0};
    const auto parts = reduced(graph, options);
    CAPTURE(seed, test::to_string(graph), options.decompose, options.degree1, options.degree2);
    CHECK(value_of(parts) == test::hafnian_by_oracle(graph));
    merges += static_cast<int>(parts.counts.degree2);
    blocks += static_cast<int>(parts.blocks.size());
    bipartite += parts.bipartite.num_rows() > 0;
    if (!options.decompose) continue;
    for (const auto& block : parts.blocks) {
      const ColouredComponents components = coloured_components(block.pattern);
      CHECK(components.count() == 1);
      CHECK(components.has_odd_cycle[0]);
      if (!options.degree2) continue;
      for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) CHECK(block.pattern.neighbours(v).size() > 2);
    }
  }
  CHECK(merges > 100);
  CHECK(blocks > 40);
  CHECK(bipartite > 40);
}

TEST_CASE("paths, trees and cactuses vanish altogether") {
  // A triangle with a tail to each corner: one perfect matching.
  const UndirectedGraph graph = UndirectedGraph::from_edges(6, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}});
  const auto parts = reduced(graph);
  CHECK(parts.blocks.empty());
  CHECK(value_of(parts) == 1);
  CHECK(parts.counts.useless_edges == 3);
  // Without pruning, the tails are forced.
  const auto forced = reduced(graph, {.decompose = false});
  CHECK(forced.blocks.empty());
  CHECK(forced.counts.degree1 == 6);
}

TEST_CASE("a merge drops the edge between the two neighbours and adds up parallel edges") {
  // 4-vertex complete graph without an edge: vertex 3 has the neighbours 0 and 1, which are adjacent and share 2.
  const UndirectedGraph graph = UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}},
                                                            std::vector<std::int64_t>{100, 2, 3, 5, 7});
  const auto parts = reduced(graph, {.decompose = false, .degree1 = false});
  REQUIRE(parts.blocks.size() == 1);
  CHECK(parts.blocks[0].entries == std::vector<std::int64_t>{5 * 3 + 7 * 2});
  CHECK(parts.counts.degree2 == 2);
}

TEST_CASE("entries that cancel to nothing leave no perfect matching") {
  const UndirectedGraph graph = UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}},
                                                            std::vector<std::int64_t>{1, 1, -1, 1, 1});
  CHECK(test::hafnian_by_oracle(graph) == 0);
  CHECK(value_of(reduced(graph)) == 0);
  // Left as it is, vertex 3 merges 0 and 1, whose edges to 2 cancel.
  const auto parts = reduced(graph, {.decompose = false});
  CHECK(parts.factors == std::vector<std::int64_t>{0});
  CHECK(parts.blocks.empty());
}

TEST_CASE("a merge whose entries would pass 2^62 is refused") {
  // Vertex 0 of degree 2 between hubs with large entries, on a graph of odd cycles.
  UndirectedGraph graph = test::complete(6);
  std::vector<bool> keep(graph.num_edges(), true);
  for (EdgeId id = 0; id < graph.num_edges(); ++id)
    keep[id] = graph.edges()[id].row != 0 || graph.edges()[id].column < 3;
  graph = graph.filtered(keep);
  const std::int64_t large = (std::int64_t{1} << 61) + 1;
  std::vector<std::int64_t> weights(graph.num_edges(), large);
  weights[0] = 3;  // 0-1
  const UndirectedGraph weighted = graph.with_weights(weights);
  const auto parts = reduced(weighted);
  CHECK(parts.counts.refused_merges == 1);
  CHECK(value_of(parts) == test::hafnian_by_oracle(weighted));
}

TEST_CASE("a chain of a hundred thousand triangles is reduced in a moment") {
  // Triangles a b c, each c joined to the next a: matched along the chain in one way.
  constexpr Vertex count = 100000;
  std::vector<Edge> edges;
  for (Vertex i = 0; i < count; ++i) {
    const Vertex a = 3 * i;
    edges.insert(edges.end(), {{a, a + 1}, {a + 1, a + 2}, {a, a + 2}});
    if (i + 1 < count) edges.push_back({a + 2, a + 3});
  }
  const UndirectedGraph graph = UndirectedGraph::from_edges(3 * count, edges);
  const auto parts = reduced(graph);
  CHECK(parts.blocks.empty());
  CHECK(parts.factors.empty());
}

TEST_CASE("reals and complex numbers are reduced to the same hafnian") {
  Random random(seed, 2);
  for (int instance = 0; instance < 100; ++instance) {
    const auto n = static_cast<Vertex>(2 * (1 + random.below(5)));
    const UndirectedGraph graph = test::with_integers(test::random_graph(n, 0.4, random), -9, 19, random);
    if (!maximum_matching(graph, context()).is_perfect()) continue;
    std::vector<RealEntry> reals;
    std::vector<ComplexEntry> complexes;
    for (const std::int64_t w : entries_of(graph)) {
      const auto x = static_cast<double>(w);
      reals.push_back({x, std::fabs(x)});
      complexes.push_back({ComplexDoubleDouble(0.0, x), std::fabs(x)});
    }
    const GraphMatching matching = maximum_matching(graph, context());
    const double expected = static_cast<double>(test::hafnian_by_oracle(graph));
    const auto product = [&](const auto& parts, auto value) {
      using Number = decltype(value);
      for (const auto& factor : parts.factors) value = value * factor.value;
      const auto hafnian = [](const UndirectedGraph& pattern, const auto& entries) {
        std::vector<Number> matrix(std::size_t{pattern.num_vertices()} * pattern.num_vertices());
        for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
          const Edge edge = pattern.edges()[id];
          matrix[edge.row * pattern.num_vertices() + edge.column] = entries[id].value;
        }
        return reference::hafnian_by_expansion(matrix, pattern.num_vertices());
      };
      value = value * hafnian(UndirectedGraph::from_bipartite(parts.bipartite), parts.bipartite_entries);
      for (const auto& block : parts.blocks) value = value * hafnian(block.pattern, block.entries);
      return value;
    };
    CAPTURE(seed, test::to_string(graph));
    const DoubleDouble real = product(reduce(graph, reals, matching, {}, context()), DoubleDouble(1.0));
    CHECK(std::fabs(real.hi - expected) <= 1e-12 * std::fabs(expected) + 1e-9);
    // i^(n/2) times the same.
    const ComplexDoubleDouble complex =
        product(reduce(graph, complexes, matching, {}, context()), ComplexDoubleDouble(1.0, 0.0));
    const double sign = n / 2 % 4 < 2 ? 1 : -1;
    const double part = n / 2 % 2 == 0 ? complex.re.hi : complex.im.hi;
    CHECK(std::fabs(part - sign * expected) <= 1e-12 * std::fabs(expected) + 1e-9);
  }
}

TEST_CASE("what does not fit together is refused") {
  const UndirectedGraph graph = test::complete(4);
  const GraphMatching matching = maximum_matching(graph, context());
  CHECK_THROWS_AS(reduce(graph, std::vector<std::int64_t>(5, 1), matching, {}, context()), InputError);
  CHECK_THROWS_AS(reduce(test::cycle(5), std::vector<std::int64_t>(5, 1), maximum_matching(test::cycle(5), context()),
                         {}, context()),
                  InputError);
}

}  // namespace
}  // namespace matchcount
