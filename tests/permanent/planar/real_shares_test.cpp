// Shares in double-doubles and their bounds, against exact sums by residues.

#include "permanent/planar/cpu/real_elimination.hpp"

#include <cmath>

#include "graph/generate.hpp"
#include "permanent/planar/marginals.hpp"
#include "permanent/planar/plans.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

struct Instance {
  GraphBlock<std::int64_t> integers;
  GraphBlock<RealEntry> reals;
};
Instance instance(const UndirectedGraph& graph, std::uint64_t most, Random& random) {
  Instance result{{graph, {}}, {graph, {}}};
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto weight = static_cast<std::int64_t>(1 + random.below(most));
    result.integers.entries.push_back(weight);
    result.reals.entries.push_back({static_cast<double>(weight), static_cast<double>(weight)});
  }
  return result;
}

// Says how many edges there were to compare.
std::size_t require_within_bounds(const Instance& given, bool by_pairs) {
  INFO(test::to_string(given.integers.pattern));
  const KasteleynPlan plan = plan_of(given.reals.pattern, by_pairs);
  const auto shares = real_shares(given.reals, plan, RunContext());
  if (!shares) return 0;
  const auto exactly = marginals_kasteleyn(given.integers, plan, RunContext());
  REQUIRE(exactly);
  for (EdgeId e = 0; e < given.reals.pattern.num_edges(); ++e) {
    const Rational truth(exactly->of_edge[e], exactly->total);
    REQUIRE(abs(exact((*shares)[e].value) - truth) <= exact((*shares)[e].error));
  }
  return shares->size();
}

}  // namespace

TEST_CASE("shares in double-doubles are within their bounds on planar graphs, by rows and columns and by pairs") {
  Random random(1352);
  std::size_t compared = 0;
  for (int round = 0; round < 24; ++round) {
    const UndirectedGraph graph = UndirectedGraph::from_bipartite(
        random_planar_graph(static_cast<Vertex>(6 + 5 * (round % 8)), 0.7, static_cast<std::uint64_t>(100 + round)));
    compared += require_within_bounds(instance(graph, round % 3 == 0 ? 1 : 1000, random), round % 2 == 1);
    const UndirectedGraph pairs = random_planar(static_cast<Vertex>(8 + 2 * (round % 9)), 0.9, random);
    compared += require_within_bounds(instance(pairs, round % 3 == 0 ? 1 : std::uint64_t{1} << 40, random), true);
  }
  for (const auto& graph : {grid_graph(16, 17), hexagon_graph(6, 5, 4), aztec_graph(12)}) {
    compared += require_within_bounds(instance(UndirectedGraph::from_bipartite(graph), 1, random), false);
    compared += require_within_bounds(instance(UndirectedGraph::from_bipartite(graph), 1 << 20, random), true);
  }
  compared += require_within_bounds(instance(triangular_grid(15, 16), 1, random), true);
  REQUIRE(compared > 5000);
}

TEST_CASE("sums of reals on large planar graphs are those of residues, and as good as promised") {
  Random random(1353);
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(22, 22));
  const struct {
    Instance given;
    bool by_pairs;
  } cases[] = {{instance(grid, 1 << 10, random), false},
               {instance(grid, 1 << 10, random), true},
               {instance(triangular_grid(20, 20), 1 << 12, random), true},
               // An edge of 2^-600 among others.
               {instance(UndirectedGraph::from_bipartite(aztec_graph(46)), 1, random), false}};
  for (const auto& [given, by_pairs] : cases) {
    const KasteleynPlan plan = plan_of(given.reals.pattern, by_pairs);
    const auto exactly = marginals_kasteleyn(given.integers, plan, RunContext());
    const auto reals = marginals_kasteleyn(given.reals, plan, RunContext({.num_threads = 2}));
    const auto again = marginals_kasteleyn(given.reals, plan, RunContext());
    REQUIRE((exactly && reals && again));
    REQUIRE(log2_abs(exactly->total) > 1050);  // so that residues of all edges would take longer
    for (EdgeId e = 0; e < given.reals.pattern.num_edges(); ++e) {
      const RealValue& sum = reals->of_edge[e];
      REQUIRE(sum.value.mantissa == again->of_edge[e].value.mantissa);
      if (exactly->of_edge[e] == 0) continue;
      const double relative = std::exp2(sum.log2_error - sum.value.log2_abs());
      REQUIRE(relative < 0x1p-43);
      REQUIRE(within_relative(exact(sum.value), Rational(exactly->of_edge[e]), exact(relative * (1 + 0x1p-40))));
    }
  }
}
