#pragma once
// Gives the engine inclusion-exclusion in its variants, on CPUs and GPUs.

#include "permanent/method.hpp"

namespace matchcount {

// Methods staged, skipper, ryser and sparyser. Takes bipartite blocks of up to 62 rows.
MethodVerbs ryser_method();

// Seconds of the staged method on one thread for a dense block of n rows, which is the most that one of n rows takes;
// infinity where n is too large. A function of its arguments alone, not of this machine.
double most_seconds_of_ryser(Vertex n, const NumberType& number);

}  // namespace matchcount
