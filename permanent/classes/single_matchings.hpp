#pragma once
// Finds for every edge the sum over the perfect matchings that contain it, and draws perfect matchings, along steps of
// classes.

#include <memory>

#include "permanent/block_marginals.hpp"
#include "permanent/classes/class_steps.hpp"

namespace matchcount {

// Numbers as a vertex the first processed one of those whose weights are in proportion to its own: edges between such
// vertices have equal sums.
std::vector<Vertex> first_alike(const ClassGraph& graph, const ClassSteps& steps);

// Takes two passes over all states, and one more over those behind it for each vertex that is the first of its kind.
// Sums are by edge id, below num_edges. Throws as run.check() does.
BlockMarginals<Integer> marginals_by_classes(const ClassGraph& graph, const ClassSteps& steps, std::size_t num_edges,
                                             const RunContext& run);

// Keeps all states. Requires weights above 0. A sample takes a step's successor, and one of the members of a class that
// are free, with probabilities that are right to a relative 2^-50.
std::unique_ptr<PartSampler> sampler_by_classes(const ClassGraph& graph, const ClassSteps& steps,
                                                const RunContext& run);

}  // namespace matchcount
