// Tests planar graphs below the engine: closed forms, published counts, and recursion over edges.

#include "permanent/planar/kasteleyn.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/planar/plans.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/closed_forms.hpp"
#include "support/frontier.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20260905;

using namespace test;

Integer count(const UndirectedGraph& graph, const std::vector<std::int64_t>& weights, const RunOptions& run = {}) {
  const RunContext context(run);
  const auto plan = plan_kasteleyn(graph, seed, context);
  REQUIRE(plan);
  return hafnian_kasteleyn({graph, weights}, *plan, context);
}
Integer count(const UndirectedGraph& graph) { return count(graph, unit_weights(graph)); }
Integer count(const BipartiteGraph& graph) { return count(UndirectedGraph::from_bipartite(graph)); }

// Counts as if nobody had noticed that the graph is bipartite.
Integer count_by_pairs(const UndirectedGraph& graph, const std::vector<std::int64_t>& weights) {
  return hafnian_kasteleyn({graph, weights}, test::plan_of(graph, true, seed), RunContext());
}

// Every face of each component but one has an odd number of edges along its walk.
bool is_kasteleyn(const UndirectedGraph& graph) {
  const auto embedding = planar_embedding(graph);
  REQUIRE(embedding);
  const auto orientation = kasteleyn_orientation(graph, *embedding);
  const Faces faces = faces_of(graph, *embedding);
  std::vector<int> along(faces.count, 0);
  for (EdgeId id = 0; id < graph.num_edges(); ++id) ++along[faces.of_side[2 * id + (orientation[id] > 0 ? 0 : 1)]];
  std::size_t even = 0, components = 0;
  for (const int a : along) even += a % 2 == 0;
  std::vector<bool> seen(graph.num_vertices(), false);
  for (Vertex start = 0; start < graph.num_vertices(); ++start) {
    if (seen[start] || graph.neighbours(start).empty()) continue;
    ++components;
    std::vector<Vertex> stack{start};
    seen[start] = true;
    while (!stack.empty()) {
      const Vertex v = stack.back();
      stack.pop_back();
      for (const Vertex w : graph.neighbours(v)) {
        if (seen[w]) continue;
        seen[w] = true;
        stack.push_back(w);
      }
    }
  }
  return even <= components;
}

}  // namespace

TEST_CASE("kasteleyn counts the smallest graphs") {
  CHECK(count(UndirectedGraph()) == 1);
  CHECK(count(path(1)) == 0);
  CHECK(count(UndirectedGraph::from_edges(2, {})) == 0);
  CHECK(count(path(2)) == 1);
  CHECK(count(cycle(3)) == 0);
  CHECK(count(cycle(4)) == 2);
  CHECK(count(UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})) == 3);
  CHECK(count(UndirectedGraph::from_edges(5, {{0, 1}, {2, 3}})) == 0);
  CHECK(count(UndirectedGraph::from_edges(4, {{0, 1}, {2, 3}})) == 1);
}

TEST_CASE("paths have one perfect matching or none, cycles two or none, at any size") {
  for (const Vertex n : {30, 31, 32, 33, 34, 62, 63, 64, 65, 66, 128, 129}) {
    CAPTURE(n);
    CHECK(count(path(n)) == (n % 2 == 0 ? 1 : 0));
    CHECK(count(cycle(n)) == (n % 2 == 0 ? 2 : 0));
  }
}

TEST_CASE("large grids have as many domino tilings as Kasteleyn's product says") {
  // The product over i <= m / 2, j <= n / 2 of 4 cos^2(pi i / (m + 1)) + 4 cos^2(pi j / (n + 1)), both even: 1024
  // logarithms that each err by some 2^-53.
  const auto log2_tilings = [](int m, int n) {
    const long double pi = std::acos(-1.0L);
    long double sum = 0;
    for (int i = 1; i <= m / 2; ++i) {
      for (int j = 1; j <= n / 2; ++j) {
        const long double a = 2 * std::cos(pi * i / (m + 1)), b = 2 * std::cos(pi * j / (n + 1));
        sum += std::log2(a * a + b * b);
      }
    }
    return static_cast<double>(sum);
  };
  CHECK(std::fabs(log2_abs(count(grid_graph(64, 64))) - log2_tilings(64, 64)) < 1e-9);
  CHECK(std::fabs(log2_abs(count(grid_graph(20, 100))) - log2_tilings(20, 100)) < 1e-9);
}

