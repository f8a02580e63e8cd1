#pragma once
// Counts matchings that need not be perfect, and sums up their weights: the maximum ones, those that saturate a side,
// all of them, those of every size, or those to which no edge can be added. Tells them apart by labels of their edges.
//
//   matchcount::MatchingOptions options;
//   options.kind = matchcount::MatchingKind::by_size;
//   auto result = matchcount::count_matchings(matchcount::grid_graph(2, 2), options);
//   // result.by_size: 1, 4, 2; to_string(result.run.value): 7, all of them, the Hosoya index

#include "core/api.hpp"
#include "graph/graph_view.hpp"
#include "permanent/engine/question.hpp"

namespace MATCHCOUNT_API matchcount {

// Counts such matchings, or sums up their weights. Integers and fractions are exact; reals and complex numbers have an
// error bound, and with Precision::exact nothing but the answer is rounded. Sums of all matchings take 2^w states for a
// frontier of width w, of 4 bytes or, where memory asks for it, 2, on GPUs too, and half of the steps where the graph
// has a reflection and no weights; or, of up to 80 vertices, n^2 2^(n/2) operations in little memory. Those of every
// size take a polynomial for each state; where one side's vertices alone stay unmatched, a larger graph's perfect
// matchings are counted instead if that is predicted to be cheaper, by any method. Throws as count_perfect_matchings
// does, and InputError for what the kind does not have: `saturating` of a graph without sides, an activity or loops of
// another kind than `all` and `maximal`. Maximal matchings take 3^w states at the most, as sorted lists.
//
// With `labels` or `by_weight` the sum is found for several weights of the edges, in as many runs as a plan says: of
// two labels one for every 62 bits of the number of perfect matchings, of k labels that by the numbers of edges of k -
// 2 of them. `by_label` has the counts, which were checked to add up to the number of all. Throws Unable where that is
// to be saved in a checkpoint, or shared by ranks.
MatchingResult count_matchings(GraphView graph, const MatchingOptions& options, Work* work = nullptr);

// Plans what count_matchings would do: runs nothing.
Plan plan_matchings(GraphView graph, const MatchingOptions& options, Work* work = nullptr);

}  // namespace matchcount
