// Sums along tree decompositions against brute force, which shares no code, and against closed forms.

#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "matchcount/matchings.hpp"
#include "permanent/trees/sums.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/matchings.hpp"
#include "support/permutations.hpp"
#include "support/tree_graphs.hpp"

namespace matchcount::test {
namespace {

constexpr std::uint64_t seed = 77;

// Sums over all matchings, or perfect ones where no vertex may be left out, by their definition.
template <class T>
T by_brute_force(const UndirectedGraph& graph, const std::vector<T>& edges, std::vector<T> vertices) {
  vertices.resize(graph.num_vertices(), T(0));
  T sum(0);
  for (const T& of_size : matchings_by_size<T>(graph, edges, vertices)) sum = sum + of_size;
  return sum;
}

TreeProgram program_of(const UndirectedGraph& graph, const std::vector<bool>& may_be_unmatched, std::uint64_t i) {
  const Adjacency adjacency(graph);
  const RunContext run;
  StepCheck steps(run);
  std::uint64_t work = 0;
  const auto tree =
      decompose_by_elimination(adjacency.view(), i % 2 == 0 ? EliminationRule::fill : EliminationRule::degree, seed + i,
                               max_bag - 1, 100'000'000, work, steps);
  REQUIRE(tree);
  return tree_program({graph, may_be_unmatched, false, 64}, *tree);
}

std::vector<UndirectedGraph> instances() {
  Random random(seed);
  std::vector<UndirectedGraph> result;
  for (const Vertex n : {0u, 1u, 2u, 3u, 4u, 7u, 10u, 12u}) {
    for (const double density : {0.0, 0.2, 0.5, 1.0}) result.push_back(random_graph(n, density, random));
  }
  for (const Vertex n : {13u, 16u, 20u}) {
    result.push_back(partial_k_tree(n, 1, 1, random));
    result.push_back(partial_k_tree(n, 3, 0.7, random));
  }
  return result;
}

template <class T>
std::vector<T> drawn(std::size_t count, std::int64_t least, std::uint64_t range, Random& random) {
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(static_cast<T>(least + static_cast<std::int64_t>(random.below(range))));
  return result;
}

TEST_CASE("perfect matchings along a tree are those of brute force, with integers of either sign") {
  Random random(seed + 1);
  std::uint64_t i = 0;
  for (const UndirectedGraph& graph : instances()) {
    CAPTURE(to_string(graph));
    const auto entries = drawn<std::int64_t>(graph.num_edges(), -3, 8, random);
    const std::vector<Integer> edges(entries.begin(), entries.end());
    const Integer sum = sum_along_tree(program_of(graph, {}, i++), entries, RunContext());
    REQUIRE(sum == by_brute_force<Integer>(graph, edges, {}));
  }
}

TEST_CASE("Gaussian integers of edges and vertices, some of them 0, sum up along a tree as by brute force") {
  Random random(seed + 5);
  std::uint64_t i = 0;
  for (const UndirectedGraph& graph : instances()) {
    CAPTURE(to_string(graph));
    const auto draw = [&](std::size_t count, std::vector<std::complex<double>>& values) {
      const auto re = drawn<double>(count, -2, 5, random), im = drawn<double>(count, -2, 5, random);
      std::vector<GaussianInteger> result;
      for (std::size_t k = 0; k < count; ++k) {
        values.emplace_back(re[k], im[k]);
        result.push_back({static_cast<std::int64_t>(re[k]), static_cast<std::int64_t>(im[k])});
      }
      return result;
    };
    std::vector<std::complex<double>> edges, vertices;  // sums are integers below 2^53, held exactly
    const auto of_edges = draw(graph.num_edges(), edges), of_vertices = draw(graph.num_vertices(), vertices);
    std::vector<bool> may_be_unmatched;
    for (const std::complex<double>& vertex : vertices) may_be_unmatched.push_back(vertex != 0.0);
    const std::complex<double> truth = by_brute_force(graph, edges, vertices);
    REQUIRE(sum_along_tree(program_of(graph, may_be_unmatched, i++), of_edges, of_vertices, RunContext()) ==
            GaussianInteger{static_cast<std::int64_t>(truth.real()), static_cast<std::int64_t>(truth.imag())});
  }
}

TEST_CASE("reals along a tree lie within their bounds") {
  Random random(seed + 3);
  std::uint64_t i = 0;
  for (const UndirectedGraph& graph : instances()) {
    CAPTURE(to_string(graph));
    std::vector<RealEntry> entries;
    std::vector<Rational> exact;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto numerator = static_cast<std::int64_t>(random.below(1000)) - 300;
      const auto exponent = static_cast<int>(random.below(40));
      const double entry = std::ldexp(static_cast<double>(numerator), -exponent);
      exact.push_back(Rational(numerator, Integer(std::int64_t{1} << exponent)));
      entries.push_back({DoubleDouble(entry), std::fabs(entry)});
    }
    const RealValue value = sum_along_tree(program_of(graph, {}, i++), entries, RunContext());
    const Rational truth = by_brute_force<Rational>(graph, exact, {});
    const ScaledReal difference = value.value + -nearest_real(truth);
    REQUIRE((difference.is_zero() || difference.log2_abs() <= value.log2_error + 1e-3));
    if (truth != 0) REQUIRE(value.log2_magnitudes >= nearest_real(truth).log2_abs() - 1e-9);
  }
}

// The matchings with edge e are those that are missing without it.
Integer with_edge(const UndirectedGraph& graph, std::vector<Integer> edges, EdgeId e) {
  const Integer all = by_brute_force<Integer>(graph, edges, {});
  edges[e] = 0;
  return all - by_brute_force<Integer>(graph, edges, {});
}

TEST_CASE("sums over the matchings with each edge, along a tree there and back, are those of brute force") {
  Random random(seed + 7);
  std::uint64_t i = 0;
  for (const UndirectedGraph& graph : instances()) {
    CAPTURE(to_string(graph));
    const auto entries = drawn<std::int64_t>(graph.num_edges(), -3, 8, random);
    const std::vector<Integer> edges(entries.begin(), entries.end());
    const GraphBlock<std::int64_t> block{graph, entries};
    GraphBlock<RealEntry> reals{graph, {}};
    for (const std::int64_t entry : entries)
      reals.entries.push_back({DoubleDouble(static_cast<double>(entry)), std::fabs(static_cast<double>(entry))});
    const TreeProgram program = program_of(graph, {}, i++);
    const auto found = std::get<BlockMarginals<Integer>>(marginals_along_tree(program, &block, RunContext()));
    const auto bounded = std::get<BlockMarginals<RealValue>>(marginals_along_tree(program, &reals, RunContext()));
    REQUIRE(found.total == by_brute_force<Integer>(graph, edges, {}));
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const Integer truth = with_edge(graph, edges, e);
      REQUIRE(found.of_edge[e] == truth);
      const ScaledReal difference = bounded.of_edge[e].value + -nearest_real(truth);
      REQUIRE((difference.is_zero() || difference.log2_abs() <= bounded.of_edge[e].log2_error + 1e-3));
    }
  }
}

