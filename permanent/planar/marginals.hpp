#pragma once
// Finds for every edge of a planar graph, or of one in another surface, the sum over the perfect matchings that contain
// it: with K Kasteleyn's signed matrix it is the part K_uv (K^-1)_vu of a Pfaffian (Kenyon 1997,
// doi:10.1016/S0246-0203(97)80106-9). The entries of the inverse at edges are found along the dissection, modulo
// primes, for about five eliminations.

#include <cstdint>
#include <optional>

#include "core/numbers/integer.hpp"
#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// Exactly. Nothing where the hafnian is 0, or where a Pfaffian of a surface is and stays so with another entry of an
// edge, so that there is no inverse. Throws InputError for entries or a plan that don't fit, OverLimit where the
// residues of all edges pass run.memory_limit_bytes(), and as run.check() does. The same on any number of threads.
std::optional<BlockMarginals<Integer>> marginals_kasteleyn(const GraphBlock<std::int64_t>& block,
                                                           const KasteleynPlan& plan, const RunContext& run);

// The same of reals that are not negative, which become integers as for hafnian_kasteleyn. Every sum, however small a
// part of the total, is right to a relative 2^-44, and to 2^-50 of the total, and as far as the reals are, a relative
// 2^-100 times the edges of a matching. Large graphs take as many primes for the total alone: shares are then found in
// double-doubles, with bounds that are proven on the way, and by residues only where these are worse than that.
std::optional<BlockMarginals<RealValue>> marginals_kasteleyn(const GraphBlock<RealEntry>& block,
                                                             const KasteleynPlan& plan, const RunContext& run);

// Seconds on the machine that the planner's constants were measured on, and bytes. Not exact: of reals.
struct PlanarMarginalsCost {
  double seconds = 0, memory_bytes = 0;
};
PlanarMarginalsCost marginals_kasteleyn_cost(const KasteleynPlan& plan, double num_edges, double log2_bound, bool exact,
                                             int num_threads);

}  // namespace matchcount
