#pragma once
// Sums over matchings along a tree decomposition, in integers or in double-doubles with exponents.

#include <vector>

#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/gaussian_integer.hpp"
#include "permanent/trees/program.hpp"

namespace matchcount {

// How often a term is rounded on its way to the sum, and log2 of what that, and the entries' own errors, come to in
// relation to the sum over the magnitudes.
double roundings(const TreeProgram& program);
double log2_relative_error(const TreeProgram& program, double roundings, bool is_real);

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

}  // namespace matchcount
