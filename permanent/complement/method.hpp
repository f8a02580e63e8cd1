#pragma once
// Gives the engine the sum by complements, for dense blocks that are nearly of rank one.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks of integers and reals.
MethodVerbs complement_method();

}  // namespace matchcount
