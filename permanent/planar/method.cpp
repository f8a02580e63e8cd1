#include "permanent/planar/method.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "permanent/planar/kasteleyn.hpp"

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

}  // namespace

MethodVerbs planar_method() { return {plan, cost, run_planar}; }

}  // namespace matchcount
