#include "permanent/engine/part_marginals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/bound.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/planar/marginals.hpp"
#include "permanent/ryser/minors.hpp"

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

BlockMarginals<Integer> by_minors(const Block<std::int64_t>& block, Precision, const RunContext& run) {
  return marginals_ryser(block, run);
}
template <class Entry>
BlockMarginals<BlockValue<Entry>> by_minors(const Block<Entry>& block, Precision precision, const RunContext& run) {
  return marginals_ryser(block, precision, run);
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

// As far as its numbers and its size tell.
bool PartMarginals::may_take_planar(std::size_t part) const {
  const bool has_numbers = std::holds_alternative<std::vector<std::int64_t>>(graph_.entries) ||
                           (graph_.positive && std::holds_alternative<std::vector<RealEntry>>(graph_.entries));
  const bool may_be = options_.method == Method::automatic || options_.method == Method::planar;
  return may_be && has_numbers && may_be_planar(graph_.parts.parts[part]);
}

// Nothing where the part is not planar, or where there is no memory to see that while other methods may do.
std::optional<KasteleynPlan> PartMarginals::planar_plan(std::size_t part) const {
  const CoveredPart& given = graph_.parts.parts[part];
  if (!may_take_planar(part)) return std::nullopt;
  if (options_.method == Method::planar) require_planarity_bytes(given, part, run_);
  if (!run_.has_memory_for(planarity_bytes(given))) return std::nullopt;
  std::optional<KasteleynPlan> plan = plan_kasteleyn(graph_.undirected(part), options_.run.seed, run_);
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
  const PlanarMarginalsCost cost = marginals_kasteleyn_cost(
      plan, static_cast<double>(graph.num_edges()), log2_kasteleyn_bound(graph, magnitudes, plan) + bits_of_matching,
      options_.exact || !graph_.positive, run_.num_threads());
  return {cost.seconds, cost.memory_bytes};
}

// Nothing where a part has odd cycles, or more rows than inclusion-exclusion takes.
std::optional<PartNeeds> PartMarginals::ryser_needs(std::size_t part) const {
  const auto* pattern = std::get_if<BipartiteGraph>(&graph_.parts.parts[part].pattern);
  if (!pattern || (options_.method != Method::automatic && options_.method != Method::ryser)) return std::nullopt;
  NumberType number;
  number.precision = options_.run.precision;
  number.nonnegative = graph_.positive;
  if (std::holds_alternative<std::vector<ComplexEntry>>(graph_.entries)) {
    number.kind = WeightKind::complex;
  } else if (const auto* all = std::get_if<std::vector<std::int64_t>>(&graph_.entries); all && is_exact()) {
    number.log2_bound = log2_permanent_bound(*pattern, magnitudes_of(graph_.entries_of_part(part, *all)));
  } else {
    number.kind = WeightKind::real;
  }
  const double seconds = marginals_ryser_seconds(pattern->num_rows(), number,
                                                 std::min(options_.run.max_isa, detected_isa()), run_.num_threads());
  if (seconds == infinity) return std::nullopt;
  return PartNeeds{seconds, 0};
}

std::vector<PartChoice> PartMarginals::candidates(std::size_t part) {
  // What takes less is taken as it is, without a search for an order.
  constexpr double planar_moment_s = 0.02, ryser_moment_s = 2e-4;
  // The fastest of those that fit into memory; where none does, the smallest, which a refusal tells.
  const auto is_better = [&](const PartChoice& a, const PartChoice& b) {
    const bool fits_a = fits(a.needs, run_), fits_b = fits(b.needs, run_);
    if (fits_a != fits_b) return fits_a;
    return fits_a ? a.needs.seconds < b.needs.seconds : a.needs.memory_bytes < b.needs.memory_bytes;
  };
  std::vector<PartChoice> found;
  if (auto plan = planar_plan(part)) {
    const PartNeeds needs = planar_needs(part, *plan);
    found.push_back({Method::planar, std::move(plan), needs, "inverse of Kasteleyn's matrix along a dissection"});
  }
  if (const auto needs = ryser_needs(part)) found.push_back({Method::ryser, std::nullopt, *needs, "all minors"});
  std::ranges::stable_sort(found, is_better);
  if (found.empty() && options_.method == Method::planar) {
    throw Unable("the planar method does not apply: " + name_of_part(part) +
                 " is not planar, or has complex or negative reals");
  }
  if (found.empty() && options_.method == Method::ryser) {
    throw Unable("inclusion-exclusion does not apply: " + name_of_part(part) +
                 " has odd cycles, or more than 62 vertices on a side");
  }
  const bool is_asked = options_.method == Method::planar || options_.method == Method::ryser;
  const bool fitting = !found.empty() && fits(found.front().needs, run_);
  const double moment_s = !found.empty() && found.front().method == Method::ryser ? ryser_moment_s : planar_moment_s;
  if (is_asked || (fitting && found.front().needs.seconds < moment_s)) return found;
  const FrontierOrder& order = order_of(part, fitting ? found.front().needs.seconds : infinity);
  found.push_back({Method::frontier, std::nullopt, frontier_needs(order), description_of(order)});
  std::ranges::stable_sort(found, is_better);
  return found;
}

PartChoice PartMarginals::choose(std::size_t part, double seconds_before) {
  std::vector<PartChoice> found = candidates(part);
  PartChoice& best = found.front();
  // The planar method may need less than what was found.
  const CoveredPart& given = graph_.parts.parts[part];
  if (!fits(best.needs, run_) && may_take_planar(part) && planarity_bytes(given) < best.needs.memory_bytes)
    require_planarity_bytes(given, part, run_);
  require_affordable(best.needs, seconds_before, run_);
  return std::move(best);
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
  const auto sums_of = [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, Block<Entry>>) {
      if (choice.method == Method::ryser) return by_minors(block, options_.run.precision, run);
    }
    return marginals_frontier(block, order_of(part, infinity), options_.frontier_engine, run);
  };
  return std::visit(
      [&](const auto& pattern) {
        const EntryScaling scaling = scale_entries(pattern, mine, run_);
        BlockMarginals<V> result = sums_of(block_with(pattern, std::move(mine)));
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
