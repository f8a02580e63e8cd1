#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "graph/vertices.hpp"
#include "permanent/as_held.hpp"
#include "permanent/classes/class_sums.hpp"

namespace matchcount {
namespace {

// A plan holds the block in its own way, an edge in so many bytes.
constexpr double bytes_of_entry = 100;
// A plan goes through as many transitions as a group of primes does: in about 0.4 s, or where it is asked for 20 s.
constexpr double most_transitions = 5e5, most_when_asked = 2e7;

struct ClassPlan : MethodPlan {
  AnyBlock block;
  ClassGraph graph;
  ClassSteps steps;
  std::int64_t exponent = 0;
  double log2_bound = 0;
};

double num_edges(const AnyBlock& block) { return static_cast<double>(pattern_of(block).num_edges()); }

// Sparser graphs have few vertices that become alike but for their first steps, where any order finds them.
bool may_have_classes(const AnyBlock& block) {
  const double size = size_of(block), edges = num_edges(block);
  return pattern_of(block).bipartite ? 8 * edges >= size * size : 16 * edges >= size * (size - 1);
}

// Integers may be in proportion; reals that are, and are many, are no integers of 63 bits.
bool has_few_reals(const AnyBlock& block) {
  constexpr std::size_t most = 16;
  return std::visit(
      []<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        if constexpr (std::is_same_v<Entry, RealEntry>) {
          std::set<double> values;
          for (const RealEntry& entry : given->entries)
            if (values.insert(entry.value.hi).second && values.size() > most) return false;
        }
        return !std::is_same_v<Entry, ComplexEntry>;
      },
      block);
}

ClassGraph graph_of(const AnyBlock& block, const std::vector<std::int64_t>& weights) {
  ClassGraph result;
  result.bipartite = pattern_of(block).bipartite != nullptr;
  result.edges.resize(pattern_of(block).num_vertices());
  std::visit(
      [&](const auto* given) {
        for_each_edge(given->pattern, [&](Vertex a, Vertex b, EdgeId id) {
          if (weights[id] == 0) return;
          result.edges[a].push_back({b, weights[id], id});
          result.edges[b].push_back({a, weights[id], id});
        });
      },
      block);
  return result;
}

std::shared_ptr<ClassPlan> class_plan(const AnyBlock& block, double most, double useful_s, const RunContext& run) {
  constexpr double transition_s = 1e-7;
  const auto words = words_as_held(block);
  if (!words) return nullptr;
  auto plan = std::make_shared<ClassPlan>();
  plan->graph = graph_of(block, words->entries);
  auto steps = class_steps(plan->graph, std::min(most, useful_s / transition_s), run);
  if (!steps) return nullptr;
  plan->block = block;
  plan->steps = std::move(*steps);
  plan->exponent = words->exponent;
  plan->log2_bound = words->log2_bound;
  return plan;
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  if (!may_have_classes(request.block)) return {nullptr, "fewer than an eighth of all edges are there"};
  if (!has_few_reals(request.block)) return {nullptr, "too many different reals, or complex numbers"};
  if (const double bytes = bytes_of_entry * num_edges(request.block); !run.has_memory_for(bytes))
    return {nullptr, "to see whether there are few classes would take " + memory_amount(bytes)};
  const bool is_asked = request.options.method == Method::classes;
  auto found = class_plan(request.block, is_asked ? most_when_asked : most_transitions, request.useful_s, run);
  if (!found) return {nullptr, "too many classes of vertices, or entries of more than 63 bits"};
  return {std::move(found), {}};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const auto& plan = static_cast<const ClassPlan&>(given);
  const ClassCost found = cost_by_classes(plan.steps, plan.log2_bound, machine.num_threads);
  Cost result;
  result.log2_operations = std::log2(plan.steps.transitions * static_cast<double>(found.primes));
  result.seconds = found.seconds / machine.num_ranks;
  result.memory_bytes = found.memory_bytes;
  result.description = std::to_string(plan.steps.most_classes) +
                       (plan.steps.most_classes == 1 ? " class, " : " classes, ") +
                       two_to(std::log2(plan.steps.most_states)) + " states, " + std::to_string(found.primes) +
                       (found.primes == 1 ? " prime" : " primes");
  return result;
}

Value run_classes(const RunRequest& request, const RunContext& run) {
  const auto* plan = static_cast<const ClassPlan*>(&request.plan);
  // A check may ask for the same block with other numbers.
  std::shared_ptr<ClassPlan> other;
  if (request.block != plan->block) {
    other = class_plan(request.block, most_when_asked, std::numeric_limits<double>::infinity(), run);
    if (!other) throw Unable("entries of more than 63 bits are not summed up by classes");
    plan = other.get();
  }
  return value_as_held(sum_by_classes(plan->steps, plan->log2_bound, run), plan->exponent, request.block);
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  // Seconds of an integer's or a real's share in a transition, and bytes of a state that is kept.
  constexpr double number_s = 2e-7, bytes_of_kept = 100;
  const Planned planned = plan(request, run);
  if (!planned.plan) return {.why_not = "has no few classes (" + planned.reason + ")"};
  Way way;
  const auto& found = static_cast<const ClassPlan&>(*planned.plan);
  const double states = static_cast<double>(found.steps.steps.size()) * found.steps.most_states;
  way.cost = *cost(request.block, found, request.number, {});
  if (asked == Asked::marginals) {
    const std::vector<Vertex> alike = first_alike(found.graph, found.steps);
    const auto kinds = static_cast<double>(std::set<Vertex>(alike.begin(), alike.end()).size());
    const double word_s = 1e-10 * found.log2_bound / 64;
    way.cost.seconds = found.steps.transitions * (2 + kinds / request.options.run.num_threads) * (number_s + word_s);
    way.cost.memory_bytes = states * (bytes_of_kept + 2 * sizeof(Integer) + found.log2_bound / 4);
  } else {
    way.cost.seconds = 2 * found.steps.transitions * number_s;
    way.cost.memory_bytes = states * (bytes_of_kept + sizeof(ScaledReal));
  }
  way.marginals = [held = planned.plan, &found](const AnyBlock& block, const RunContext& inner) {
    return marginals_as_held(marginals_by_classes(found.graph, found.steps, pattern_of(block).num_edges(), inner),
                             found.exponent, block);
  };
  way.sampler = [held = planned.plan, &found](const AnyBlock&, const RunContext& inner) {
    return sampler_by_classes(found.graph, found.steps, inner);
  };
  return way;
}

}  // namespace

MethodVerbs classes_method() { return {plan, cost, run_classes, nullptr, way_of}; }

}  // namespace matchcount
