#pragma once
// Finds an order for sums over matchings that need not be perfect: what hangs on the graph as a tree, which reductions
// take away where matchings are perfect, is processed just before the vertex that it hangs on.

#include <vector>

#include "core/run.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Orders the vertices of a connected graph. The vertices that are left without the trees have two neighbours or more
// each, and the order of find_frontier_order. A tree of n vertices takes a frontier of log2 n, and of more than one at
// most one wider than its widest two parts. Throws as run.check() does.
std::vector<Vertex> find_matching_order(const UndirectedGraph& graph, const OrderEffort& effort, const RunContext& run);

}  // namespace matchcount
