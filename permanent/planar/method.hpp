#pragma once
// Gives the engine the planar method: Kasteleyn's Pfaffians, on CPUs and GPUs.

#include "permanent/method.hpp"

namespace matchcount {

// Takes planar blocks and grids on a torus, bipartite or not (permanent/planar/kasteleyn.hpp).
// Single matchings' entries are taken as they are held.
MethodVerbs planar_method();

// Says whether a block has no more edges than simple planar graphs.
bool may_be_planar(const AnyBlock& block);

}  // namespace matchcount
