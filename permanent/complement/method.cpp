#include "permanent/rooms.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/as_held.hpp"
#include "permanent/complement/single_matchings.hpp"

namespace matchcount {
namespace {

// A plan holds the cells, of which half may be left, in so many bytes each.
constexpr double bytes_of_cell = 80;

struct Complement {
  Piece root;
  Integer divisor;
  std::int64_t exponent = 0;
};
struct ComplementPlan : MethodPlan {
  AnyBlock block;
  Complement found;
  PieceCost cost;
};

// Sparse blocks leave too much whatever their entries are.
bool may_be_dense(const AnyBlock& block) {
  const BlockPattern pattern = pattern_of(block);
  const double size = size_of(block);
  return pattern.bipartite ? 4.0 * static_cast<double>(pattern.bipartite->num_edges()) >= size * size
                           : 8.0 * static_cast<double>(pattern.general->num_edges()) >= size * (size - 1);
}

// Throws Unable, with the reason, where that is none.
Complement complement_of(const AnyBlock& block, double useful_s, const RunContext& run) {
  auto found = near_rank_one(block, run);
  if (!found) throw Unable("no matrix of rank one, scaled or not, has most of the entries");
  return {take_apart(std::move(found->cells), found->cell, useful_s, run), std::move(found->divisor), found->exponent};
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!may_be_dense(request.block)) return {nullptr, "fewer than a quarter of all edges are there"};
  const double size = size_of(request.block), bytes = bytes_of_cell * size * size;
  if (!run.has_memory_for(bytes)) return {nullptr, "to see what is left would take " + memory_amount(bytes)};
  auto result = std::make_shared<ComplementPlan>();
  result->block = request.block;
  try {
    result->found = complement_of(request.block, request.useful_s, run);
  } catch (const OverLimit&) {
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (const Unable& reason) {
    return {nullptr, reason.what()};
  }
  result->cost = cost_of(result->found.root.children.front());
  return {std::move(result), {}};
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const PieceCost& found = static_cast<const ComplementPlan&>(given).cost;
  Cost result;
  // The last sum, of a number for each line.
  constexpr double overhead_s = 1e-5, line_s = 5e-7;
  result.seconds = found.seconds + overhead_s + line_s * size_of(block);
  result.log2_operations = std::log2(result.seconds * 1e9);
  result.memory_bytes = found.memory_bytes + 2 * sizeof(Integer) * size_of(block);
  result.description = "a matrix of rank one and a rest";
  if (found.sums > 0) {
    result.description += " with " + std::to_string(found.sums) + (found.sums == 1 ? " sum" : " sums") +
                          " over its matchings by size, of width " + std::to_string(found.most_width);
  } else {
    result.description += " that falls apart";
  }
  return result;
}

Value run_complement(const RunRequest& request, const RunContext& run) {
  const auto& plan = static_cast<const ComplementPlan&>(request.plan);
  // A check may ask for the same block with other numbers.
  const Complement other = request.block == plan.block
                               ? Complement{}
                               : complement_of(request.block, std::numeric_limits<double>::infinity(), run);
  const Complement& found = request.block == plan.block ? plan.found : other;
  return value_as_held(sum_perfect(found.root, run) / found.divisor, found.exponent, request.block);
}

Way marginals_way(const PlanRequest& request, const RunContext& run) {
  const Planned planned = plan(request, run);
  if (!planned.plan) return {.why_not = "is no complement (" + planned.reason + ")"};
  Way way;
  way.cost = *cost(request.block, *planned.plan, request.number, {});
  way.cost.seconds = marginals_seconds(static_cast<const ComplementPlan&>(*planned.plan).found.root,
                                       pattern_of(request.block).num_edges());
  way.marginals = [](const AnyBlock& block, const RunContext& inner) {
    const auto found = near_rank_one(block, inner);
    return marginals_as_held(marginals_by_complement(*found, inner), found->exponent, block);
  };
  return way;
}

// Needs most entries to be in proportion, but nothing of what is left.
Way sampler_way(const PlanRequest& request, const RunContext& run) {
  constexpr double most_s = 0.01;  // of a sample
  Way way;
  way.why_not = "is far from a matrix of rank one";
  if (!may_be_dense(request.block)) return way;
  const auto found = near_rank_one(request.block, run);
  if (!found) return way;
  const ComplementSampler sampler(*found, run);
  const double seconds = sampler.seconds();
  if (!(seconds < most_s) || !sampler.draws_within(5 * most_s)) return way;
  way.why_not.clear();
  way.cost.memory_bytes = bytes_of_cell * static_cast<double>(pattern_of(request.block).num_edges());
  way.cost.seconds = seconds;
  way.cost.description = "matchings of a matrix of rank one, accepted or not, " + per_sample(seconds);
  way.sampler = [](const AnyBlock& block, const RunContext& inner) {
    return std::make_unique<ComplementSampler>(*near_rank_one(block, inner), inner);
  };
  return way;
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  return asked == Asked::marginals ? marginals_way(request, run) : sampler_way(request, run);
}

}  // namespace

MethodVerbs complement_method() { return {plan, cost, run_complement, nullptr, way_of}; }

}  // namespace matchcount
