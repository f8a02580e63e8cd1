#pragma once
// Estimates for every size how many matchings have so many edges, or the sum of their weights, with intervals.

#include <cstdint>
#include <vector>

#include "approx/estimate.hpp"
#include "core/api.hpp"

namespace MATCHCOUNT_API matchcount {

struct SizeEstimate {
  ScaledReal value, low, high;
  bool exact = false;         // of no edge, and of one
  bool unknown = false;       // no sample had a matching of that size
  double relative_error = 0;  // the larger arm of [low, high] over the value
  std::uint64_t samples = 0;
};

// Estimates the matchings of 0, 1, ... edges, up to those of a maximum matching, by annealing (Estimator::annealing),
// to options.relative_error of every size or as far as the time allows. Throws as estimate_matchings does, InputError
// for another method and for options.verify, Unable for a GPU, for a weight of 0, and where the time was over before
// the first populations.
std::vector<SizeEstimate> estimate_matchings_by_size(GraphView graph, const MatchingOptions& matchings,
                                                     const EstimateOptions& options = {}, Work* work = nullptr);

}  // namespace matchcount
