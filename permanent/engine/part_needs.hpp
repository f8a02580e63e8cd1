#pragma once
// Says what questions about the matchings of a part take, and refuses what passes a limit.

#include <string>

#include "core/run.hpp"
#include "permanent/engine/covered_graph.hpp"
#include "permanent/engine/question.hpp"
#include "permanent/frontier/frontier.hpp"

namespace matchcount {

struct PartNeeds {
  double seconds = 0, memory_bytes = 0;
};

// Throws InputError for an engine that has no backward pass (twins, lean) or a method that is none for single
// matchings.
void require_answerable(const DistributionOptions& options);

// As plans show a method; the number of its operations is not known.
Forecast forecast_of(Method method, const PartNeeds& needs, std::string what);
// What the frontier method does along an order, for people.
std::string description_of(const FrontierOrder& order);

// Of layers forwards and backwards, all of them kept.
PartNeeds frontier_needs(const FrontierOrder& order);
// Transitions that take so long.
double log2_transitions_in(double seconds);

bool fits(const PartNeeds& needs, const RunContext& run);
// Throws OverLimit for what does not fit into memory, or with `seconds_before` takes more than twice what is left.
void require_affordable(const PartNeeds& needs, double seconds_before, const RunContext& run);

// Whether the part has no more edges than simple planar graphs.
bool may_be_planar(const CoveredPart& part);
// What it takes to see whether the part is planar.
double planarity_bytes(const CoveredPart& part);
// Throws OverLimit, which names the part by its number, where these do not fit into memory.
void require_planarity_bytes(const CoveredPart& part, std::size_t number, const RunContext& run);

FrontierOrder order_of_part(const CoveredPart& part, const DistributionOptions& options, const OrderEffort& effort,
                            const RunContext& run);

}  // namespace matchcount
