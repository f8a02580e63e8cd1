#pragma once
// Finds the Pfaffian of a matrix with a cyclic symmetry as the product of many small determinants: of a torus of 256 x
// 256 vertices 256 of 128 rows and columns.

#include <optional>

#include "permanent/planar/pfaffian.hpp"
#include "permanent/planar/symmetry.hpp"

namespace matchcount {

// Finds the symmetry of the entries of a graph on a surface, with so many primes for its integers; nothing where there
// is none that pays. O(edges).
std::optional<CyclicSymmetry> symmetry_of(const UndirectedGraph& graph, const EntryTable& table,
                                          const KasteleynPlan& plan, double log2_bound, const RunContext& run);

// Returns the multiplications and entries that the first Pfaffian takes modulo a prime, in parts by a symmetry; nothing
// where none is found.
std::optional<EliminationStructure> symmetric_structure(const UndirectedGraph& graph, const EntryTable& table,
                                                        const KasteleynPlan& plan, double log2_bound,
                                                        const RunContext& run);

// Returns what pfaffian() does; nothing where the matrix is not the same after the symmetry, up to signs of vertices.
std::optional<GaussianInteger> symmetric_pfaffian(const PfaffianProblem& problem, const CyclicSymmetry& symmetry,
                                                  const std::vector<std::int8_t>& orientation,
                                                  const KasteleynPlan& plan, const RunContext& run);

}  // namespace matchcount
