// What the reductions of degree 1 and 2 merge would have to be taken apart again, so that they are left out: the graph
// is split into parts in which every edge counts (matching/covered_parts.hpp), and a sum of the whole is that of a part
// times the totals of the others.

#include "permanent/marginals.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/amounts.hpp"
#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "matching/covered_parts.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/planar/marginals.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double minus_infinity = -infinity;
// Of a transition, forwards and backwards, where all layers are kept; a prediction (bcsstk01, grids).
constexpr double seconds_of_transition = 4e-9;
// Of the time limit, for the search for an order.
constexpr double order_share_of_time = 0.02;

// What a part would take.
struct Needs {
  double seconds = 0, memory_bytes = 0;
};

using Entries = std::variant<std::vector<std::int64_t>, std::vector<RealEntry>, std::vector<ComplexEntry>>;

template <class Graph>
Entries entries_of_kind(const Graph& graph) {
  if (graph.weight_kind() == WeightKind::real) return entries_of<RealEntry>(graph);
  if (graph.weight_kind() == WeightKind::complex) return entries_of<ComplexEntry>(graph);
  return entries_of<std::int64_t>(graph);
}

bool are_positive(const Entries& entries) {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&entries))
    return std::ranges::all_of(*integers, [](std::int64_t entry) { return entry > 0; });
  if (const auto* reals = std::get_if<std::vector<RealEntry>>(&entries))
    return std::ranges::all_of(*reals, [](const RealEntry& entry) { return entry.value.hi > 0; });
  return false;
}

std::vector<RealEntry> as_reals(const std::vector<std::int64_t>& entries) {
  std::vector<RealEntry> reals;
  for (const std::int64_t entry : entries) {
    const DoubleDouble value =
        two_sum(static_cast<double>(entry >> 32) * 0x1p32, static_cast<double>(entry & 0xffffffff));
    reals.push_back({value, std::fabs(value.hi) * (1 + 0x1p-51)});
  }
  return reals;
}

template <class Graph>
std::vector<bool> nonzero_edges(const Graph& graph) {
  std::vector<bool> keep(graph.num_edges(), true);
  std::visit(
      [&](const auto& weights) {
        if constexpr (requires { weights.size(); }) {
          using Weight = typename std::decay_t<decltype(weights)>::value_type;
          for (std::size_t i = 0; i < weights.size(); ++i) keep[i] = !(weights[i] == Weight{});
        }
      },
      graph.weights());
  return keep;
}

Vertex size_of_sequence(const BipartiteGraph& graph) { return graph.num_rows() + graph.num_columns(); }
Vertex size_of_sequence(const UndirectedGraph& graph) { return graph.num_vertices(); }

template <class Entry>
Block<Entry> block_with(const BipartiteGraph& pattern, std::vector<Entry> entries) {
  return {pattern, std::move(entries), {}, {}};
}
template <class Entry>
GraphBlock<Entry> block_with(const UndirectedGraph& pattern, std::vector<Entry> entries) {
  return {pattern, std::move(entries)};
}

FrontierOrder order_of(const BipartiteGraph& graph, const DistributionOptions& options, const RunContext& run,
                       const OrderEffort& effort) {
  return find_frontier_order(graph, options.frontier_strategy, options.run.seed, run, effort);
}
FrontierOrder order_of(const UndirectedGraph& graph, const DistributionOptions& options, const RunContext& run,
                       const OrderEffort& effort) {
  return find_frontier_order(graph, options.run.seed, run, effort);
}

Integer one(const std::vector<std::int64_t>&) { return 1; }
RealValue one(const std::vector<RealEntry>&) { return {ScaledReal(1.0), minus_infinity, 0}; }
ComplexValue one(const std::vector<ComplexEntry>&) { return {{ScaledReal(1.0), {}}, minus_infinity, 0}; }
Integer zero(const Integer&) { return 0; }
template <class V>
V zero(const V&) {
  return {{}, minus_infinity, minus_infinity};
}
Integer value_of(std::int64_t entry) { return entry; }
RealValue value_of(const RealEntry& entry) {
  const double log2_magnitude = std::log2(entry.magnitude) + 1e-9;
  return {entry.value, log2_magnitude - 100, log2_magnitude};
}
ComplexValue value_of(const ComplexEntry& entry) {
  const double log2_magnitude = std::log2(entry.magnitude) + 1e-9;
  return {{entry.value.re, entry.value.im}, log2_magnitude - 100, log2_magnitude};
}

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

