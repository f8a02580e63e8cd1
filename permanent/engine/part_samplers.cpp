#include "permanent/engine/part_samplers.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/planar/samples.hpp"
#include "permanent/ryser/sampler.hpp"

namespace matchcount {
namespace {

// Layers that take less draw samples in microseconds each; the planar method takes milliseconds for each.
constexpr double layers_s = 0.5;
// A planar graph whose scaled entries are further apart than that is left to the frontier method.
constexpr double least_planar_entry = 0x1p-200;
// Layers of more than this, at one time, are not kept for samples: inclusion-exclusion draws them where it applies and
// a sample takes it less time. No limit, so that samples do not depend on one.
constexpr double most_bytes_of_layers = 4e9;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Graph>
std::vector<RealEntry> scaled_entries_of_part(const CoveredGraph& graph, std::size_t part, const Graph& pattern,
                                              const RunContext& run) {
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph.entries);
  std::vector<RealEntry> mine = integers ? as_reals(graph.entries_of_part(part, *integers))
                                         : graph.entries_of_part(part, std::get<std::vector<RealEntry>>(graph.entries));
  scale_entries(pattern, mine, run);
  return mine;
}

// What draws from a part: by an order, a planar plan with its block, or minors.
struct SamplerChoice {
  Method method = Method::frontier;
  FrontierOrder order;
  std::optional<KasteleynPlan> plan;
  GraphBlock<RealEntry> block;
  PartNeeds needs;
  std::string what;  // it does, for people
};

// What every sample takes, beside what the first one waits for.
std::string per_sample(double seconds) {
  return time_amount(seconds) + " for each sample";
}

// Nothing where the part is not planar or its entries are too far apart. No limit decides that: what it takes to see it
// fits, or OverLimit is thrown.
std::optional<SamplerChoice> planar_choice(const CoveredGraph& graph, std::size_t part,
                                           const DistributionOptions& options, const RunContext& run) {
  if (!may_be_planar(graph.parts.parts[part])) return std::nullopt;
  require_planarity_bytes(graph.parts.parts[part], part, run);
  const UndirectedGraph pattern = graph.undirected(part);
  std::optional<KasteleynPlan> plan = plan_kasteleyn(pattern, options.run.seed, run);
  if (!plan || plan->torus) return std::nullopt;
  std::vector<RealEntry> entries = scaled_entries_of_part(graph, part, pattern, run);
  const auto too_small = [](const RealEntry& entry) { return entry.value.hi < least_planar_entry; };
  if (std::ranges::any_of(entries, too_small)) return std::nullopt;
  SamplerChoice choice;
  const PlanarSamplesCost cost = samples_kasteleyn_cost(*plan);
  choice.needs = {cost.elimination_s / run.num_threads() + cost.sample_s, cost.memory_bytes};
  choice.method = Method::planar;
  choice.what = "along a dissection, " + per_sample(cost.sample_s);
  choice.block = {pattern, std::move(entries)};
  choice.plan = std::move(plan);
  return choice;
}

SamplerChoice frontier_choice(const CoveredPart& part, const DistributionOptions& options, const OrderEffort& effort,
                              const RunContext& run) {
  SamplerChoice choice;
  choice.order = order_of_part(part, options, effort, run);
  choice.needs = frontier_needs(choice.order);
  choice.what = description_of(choice.order);
  return choice;
}

double seconds_by_minors(const CoveredPart& part, Isa isa, int num_threads) {
  const auto* pattern = std::get_if<BipartiteGraph>(&part.pattern);
  return pattern ? sample_ryser_seconds(pattern->num_rows(), isa, num_threads) : infinity;
}

SamplerChoice minors_choice(const CoveredGraph& graph, std::size_t part, const DistributionOptions& options,
                            const RunContext& run) {
  SamplerChoice choice;
  choice.method = Method::ryser;
  choice.needs.seconds =
      seconds_by_minors(graph.parts.parts[part], std::min(options.run.max_isa, detected_isa()), run.num_threads());
  if (choice.needs.seconds == infinity) {
    throw Unable("inclusion-exclusion does not apply: " + name_of_part(part) +
                 " has odd cycles, or more than 62 vertices on a side");
  }
  choice.what = "by minors, " + per_sample(choice.needs.seconds);
  return choice;
}

// Samples depend on the method and on the order of vertices: no limit changes these, nor what was asked before.
SamplerChoice choose(const CoveredGraph& graph, std::size_t part, const DistributionOptions& options,
                     const RunContext& run) {
  if (options.method == Method::ryser) return minors_choice(graph, part, options, run);
  if (options.method == Method::planar) {
    if (auto planar = planar_choice(graph, part, options, run)) return *std::move(planar);
    throw Unable("the planar method does not apply: " + name_of_part(part) +
                 " is not planar, or its weights are too far apart");
  }
  const CoveredPart& given = graph.parts.parts[part];
  OrderEffort effort;
  effort.seconds = options.effort_s;
  if (options.method == Method::frontier) return frontier_choice(given, options, effort, run);
  if (may_be_planar(given)) {
    OrderEffort less = effort;
    less.useful_log2_transitions = log2_transitions_in(layers_s);
    SamplerChoice frontier = frontier_choice(given, options, less, run);
    if (frontier.needs.seconds <= layers_s) return frontier;
    if (auto planar = planar_choice(graph, part, options, run)) return *std::move(planar);
  }
  SamplerChoice frontier = frontier_choice(given, options, effort, run);
  const bool by_minors = frontier.needs.memory_bytes > most_bytes_of_layers &&
                         seconds_by_minors(given, Isa::avx512, 1) < frontier.needs.seconds;
  return by_minors ? minors_choice(graph, part, options, run) : frontier;
}

std::unique_ptr<PartSampler> sampler_of(const Block<RealEntry>& block, const SamplerChoice& choice,
                                         FrontierEngine engine, const RunContext& run) {
  if (choice.method == Method::ryser) return std::make_unique<RyserSampler>(block, run);
  return std::make_unique<FrontierSampler>(block, choice.order, engine, run);
}
std::unique_ptr<PartSampler> sampler_of(const GraphBlock<RealEntry>& block, const SamplerChoice& choice,
                                         FrontierEngine engine, const RunContext& run) {
  return std::make_unique<FrontierSampler>(block, choice.order, engine, run);
}

}  // namespace

