#pragma once
// Leads a graph to its answer: structure, a plan for every block, the cheapest method on each, checks, the product.

#include <string>

#include "permanent/plan.hpp"

namespace matchcount {

// Computes the permanent of a matrix without zeros, or the hafnian of a graph, with entries as they are kept in it:
// Entry is std::int64_t (no weights count 1), RealEntry or ComplexEntry. Graph is BipartiteGraph or UndirectedGraph.
// Throws as matchcount/count.hpp says. Reals and complex numbers in exact precision are counted by the planar method:
// NoMethodApplies where that does not apply. `part`: names what is saved, where this is one of several runs and the
// caller has said what they are runs of.
template <class Entry, class Graph>
Result compute(const Graph& graph, const CountOptions& options, Work* work, const std::string& part = {});

// Plans what compute would do: runs nothing, and is not held to the time limit.
template <class Entry, class Graph>
Plan plan_only(const Graph& graph, const CountOptions& options, Work* work);

}  // namespace matchcount
