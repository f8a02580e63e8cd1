#pragma once
// Finds for every edge of a block the sum over the perfect matchings that contain it, and draws perfect matchings,
// along a tree decomposition.

#include <memory>

#include "permanent/method.hpp"
#include "permanent/trees/program.hpp"

namespace matchcount {

// Takes about four times the sum. Integers are exact; other numbers are double-doubles, each sum with its own bound.
// Throws as run.check() does.
AnyMarginals marginals_along_tree(const TreeProgram& program, const AnyBlock& block, const RunContext& run);

// Keeps the states of all bags, before and after each step. Requires real entries above 0. A sample walks from the root
// to the leaves and chooses what led to each state with a probability that is right to a relative 2^-50.
std::unique_ptr<PartSampler> sampler_along_tree(const TreeProgram& program, const AnyBlock& block,
                                                const RunContext& run);

}  // namespace matchcount