void require_positive(const CoveredGraph& graph) {
  if (graph.positive) return;
  throw InputError(std::holds_alternative<std::vector<ComplexEntry>>(graph.entries) ? "complex weights"
                                                                                    : "a weight that is negative",
                   "weights above 0: no probability is in proportion to others");
}

Forecast sampler_forecast(const CoveredGraph& graph, std::size_t part, const DistributionOptions& options,
                          const RunContext& run) {
  const SamplerChoice choice = choose(graph, part, options, run);
  return forecast_of(choice.method, choice.needs, choice.what);
}

std::vector<std::unique_ptr<PartSampler>> make_samplers(const CoveredGraph& graph, const DistributionOptions& options,
                                                         const RunContext& run) {
  std::vector<SamplerChoice> chosen;
  double seconds = 0;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    chosen.push_back(choose(graph, i, options, run));
    require_affordable(chosen.back().needs, seconds, run);
    seconds += chosen.back().needs.seconds;
  }
  std::vector<std::unique_ptr<PartSampler>> samplers;
  for (std::size_t i = 0; i < graph.num_parts(); ++i) {
    if (chosen[i].method == Method::planar) {
      samplers.push_back(std::make_unique<PlanarSampler>(std::move(chosen[i].block), *std::move(chosen[i].plan), run));
      continue;
    }
    std::visit(
        [&](const auto& pattern) {
          samplers.push_back(sampler_of(block_with(pattern, scaled_entries_of_part(graph, i, pattern, run)), chosen[i],
                                        options.frontier_engine, run));
        },
        graph.parts.parts[i].pattern);
  }
  return samplers;
}

}  // namespace matchcount
