#pragma once
// Counts small graphs by recursion on bit masks, in a microsecond or two, before any structure is looked for.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount {

// Sums the products of the weights over the perfect matchings of a graph of at most 16 rows and 16 columns, or 32
// vertices, by recursion over the neighbours of a vertex of least degree. `weights`: by edge, none of them 0. Nothing:
// the graph is larger, sums may pass 63 bits, the recursion would take more than some tens of microseconds, or there is
// no perfect matching, which structure gives a reason for. Throws Error where the sum has not the parity of the
// determinant.
std::optional<std::int64_t> small_count(const BipartiteGraph& graph, const std::vector<std::int64_t>& weights);
std::optional<std::int64_t> small_count(const UndirectedGraph& graph, const std::vector<std::int64_t>& weights);

}  // namespace matchcount
