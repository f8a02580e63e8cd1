#pragma once
// Makes orders to start a search from along tree decompositions.

#include <cstdint>

#include "core/step_check.hpp"
#include "graph/tree_decomposition.hpp"
#include "permanent/frontier/order/costed_order.hpp"

namespace matchcount {

// The cheapest of some roots of the i-th decomposition, which `seed` decides; no steps where the work, in evaluations
// of a vertex, would pass most_work. Adds to `work` what was done. Throws as run.check() does.
CostedOrder order_along_tree(const OrderGraph& graph, std::uint64_t i, std::uint64_t seed, std::uint64_t most_work,
                             LayerCosts& costs, StepCheck& steps, std::uint64_t& work);

}  // namespace matchcount
