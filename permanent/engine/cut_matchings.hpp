#pragma once
// Answers questions about the single matchings of a block by its cuts: what holds of the rest, of new edges among it,
// is what holds of the pieces that these stand for.

#include <memory>

#include "permanent/block_marginals.hpp"
#include "permanent/engine/cut_sums.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// The sums over the perfect matchings with each edge. Of integers and reals that are not negative. Throws as
// Distribution does, and Unable where integers in the place of pieces pass 64 bits.
template <class Entry>
BlockMarginals<BlockValue<Entry>> marginals_by_cuts(const CutPlan& plan, const std::vector<Entry>& entries,
                                                    const CountOptions& options, const RunContext& run);

// Draws matchings of the rest, then of every piece. Entries are not negative. The run outlives the sampler.
std::unique_ptr<PartSampler> sampler_by_cuts(std::shared_ptr<const CutPlan> plan, const std::vector<RealEntry>& entries,
                                             const CountOptions& options, const RunContext& run);

// Plans either for a part: integers if it has no weights, else reals, whatever they are.
Plan plan_of_part(const UndirectedGraph& graph, bool of_samples, const CountOptions& options, const RunContext& run);

}  // namespace matchcount
