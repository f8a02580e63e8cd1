#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "graph/generate.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/minors.hpp"
#include "permanent/ryser/ryser.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount {
namespace {

constexpr Vertex max_rows = 62;
// A driver and its contexts take so much memory of the host.
constexpr double gpu_host_bytes = 4e8;

struct SubsetPlan : MethodPlan {
  explicit SubsetPlan(RyserPlan found) : plan(std::move(found)) {}
  RyserPlan plan;
};

bool is_integer(const NumberType& number) {
  return number.kind == WeightKind::integer || number.kind == WeightKind::none;
}

int num_primes(const NumberType& number) {
  return std::max(1, static_cast<int>(std::ceil((number.log2_bound + 2) / 49.9)));
}

Planned plan(const PlanRequest& request, const RunContext&) {
  const BipartiteGraph* pattern = pattern_of(request.block).bipartite;
  if (!pattern) {
    return {nullptr, "the block has odd cycles; " + std::string(to_string(request.method)) + " takes bipartite ones"};
  }
  if (pattern->num_rows() > max_rows) {
    return {nullptr,
            std::to_string(pattern->num_rows()) + " rows; inclusion-exclusion takes " + std::to_string(max_rows)};
  }
  return {std::make_shared<SubsetPlan>(plan_ryser(*pattern, request.method, request.options.run.seed)), {}};
}

std::string subsets_text(double log2_subsets, double operations) {
  char text[64];
  std::snprintf(text, sizeof text, " subsets, %.3g operations each", operations);
  return two_to(log2_subsets) + text;
}

Cost cost_on_cpu(const RyserPlan& plan, const NumberType& number, const Machine& machine) {
  Cost cost;
  cost.log2_operations = plan.log2_leaves + std::log2(std::max(plan.operations_per_leaf, 1.0));
  cost.seconds =
      ryser_seconds(plan, number.kind, number.precision, num_primes(number), machine.isa, machine.num_threads) /
      machine.num_ranks;
  cost.memory_bytes = 2.5e5;
  cost.description = subsets_text(plan.log2_leaves, plan.operations_per_leaf);
  if (is_integer(number)) cost.description += ", " + std::to_string(num_primes(number)) + " primes";
  return cost;
}

Cost cost_on_gpus(const BipartiteGraph& pattern, const RyserPlan& plan, const NumberType& number,
                  const Machine& machine) {
  // A driver is here, but nothing that compiles for it; plans for assumed devices need neither.
  const bool is_here = std::ranges::any_of(machine.gpus, [](const DeviceInfo& gpu) { return gpu.driver_version != 0; });
  if (const std::string why_not = is_here ? why_no_kernel_compiler() : ""; !why_not.empty())
    return {0, infinity, 0, why_not};
  const GpuCost on_gpu = gpu_cost(pattern, plan, number.kind, number.precision, number.log2_bound, machine.gpus);
  return {on_gpu.log2_leaves + std::log2(std::max(on_gpu.operations_per_leaf, 1.0)), on_gpu.seconds / machine.num_ranks,
          gpu_host_bytes, on_gpus(machine) + subsets_text(on_gpu.log2_leaves, on_gpu.operations_per_leaf)};
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType& number,
                         const Machine& machine) {
  const RyserPlan& plan = static_cast<const SubsetPlan&>(given).plan;
  if (!machine.gpus.empty()) return cost_on_gpus(*pattern_of(block).bipartite, plan, number, machine);
  return cost_on_cpu(plan, number, machine);
}

double most_seconds(Vertex n, const NumberType& number) {
  if (n > max_rows) return infinity;
  RyserPlan dense;
  dense.operations_per_leaf = dense.operations_with_skipping = 3.0 * n;
  dense.stage_of_row.resize(n);
  dense.log2_leaves = n > 2 ? n - 2 : 0;
  return ryser_seconds(dense, number.kind, number.precision, num_primes(number), Isa::baseline, 1);
}

Value run_ryser(const RunRequest& request, const RunContext& run) {
  const RyserPlan& plan = static_cast<const SubsetPlan&>(request.plan).plan;
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> Value {
        if constexpr (!std::is_same_v<Graph, BipartiteGraph>) {
          throw Error("inclusion-exclusion of a block with odd cycles");
        } else if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return request.gpus.empty() ? permanent_ryser(*block, plan, run)
                                      : permanent_ryser(*block, plan, request.gpus, run);
        } else {
          return request.gpus.empty() ? permanent_ryser(*block, plan, request.precision, run)
                                      : permanent_ryser(*block, plan, request.precision, request.gpus, run);
        }
      },
      request.block);
}