// What a quotient that is not 0 may be off because doubles end; what is computed of its error may be 0 for that too.
double underflow(double quotient) { return quotient < 0x1p-900 ? 0x1p-1073 : 0; }

// sum / total, of numbers that are not negative.
void set_probability(EdgeMarginal& edge, const Integer& sum, const Integer& total) {
  const ScaledReal a = nearest_real(sum), b = nearest_real(total);
  edge.probability = ScaledReal(a.mantissa.hi / b.mantissa.hi, a.exponent - b.exponent).to_double();
  edge.error = edge.probability * 0x1.9p-52 + underflow(edge.probability);  // three roundings
}
void set_probability(EdgeMarginal& edge, const RealValue& sum, const RealValue& total) {
  const double log2_total = total.value.log2_abs();
  const double share =
      ScaledReal(sum.value.mantissa.hi / total.value.mantissa.hi, sum.value.exponent - total.value.exponent)
          .to_double();
  const double of_sum = std::exp2(sum.log2_error - log2_total), of_total = std::exp2(total.log2_error - log2_total);
  if (!(of_total < 0.5)) throw Unable("the sum over all matchings is not told from 0: no probability is known");
  edge.probability = std::clamp(share, 0.0, 1.0);
  edge.error = (of_sum + share * of_total) / (1 - of_total) + share * 0x1p-50 + underflow(share);
}
void set_probability(EdgeMarginal&, const ComplexValue&, const ComplexValue&) {}

}  // namespace

struct MatchingDistribution::State {
  template <class Graph>
  State(const Graph& graph, const DistributionOptions& given) : options(given), run(given.run) {
    if (options.frontier_engine == FrontierEngine::twins || options.frontier_engine == FrontierEngine::lean) {
      throw InputError("the engine " + std::string(to_string(options.frontier_engine)),
                       "auto, sparse or dense: the others have no backward pass");
    }
    if (options.method != Method::automatic && options.method != Method::frontier && options.method != Method::planar) {
      throw InputError("the method " + std::string(to_string(options.method)), "auto, frontier or planar");
    }
    const std::vector<bool> keep = nonzero_edges(graph);
    num_edges = graph.num_edges();
    for (EdgeId id = 0; id < num_edges; ++id) {
      if (keep[id]) given_edge.push_back(id);
    }
    const Graph nonzero = graph.filtered(keep);
    entries = entries_of_kind(nonzero);
    positive = are_positive(entries);
    matching_size = size_of_sequence(graph) / 2;
    split(nonzero.pattern());
  }

  void split(const BipartiteGraph& graph) {
    const Matching matching = maximum_matching(graph, run);
    if (!matching.is_perfect()) {
      hall = matchcount::hall_violator(graph, matching, matching.size < graph.num_rows());
      return;
    }
    parts = covered_parts(graph, matching, run);
  }
  void split(const UndirectedGraph& graph) {
    const GraphMatching matching = maximum_matching(graph, run);
    if (!matching.is_perfect()) {
      tutte = matchcount::tutte_set(graph, matching);
      return;
    }
    parts = covered_parts(graph, matching, run);
  }
  bool has_perfect_matching() const { return !hall && !tutte; }

  // ---- What each part would take.

  const FrontierOrder& order_of_part(std::size_t i, double useful_s) {
    orders.resize(parts.parts.size());
    if (orders[i]) return *orders[i];
    OrderEffort effort;
    effort.most_seconds = order_share_of_time * options.run.time_limit_s;
    effort.seconds = std::min(options.effort_s, options.run.time_limit_s);
    effort.useful_log2_transitions = std::log2(useful_s / seconds_of_transition);
    orders[i] = std::visit([&](const auto& pattern) { return order_of(pattern, options, run, effort); },
                           parts.parts[i].pattern);
    return *orders[i];
  }
  static Needs needs_of(const FrontierOrder& order) {
    return {seconds_of_transition * std::exp2(order.log2_transitions),
            2 * sizeof(double) * std::exp2(order.log2_peak_states)};
  }
  bool fits(const Needs& needs) const { return needs.memory_bytes <= static_cast<double>(run.memory_limit_bytes()); }
  // Throws OverLimit for what would pass a limit.
  void require_affordable(const Needs& needs, double seconds_before) const {
    if (!fits(needs)) {
      throw OverLimit("this would take " + memory_amount(needs.memory_bytes) + "; the memory limit is " +
                          memory_amount(static_cast<double>(run.memory_limit_bytes())),
                      needs.seconds, needs.memory_bytes);
    }
    if (seconds_before + needs.seconds > 2 * run.seconds_left()) {
      std::ostringstream seconds;
      seconds << std::setprecision(2) << seconds_before + needs.seconds;
      throw OverLimit("this would take about " + seconds.str() + " s, more than the time that is left", needs.seconds,
                      needs.memory_bytes);
    }
  }

