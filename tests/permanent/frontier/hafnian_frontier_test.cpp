// Tests the frontier method on graphs that are not bipartite, below the engine: blocks as they are, orders good or
// absurd.

#include <cmath>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/instances.hpp"
#include "permanent/residue_sum.hpp"
#include "support/catch.hpp"
#include "support/frontier.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"

namespace matchcount {
namespace {

using namespace test;

constexpr std::uint64_t seed = 20261121;

Integer count(const UndirectedGraph& graph, FrontierEngine engine, int threads = 1) {
  const RunContext context(with_threads(threads));
  return frontier_value(block_of(graph), find_frontier_order(graph, seed, context), engine, context);
}

Integer count_along(const UndirectedGraph& graph, std::vector<Vertex> sequence, FrontierEngine engine) {
  const RunContext context(with_threads(1));
  return frontier_value(block_of(graph), order_along(std::move(sequence)), engine, context);
}

constexpr FrontierEngine engines[] = {FrontierEngine::sparse, FrontierEngine::dense, FrontierEngine::automatic};

TEST_CASE("the masks of one parity are numbered in ascending order") {
  const StateIndices indices(true, 8);
  for (std::uint32_t width = 0; width <= 8; ++width) {
    for (std::uint32_t parity = 0; parity < 2; ++parity) {
      Word place = 0;
      for (Word mask = indices.next(0, parity); mask < Word{1} << width; mask = indices.next(mask + 1, parity)) {
        CHECK(indices.class_of(mask) == parity);
        CHECK(indices.index(mask) == place++);
      }
      CHECK(indices.count(width, parity) == place);
    }
  }
}

TEST_CASE("complete graphs, cycles, wheels and the Petersen graph by every engine") {
  Integer odd_factorial = 1;  // (n - 1)!!
  for (Vertex n = 2; n <= 16; n += 2) {
    odd_factorial *= n - 1;
    for (const FrontierEngine engine : engines) CHECK(count(test::complete(n), engine) == odd_factorial);
  }
  for (const FrontierEngine engine : engines) {
    for (const Vertex n : {3u, 4u, 5u, 8u, 9u, 32u, 33u, 64u, 65u}) {
      CHECK(count(test::cycle(n), engine) == (n % 2 == 0 ? 2 : 0));
    }
    for (const Vertex n : {4u, 6u, 32u, 64u, 66u}) CHECK(count(test::wheel(n), engine) == n - 1);
    for (const Vertex n : {5u, 33u}) CHECK(count(test::wheel(n), engine) == 0);
    CHECK(count(test::petersen(), engine) == 6);
  }
}

TEST_CASE("prisms and Moebius ladders on both sides of 32, 64 and 128 vertices") {
  // The oracle confirms the closed form for small ones.
  for (Vertex n = 3; n <= 7; ++n) {
    for (const bool crosswise : {false, true}) {
      CHECK(test::hafnian_by_oracle(test::closed_ladder(n, crosswise)) == test::closed_ladder_count(n, crosswise));
    }
  }
  Random random(seed, 1);
  for (const Vertex n : {15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u}) {
    for (const bool crosswise : {false, true}) {
      const UndirectedGraph graph = test::shuffled(test::closed_ladder(n, crosswise), random);
      for (const FrontierEngine engine : engines) {
        CAPTURE(n, crosswise);
        CHECK(count(graph, engine) == test::closed_ladder_count(n, crosswise));
      }
    }
  }
}

TEST_CASE("random graphs of 0 to 14 vertices agree with the oracle along any order, weights of both signs") {
  Random random(seed, 2);
  for (Vertex n = 0; n <= 14; ++n) {
    for (const double density : {0.2, 0.4, 0.8}) {
      if (n == 14 && density > 0.5) continue;
      UndirectedGraph graph = test::random_graph(n, density, random);
      if (random.below(2) == 0) graph = test::with_integers(graph, -5, 11, random);
      const Integer expected = test::hafnian_by_oracle(graph);
      auto sequence = test::ascending<Vertex>(n);
      CAPTURE(seed, test::to_string(graph));
      for (const FrontierEngine engine : engines) {
        CHECK(count(graph, engine) == expected);
        for (std::size_t i = sequence.size(); i > 1; --i) std::swap(sequence[i - 1], sequence[random.below(i)]);
        CHECK(count_along(graph, sequence, engine) == expected);
      }
    }
  }
}

TEST_CASE("a bipartite graph has as many perfect matchings by parity as by numbers of ones") {
  for (const FrontierEngine engine : engines) {
    CHECK(count(UndirectedGraph::from_bipartite(grid_graph(8, 8)), engine) == 12988816);
    CHECK(count(UndirectedGraph::from_bipartite(aztec_graph(6)), engine) == Integer(1) << 21);
  }
}

TEST_CASE("states wider than 64 and 128 bits are counted") {
  // Two ends of every edge far apart: the frontier of the first half is as wide as the half.
  for (const Vertex half : {33u, 70u, 140u}) {
    std::vector<Edge> edges;
    for (Vertex v = 0; v < half; ++v) edges.push_back({v, half + v});
    edges.push_back({0, 1});
    edges.push_back({half, half + 1});
    edges.push_back({0, half + 1});  // a triangle: 0, half, half + 1
    auto sequence = test::ascending<Vertex>(2 * half);
    CHECK(count_along(UndirectedGraph::from_edges(2 * half, edges), sequence, FrontierEngine::sparse) == 2);
  }
}

TEST_CASE("values beyond 64 and 128 bits are exact, on any number of threads") {
  // Disjoint copies of the complete graph with four vertices, 3 perfect matchings each.
  std::vector<Edge> edges;
  for (Vertex copy = 0; copy < 100; ++copy) {
    for (Vertex u = 0; u < 4; ++u) {
      for (Vertex v = u + 1; v < 4; ++v) edges.push_back({4 * copy + u, 4 * copy + v});
    }
  }
  const Integer expected = pow(Integer(3), 100);
  CHECK(count(UndirectedGraph::from_edges(400, edges), FrontierEngine::automatic) == expected);
  const Integer dense = count(test::complete(22), FrontierEngine::sparse, 1);
  CHECK(dense == Integer("13749310575"));
  CHECK(count(test::complete(22), FrontierEngine::dense, 3) == dense);
  CHECK(count(test::complete(22), FrontierEngine::automatic, 2) == dense);
  // The largest weights there are.
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  const UndirectedGraph four = test::complete(4).with_weights(std::vector<std::int64_t>(6, -large));
  CHECK(count(four, FrontierEngine::automatic) == 3 * Integer(large) * large);
}

TEST_CASE("reals and complex numbers stay within their bounds") {
  Random random(seed, 3);
  for (int instance = 0; instance < 40; ++instance) {
    const auto n = static_cast<Vertex>(2 * (1 + random.below(6)));
    const UndirectedGraph graph = test::with_integers(test::random_graph(n, 0.6, random), -9, 19, random);
    const auto& weights = std::get<std::vector<std::int64_t>>(graph.weights());
    // Reals are w / 16 exactly, complex numbers w / 16 + i (w mod 3) / 16.
    GraphBlock<RealEntry> reals{graph.pattern(), {}};
    GraphBlock<ComplexEntry> complexes{graph.pattern(), {}};
    for (const std::int64_t w : weights) {
      const double re = static_cast<double>(w) / 16, im = static_cast<double>(w % 3) / 16;
      reals.entries.push_back({re, std::fabs(re)});
      complexes.entries.push_back({ComplexDoubleDouble(re, im), std::hypot(re, im) * (1 + 0x1p-50)});
    }
    const double exact = static_cast<double>(test::hafnian_by_oracle(graph)) * std::exp2(-4.0 * n / 2);
    std::vector<ComplexDoubleDouble> matrix(std::size_t{n} * n);
    for (std::size_t id = 0; id < graph.num_edges(); ++id) {
      matrix[graph.edges()[id].row * n + graph.edges()[id].column] = complexes.entries[id].value;
    }
    const ComplexDoubleDouble complex_exact = reference::hafnian_by_expansion(matrix, n);
    const RunContext context(with_threads(1));
    const FrontierOrder order = find_frontier_order(graph, seed, context);
    CAPTURE(seed, test::to_string(graph));
    for (const FrontierEngine engine : engines) {
      for (const Precision precision : {Precision::float64, Precision::double_double}) {
        const RealValue real = frontier_value(reals, order, engine, precision, context);
        CHECK(std::fabs(real.value.to_double() - exact) <= 1.01 * std::exp2(real.log2_error));
        CHECK(real.log2_error <= real.log2_magnitudes - 40);
        const ComplexValue complex = frontier_value(complexes, order, engine, precision, context);
        const double re = complex.value.re.to_double() - complex_exact.re.hi;
        const double im = complex.value.im.to_double() - complex_exact.im.hi;
        // The comparison itself is in doubles.
        CHECK(std::hypot(re, im) <= 1.01 * std::exp2(complex.log2_error) + 0x1p-48 * magnitude(complex_exact));
      }
    }
  }
}

TEST_CASE("the bound on a hafnian holds and is tight on complete graphs") {
  Random random(seed, 4);
  for (int instance = 0; instance < 60; ++instance) {
    const auto n = static_cast<Vertex>(2 * random.below(7));
    const UndirectedGraph graph = test::with_integers(test::random_graph(n, 0.7, random), 1, 9, random);
    const Integer value = test::hafnian_by_oracle(graph);
    CAPTURE(seed, test::to_string(graph));
    if (value > 0) CHECK(log2_abs(value) <= log2_sum_bound(block_of(graph)));
  }
  const double bound = log2_sum_bound(block_of(test::complete(30)));  // 29!!
  CHECK(bound < log2_abs(Integer("6190283353629375")) + 2);
}

TEST_CASE("bad orders, small memory and a raised stop are refused") {
  const UndirectedGraph graph = test::complete(30);
  CHECK_THROWS_AS(count_along(graph, {0, 1, 2}, FrontierEngine::sparse), InputError);
  CHECK_THROWS_AS(count_along(test::cycle(3), {0, 1, 1}, FrontierEngine::sparse), InputError);
  RunOptions run = with_threads(1);
  const RunContext context(run);
  FrontierOrder order = find_frontier_order(graph, seed, context);
  run.memory_limit_bytes = 1 << 16;
  for (const FrontierEngine engine : engines) {
    CHECK_THROWS_AS(frontier_value(block_of(graph), order, engine, RunContext(run)), Unable);
  }
  order.twin_before.assign(30, unmatched);
  CHECK_THROWS_AS(frontier_value(block_of(graph), order, FrontierEngine::sparse, context), InputError);
  std::stop_source source;
  RunOptions stopped = with_threads(1);
  stopped.stop = source.get_token();
  source.request_stop();
  const RunContext stopped_context(stopped);
  order.twin_before.clear();
  CHECK_THROWS_AS(frontier_value(block_of(graph), order, FrontierEngine::sparse, stopped_context), Cancelled);
}

}  // namespace
}  // namespace matchcount
