#pragma once
// Makes for each part of a graph what draws perfect matchings of it.

#include <memory>
#include <vector>

#include "core/run.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/engine/covered_graph.hpp"
#include "permanent/engine/question.hpp"

namespace matchcount {

// Throws InputError where an entry is negative or complex: no probability is in proportion to it.
void require_positive(const CoveredGraph& graph);

// What would draw from a part; its seconds are those until the first sample is there. Throws as make_samplers does, but
// keeps no limit except that on the memory for seeing whether the part is planar.
Forecast sampler_forecast(const CoveredGraph& graph, std::size_t part, const DistributionOptions& options,
                          const RunContext& run);

// One for each part, in their order. Which method draws is a function of the graph and the options without limits.
// Requires entries above 0. All arguments outlive what is returned. Throws OverLimit for what passes a limit, and as
// the samplers do.
std::vector<std::unique_ptr<PartSampler>> make_samplers(const CoveredGraph& graph, const DistributionOptions& options,
                                                         const RunContext& run);

}  // namespace matchcount
