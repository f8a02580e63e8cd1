#pragma once
// Joins steps that are made at once, so that the layers between them are never written nor read.
//
// Each choice of the one is followed by each of the next, where the two agree. In a lattice a step makes a state of one
// and a half others, and three at once of 3.2, in place of 4.5, with a third of the layers: time goes by both.

#include <utility>
#include <vector>

#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"

namespace matchcount {

// One way through a step, or through all that are joined in it: what it asks of vertices of the frontier before, and
// what they are after it, matched or not. Its weight is the product of those of its moves, one for each single step.
struct JointMove {
  std::vector<std::pair<Vertex, bool>> before, after;
  std::vector<std::uint32_t> weights;
};
// Requires a step of perfect matchings, without twins.
std::vector<JointMove> joint_moves(const FrontierStep& step);

// Counts the pairs of an old state and a new one that is made of it, layers being full.
double transitions_of(const FrontierSteps& steps, const FrontierStep& step, const StateIndices& indices);

// Smaller layers take less than it takes to prepare a step of many choices.
constexpr double min_joined_states = 1 << 16;
// Joins those steps between layers of at least so many states of which that is predicted to be the quickest. Requires
// perfect matchings, without twins, and a width of at most max_dense_width.
FrontierSteps joined_steps(const FrontierSteps& steps, double min_states = min_joined_states);

}  // namespace matchcount
