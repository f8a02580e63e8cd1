#include "permanent/engine/part_samplers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/ryser/sampler.hpp"

namespace matchcount {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Layers of more than this, at one time, are not kept for samples: inclusion-exclusion draws them where it applies and
// a sample takes it less time. No limit, so that samples do not depend on one.
constexpr double most_bytes_of_layers = 4e9;

// What draws from a part.
struct SamplerChoice {
  Method method = Method::frontier;
  FrontierOrder order;
  PartNeeds needs;
};

SamplerChoice choose(const CoveredGraph& graph, std::size_t i, const DistributionOptions& options,
                     const RunContext& run) {
  const CoveredPart& part = graph.parts.parts[i];
  SamplerChoice choice;
  const auto* pattern = std::get_if<BipartiteGraph>(&part.pattern);
  const auto seconds_by_minors = [&](Isa isa, int num_threads) {
    return pattern ? sample_ryser_seconds(pattern->num_rows(), isa, num_threads) : infinity;
  };
  if (options.method != Method::ryser) {
    OrderEffort effort;
    effort.seconds = options.effort_s;
    choice.order = order_of_part(part, options, effort, run);
    choice.needs = frontier_needs(choice.order);
    const bool by_minors = options.method == Method::automatic && choice.needs.memory_bytes > most_bytes_of_layers &&
                           seconds_by_minors(Isa::avx512, 1) < choice.needs.seconds;
    if (!by_minors) return choice;
  }
  choice = {
      Method::ryser, {}, {seconds_by_minors(std::min(options.run.max_isa, detected_isa()), run.num_threads()), 0}};
  if (choice.needs.seconds == infinity) {
    throw Unable("inclusion-exclusion does not apply: " + name_of_part(i) +
                 " has odd cycles, or more than 62 vertices on a side");
  }
  return choice;
}

std::unique_ptr<BlockSampler> sampler_of(const Block<RealEntry>& block, const SamplerChoice& choice,
                                         FrontierEngine engine, const RunContext& run) {
  if (choice.method == Method::ryser) return std::make_unique<RyserSampler>(block, run);
  return std::make_unique<FrontierSampler>(block, choice.order, engine, run);
}
std::unique_ptr<BlockSampler> sampler_of(const GraphBlock<RealEntry>& block, const SamplerChoice& choice,
                                         FrontierEngine engine, const RunContext& run) {
  return std::make_unique<FrontierSampler>(block, choice.order, engine, run);
}

}  // namespace

std::vector<std::unique_ptr<BlockSampler>> make_samplers(const CoveredGraph& graph, const DistributionOptions& options,
                                                         const RunContext& run) {
  // Samples depend on the method and on the order of vertices: no limit changes these, nor what was asked before.
  std::vector<SamplerChoice> chosen;
  double seconds = 0;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    chosen.push_back(choose(graph, i, options, run));
    require_affordable(chosen.back().needs, seconds, run);
    seconds += chosen.back().needs.seconds;
  }
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.entries);
  const std::vector<RealEntry> all = integers ? as_reals(*integers) : std::get<std::vector<RealEntry>>(graph.entries);
  std::vector<std::unique_ptr<BlockSampler>> samplers;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    std::visit(
        [&](const auto& pattern) {
          std::vector<RealEntry> mine = graph.entries_of_part(i, all);
          scale_entries(pattern, mine, run);
          samplers.push_back(sampler_of(block_with(pattern, std::move(mine)), chosen[i], options.frontier_engine, run));
        },
        graph.parts.parts[i].pattern);
  }
  return samplers;
}

}  // namespace matchcount
