#include "permanent/planar/marginals.hpp"

#include <array>
#include <cmath>

#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/planar/cpu/product_kernel.hpp"
#include "permanent/planar/plans.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"
#include "support/graphs.hpp"
#include "support/listed_matchings.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261122;

std::vector<std::int64_t> weights_of(const UndirectedGraph& graph) {
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  return weights ? *weights : unit_weights(graph);
}

void require_listed(const UndirectedGraph& graph, bool by_pairs) {
  INFO(test::to_string(graph));
  const std::vector<Integer> listed = sums_by_listing(graph);
  const auto marginals =
      marginals_kasteleyn({graph.pattern(), weights_of(graph)}, plan_of(graph, by_pairs), RunContext());
  if (listed.back() == 0) {
    if (marginals) REQUIRE(marginals->total == 0);  // no perfect matching at all
    return;
  }
  REQUIRE(marginals);
  REQUIRE(marginals->total == listed.back());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(marginals->of_edge[e] == listed[e]);
}

}  // namespace

TEST_CASE("a product of residues is taken away exactly, whatever its shape, by every instruction set") {
  Random random(1340);
  const std::uint64_t prime = 33554393;  // the largest below 2^25
  const double p = static_cast<double>(prime);
  const auto balanced = [&] {
    const double x = static_cast<double>(random.below(prime));
    return x > p / 2 ? x - p : x;
  };
  for (int round = 0; round < 60; ++round) {
    const std::size_t rows = random.below(10), inner = random.below(70), columns = random.below(40);
    std::vector<double> a(rows * inner), b(inner * columns), c(rows * columns);
    for (auto* values : {&a, &b, &c}) {
      // The largest there are, in some rounds.
      for (double& value : *values) value = round % 3 == 0 ? (p - 1) / 2 : balanced();
    }
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      if (isa > detected_isa()) continue;
      std::vector<double> result = c;
      kernels_for<ProductKernel>(isa).subtract_product({result.data(), columns}, {a.data(), inner}, {b.data(), columns},
                                                       rows, inner, columns, p, 1 / p);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          __int128 sum = static_cast<std::int64_t>(c[i * columns + j]);
          for (std::size_t k = 0; k < inner; ++k)
            sum -= static_cast<__int128>(a[i * inner + k]) * static_cast<__int128>(b[k * columns + j]);
          const double value = result[i * columns + j];
          REQUIRE(std::fabs(value) <= 0.51 * p);
          REQUIRE((sum - static_cast<std::int64_t>(value)) % static_cast<std::int64_t>(prime) == 0);
        }
      }
    }
  }
}

TEST_CASE("sums of small planar graphs agree with a list of all matchings, weighted and signed") {
  Random random(1341);
  for (int round = 0; round < 60; ++round) {
    const UndirectedGraph graph = random_planar(static_cast<Vertex>(4 + 2 * (round % 5)), 0.8, random);
    require_listed(graph, false);
    require_listed(with_integers(graph, 1, 9, random), false);
    require_listed(with_integers(graph, -3, 7, random).drop_zeros(), false);
  }
  for (const auto& grid : {grid_graph(2, 3), grid_graph(4, 4), grid_graph(3, 6), hexagon_graph(2, 2, 2)}) {
    const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid);
    require_listed(graph, false);
    require_listed(graph, true);
    require_listed(with_integers(graph, -3, 7, random).drop_zeros(), true);
  }
}

TEST_CASE("each of the 90 bonds of buckminsterfullerene is in 5500 or 3500 of its 12500 Kekule structures") {
  const UndirectedGraph graph = buckminsterfullerene();
  const auto marginals = marginals_kasteleyn({graph, unit_weights(graph)}, plan_of(graph, false), RunContext());
  REQUIRE(marginals);
  REQUIRE(marginals->total == 12500);
  int between_hexagons = 0, of_pentagons = 0;
  for (const Integer& sum : marginals->of_edge) {
    between_hexagons += sum == 5500;
    of_pentagons += sum == 3500;
  }
  REQUIRE(between_hexagons == 30);
  REQUIRE(of_pentagons == 60);
}

