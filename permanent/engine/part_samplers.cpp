#include "permanent/engine/part_samplers.hpp"

#include <utility>

#include "matching/scaled_entries.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/frontier/marginals.hpp"

namespace matchcount {

std::vector<std::unique_ptr<BlockSampler>> make_samplers(const CoveredGraph& graph, const DistributionOptions& options,
                                                         const RunContext& run) {
  // Samples depend on the order of vertices: no limit changes it, nor what was asked before.
  OrderEffort effort;
  effort.seconds = options.effort_s;
  std::vector<FrontierOrder> order;
  double seconds = 0;
  for (const CoveredPart& part : graph.parts.parts) {
    order.push_back(order_of_part(part, options, effort, run));
    const PartNeeds needs = frontier_needs(order.back());
    require_affordable(needs, seconds, run);
    seconds += needs.seconds;
  }
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.entries);
  const std::vector<RealEntry> all = integers ? as_reals(*integers) : std::get<std::vector<RealEntry>>(graph.entries);
  std::vector<std::unique_ptr<BlockSampler>> samplers;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    std::visit(
        [&](const auto& pattern) {
          std::vector<RealEntry> mine = graph.entries_of_part(i, all);
          scale_entries(pattern, mine, run);
          samplers.push_back(std::make_unique<FrontierSampler>(block_with(pattern, std::move(mine)), order[i],
                                                               options.frontier_engine, run));
        },
        graph.parts.parts[i].pattern);
  }
  return samplers;
}

}  // namespace matchcount
