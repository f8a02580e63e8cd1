#pragma once
// Plans planar graphs for the tests of this folder.

#include <cstdint>

#include "core/run.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "support/catch.hpp"

namespace matchcount::test {

inline KasteleynPlan plan_of(const UndirectedGraph& graph, bool by_pairs = false, std::uint64_t seed = 20261122) {
  auto plan = plan_kasteleyn(graph, seed, RunContext());
  REQUIRE(plan);
  if (by_pairs) {  // as if nobody had noticed that the graph is bipartite
    plan->is_column.clear();
    plan->structure = analyse_elimination(graph, {}, plan->dissection);
  }
  return *plan;
}

}  // namespace matchcount::test