TEST_CASE("sums of larger planar graphs are those of the frontier method, on any number of threads") {
  Random random(1342);
  const RunContext run;
  for (int round = 0; round < 6; ++round) {
    const bool is_grid = round % 2 == 0;
    const UndirectedGraph graph =
        with_integers(is_grid ? UndirectedGraph::from_bipartite(grid_graph(10, 11)) : triangular_grid(8, 9),
                      round < 3 ? 1 : -2, 5, random)
            .drop_zeros();
    const GraphBlock<std::int64_t> block{graph.pattern(), weights_of(graph)};
    const RunOptions options{.num_threads = 1 + round % 2};
    const auto planar = marginals_kasteleyn(block, plan_of(graph, round % 4 == 0), RunContext(options));
    const auto frontier = std::get<BlockMarginals<Integer>>(
        marginals_frontier(&block, find_frontier_order(graph.pattern(), 1, run), FrontierEngine::automatic, run));
    REQUIRE(planar);
    REQUIRE(planar->total == frontier.total);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) REQUIRE(planar->of_edge[e] == frontier.of_edge[e]);
  }
}

TEST_CASE("sums of reals are within their bounds, which are tight") {
  Random random(1343);
  for (int round = 0; round < 12; ++round) {
    const UndirectedGraph graph =
        with_integers(UndirectedGraph::from_bipartite(grid_graph(4, 4)), 1, std::uint64_t{1} << 40, random);
    const std::vector<Integer> listed = sums_by_listing(graph);
    GraphBlock<RealEntry> block{graph.pattern(), {}};
    for (const std::int64_t weight : weights_of(graph)) {
      const double value = std::ldexp(static_cast<double>(weight), -30);
      block.entries.push_back({value, value * (1 + 0x1p-51)});
    }
    const auto marginals = marginals_kasteleyn(block, plan_of(graph, false), RunContext());
    REQUIRE(marginals);
    const Rational unit = power_of_two(-30 * 8);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const RealValue& sum = marginals->of_edge[e];
      const Rational bound = power_of_two(static_cast<std::int64_t>(std::ceil(sum.log2_error)));
      REQUIRE(abs(exact(sum.value) - Rational(listed[e]) * unit) <= bound);
      REQUIRE(sum.log2_error < marginals->total.value.log2_abs() - 60);
    }
  }
}

TEST_CASE("planar sums where all matchings cancel, and those of negative reals, are left to others") {
  const UndirectedGraph graph = cycle(4);
  REQUIRE_FALSE(
      marginals_kasteleyn(GraphBlock<std::int64_t>{graph, {1, 1, 1, -1}}, plan_of(graph, false), RunContext()));
  const GraphBlock<RealEntry> negative{graph, std::vector<RealEntry>(4, RealEntry{-1.0, 1.0})};
  REQUIRE_THROWS_AS(marginals_kasteleyn(negative, plan_of(graph, false), RunContext()), InputError);
  const RunOptions options{.memory_limit_bytes = 10'000};
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(12, 12));
  REQUIRE_THROWS_AS(marginals_kasteleyn({grid, unit_weights(grid)}, plan_of(grid, false), RunContext(options)), Unable);
}

TEST_CASE("sums of reals far apart are right however small a part of the total they are") {
  Random random(1345);
  for (int round = 0; round < 60; ++round) {
    const UndirectedGraph graph =
        with_integers(random_planar(static_cast<Vertex>(4 + 2 * (round % 5)), 0.8, random), 1, 9, random);
    // Times powers of two, which the list takes as integers.
    std::vector<std::int64_t> weights = weights_of(graph);
    GraphBlock<RealEntry> block{graph.pattern(), {}};
    for (std::int64_t& weight : weights) {
      weight <<= random.below(59);
      block.entries.push_back({static_cast<double>(weight), static_cast<double>(weight)});
    }
    const UndirectedGraph weighted = graph.with_weights(weights);
    INFO(test::to_string(weighted));
    const std::vector<Integer> listed = sums_by_listing(weighted);
    if (listed.back() == 0) continue;
    const auto marginals = marginals_kasteleyn(block, plan_of(graph, round % 2 == 0), RunContext());
    REQUIRE(marginals);
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      if (listed[e] == 0) continue;
      const RealValue& sum = marginals->of_edge[e];
      const double relative = std::exp2(sum.log2_error - sum.value.log2_abs());
      REQUIRE(relative < 0x1p-43);
      REQUIRE(abs(exact(sum.value) / Rational(listed[e]) - 1) <= exact(relative * (1 + 0x1p-40)));
    }
  }
}
