#pragma once
// Finds the lightest or the heaviest perfect matchings of a graph: the sum of their edges' weights, and how many there
// are.
//
//   auto best = matchcount::count_optimal_matchings(graph, matchcount::Optimum::lightest);
//   // *best.weight and to_string(best.run.value)

#include <span>

#include "core/api.hpp"
#include "core/numbers/integer.hpp"
#include "graph/graph_view.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

// Weights may be negative; without weights every edge has weight 1. Reals count as the decimals that they were read
// from (0.1 is 1/10), or else exactly as they are held; all together are integers over one denominator. `fractions` is
// the table of which weights are places, if they are (Input::fractions).
//
// If there are no odd cycles, the duals of an assignment problem are found, whose tight edges are those of all optimal
// matchings; any method counts these. Otherwise the frontier method counts part by part in pairs (weight, number).
// Throws InputError for complex weights, as count_perfect_matchings does, and Unable if there are odd cycles and a
// checkpoint or ranks (`work`).
OptimalMatchings count_optimal_matchings(GraphView graph, Optimum optimum, const CountOptions& options = {},
                                         std::span<const Rational> fractions = {}, Work* work = nullptr);

// Plans it: finds the duals, and counts nothing.
Plan plan_optimal_matchings(GraphView graph, Optimum optimum, const CountOptions& options = {},
                            std::span<const Rational> fractions = {}, Work* work = nullptr);

}  // namespace matchcount