TEST_CASE("ladders, grids, hexagons, Aztec diamonds and fullerenes have the published numbers of perfect matchings") {
  for (const Vertex n : {1, 2, 3, 31, 32, 33, 64, 200}) {
    CAPTURE(n);
    CHECK(count(grid_graph(2, n)) == test::fibonacci(n + 1));
  }
  CHECK(count(grid_graph(24, 24)) == Integer("7435775679122922965141930394167684120105535297322308613569173527105536"));
  CHECK(count(grid_graph(7, 9)) == 0);
  for (const auto& [a, b, c] : std::vector<std::array<unsigned, 3>>{{1, 5, 7}, {5, 6, 8}, {9, 9, 9}})
    CHECK(count(hexagon_graph(a, b, c)) == test::plane_partitions(a, b, c));
  for (const Vertex n : {1, 2, 7, 10, 25}) CHECK(count(aztec_graph(n)) == Integer(1) << (n * (n + 1) / 2));
  CHECK(count(test::dodecahedron()) == 36);
  CHECK(count(test::buckminsterfullerene()) == 12500);
}

TEST_CASE("benzenoids have the published numbers of Kekule structures") {
  std::vector<std::pair<int, int>> line, zigzag;
  int x = 0, y = 0;
  for (int h = 1; h <= 40; ++h) {
    CAPTURE(h);
    line.emplace_back(2 * h, 0);
    CHECK(count(test::benzenoid(line)) == h + 1);
    zigzag.emplace_back(x, y);
    x += h % 2 == 1 ? 2 : 1;
    y += h % 2 == 1 ? 0 : 1;
    CHECK(count(test::benzenoid(zigzag)) == test::fibonacci(static_cast<unsigned>(h) + 2));
  }
  for (const auto& [m, n] : std::vector<std::pair<int, int>>{{1, 1}, {3, 4}, {6, 6}, {9, 14}}) {
    std::vector<std::pair<int, int>> cells;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) cells.emplace_back(2 * i + j, j);
    }
    CHECK(count(test::benzenoid(cells)) == test::binomial(static_cast<unsigned>(m + n), static_cast<unsigned>(n)));
  }
}

TEST_CASE("random planar graphs are counted as recursion over edges counts them") {
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random(seed, i);
    const auto n = static_cast<Vertex>(random.below(19));
    const double density = 0.4 + 0.6 * random.uniform();
    const UndirectedGraph graph = test::random_planar(n, density, random);
    std::vector<std::int64_t> weights;
    const std::uint64_t kind = random.below(4);
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      // Ones, multiplicities of parallel edges, signed numbers with zeros, large ones.
      const auto small = static_cast<std::int64_t>(random.below(5));
      weights.push_back(kind == 0   ? 1
                        : kind == 1 ? small + 1
                        : kind == 2 ? small - 2
                                    : static_cast<std::int64_t>(random() >> 1) * (small % 2 == 0 ? 1 : -1));
    }
    CAPTURE(seed, i, n, density, kind);
    CHECK(count(graph, weights) == test::hafnian_by_oracle(graph.with_weights(weights)));
    CHECK(is_kasteleyn(graph));
  }
}

