#pragma once
// Answers questions about sums over matchings: the one entrance of the public functions that count.

#include "permanent/engine/question.hpp"

namespace matchcount {

// Throws as matchcount/count.hpp, matchcount/matchings.hpp and matchcount/optimal_matchings.hpp say. `work`: shared
// with other ranks or saved in a checkpoint (core/work.hpp); null: neither.
MatchingResult answer(const Question& question, Work* work = nullptr);

// What answer would do: runs nothing, and is not held to the time limit.
Plan plan_answer(const Question& question, Work* work = nullptr);

}  // namespace matchcount
