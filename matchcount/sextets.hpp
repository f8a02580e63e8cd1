#pragma once
// Counts the Clar covers of a molecule's graph: sets of disjoint hexagons and edges that have each vertex once.
//
//   auto found = matchcount::count_sextets(naphthalene);
//   // found.covers: 3, 2, the Zhang-Zhang polynomial 3 + 2x; found.resonant: 1, 2, the sextet polynomial 1 + 2x

#include <vector>

#include "core/api.hpp"
#include "core/numbers/integer.hpp"
#include "graph/graph_view.hpp"
#include "permanent/plan.hpp"

namespace MATCHCOUNT_API matchcount {

// Both have numbers by how many hexagons there are, 0, 1, ... up to the Clar number; a single 0 where there is no
// perfect matching.
struct Sextets {
  std::vector<Integer> covers;    // Clar covers, of which those without a hexagon are the perfect matchings
  std::vector<Integer> resonant;  // sets of disjoint hexagons behind which what is left has a perfect matching
  Result run;                     // of the perfect matchings
};

// A hexagon is a cycle of six edges without a chord. Weights are ignored. Every resonant set takes a count of what it
// leaves (H. Zhang and F. Zhang 1996; Hosoya and Yamaguchi 1975): the 5,828 of C60 0.1 s. Options are those of each
// count, but for limits and the stop token, which hold for all. Throws as count_perfect_matchings does.
Sextets count_sextets(GraphView graph, const CountOptions& options = {});

}  // namespace matchcount
