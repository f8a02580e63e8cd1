#pragma once
// Compares values of one matrix that were computed in two ways.

#include "core/numbers/value.hpp"

namespace matchcount::bench {

// Returns whether two values of one matrix may both be right. The subtraction is allowed 2^-98 of the value.
bool agree(const Value& a, const Value& b);

// Returns whether the bits are the same: a value does not depend on how many devices or threads there are.
bool identical(const Value& a, const Value& b);

}  // namespace matchcount::bench
