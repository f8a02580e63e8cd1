#pragma once
// Sums up the weights of matchings that need not be perfect, and counts the lightest and the heaviest perfect ones.

#include "permanent/engine/answer.hpp"

namespace matchcount {

// Answers MatchingKind::maximum, saturating, all and by_size. Throws as matchcount/matchings.hpp says. Graph is
// BipartiteGraph or UndirectedGraph.
template <class Graph>
MatchingResult count_imperfect(const Graph& graph, const Question& question, Work* work, Until until);

// Answers MatchingKind::lightest and heaviest. Throws as matchcount/optimal_matchings.hpp says.
MatchingResult count_optimal(const BipartiteGraph& graph, const Question& question, Work* work, Until until);
MatchingResult count_optimal(const UndirectedGraph& graph, const Question& question, Work* work, Until until);

}  // namespace matchcount
