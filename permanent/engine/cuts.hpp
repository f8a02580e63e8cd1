#pragma once
// Gives the engine the way of cuts: pieces behind at most three vertices are summed up by themselves, by any method.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks on which pieces hang (permanent/engine/cut_plan.hpp): behind three vertices only where no entry is
// negative or complex, so that no sum of a piece cancels.
MethodVerbs cuts_method();

}  // namespace matchcount
