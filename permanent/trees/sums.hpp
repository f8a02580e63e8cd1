#pragma once
// Sums over matchings along a tree decomposition, in integers or in double-doubles with exponents: over all, or for
// every edge over those that contain it; and random matchings.

#include <memory>
#include <vector>

#include "permanent/gaussian_integer.hpp"
#include "permanent/method.hpp"
#include "permanent/trees/program.hpp"

namespace matchcount {

// Sums up the products of the weights of the edges in a matching and of the vertices that it leaves unmatched; no
// `vertices`: perfect matchings alone. Throws as run.check() does.
Integer sum_along_tree(const TreeProgram& program, const std::vector<std::int64_t>& edges, const RunContext& run);
GaussianInteger sum_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                               const std::vector<GaussianInteger>& vertices, const RunContext& run);
// The same for every number of pairs, from 0 on, of weights without imaginary parts.
std::vector<Integer> sums_by_size_along_tree(const TreeProgram& program, const std::vector<GaussianInteger>& edges,
                                             const std::vector<GaussianInteger>& vertices, const RunContext& run);
// One sum with a proven bound on the error.
RealValue sum_along_tree(const TreeProgram& program, const std::vector<RealEntry>& edges, const RunContext& run);
ComplexValue sum_along_tree(const TreeProgram& program, const std::vector<ComplexEntry>& edges,
                            const std::vector<ComplexEntry>& vertices, bool is_real, const RunContext& run);

// Takes about four times the sum. Integers are exact; other numbers are double-doubles, each sum with its own bound.
// Throws as run.check() does.
AnyMarginals marginals_along_tree(const TreeProgram& program, const AnyBlock& block, const RunContext& run);

// Keeps the states of all bags, before and after each step. Requires real entries above 0. A sample walks from the root
// to the leaves and chooses what led to each state with a probability that is right to a relative 2^-50.
std::unique_ptr<PartSampler> sampler_along_tree(const TreeProgram& program, const AnyBlock& block,
                                                const RunContext& run);

}  // namespace matchcount
