#pragma once
// Gives the engine what the frontier method says of single matchings (permanent/frontier/marginals.hpp).

#include "permanent/method.hpp"

namespace matchcount {

// Every block is answered along one order without twins. The search for it keeps to a share of
// options.run.time_limit_s.
Way way_frontier(const PlanRequest& request, Asked asked, const RunContext& run);

}  // namespace matchcount
