#pragma once
// Sums up a graph's perfect matchings along steps of classes: modulo primes of 31 bits, or those with each edge; and
// draws perfect matchings.

#include <cstddef>
#include <memory>

#include "permanent/block_marginals.hpp"
#include "permanent/classes/class_steps.hpp"

namespace matchcount {

// The sum, whose absolute value is at most 2^log2_bound. Groups of primes are pieces of run.work(), named after
// run.part(). Throws as run.check() does.
Integer sum_by_classes(const ClassSteps& steps, double log2_bound, const RunContext& run);

// Predicts the cost of that on so many threads.
struct ClassCost {
  double seconds = 0, memory_bytes = 0;
  std::size_t primes = 0;
};
ClassCost cost_by_classes(const ClassSteps& steps, double log2_bound, int num_threads);

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
