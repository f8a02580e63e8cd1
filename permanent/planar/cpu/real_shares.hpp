#pragma once
// Finds the entries of the inverse of Kasteleyn's matrix of reals at edges, in double-doubles, with proven bounds.
// Private to permanent/.

#include <optional>
#include <vector>

#include "core/numbers/pair.hpp"
#include "core/run.hpp"
#include "matching/reduce_graph.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

struct RealShare {
  DoubleDouble value;
  double error = 0;
};

// Finds for each edge, by EdgeId, the share |K_uv (K^-1)_vu| that the perfect matchings with it have of the sum over
// all; nothing if the bounds are lost. Requires what eliminate_reals does. The same on any number of threads.
std::optional<std::vector<RealShare>> real_shares(const GraphBlock<RealEntry>& block, const KasteleynPlan& plan,
                                                  const RunContext& run);

}  // namespace matchcount