TEST_CASE("samples along a tree are matchings, each edge as often as its share, whatever the range they are drawn in") {
  Random random(seed + 8);
  for (const UndirectedGraph& graph : {partial_k_tree(18, 3, 0.8, random), complete(6), cycle(8)}) {
    CAPTURE(to_string(graph));
    GraphBlock<RealEntry> block{graph, {}};
    std::vector<Integer> edges;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      edges.push_back(static_cast<std::int64_t>(1 + random.below(3)));
      const double entry = nearest_real(edges.back()).to_double();
      block.entries.push_back({DoubleDouble(entry), entry});
    }
    const TreeProgram program = program_of(graph, {}, 0);
    const RunContext run;
    const auto sampler = sampler_along_tree(program, &block, run);
    constexpr std::size_t count = 4000;
    const std::size_t size = graph.num_vertices() / 2;
    REQUIRE(sampler->matching_size() == size);
    const std::vector<EdgeId> drawn_edges = sampler->draw(seed, 3, 0, count);
    REQUIRE(drawn_edges.size() == count * size);
    const std::vector<EdgeId> again = sampler->draw(seed, 3, 100, 2);
    REQUIRE(std::equal(again.begin(), again.end(), drawn_edges.begin() + static_cast<std::ptrdiff_t>(100 * size)));
    std::vector<Integer> sums;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) sums.push_back(with_edge(graph, edges, e));
    sums.push_back(by_brute_force<Integer>(graph, edges, {}));
    require_shares(graph, drawn_edges, count, sums);
  }
}

