#pragma once
// Finds the lightest and the heaviest perfect matchings: what they weigh, and how many there are.

#include "permanent/engine/question.hpp"

namespace matchcount {

// Throws as matchcount/optimal_matchings.hpp says.
MatchingResult count_optimal(const BipartiteGraph& graph, const Question& question, Work* work);
MatchingResult count_optimal(const UndirectedGraph& graph, const Question& question, Work* work);
Plan plan_optimal(const BipartiteGraph& graph, const Question& question, Work* work);
Plan plan_optimal(const UndirectedGraph& graph, const Question& question, Work* work);

}  // namespace matchcount
