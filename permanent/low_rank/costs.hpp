#pragma once
// Holds what sums over monomials cost: seconds of one thread of the machine of the cost models. `matchcount-bench fit
// low_rank` finds them anew.

namespace matchcount::low_rank_costs {

// A multiplication modulo a prime, and a count.
inline constexpr double multiplication_s = 5.5e-9, count_s = 1e-4;
// Ranks are looked for while the sum takes no more than this, or less than another method, but for a moment.
inline constexpr double most_s = 1e6, a_moment_s = 0.01;

}  // namespace matchcount::low_rank_costs
