#pragma once
// Holds what a walk over classes of vertices costs: seconds of one thread of the machine of the cost models.
// `matchcount-bench fit classes` finds them anew.

namespace matchcount::classes_costs {

// A transition, a prime in it, and a step.
inline constexpr double transition_s = 1e-7, lane_s = 4e-9, step_s = 2e-6;
// Marginals and samples: an integer's or a real's share in a transition, and a word of integers.
inline constexpr double number_s = 2e-7, word_s = 1e-10;

}  // namespace matchcount::classes_costs
