#pragma once
// Gives the engine the sum by classes of vertices that nothing to come tells apart.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks of integers of up to 63 bits, and of reals that are such times powers of two.
MethodVerbs classes_method();

}  // namespace matchcount
