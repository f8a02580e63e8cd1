#include "permanent/rooms.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "permanent/trees/sums.hpp"

namespace matchcount {
namespace {

struct TreesPlan : MethodPlan {
  TreeProgram program;
};

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (request.number.kind != WeightKind::integer && request.number.exact)
    return {nullptr, "its sums of reals are rounded"};
  const bool is_bipartite = pattern_of(request.block).bipartite != nullptr;
  const UndirectedGraph graph = std::visit([](const auto* block) { return as_graph(*block).pattern; }, request.block);
  auto result = std::make_shared<TreesPlan>();
  const CountOptions& options = request.options;
  const TreeQuestion question{graph, {}, is_bipartite, request.number.log2_bound};
  result->program = options.order ? tree_program_along(question, *options.order, run)
                                  : find_tree_program(question, request.useful_s, options.run.seed, run);
  if (!result->program.bags.empty()) return {std::move(result), {}};
  const std::string found = what_was_found(result->program);
  return {nullptr, found.empty() ? "no tree decomposition was found soon" : found.substr(2)};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType& number, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const TreeProgram& program = static_cast<const TreesPlan&>(given).program;
  const bool is_integer = number.kind == WeightKind::integer || number.kind == WeightKind::none;
  Cost result;
  result.log2_operations = log2_operations_of(program);
  // The sum over magnitudes is another pass.
  result.seconds =
      is_integer ? seconds_in_integers(program)
                 : seconds_in_reals(program, number.kind == WeightKind::complex) + seconds_in_reals(program, false);
  result.memory_bytes = bytes_of(program, is_integer ? sizeof(Integer) + number.log2_bound / 8 : sizeof(ScaledComplex));
  result.description = description_of(program);
  return result;
}

Value run_trees(const RunRequest& request, const RunContext& run) {
  const TreeProgram& program = static_cast<const TreesPlan&>(request.plan).program;
  return std::visit(
      [&](const auto* block) -> Value {
        if constexpr (std::is_same_v<std::decay_t<decltype(block->entries.front())>, ComplexEntry>) {
          return sum_along_tree(program, block->entries, {}, false, run);
        } else {
          return sum_along_tree(program, block->entries, run);
        }
      },
      request.block);
}

// Takes one or several times the seconds of the sum, and keeps the states before and after every step.
Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  const Planned planned = plan(request, run);
  if (!planned.plan) return {.why_not = "has no narrow tree decomposition (" + planned.reason + ")"};
  Way way;
  const TreeProgram& program = static_cast<const TreesPlan&>(*planned.plan).program;
  way.cost = *cost(request.block, *planned.plan, request.number, {});
  way.cost.seconds *= asked == Asked::marginals ? 4 : 1;
  way.cost.memory_bytes *= 1 + program.work.moves / std::max(1.0, program.work.held_states);
  way.marginals = [held = planned.plan, &program](const AnyBlock& block, const RunContext& inner) {
    return marginals_along_tree(program, block, inner);
  };
  way.sampler = [held = planned.plan, &program](const AnyBlock& block, const RunContext& inner) {
    return sampler_along_tree(program, block, inner);
  };
  return way;
}

}  // namespace

MethodVerbs trees_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_trees,
          .way = way_of,
          .order = [](const MethodPlan& given) { return static_cast<const TreesPlan&>(given).program.order; },
          .scale = &Throughput::frontier_scale,
          .told_in_refusals = true,
          .before_search_from = least_large_size,
          .spares_search = true,
          .samples = MethodVerbs::Samples::for_time,
          .matchings = MatchingsBy::tree};
}

}  // namespace matchcount