  // Nothing where a part is not planar, or its numbers are none that the method takes.
  std::optional<KasteleynPlan> planar_plan(std::size_t i) const {
    const bool has_numbers = std::holds_alternative<std::vector<std::int64_t>>(entries) ||
                             (positive && std::holds_alternative<std::vector<RealEntry>>(entries));
    if (options.method == Method::frontier || !has_numbers) return std::nullopt;
    const UndirectedGraph graph = undirected(i);
    if (!run.has_memory_for(embedding_bytes(1.0 * graph.num_vertices() + static_cast<double>(graph.num_edges()))))
      return std::nullopt;
    std::optional<KasteleynPlan> plan = plan_kasteleyn(graph, options.run.seed, run);
    if (plan && plan->torus) plan.reset();
    return plan;
  }
  UndirectedGraph undirected(std::size_t i) const {
    const auto* bipartite = std::get_if<BipartiteGraph>(&parts.parts[i].pattern);
    return bipartite ? UndirectedGraph::from_bipartite(*bipartite) : std::get<UndirectedGraph>(parts.parts[i].pattern);
  }
  Needs needs_of(std::size_t i, const KasteleynPlan& plan) const {
    constexpr double bits_of_real = 104;
    std::vector<double> magnitudes;
    double bits_of_matching = 0;
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&entries);
    for (const EdgeId edge : parts.parts[i].edges)
      magnitudes.push_back(integers ? std::fabs(static_cast<double>((*integers)[edge])) : 1);
    const UndirectedGraph graph = undirected(i);
    if (!integers) bits_of_matching = bits_of_real * graph.num_vertices() / 2.0;
    const PlanarMarginalsCost cost = marginals_kasteleyn_cost(
        plan, static_cast<double>(graph.num_edges()), log2_kasteleyn_bound(graph, magnitudes, plan) + bits_of_matching,
        options.exact || !positive, run.num_threads());
    return {cost.seconds, cost.memory_bytes};
  }

  struct Chosen {
    std::optional<KasteleynPlan> planar;  // nothing: the frontier method
    Needs needs;
  };
  Chosen choose(std::size_t i, double seconds_before) {
    constexpr double moment_s = 0.02;
    Chosen chosen{planar_plan(i), {}};
    if (chosen.planar) chosen.needs = needs_of(i, *chosen.planar);
    if (options.method == Method::planar && !chosen.planar)
      throw Unable("the planar method does not apply: " + name(i) + " is not planar, or has complex or negative reals");
    if (options.method != Method::planar && !(chosen.planar && chosen.needs.seconds < moment_s)) {
      const Needs frontier = needs_of(order_of_part(i, chosen.planar ? chosen.needs.seconds : infinity));
      const bool better = !chosen.planar || (fits(frontier) && frontier.seconds < chosen.needs.seconds);
      if (better) chosen = {std::nullopt, frontier};
    }
    require_affordable(chosen.needs, seconds_before);
    return chosen;
  }

  template <class Entry>
  std::vector<Entry> entries_of_part(const CoveredPart& part, const std::vector<Entry>& all) const {
    std::vector<Entry> mine;
    for (const EdgeId edge : part.edges) mine.push_back(all[edge]);
    return mine;
  }

  template <class Entry>
  BlockMarginals<BlockValue<Entry>> part_marginals(std::size_t i, const std::vector<Entry>& all, const Chosen& chosen) {
    using V = BlockValue<Entry>;
    std::vector<Entry> mine = entries_of_part(parts.parts[i], all);
    const double error = entry_error(mine, matching_size);
    const RunContext part = run.in_part(name(i));
    if constexpr (!std::is_same_v<Entry, ComplexEntry>) {
      if (chosen.planar) {
        if (auto planar = marginals_kasteleyn(GraphBlock<Entry>{undirected(i), mine}, *chosen.planar, part)) {
          add_entry_error(planar->total, error);
          for (V& sum : planar->of_edge) add_entry_error(sum, error);
          return *std::move(planar);
        }
        // All matchings cancel, and there is no inverse.
        require_affordable(needs_of(order_of_part(i, infinity)), 0);
      }
    }
    return std::visit(
        [&](const auto& pattern) {
          const EntryScaling scaling = scale_entries(pattern, mine, run);
          BlockMarginals<V> result = marginals_frontier(block_with(pattern, std::move(mine)),
                                                        order_of_part(i, infinity), options.frontier_engine, part);
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
        parts.parts[i].pattern);
  }
  static std::string name(std::size_t part) { return "part " + std::to_string(part + 1); }

  template <class Entry>
  Marginals marginals_of(const std::vector<Entry>& all) {
    using V = BlockValue<Entry>;
    const V unit = one(all);
    Marginals result;
    result.edges.assign(num_edges, {zero(unit), 0, 0});
    result.total = zero(unit);
    if (!has_perfect_matching()) return result;
    // All are chosen before any is run, so that what can't be done is refused at once.
    std::vector<Chosen> chosen;
    double seconds = 0, most_seconds = -1;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      chosen.push_back(choose(i, seconds));
      seconds += chosen.back().needs.seconds;
      if (chosen.back().needs.seconds <= most_seconds) continue;
      most_seconds = chosen.back().needs.seconds;
      result.method = chosen.back().planar ? Method::planar : Method::frontier;
    }
    std::vector<BlockMarginals<V>> of_part;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) of_part.push_back(part_marginals(i, all, chosen[i]));
    // before[i]: the factors and the totals of the parts before i.
    std::vector<V> before{unit};
    for (const EdgeId edge : parts.forced) before.front() = times(before.front(), value_of(all[edge]));
    for (const auto& part : of_part) before.push_back(times(before.back(), part.total));
    const V total = before.back();
    result.total = total;
    result.are_probabilities = positive;
    for (const EdgeId edge : parts.forced) result.edges[given_edge[edge]] = {total, 1, 0};
    V behind = unit;
    for (std::size_t i = of_part.size(); i-- > 0;) {
      const V others = times(before[i], behind);
      for (std::size_t e = 0; e < of_part[i].of_edge.size(); ++e) {
        EdgeMarginal& edge = result.edges[given_edge[parts.parts[i].edges[e]]];
        if (positive) set_probability(edge, of_part[i].of_edge[e], of_part[i].total);
        edge.sum = times(others, of_part[i].of_edge[e]);
      }
      behind = times(behind, of_part[i].total);
      check_sums(i, of_part[i]);
    }
    return result;
  }

  // Every vertex is in each matching: the sums of its edges are the total.
  template <class V>
  void check_sums(std::size_t i, const BlockMarginals<V>& part) const {
    const auto check = [&](auto&& edges) {
      V sum = zero(part.total);
      for (const EdgeId edge : edges) sum = plus(sum, part.of_edge[edge]);
      if (!agree(sum, part.total)) throw Error("the sums of a vertex's edges are not the total");
    };
    std::visit(
        [&](const auto& pattern) {
          if constexpr (std::is_same_v<std::decay_t<decltype(pattern)>, BipartiteGraph>) {
            for (Vertex c = 0; c < pattern.num_columns(); ++c) check(pattern.column_edges(c));
            for (Vertex r = 0; r < pattern.num_rows(); ++r) {
              std::vector<EdgeId> edges;
              for (std::size_t e = 0; e < pattern.row(r).size(); ++e) edges.push_back(pattern.row_begin(r) + e);
              check(edges);
            }
          } else {
            for (Vertex v = 0; v < pattern.num_vertices(); ++v) check(pattern.incident_edges(v));
          }
        },
        parts.parts[i].pattern);
  }
  static Integer plus(const Integer& a, const Integer& b) { return a + b; }
  template <class V>
  static V plus(const V& a, const V& b) {
    return {a.value + b.value, log2_sum(log2_sum(a.log2_error, b.log2_error), b.log2_magnitudes - 98),
            log2_sum(a.log2_magnitudes, b.log2_magnitudes)};
  }

  Marginals marginals() {
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&entries)) {
      return options.exact || !positive ? marginals_of(*integers) : marginals_of(as_reals(*integers));
    }
    if (const auto* reals = std::get_if<std::vector<RealEntry>>(&entries)) return marginals_of(*reals);
    return marginals_of(std::get<std::vector<ComplexEntry>>(entries));
  }

  // Samples depend on the order of vertices: no limit changes it, nor what marginals() did before.
  FrontierOrder order_for_samples(std::size_t i) const {
    OrderEffort effort;
    effort.seconds = options.effort_s;
    return std::visit([&](const auto& pattern) { return order_of(pattern, options, run, effort); },
                      parts.parts[i].pattern);
  }

  void make_samplers() {
    if (samplers.size() == parts.parts.size()) return;
    samplers.clear();
    std::vector<FrontierOrder> order;
    double seconds = 0;
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      order.push_back(order_for_samples(i));
      const Needs needs = needs_of(order.back());
      require_affordable(needs, seconds);
      seconds += needs.seconds;
    }
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&entries);
    const std::vector<RealEntry> all = integers ? as_reals(*integers) : std::get<std::vector<RealEntry>>(entries);
    for (std::size_t i = 0; i < parts.parts.size(); ++i) {
      std::visit(
          [&](const auto& pattern) {
            std::vector<RealEntry> mine = entries_of_part(parts.parts[i], all);
            scale_entries(pattern, mine, run);
            samplers.emplace_back(block_with(pattern, std::move(mine)), order[i], options.frontier_engine, run);
          },
          parts.parts[i].pattern);
    }
  }

  // Its edges, here and in the sampler of a part, and where the sampler is.
  double bytes_of_sample() const {
    return static_cast<double>(2 * sizeof(EdgeId) * matching_size + sizeof(std::size_t) + sizeof(std::uint64_t));
  }

  std::vector<EdgeId> samples(std::uint64_t first, std::size_t count) {
    if (!positive) {
      throw InputError(
          std::holds_alternative<std::vector<ComplexEntry>>(entries) ? "complex weights" : "a weight that is negative",
          "weights above 0: no probability is in proportion to others");
    }
    if (!has_perfect_matching()) throw Unable("there is no perfect matching to be drawn");
    const double bytes = bytes_of_sample() * static_cast<double>(count);
    if (!run.has_memory_for(bytes)) {
      throw OverLimit("so many samples at once would take " + memory_amount(bytes) + "; the memory limit is " +
                      memory_amount(static_cast<double>(run.memory_limit_bytes())));
    }
    make_samplers();
    std::vector<EdgeId> edges(matching_size * count);
    std::size_t filled = parts.forced.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t e = 0; e < filled; ++e) edges[i * matching_size + e] = given_edge[parts.forced[e]];
    }
    for (std::size_t p = 0; p < samplers.size(); ++p) {
      const std::vector<EdgeId> drawn = samplers[p].draw(options.run.seed, static_cast<std::uint32_t>(p), first, count);
      const std::size_t size = samplers[p].matching_size();
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t e = 0; e < size; ++e) {
          edges[i * matching_size + filled + e] = given_edge[parts.parts[p].edges[drawn[i * size + e]]];
        }
      }
      filled += size;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(i * matching_size);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(matching_size));
    }
    return edges;
  }

  DistributionOptions options;
  RunContext run;
  EdgeId num_edges = 0;
  std::vector<EdgeId> given_edge;  // of those that are not 0: the edge in the graph that was given
  Entries entries;                 // of these
  bool positive = false;
  std::size_t matching_size = 0;
  std::optional<HallViolator> hall;
  std::optional<TutteSet> tutte;
  CoveredParts parts;
  std::vector<std::optional<FrontierOrder>> orders;
  std::vector<FrontierSampler> samplers;
};

MatchingDistribution::MatchingDistribution(const BipartiteGraph& graph, const DistributionOptions& options)
    : state_(std::make_unique<State>(graph, options)) {}
MatchingDistribution::MatchingDistribution(const UndirectedGraph& graph, const DistributionOptions& options)
    : state_(std::make_unique<State>(graph, options)) {}
MatchingDistribution::MatchingDistribution(MatchingDistribution&&) noexcept = default;
MatchingDistribution& MatchingDistribution::operator=(MatchingDistribution&&) noexcept = default;
MatchingDistribution::~MatchingDistribution() = default;

const std::optional<HallViolator>& MatchingDistribution::hall_violator() const { return state_->hall; }
const std::optional<TutteSet>& MatchingDistribution::tutte_set() const { return state_->tutte; }
std::size_t MatchingDistribution::matching_size() const { return state_->matching_size; }
double MatchingDistribution::bytes_of_sample() const { return state_->bytes_of_sample(); }
Marginals MatchingDistribution::marginals() { return state_->marginals(); }
std::vector<EdgeId> MatchingDistribution::samples(std::uint64_t first, std::size_t count) {
  return state_->samples(first, count);
}

}  // namespace matchcount
