#pragma once
// Finds the Bethe permanent: a lower and an upper bound on the permanent, and the messages that guide the samplers.

#include "approx/bethe_bracket.hpp"
#include "approx/problem.hpp"
#include "core/run.hpp"

namespace matchcount {

// Walks begin with messages of this answered share. With 1 populations said 6.02 to 6.14 of a cycle of 32 vertices
// whose matchings weigh 4 and 3, with 0.98 and 0.95 6.92 to 7.07; samples of grids, cubes, kings' graphs, random cubic
// graphs and public matrices vary as much with 0.9 to 1.
constexpr double guiding_share = 0.95;

// Propagates beliefs from the messages given, to a fixed point or for most_rounds rounds: all rows, then all columns.
// Leaves problem.message there. Returns the rounds made. O(edges) a round. Every vertex needs 2 edges or more. A vertex
// leaves the answered share of a message out of the sum when it answers it: 1 is belief propagation, which may become
// certain (of the heavier one of a cycle's two matchings), less keeps all beliefs between 0 and 1.
int propagate(Problem& problem, int most_rounds, const RunContext& run, double answered_share = 1);

// O(edges) a round of scaling.
BetheBracket bethe_bracket(const Problem& problem, const RunContext& run);

}  // namespace matchcount
