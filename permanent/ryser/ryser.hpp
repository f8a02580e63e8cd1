#pragma once
// Finds permanents by inclusion-exclusion: 2^(n-2) subsets or fewer, for dense matrices with n up to about 60.
//
// With x_i = a_in - (sum_j a_ij)/2 the formula of Ryser (1963) in the form of Nijenhuis and Wilf (1978) is
//   perm(A) = (-1)^(n-1) 2 sum over S of [n-1] of (-1)^|S| prod_i (x_i + sum_{j in S} a_ij).
// Ours improves on it threefold: a special column that is expanded by a pair (F0, F1) instead of enumerated, products
// that are staged along the tree of subsets so that a row is multiplied in only after it changed, and subtrees that a
// final zero row sum kills are skipped.

#include <cstdint>
#include <vector>

#include "core/numbers/value.hpp"
#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// The variants of the field are methods of their own, so that they can be compared: ryser, Nijenhuis-Wilf in Gray-code
// order, n products a subset, nothing skipped; sparyser, the same, sums updated where entries are, columns of few
// entries switched most often, and leaves (on a CPU: blocks of 4 or 8) with a zero row sum not multiplied (Kaya 2019,
// doi:10.3906/elk-1904-135); skipper, no special column, but zero skipping (Kaya 2019's SkipPer, at every level) on the
// staged walk that it needs; and staged, with all three.

// The order in which the subsets are walked, chosen before any work; a function of the matrix and the seed alone.
struct RyserPlan {
  Method variant = Method::staged;
  bool transposed = false;            // rows and columns swapped, where that is cheaper
  Vertex special_column = unmatched;  // expanded by (F0, F1); unmatched: none
  Vertex fixed_column = 0;            // always in the set
  std::vector<Vertex> bit_column;     // bit_column[b]: the column that Gray bit b switches, low bits first
  std::vector<Vertex> stage_of_row;   // the lowest bit that touches the row; bit_column.size(): none does
  double operations_per_leaf = 0;     // sum over bits m of (rows touched by m / 2 + rows of stage m) / 2^m, weighted
  double log2_leaves = 0;
  // The shares of the operations and of the leaves that zero skipping leaves if all entries are 1, estimated from
  // random subsets.
  double operations_with_skipping = 0;
  double visited_leaves = 1;
};
RyserPlan plan_ryser(const BipartiteGraph& pattern, Method variant, std::uint64_t seed);

// Computes the permanent of a block, exactly: residues modulo primes just below 2^50 in double arithmetic with fused
// multiply-adds, eight chunks of subsets side by side in vector lanes, as many primes as log2_sum_bound asks for
// in one pass, and the Chinese remainder theorem. Throws Unable when n > 62, and as run.check() does.
Integer permanent_ryser(const Block<std::int64_t>& block, const RyserPlan& plan, const RunContext& run);

// The same for reals and complex numbers, in the arithmetic asked for, with a proven bound on the error: the sum of
// |terms| is carried beside the sum. Requires entries scaled to magnitudes near 1 (maximum_product_scaling).
// The value does not depend on the number of threads.
RealValue permanent_ryser(const Block<RealEntry>& block, const RyserPlan& plan, Precision precision,
                          const RunContext& run);
ComplexValue permanent_ryser(const Block<ComplexEntry>& block, const RyserPlan& plan, Precision precision,
                             const RunContext& run);

// Predicts the seconds of permanent_ryser: on the machine where the constants were measured (ryser_plan.cpp says
// which), with nothing else running; a planner scales them to its own. `num_primes` counts for integers (kind none: all
// ones), `precision` for reals and complex numbers. Zeros that are skipped are counted on for integers only, as if all
// entries were 1.
double ryser_seconds(const RyserPlan& plan, WeightKind kind, Precision precision, int num_primes, Isa isa,
                     int num_threads);

}  // namespace matchcount
