#pragma once
// Counts the maximum matchings of a connected graph as perfect matchings of a larger one, by any method.
//
// With d new vertices, joined to all that may stay unmatched by edges of weight 1, every matching that leaves d of
// those out is completed to a perfect one in d! ways.

#include "permanent/engine/matching_parts.hpp"

namespace matchcount {

// Says whether a part can be counted so: by few new vertices, its weights being numbers that graphs have.
bool can_be_completed(const MatchingPart& part, const Question& question);

// Finds the sum over matchings that leave part.question.unmatched.most vertices out, or plans that.
Result count_completed(const MatchingPart& part, const Question& question, const RunContext& run, Until until);

// Returns the most expensive forecast of the completed graph's blocks, for all of them.
Forecast forecast_of_completed(const Plan& plan, const MatchingPart& part);

// Divides a sum, with its bound. Throws Error for an integer that is not a multiple.
void divide(Value& value, const Integer& divisor);

}  // namespace matchcount