// ---- Single matchings, by minors.

constexpr const char* no_minors = "has odd cycles, or more than 62 vertices on a side";

Isa isa_of(const PlanRequest& request) { return std::min(request.options.run.max_isa, detected_isa()); }

Way marginals(const PlanRequest& request, const RunContext& run) {
  Way way;
  const BipartiteGraph* pattern = pattern_of(request.block).bipartite;
  NumberType number = request.number;
  if (number.kind == WeightKind::integer && !number.exact) number.kind = WeightKind::real;
  number.exact = false;
  if (const auto* integers = std::get_if<const Block<std::int64_t>*>(&request.block))
    number.log2_bound = log2_sum_bound(**integers);
  const double seconds =
      pattern ? marginals_ryser_seconds(pattern->num_rows(), number, isa_of(request), run.num_threads()) : infinity;
  if (seconds == infinity) way.why_not = no_minors;
  way.cost = {0, seconds, 0, "all minors"};
  way.marginals = [precision = request.options.run.precision](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::optional<AnyMarginals> {
          using Given = std::decay_t<decltype(*block)>;
          if constexpr (std::is_same_v<Given, Block<std::int64_t>>) {
            return marginals_ryser(*block, inner);
          } else if constexpr (requires { marginals_ryser(*block, precision, inner); }) {
            return marginals_ryser(*block, precision, inner);
          } else {
            throw Error("minors of a block with odd cycles");
          }
        },
        given);
  };
  return way;
}

Way sampler(const PlanRequest& request, const RunContext& run) {
  Way way;
  const BipartiteGraph* pattern = pattern_of(request.block).bipartite;
  const double seconds =
      pattern ? sample_ryser_seconds(pattern->num_rows(), isa_of(request), run.num_threads()) : infinity;
  // Tells what is of use on one machine, so that samples are the same on any.
  if (!pattern || !(sample_ryser_seconds(pattern->num_rows(), Isa::avx512, 1) < request.useful_s))
    way.why_not = no_minors;
  way.cost = {0, seconds, 0, "by minors, " + per_sample(seconds)};
  way.sampler = [](const AnyBlock& block, const RunContext& inner) {
    return std::make_unique<RyserSampler>(*std::get<const Block<RealEntry>*>(block), inner);
  };
  return way;
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  return asked == Asked::marginals ? marginals(request, run) : sampler(request, run);
}

}  // namespace

MethodVerbs ryser_method(Method variant) {
  // Published forms never beat the staged one. Minors are found by the plainest.
  const bool is_staged = variant == Method::staged;
  return {.plan = plan,
          .cost = cost,
          .run = run_ryser,
          .way = variant == Method::ryser ? way_of : nullptr,
          .scale = &Throughput::ryser_scale,
          .workload = is_staged ? +[] { return complete_graph(20, 20); } : nullptr,
          .takes_odd_cycles = false,
          .has_kernels_for_gpus = true,
          .integers_on_any_device = true,
          .competes = is_staged,
          .most_seconds = is_staged ? most_seconds : nullptr,
          .spares_search = is_staged,
          .marginals_moment_s = 2e-4,
          .samples = MethodVerbs::Samples::for_memory};
}

}  // namespace matchcount
