#pragma once
// Makes orders to start a search from along tree decompositions: below every bag one subtree after another, the one
// that asks for the widest frontier first, for while the others are processed its separator is held.
//
// Such orders are as wide as the decomposition times the logarithm of its size at the most, and no wider than optimal
// for trees of one root (Ellis, Sudborough and Turner 1994, doi:10.1006/inco.1994.1064).

#include <cstdint>
#include <vector>

#include "core/step_check.hpp"
#include "graph/tree_decomposition.hpp"
#include "permanent/frontier/order/costed_order.hpp"

namespace matchcount {

// All vertices, each where the bag that is the last to have it, towards the root, is done with.
std::vector<Vertex> order_along_tree(const TreeDecomposition& tree, std::uint32_t root);

// The cheapest of some roots of the i-th decomposition, which `seed` decides; no steps where the work, in evaluations
// of a vertex, would pass most_work. Adds to `work` what was done. Throws as run.check() does.
CostedOrder order_along_tree(const OrderGraph& graph, std::uint64_t i, std::uint64_t seed, std::uint64_t most_work,
                             LayerCosts& costs, StepCheck& steps, std::uint64_t& work);

}  // namespace matchcount
