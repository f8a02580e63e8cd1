#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "permanent/power_traces/pair_sum.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {
namespace {

// Smaller graphs the frontier method counts in a moment.
constexpr Vertex fewest_vertices = 22;

struct PairsPlan : MethodPlan {
  Isa isa = Isa::baseline;
};

Planned plan(const PlanRequest& request, const RunContext&) {
  const BlockPattern pattern = pattern_of(request.block);
  if (pattern.bipartite) return {nullptr, "the block has no odd cycle; inclusion-exclusion over rows takes less"};
  if (request.number.kind != WeightKind::integer && request.number.exact)
    return {nullptr, "its sums of reals are rounded"};
  const Vertex vertices = pattern.general->num_vertices();
  if (vertices > max_pair_vertices)
    return {nullptr, std::to_string(vertices) + " vertices; power traces take " + std::to_string(max_pair_vertices)};
  if (vertices < fewest_vertices && request.options.method != Method::power_traces) return {nullptr, "few vertices"};
  auto result = std::make_shared<PairsPlan>();
  result->isa = std::min(request.options.run.max_isa, detected_isa());
  return {std::move(result), {}};
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan&, const NumberType& number, const Machine& machine) {
  Cost cost = cost_by_pairs(size_of(block), false, number, machine);
  if (cost.seconds == infinity) return std::nullopt;
  return cost;
}

Value run_pairs(const RunRequest& request, const RunContext& run) {
  return std::visit(
      [&](const auto* block) -> Value {
        using Given = std::decay_t<decltype(*block)>;
        if constexpr (std::is_same_v<Given, GraphBlock<std::int64_t>>) {
          return hafnian_by_pairs(*block, run, request.gpus);
        } else if constexpr (requires { hafnian_by_pairs(*block, request.precision, run, request.gpus); }) {
          return hafnian_by_pairs(*block, request.precision, run, request.gpus);
        } else {
          throw Error("power traces of a block without odd cycles");
        }
      },
      request.block);
}

}  // namespace

MethodVerbs power_traces_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_pairs,
          .scale = &Throughput::ryser_scale,
          .has_kernels_for_gpus = true,
          .integers_on_any_device = true,
          .reals_on_any_device = true,
          .matchings = MatchingsBy::pairs};
}

}  // namespace matchcount
