#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "graph/vertices.hpp"
#include "permanent/as_held.hpp"
#include "permanent/low_rank/rank_sum.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

// Ranks are looked for up to here, and while the sum takes no more than this; sparse matrices have others.
constexpr std::size_t most_rank = 12;
constexpr double most_s = 1e6, least_share_of_cells = 0.5, most_monomials = 1e8;
constexpr double multiplication_s = 5.5e-9, overhead_s = 1e-4;
// Up to here it does not matter whether other methods are done sooner.
constexpr double a_moment_s = 0.01;

struct LowRankPlan : MethodPlan {
  AnyBlock block;
  SquareMatrix matrix;
  Pivots pivots;
  std::int64_t exponent = 0;
  double log2_bound = 0;
};

double seconds_of(std::size_t size, std::size_t rank, double log2_bound) {
  return overhead_s +
         multiplication_s * multiplications_of_low_rank(size, rank) * static_cast<double>(num_sum_primes(log2_bound));
}

std::shared_ptr<LowRankPlan> low_rank_plan(const AnyBlock& block, double useful_s, const RunContext& run) {
  auto words = words_as_held(block);
  if (!words) return nullptr;
  auto plan = std::make_shared<LowRankPlan>();
  const BipartiteGraph& pattern = *pattern_of(block).bipartite;
  plan->matrix = {pattern.num_rows(),
                  std::vector<std::int64_t>(std::size_t{pattern.num_rows()} * pattern.num_rows(), 0)};
  for_each_edge(pattern, [&](Vertex row, Vertex column, EdgeId id) {
    plan->matrix.entries[row * plan->matrix.size + column - pattern.num_rows()] = words->entries[id];
  });
  plan->log2_bound = words->log2_bound;
  std::size_t most = 0;
  while (most < most_rank && monomials_of_low_rank(plan->matrix.size, most + 1) <= most_monomials &&
         seconds_of(plan->matrix.size, most + 1, plan->log2_bound) < std::min(most_s, useful_s))
    ++most;
  auto pivots = pivots_of(plan->matrix, most, run);
  if (!pivots) return nullptr;
  plan->block = block;
  plan->exponent = words->exponent;
  plan->pivots = *std::move(pivots);
  return plan;
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!pattern_of(request.block).bipartite) return {nullptr, "the block has odd cycles; low-rank takes bipartite ones"};
  const BipartiteGraph& pattern = *pattern_of(request.block).bipartite;
  const double cells = static_cast<double>(pattern.num_rows()) * pattern.num_rows();
  if (static_cast<double>(pattern.num_edges()) < least_share_of_cells * cells)
    return {nullptr, "fewer than half of all edges are there"};
  if (!run.has_memory_for(8 * cells)) return {nullptr, "no memory to look at the rank"};
  auto found = low_rank_plan(request.block, std::max(request.useful_s, a_moment_s), run);
  if (!found) return {nullptr, "the rank is too high, or entries are complex or of more than 63 bits"};
  return {std::move(found), {}};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const auto& plan = static_cast<const LowRankPlan&>(given);
  const std::size_t size = plan.matrix.size, rank = plan.pivots.rows.size();
  const double primes = static_cast<double>(num_sum_primes(plan.log2_bound));
  Cost result;
  result.log2_operations = std::log2(multiplications_of_low_rank(size, rank) * primes);
  result.seconds =
      seconds_of(size, rank, plan.log2_bound) / std::min<double>(primes, machine.num_threads * machine.num_ranks);
  result.memory_bytes =
      monomials_of_low_rank(size, rank) * (8.0 * static_cast<double>(rank) + 8 * machine.num_threads) +
      8.0 * static_cast<double>(size) * static_cast<double>(size);
  result.description =
      "rank " + std::to_string(rank) + ", " + std::to_string(num_sum_primes(plan.log2_bound)) + " primes";
  return result;
}

Value run_low_rank(const RunRequest& request, const RunContext& run) {
  const auto* plan = static_cast<const LowRankPlan*>(&request.plan);
  // A check may ask for the same block with other numbers.
  std::shared_ptr<LowRankPlan> other;
  if (request.block != plan->block) {
    other = low_rank_plan(request.block, most_s, run);
    plan = other.get();
  }
  const auto value = plan ? permanent_of_low_rank(plan->matrix, plan->pivots, plan->log2_bound, run) : std::nullopt;
  if (!value) throw Unable("the rank is too high for the method low-rank");
  return value_as_held(*value, plan->exponent, request.block);
}

}  // namespace

MethodVerbs low_rank_method() { return {.plan = plan, .cost = cost, .run = run_low_rank}; }

}  // namespace matchcount