TEST_CASE("larger random planar graphs have the same count whole and in pieces, in any number of threads and lanes") {
  for (std::uint64_t i = 0; i < 12; ++i) {
    Random random(seed, 1000 + i);
    const UndirectedGraph graph = test::random_planar(120 + static_cast<Vertex>(random.below(3)) * 40, 0.95, random);
    std::vector<std::int64_t> weights;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.push_back(static_cast<std::int64_t>(random.below(7)) - 2);
    CAPTURE(seed, i);
    const Integer expected = count(graph, weights);
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      CHECK(count(graph, weights, {.num_threads = static_cast<int>(i % 3) + 1, .max_isa = isa}) == expected);
    }
    // Two more vertices that are joined to one vertex each change nothing, if all of them are in one edge.
    std::vector<Edge> edges = graph.edges();
    const Vertex n = graph.num_vertices();
    edges.insert(edges.end(), {{n, n + 1}, {0, n}, {n + 2, n + 3}});
    std::vector<std::int64_t> more = weights;
    more.insert(more.end(), {-3, 5, 7});
    const UndirectedGraph extended = UndirectedGraph::from_edges(n + 4, edges, more);
    CHECK(count(extended, std::get<std::vector<std::int64_t>>(extended.weights())) == -21 * expected);
  }
}

TEST_CASE("a bipartite graph has the same count by determinants and by Pfaffians") {
  for (std::uint64_t i = 0; i < 8; ++i) {
    const UndirectedGraph graph = UndirectedGraph::from_bipartite(random_planar_graph(150, 0.6, seed + i));
    Random random(seed, 2000 + i);
    std::vector<std::int64_t> weights;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) weights.push_back(static_cast<std::int64_t>(random.below(9)) - 3);
    CAPTURE(seed, i);
    CHECK(count_by_pairs(graph, weights) == count(graph, weights));
    CHECK(count_by_pairs(graph, unit_weights(graph)) == count(graph));
  }
}

TEST_CASE("a count of 0 by cancellation is 0, and its neighbour is not") {
  const UndirectedGraph square = cycle(4);  // edges 01 03 12 23
  CHECK(count(square, {1, 1, -1, 1}) == 0);
  CHECK(count(square, {1, -1, -1, 1}) == 2);
  CHECK(count(square, {1, 1, 1, -1}) == 0);
  const std::int64_t large = std::int64_t{3037000499};
  CHECK(count(square, {large, large, -large, large + 1}) == large);
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(count(square, {least, least, 1, 1}) == 2 * Integer(least));
  CHECK(count(cycle(6), {least, least, least, least, least, 1}) ==
        Integer(least) * least * least + Integer(least) * least);
  CHECK(count(square, {0, 1, 1, 0}) == 1);
  CHECK(count(square, {0, 1, 0, 1}) == 0);
}

TEST_CASE("primes that divide a pivot are replaced") {
  // The first primes below 2^30 themselves, as entries: nothing can be told modulo any of them.
  const std::vector<std::uint64_t> primes = primes_below(std::uint64_t{1} << 30, 40);
  std::vector<std::int64_t> weights;
  Integer expected = 1;
  const UndirectedGraph graph = path(80);
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    weights.push_back(id % 2 == 0 ? static_cast<std::int64_t>(primes[id / 2]) : 17);
    if (id % 2 == 0) expected *= primes[id / 2];
  }
  CHECK(count(graph, weights) == expected);
  // And the first below 2^25, with which pivots are found.
  const auto small = static_cast<std::int64_t>(primes_below(elimination_prime_limit, 1).front());
  CHECK(count(path(2), {small}) == small);
  CHECK(count(cycle(4), {small, 1, small - 1, 1}) == 2 * small - 1);
}

TEST_CASE("grids on a torus are counted by four Pfaffians") {
  CHECK(count(torus_graph(8, 8)) == 311853312);
  for (const auto& [height, width] :
       std::vector<std::pair<Vertex, Vertex>>{{6, 6}, {6, 8}, {10, 6}, {6, 14}, {8, 10}}) {
    const BipartiteGraph graph = torus_graph(height, width);
    for (std::uint64_t i = 0; i < 6; ++i) {
      Random random(seed, 5000 + i);
      std::vector<std::int64_t> weights(graph.num_edges(), 1);
      // Ones; signed with zeros; large.
      for (std::int64_t& weight : weights) {
        if (i == 1 || i == 2) weight = static_cast<std::int64_t>(random.below(7)) - 3;
        if (i > 2) weight = static_cast<std::int64_t>(random() >> 2);
      }
      const RunContext context;
      const FrontierOrder order = find_frontier_order(graph, FrontierStrategy::automatic, 1, context);
      const Integer expected = frontier_value({graph, weights}, order, FrontierEngine::automatic, context);
      CAPTURE(height, width, seed, i);
      CHECK(count(UndirectedGraph::from_bipartite(graph), weights) == expected);
      // Vertices get other names.
      const UndirectedGraph named =
          test::shuffled(UndirectedGraph::from_bipartite(graph).with_weights(weights), random);
      CHECK(count(named, std::get<std::vector<std::int64_t>>(named.weights())) == expected);
    }
  }
}

