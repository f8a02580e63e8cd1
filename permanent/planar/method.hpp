#pragma once
// Gives the engine the planar method: Kasteleyn's Pfaffians, on CPUs and GPUs.

#include "permanent/method.hpp"

namespace matchcount {

// Takes planar blocks and grids on a torus, bipartite or not (permanent/planar/kasteleyn.hpp).
MethodVerbs planar_method();

}  // namespace matchcount
