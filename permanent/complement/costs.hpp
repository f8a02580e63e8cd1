#pragma once
// Holds what the method `complement` costs: seconds of one thread of the machine of the cost models. Sums of what is
// left by size are those of frontier/ and trees/. `matchcount-bench fit complement` finds them anew.

namespace matchcount::complement_costs {

// Two integers' product and its sum (derangements and cocktail parties of 1,000 pairs).
inline constexpr double integer_s = 6e-8;
// The last sum, and a number of it for each line.
inline constexpr double count_s = 1e-5, line_s = 5e-7;
// Marginals: a sum beyond its count, and an edge between components, by the number of pairs.
inline constexpr double sum_s = 5e-4, edge_s = 3e-7, pair_s = 2e-7;
// A cell that is drawn, of a sample.
inline constexpr double cell_s = 5e-8;
// An edge of the frontier method's first order of what is left.
inline constexpr double first_order_s = 3e-6;
// Trees are looked for, and samples drawn, where sums take longer and samples less.
inline constexpr double worth_trees_s = 2e-3, most_sample_s = 0.01;

}  // namespace matchcount::complement_costs
