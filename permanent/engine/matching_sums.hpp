#pragma once
// Sums up the weights of matchings that need not be perfect.

#include "permanent/engine/question.hpp"

namespace matchcount {

// Throws as matchcount/matchings.hpp says. Graph is BipartiteGraph or UndirectedGraph.
template <class Graph>
MatchingResult count_imperfect(const Graph& graph, const Question& question, Work* work);
template <class Graph>
Plan plan_imperfect(const Graph& graph, const Question& question, Work* work);

}  // namespace matchcount