Integer count_by(const UndirectedGraph& graph, Method method, MatchingKind kind) {
  return std::get<Integer>(count_matchings(graph, {.kind = kind, .count = {.method = method}}).run.value);
}

TEST_CASE("trees and the frontier method count the same in partial k-trees and glued grids") {
  Random random(seed + 4);
  for (const Vertex k : {2u, 3u, 4u}) {
    const UndirectedGraph graph = partial_k_tree(120, k, 0.8, random);
    for (const MatchingKind kind : {MatchingKind::perfect, MatchingKind::all}) {
      const Integer count = count_by(graph, Method::trees, kind);
      CHECK(count == count_by(graph, Method::frontier, kind));
      CHECK(count == count_by(graph, Method::automatic, kind));
      CHECK(count > 0);
    }
  }
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(8, 8));
  CHECK(count_by(grid, Method::trees, MatchingKind::perfect) == 12988816);
}

TEST_CASE("sums by size, along trees and balanced ones, are those of brute force") {
  Random random(seed + 9);
  std::uint64_t i = 0;
  const RunContext run;
  StepCheck steps(run);
  for (const UndirectedGraph& graph : instances()) {
    for (const std::uint64_t range : {1u, 4u}) {
      CAPTURE(to_string(graph), range);
      const auto edges = drawn<Integer>(graph.num_edges(), range == 1 ? 1 : -3, range == 1 ? 1 : 8, random);
      const auto vertices = drawn<Integer>(graph.num_vertices(), range == 1 ? 1 : 0, range, random);
      std::vector<bool> may_be_unmatched;
      for (const Integer& vertex : vertices) may_be_unmatched.push_back(vertex != 0);
      std::vector<GaussianInteger> of_edges, of_vertices;
      for (const Integer& edge : edges) of_edges.push_back({edge, 0});
      for (const Integer& vertex : vertices) of_vertices.push_back({vertex, 0});
      const std::vector<Integer> truth = matchings_by_size<Integer>(graph, edges, vertices);
      const Adjacency adjacency(graph);
      std::uint64_t work = 0;
      const auto tree = decompose_by_elimination(adjacency.view(), EliminationRule::degree, seed + i++, max_bag - 1,
                                                 100'000'000, work, steps);
      REQUIRE(tree);
      const TreeDecomposition other = balanced(*tree, steps);
      for (const TreeDecomposition* each : {&*tree, &other}) {
        if (each->width() + 1 > max_bag) continue;
        const TreeProgram program = tree_program({graph, may_be_unmatched, false, 64, true}, *each);
        std::vector<Integer> sums = sums_by_size_along_tree(program, of_edges, of_vertices, run);
        REQUIRE(sums.size() <= truth.size());
        sums.resize(truth.size());
        REQUIRE(sums == truth);
      }
    }
  }
}

