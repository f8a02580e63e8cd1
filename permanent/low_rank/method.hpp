#pragma once
// Gives the engine permanents of matrices of low rank.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks with sides, of integers of up to 63 bits, and of reals that are such times a power of two.
MethodVerbs low_rank_method();

}  // namespace matchcount