TEST_CASE("through the front door planar blocks are counted with what reductions merged") {
  for (std::uint64_t i = 0; i < 10; ++i) {
    const BipartiteGraph pattern = random_planar_graph(60, 0.5, seed + i);
    RandomWeights law;
    law.law = RandomWeights::Law::integers;
    law.low = -9;
    law.high = 9;
    const BipartiteGraph graph = with_random_weights(pattern, law, seed + i);
    CountOptions options{.method = Method::planar, .verify = true};
    CAPTURE(seed, i);
    for (const bool whole : {false, true}) {
      options.prune = options.reduce = !whole;
      const Result counted = count_perfect_matchings(pattern, options), weighted = permanent(graph, options);
      CHECK(std::get<Integer>(counted.value) == count(pattern));
      CHECK(std::get<Integer>(weighted.value) ==
            count(UndirectedGraph::from_bipartite(pattern), std::get<std::vector<std::int64_t>>(graph.weights())));
    }
  }
}

TEST_CASE("graphs that are not planar have no plan") {
  const RunContext context;
  CHECK_FALSE(plan_kasteleyn(UndirectedGraph::from_bipartite(complete_graph(3, 3)), 1, context));
  CHECK_FALSE(plan_kasteleyn(UndirectedGraph::from_bipartite(torus_graph(4, 6)), 1, context));
  CHECK_FALSE(plan_kasteleyn(UndirectedGraph::from_bipartite(grid3d_graph(3, 4, 4)), 1, context));
}

TEST_CASE("bounds of planar graphs hold and are close on grids") {
  const auto graph = UndirectedGraph::from_bipartite(grid_graph(16, 16));
  const auto ones = unit_weights(graph);
  const RunContext context;
  const auto plan = plan_kasteleyn(graph, 1, context);
  const double log2_count = log2_abs(count(graph));
  CHECK(log2_kasteleyn_bound({graph, ones}, *plan) >= log2_count);
  CHECK(log2_kasteleyn_bound({graph, ones}, *plan) <= 1.25 * log2_count);
  for (std::uint64_t i = 0; i < 50; ++i) {
    Random random(seed, 4000 + i);
    const UndirectedGraph general = test::random_planar(2 * static_cast<Vertex>(random.below(8)), 0.9, random);
    std::vector<std::int64_t> weights;
    for (EdgeId id = 0; id < general.num_edges(); ++id) weights.push_back(static_cast<std::int64_t>(random.below(9)));
    const double log2_value = log2_abs(test::hafnian_by_oracle(general.with_weights(weights)));
    CAPTURE(seed, i);
    const auto general_plan = plan_kasteleyn(general, 1, context);
    CHECK(log2_kasteleyn_bound({general, weights}, *general_plan) >= log2_value);
  }
}

TEST_CASE("a planar count keeps to limits and can be stopped") {
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid_graph(60, 60));
  RunOptions run;
  const RunContext planning(run);
  const auto plan = plan_kasteleyn(graph, 1, planning);
  run.stop = test::raised_stop();
  const RunContext context(run);
  CHECK_THROWS_AS(hafnian_kasteleyn({graph, unit_weights(graph)}, *plan, context), Cancelled);
  const RunContext unlimited({.memory_limit_bytes = 1000});
  CHECK_THROWS_AS(hafnian_kasteleyn({graph, unit_weights(graph)}, *plan, unlimited), Unable);
  CHECK_THROWS_AS(hafnian_kasteleyn({path(4), {1, 1, 1}}, *plan, planning), InputError);
}

}  // namespace matchcount
