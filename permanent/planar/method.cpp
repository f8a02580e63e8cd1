#include "permanent/planar/method.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "permanent/planar/marginals.hpp"
#include "permanent/planar/samples.hpp"

namespace matchcount {
namespace {

struct PlanarPlan : MethodPlan {
  explicit PlanarPlan(KasteleynPlan found) : plan(std::move(found)) {}
  KasteleynPlan plan;
};

double vertices_and_edges(const BlockPattern& pattern) {
  return pattern.general ? 1.0 * pattern.general->num_vertices() + static_cast<double>(pattern.general->num_edges())
                         : 1.0 * pattern.bipartite->num_rows() + pattern.bipartite->num_columns() +
                               static_cast<double>(pattern.bipartite->num_edges());
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  const BlockPattern pattern = pattern_of(request.block);
  constexpr double too_little_to_refuse = 50e6;
  const double bytes = embedding_bytes(vertices_and_edges(pattern));
  if (bytes > too_little_to_refuse && !run.has_memory_for(bytes)) {
    return {nullptr, "to see whether it is planar would take " + memory_amount(bytes)};
  }
  const std::uint64_t seed = request.options.run.seed;
  auto found = pattern.general ? plan_kasteleyn(*pattern.general, seed, run)
                               : plan_kasteleyn(UndirectedGraph::from_bipartite(*pattern.bipartite), seed, run);
  if (!found) return {nullptr, "not planar"};
  return {std::make_shared<PlanarPlan>(std::move(*found)), {}};
}

KasteleynSizes sizes(const AnyBlock& block, const KasteleynPlan& plan, const NumberType& number) {
  const Precision precision = number.exact ? Precision::exact : number.precision;
  return std::visit(
      [&](const auto* given) {
        using Entry = typename std::decay_t<decltype(given->entries)>::value_type;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return KasteleynSizes{number.log2_bound};
        } else {
          return kasteleyn_sizes(as_graph(*given), plan, precision);
        }
      },
      block);
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType& number,
                         const Machine& machine) {
  const KasteleynPlan& plan = static_cast<const PlanarPlan&>(given).plan;
  const bool on_gpu = !machine.gpus.empty();
  if (on_gpu && !kasteleyn_runs_on(machine.gpus)) return std::nullopt;
  const KasteleynSizes found = sizes(block, plan, number);
  const KasteleynCost kasteleyn =
      on_gpu ? kasteleyn_cost(plan, found, machine.gpus, machine.num_ranks)
             : kasteleyn_cost(plan, found, machine.isa, machine.num_threads, machine.num_ranks);
  constexpr double overhead_s = 1e-4;
  const double multiplications = std::max(plan.structure.multiplications, 1.0);
  std::ostringstream text;
  if (on_gpu) text << on_gpus(machine);
  if (plan.torus) text << "four Pfaffians on a torus, ";
  text << two_to(std::log2(multiplications)) << " multiplications modulo each of at most " << std::fixed
       << std::setprecision(0) << kasteleyn.num_primes << (kasteleyn.num_primes == 1 ? " prime" : " primes");
  return Cost{std::log2(multiplications * kasteleyn.num_primes), kasteleyn.seconds + (on_gpu ? 0 : overhead_s),
              kasteleyn.memory_bytes, text.str()};
}

Value run_planar(const RunRequest& request, const RunContext& run) {
  const KasteleynPlan& plan = static_cast<const PlanarPlan&>(request.plan).plan;
  return std::visit(
      [&](const auto* block) -> Value {
        using Entry = typename std::decay_t<decltype(block->entries)>::value_type;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return hafnian_kasteleyn(as_graph(*block), plan, run, request.gpus);
        } else {
          return hafnian_kasteleyn(as_graph(*block), plan, request.precision, run, request.gpus);
        }
      },
      request.block);
}

// ---- Single matchings.

// Null where the block is not planar. Throws OverLimit, with the bytes, where there is no memory to see that.
std::shared_ptr<const KasteleynPlan> plan_in_plane(const PlanRequest& request, const RunContext& run) {
  if (!may_be_planar(request.block)) return nullptr;
  const BlockPattern pattern = pattern_of(request.block);
  const double bytes = embedding_bytes(vertices_and_edges(pattern));
  if (!run.has_memory_for(bytes)) {
    throw OverLimit("to see whether " + run.part() + " is planar would take " + memory_amount(bytes) +
                        "; the memory limit is " + memory_amount(static_cast<double>(run.memory_limit_bytes())),
                    0, bytes);
  }
  const UndirectedGraph graph =
      pattern.general ? *pattern.general : UndirectedGraph::from_bipartite(*pattern.bipartite);
  auto found = plan_kasteleyn(graph, request.options.run.seed, run);
  if (!found || found->torus) return nullptr;
  return std::make_shared<const KasteleynPlan>(std::move(*found));
}

