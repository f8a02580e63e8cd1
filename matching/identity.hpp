#pragma once
// Tells problems apart, so that what was saved of one is not taken for another's.

#include <string>
#include <vector>

#include "matching/reduce.hpp"
#include "matching/reduce_graph.hpp"

namespace matchcount {

// Returns a hash, in 32 hexadecimal digits, of the blocks that are left to count, with their entries, and of the
// factors that were taken out: `reduced`, and what has odd cycles. O(edges).
template <class Entry>
std::string identity(const Reduced<Entry>& reduced, const std::vector<Entry>& factors,
                     const std::vector<GraphBlock<Entry>>& blocks);

}  // namespace matchcount
