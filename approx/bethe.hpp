#pragma once
// Finds the Bethe permanent: a lower and an upper bound on the permanent, and the messages that guide the samplers.

#include "approx/bethe_bracket.hpp"
#include "approx/problem.hpp"
#include "core/run.hpp"

namespace matchcount {

// Propagates beliefs from the messages given, to a fixed point or for most_rounds rounds: all rows, then all columns.
// Leaves problem.message there. Returns the rounds made. O(edges) a round. Every vertex needs 2 edges or more.
int propagate(Problem& problem, int most_rounds, const RunContext& run);

// Returns the Bethe approximation of log permanent at the messages as they are: second-order near the fixed point, no
// bound.
double log_bethe_at_messages(const Problem& problem);

// O(edges) a round of scaling.
BetheBracket bethe_bracket(const Problem& problem, const RunContext& run);

}  // namespace matchcount
