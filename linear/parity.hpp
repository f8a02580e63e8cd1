#pragma once
// Finds the parity of a permanent, which is the determinant modulo 2: a check of exact counts that shares no code with
// them.

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

// permanent(matrix) mod 2 by Gaussian elimination on bits, O(n^3 / 64). Requires a square matrix without weights or
// with integer weights; throws InputError otherwise.
bool permanent_is_odd(const BipartiteGraph& matrix);

}  // namespace matchcount