double magnitude_of(std::int64_t entry) { return std::fabs(static_cast<double>(entry)); }
double magnitude_of(const RealEntry& entry) { return std::fabs(entry.value.hi); }
double magnitude_of(const ComplexEntry&) { return 1; }

MarginalsWay marginals(const PlanRequest& request, const RunContext& run) {
  MarginalsWay way;
  const NumberType& number = request.number;
  const bool has_numbers =
      number.kind == WeightKind::integer || (number.kind == WeightKind::real && number.nonnegative);
  const auto plan = has_numbers ? plan_in_plane(request, run) : nullptr;
  if (!plan) {
    way.why_not = "is not planar, or has complex or negative reals";
    return way;
  }
  std::visit(
      [&](const auto* block) {
        constexpr double bits_of_real = 104;
        const auto& graph = as_graph(*block);
        const bool is_integer = number.kind == WeightKind::integer;
        std::vector<double> magnitudes;
        for (const auto& entry : block->entries) magnitudes.push_back(is_integer ? magnitude_of(entry) : 1);
        const double bits_of_matching = is_integer ? 0 : bits_of_real * graph.pattern.num_vertices() / 2.0;
        const PlanarMarginalsCost cost = marginals_kasteleyn_cost(
            *plan, static_cast<double>(magnitudes.size()),
            log2_kasteleyn_bound(graph.pattern, magnitudes, *plan) + bits_of_matching, number.exact, run.num_threads());
        way.cost = {0, cost.seconds, cost.memory_bytes, "inverse of Kasteleyn's matrix along a dissection"};
      },
      request.block);
  way.run = [plan](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::optional<AnyMarginals> {
          if constexpr (std::is_same_v<std::decay_t<decltype(block->entries)>, std::vector<ComplexEntry>>) {
            throw Error("planar marginals of complex numbers");
          } else {
            return marginals_kasteleyn(as_graph(*block), *plan, inner);
          }
        },
        given);
  };
  return way;
}

SamplerWay sampler(const PlanRequest& request, const RunContext& run) {
  // A graph whose scaled entries are further apart than that is left to others.
  constexpr double least_entry = 0x1p-200;
  SamplerWay way;
  way.why_not = "is not planar, or its weights are too far apart";
  const auto plan = plan_in_plane(request, run);
  if (!plan) return way;
  const auto scaled = std::make_shared<GraphBlock<RealEntry>>(std::visit(
      [](const auto* block) -> GraphBlock<RealEntry> {
        if constexpr (std::is_same_v<std::decay_t<decltype(block->entries)>, std::vector<RealEntry>>)
          return as_graph(*block);
        throw Error("samples of numbers that are not real");
      },
      request.block));
  scale_entries(scaled->pattern, scaled->entries, run);
  const auto too_small = [](const RealEntry& entry) { return entry.value.hi < least_entry; };
  if (std::ranges::any_of(scaled->entries, too_small)) return way;
  way.why_not.clear();
  const PlanarSamplesCost cost = samples_kasteleyn_cost(*plan);
  way.cost = {0, cost.elimination_s / run.num_threads() + cost.sample_s, cost.memory_bytes,
              "along a dissection, " + per_sample(cost.sample_s)};
  way.run = [plan, scaled](const AnyBlock&, const RunContext& inner) {
    return std::make_unique<PlanarSampler>(std::move(*scaled), *plan, inner);
  };
  return way;
}

}  // namespace

bool may_be_planar(const AnyBlock& block) {
  const BlockPattern pattern = pattern_of(block);
  return pattern.bipartite
             ? static_cast<double>(pattern.bipartite->num_edges()) <=
                   2 * (1.0 * pattern.bipartite->num_rows() + pattern.bipartite->num_columns()) - 4
             : static_cast<double>(pattern.general->num_edges()) <= 3.0 * pattern.general->num_vertices() - 6;
}

MethodVerbs planar_method() {
  return {.plan = plan, .cost = cost, .run = run_planar, .marginals = marginals, .sampler = sampler};
}

}  // namespace matchcount
