#include "permanent/engine/part_marginals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/planar/marginals.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Of the time limit, for the search for an order.
constexpr double order_share_of_time = 0.02;

// What entries may differ from their text beyond the methods' account, relative to a sum of magnitudes.
void add_entry_error(Integer&, double) {}
template <class V>
void add_entry_error(V& value, double error) {
  if (error > 0) value.log2_error = log2_sum(value.log2_error, std::log2(error) + value.log2_magnitudes);
}
double entry_error(const std::vector<std::int64_t>&, std::size_t) { return 0; }
template <class Entry>
double entry_error(const std::vector<Entry>& entries, std::size_t matching_size) {
  double worst = 0;
  for (const Entry& entry : entries) worst = std::max(worst, subnormal_error(entry.magnitude));
  return worst * static_cast<double>(matching_size);
}

}  // namespace

const FrontierOrder& PartMarginals::order_of(std::size_t part, double useful_s) {
  if (orders_[part]) return *orders_[part];
  OrderEffort effort;
  effort.most_seconds = order_share_of_time * options_.run.time_limit_s;
  effort.seconds = std::min(options_.effort_s, options_.run.time_limit_s);
  effort.useful_log2_transitions = log2_transitions_in(useful_s);
  orders_[part] = order_of_part(graph_.parts.parts[part], options_, effort, run_);
  return *orders_[part];
}

// Nothing where a part is not planar, or its numbers are none that the method takes.
std::optional<KasteleynPlan> PartMarginals::planar_plan(std::size_t part) const {
  const bool has_numbers = std::holds_alternative<std::vector<std::int64_t>>(graph_.entries) ||
                           (graph_.positive && std::holds_alternative<std::vector<RealEntry>>(graph_.entries));
  if (options_.method == Method::frontier || !has_numbers) return std::nullopt;
  const UndirectedGraph graph = graph_.undirected(part);
  if (!run_.has_memory_for(embedding_bytes(1.0 * graph.num_vertices() + static_cast<double>(graph.num_edges()))))
    return std::nullopt;
  std::optional<KasteleynPlan> plan = plan_kasteleyn(graph, options_.run.seed, run_);
  if (!plan || plan->torus) return std::nullopt;
  return plan;
}

PartNeeds PartMarginals::planar_needs(std::size_t part, const KasteleynPlan& plan) const {
  constexpr double bits_of_real = 104;
  std::vector<double> magnitudes;
  double bits_of_matching = 0;
  const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph_.entries);
  for (const EdgeId edge : graph_.parts.parts[part].edges)
    magnitudes.push_back(integers ? std::fabs(static_cast<double>((*integers)[edge])) : 1);
  const UndirectedGraph graph = graph_.undirected(part);
  if (!integers) bits_of_matching = bits_of_real * graph.num_vertices() / 2.0;
  const PlanarMarginalsCost cost =
      marginals_kasteleyn_cost(plan, static_cast<double>(graph.num_edges()),
                               log2_kasteleyn_bound(graph, magnitudes, plan) + bits_of_matching,
                               options_.exact || !graph_.positive, run_.num_threads());
  return {cost.seconds, cost.memory_bytes};
}

PartChoice PartMarginals::choose(std::size_t part, double seconds_before) {
  constexpr double moment_s = 0.02;
  PartChoice choice;
  choice.planar = planar_plan(part);
  if (choice.planar) {
    choice.method = Method::planar;
    choice.needs = planar_needs(part, *choice.planar);
  } else if (options_.method == Method::planar) {
    throw Unable("the planar method does not apply: " + name_of_part(part) +
                 " is not planar, or has complex or negative reals");
  }
  if (options_.method != Method::planar && !(choice.planar && choice.needs.seconds < moment_s)) {
    const PartNeeds frontier = frontier_needs(order_of(part, choice.planar ? choice.needs.seconds : infinity));
    const bool better = !choice.planar || (fits(frontier, run_) && frontier.seconds < choice.needs.seconds);
    if (better) choice = {Method::frontier, std::nullopt, frontier};
  }
  require_affordable(choice.needs, seconds_before, run_);
  return choice;
}

template <class Entry>
BlockMarginals<BlockValue<Entry>> PartMarginals::run(std::size_t part, const std::vector<Entry>& all,
                                                     const PartChoice& choice) {
  using V = BlockValue<Entry>;
  std::vector<Entry> mine = graph_.entries_of_part(part, all);
  const double error = entry_error(mine, graph_.matching_size);
  const RunContext run = run_.in_part(name_of_part(part));
  if constexpr (!std::is_same_v<Entry, ComplexEntry>) {
    if (choice.planar) {
      if (auto planar = marginals_kasteleyn(GraphBlock<Entry>{graph_.undirected(part), mine}, *choice.planar, run)) {
        add_entry_error(planar->total, error);
        for (V& sum : planar->of_edge) add_entry_error(sum, error);
        return *std::move(planar);
      }
      // All matchings cancel, and there is no inverse.
      require_affordable(frontier_needs(order_of(part, infinity)), 0, run_);
    }
  }
  return std::visit(
      [&](const auto& pattern) {
        const EntryScaling scaling = scale_entries(pattern, mine, run_);
        BlockMarginals<V> result = marginals_frontier(block_with(pattern, std::move(mine)), order_of(part, infinity),
                                                      options_.frontier_engine, run);
        const auto finish = [&](V& value) {
          add_entry_error(value, error);
          Value whole = std::move(value);
          undo_scaling(whole, scaling);
          value = std::get<V>(std::move(whole));
        };
        finish(result.total);
        for (V& sum : result.of_edge) finish(sum);
        return result;
      },
      graph_.parts.parts[part].pattern);
}

template BlockMarginals<Integer> PartMarginals::run(std::size_t, const std::vector<std::int64_t>&, const PartChoice&);
template BlockMarginals<RealValue> PartMarginals::run(std::size_t, const std::vector<RealEntry>&, const PartChoice&);
template BlockMarginals<ComplexValue> PartMarginals::run(std::size_t, const std::vector<ComplexEntry>&,
                                                         const PartChoice&);

}  // namespace matchcount
