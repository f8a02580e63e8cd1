#pragma once
// Gives the engine the planar method: Kasteleyn's Pfaffians, on CPUs and GPUs.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks that are planar or lattices on other surfaces, bipartite or not (permanent/planar/kasteleyn.hpp), and
// blocks that a few edges keep from being planar (permanent/planar/nearly_planar.hpp).
// Single matchings' entries are taken as they are held.
MethodVerbs planar_method();

// Says whether a block has no more edges than planar graphs and those that are planar but for a few edges.
bool may_be_planar(const AnyBlock& block);

}  // namespace matchcount
