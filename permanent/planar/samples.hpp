#pragma once
// Draws perfect matchings of planar graphs, and of graphs in other surfaces, along a dissection: at a node each vertex
// is matched along an edge of the node or given to the subtree of a child, by probabilities that are entries of the
// inverse of a front of Kasteleyn's matrix; then the subtrees are independent of each other. After Wilson (1997,
// "Determinant algorithms for random planar structures"), who decides the edges of a separator; here what children left
// over in an elimination takes the place of their inner vertices. A surface is cut first
// (permanent/planar/surface_cut.hpp), and what the vertices of the cut do is drawn by all Pfaffians together.

#include <memory>

#include "core/run.hpp"
#include "matching/reduce.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {

// Probabilities are proportional to the products of entries. The elimination is done once, in double-doubles with
// proven bounds; a sample takes about as many operations in doubles. From the errors of all that its choices were made
// of it is bounded, to first order, how far a sample's own probability is off: by at most a relative 2^-20. A node of
// the dissection where that takes more digits is drawn in double-doubles or, after another elimination, in numbers of
// 256 or 640 bits. Entries of planar graphs are balanced first: where an Aztec diamond of order 100 is frozen the
// inverse's entries are as large as 10^43, and double-doubles do once its entries are balanced.
//
// Entries are above 0, and are scaled (matching/scaled_entries.hpp). Throws InputError for entries or a plan that don't
// fit, OverLimit where what is kept of the elimination passes run.memory_limit_bytes(), and as run.check() does; draws
// throw Unable where no numbers are long enough, and OverLimit where longer ones do not fit into memory. They are the
// same on any number of threads. `run` outlives this.
std::unique_ptr<PartSampler> planar_sampler(GraphBlock<RealEntry> block, KasteleynPlan plan, const RunContext& run);

// Seconds on the machine that the planner's constants were measured on, and bytes.
struct PlanarSamplesCost {
  double elimination_s = 0, sample_s = 0;
  double memory_bytes = 0;
};
PlanarSamplesCost samples_kasteleyn_cost(const UndirectedGraph& graph, const KasteleynPlan& plan, int num_threads = 1);

}  // namespace matchcount