TEST_CASE("matchings by size of long paths and cycles are binomial coefficients, on any threads, along orders too") {
  for (const Vertex n : {2u, 3u, 500u, 1501u}) {
    std::vector<Edge> edges;
    for (Vertex v = 1; v < n; ++v) edges.push_back({v - 1, v});
    for (const bool closed : {false, true}) {
      if (closed && n < 3) continue;
      if (closed) edges.push_back({0, n - 1});
      const UndirectedGraph graph = UndirectedGraph::from_edges(n, edges);
      for (const int threads : {1, 3}) {
        MatchingOptions options{.kind = MatchingKind::by_size,
                                .count = {.method = Method::trees, .run = {.num_threads = threads}}};
        if (threads == 1) {
          auto order = ascending<Vertex>(n);
          options.count.order = std::make_shared<const std::vector<Vertex>>(std::move(order));
        }
        const MatchingResult result = count_matchings(graph, options);
        REQUIRE(result.by_size.size() == n / 2 + std::size_t{1});
        // (n - k) over k for a path, and n / (n - k) times that for a cycle.
        Integer ways = 1;
        for (Vertex k = 0; k <= n / 2; ++k) {
          CAPTURE(n, closed, threads, k);
          const Integer expected = closed ? ways * n / (n - k) : ways;
          REQUIRE(std::get<Integer>(result.by_size[k].value) == expected);
          if (k < n / 2) ways = ways * (n - 2 * k) * (n - 2 * k - 1) / ((k + 1) * (n - k));
        }
      }
    }
  }
}

TEST_CASE("trees and the frontier method agree on long graphs by size") {
  Random random(seed + 10);
  for (const UndirectedGraph& graph : {partial_k_tree(400, 1, 1, random), partial_k_tree(150, 2, 0.8, random),
                                       UndirectedGraph::from_bipartite(grid_graph(3, 60)),
                                       UndirectedGraph::from_edges(300, {{0, 1}, {3, 4}, {4, 5}})}) {
    MatchingOptions options{.kind = MatchingKind::by_size};
    std::vector<std::vector<Integer>> sums;
    for (const Method method : {Method::trees, Method::frontier, Method::automatic}) {
      options.count.method = method;
      std::vector<Integer>& all = sums.emplace_back();
      for (const MatchingSum& one : count_matchings(graph, options).by_size)
        all.push_back(std::get<Integer>(one.value));
    }
    CHECK(sums[0] == sums[1]);
    CHECK(sums[0] == sums[2]);
  }
}

TEST_CASE("a graph that is too wide is refused with the width that was found") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(random_regular_graph(100, 4, 1));
  const CountOptions options{.method = Method::trees};
  CHECK_THROWS_WITH(count_perfect_matchings(graph, options),
                    ContainsSubstring("treewidth at most") && ContainsSubstring("found, 23 would do"));
}

TEST_CASE("a grid of 60 x 60 with 40 more edges is refused soon, with what it lacks and the name of estimate") {
  Random random(seed + 6);
  std::vector<Edge> edges = UndirectedGraph::from_bipartite(grid_graph(60, 60)).edges();
  for (int i = 0; i < 40; ++i) {
    const auto u = static_cast<Vertex>(random.below(1800)), v = static_cast<Vertex>(random.below(1800));
    if (u != v) edges.push_back({u, v});
  }
  const UndirectedGraph graph = UndirectedGraph::from_edges(3600, std::move(edges), {}, Duplicates::one);
  CountOptions options{.run = {.num_threads = 1}};
  StepClock clock;
  clock.drive(options.run);
  options.run.time_limit_s = 100;
  CHECK_THROWS_WITH(count_perfect_matchings(graph, options),
                    ContainsSubstring("planar but for ") && ContainsSubstring(" edges, 14 would do") &&
                        ContainsSubstring("; treewidth at most ") && ContainsSubstring(" found, 23 would do") &&
                        ContainsSubstring("; estimate would answer"));
}

}  // namespace
}  // namespace matchcount::test
