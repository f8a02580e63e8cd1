#pragma once
// Predicts what inclusion-exclusion would cost on GPUs, for the planner.

#include <vector>

#include "core/device.hpp"
#include "graph/bipartite_graph.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount {

struct GpuCost {
  double operations_per_leaf = 0;  // the arithmetic's multiplications
  double log2_leaves = 0;
  double seconds = 0;  // starting the driver and compiling included
};

// Predicts the cost of permanent_ryser on these devices (not empty), by the kernels that it would take; for generated
// ones from an order that a search may still improve: usually too high by up to a third. `log2_bound` is that of
// integers. Any size that plan_ryser takes; a block too small for a GPU costs its start. Cost: milliseconds.
GpuCost gpu_cost(const BipartiteGraph& pattern, const RyserPlan& plan, WeightKind kind, Precision precision,
                 double log2_bound, const std::vector<DeviceInfo>& devices);

}  // namespace matchcount
