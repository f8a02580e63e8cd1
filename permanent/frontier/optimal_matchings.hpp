#pragma once
// Finds the least weight of a perfect matching of a connected graph, and how many have it, by the frontier method in
// the semiring of pairs (weight, number): a sum keeps the lesser weight, and adds the numbers where they are equal.

#include <cstdint>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/run.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

struct LightestMatchings {
  Integer weight = 0;  // the sum of the edges' weights
  Integer number = 0;  // 0: there is none, and no weight
};

struct LightestPlan {
  std::vector<Vertex> sequence;
  double seconds = 0, memory_bytes = 0;  // predictions
  std::uint32_t width = 0;
};
// Throws as run.check() does, and Unable where no order is narrow enough.
LightestPlan plan_lightest(const UndirectedGraph& pattern, double effort_s, const RunContext& run);

// `weights` by EdgeId. Throws OverLimit past the memory limit, and as run.check() does.
LightestMatchings lightest_matchings_frontier(const UndirectedGraph& pattern, const std::vector<Integer>& weights,
                                              const LightestPlan& plan, const RunContext& run);

}  // namespace matchcount
