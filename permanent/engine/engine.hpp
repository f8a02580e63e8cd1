#pragma once
// Leads a graph to its answer: structure, a plan for every block, the cheapest method on each, checks, the product.

#include <string>

#include "permanent/method.hpp"

namespace matchcount {

// Says how far a question is led: to its value, or to its plan alone, which runs nothing and is held to the time limit
// and a second; or to a plan with as many forecasts as it takes to choose among them.
enum class Until { value, plan, choice };
RunContext context_of(const RunOptions& options, Work* work, Until until);

// Computes the permanent of a matrix, or the hafnian of a graph, with weights as they are kept in it; without weights
// every edge counts 1. Throws as matchcount/count.hpp says. Reals and complex numbers in exact precision are counted by
// the planar method: NoMethodApplies where that does not apply. `part`: names what is saved, where this is one of
// several runs and the caller has said what they are runs of.
Result compute(GraphView graph, const CountOptions& options, Work* work, Until until = Until::value,
               const std::string& part = {});

}  // namespace matchcount
