// Vertices that the reductions of degree 1 and 2 merge would have to be taken apart again, so that these are left out:
// the graph is split into parts in which every edge counts (matching/covered_parts.hpp), and a sum of the whole is that
// of a part times the totals of the others. Plans find structure and orders without a limit on time, as plans of counts
// do (engine.cpp); limits are asked afterwards, so that a plan can say what they would refuse.

#include "permanent/engine/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "graph/vertices.hpp"
#include "graph/weights.hpp"
#include "matching/scaled_entries.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {
namespace {

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

AnyBlock view_of(const OwnedBlock& block) {
  return std::visit([](const auto& given) { return AnyBlock(&given); }, block);
}

// The same number, to 2^-53 of the last bit of a double.
RealEntry as_real(std::int64_t entry) {
  const DoubleDouble value =
      two_sum(static_cast<double>(entry >> 32) * 0x1p32, static_cast<double>(entry & 0xffffffff));
  return {value, std::fabs(value.hi) * (1 + 0x1p-51)};
}

// Makes a sum of an entry that was rounded.
Integer rounded(std::int64_t entry) { return entry; }
template <class Entry>
auto rounded(const Entry& entry) {
  auto value = number_of(entry);
  value.log2_error = value.log2_magnitudes - 100;
  return value;
}

// Bounds what a tiny quotient loses at the end of the range of doubles; its computed error may be 0 there as well.
double underflow(double quotient) { return quotient < 0x1p-900 ? 0x1p-1073 : 0; }

// Sets the probability sum / total; neither number is negative.
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

// Every vertex is in each matching: the sums of its edges are the total.
template <class V>
void check_sums(const CoveredPart& given, const BlockMarginals<V>& part) {
  std::visit(
      [&](const auto& pattern) {
        std::vector<V> sums(num_vertices(pattern), zero<V>());
        for_each_edge(pattern, [&](Vertex u, Vertex v, EdgeId id) {
          for (const Vertex end : {u, v}) sums[end] = plus(sums[end], part.of_edge[id]);
        });
        for (const V& sum : sums)
          if (!agree(sum, part.total)) throw Error("the sums of a vertex's edges are not the total");
      },
      given.pattern);
}

void add_error(Integer&, double) {}
template <class V>
void add_error(V& value, double error) {
  if (error > 0) value.log2_error = log2_sum(value.log2_error, std::log2(error) + value.log2_magnitudes);
}

Needs needs_of(const Cost& cost) { return {cost.seconds, cost.memory_bytes}; }
bool fits(const Cost& cost, const RunContext& run) {
  return cost.memory_bytes <= static_cast<double>(run.memory_limit_bytes());
}

Way way_by(const MethodEntry& entry, const AnyBlock& block, const NumberType& number, const CountOptions& options,
           double useful_s, Asked asked, const RunContext& run) {
  CountOptions mine = options;
  if (!entry.takes_every_block) mine.order = nullptr;
  Way way = entry.way({entry.method, block, number, mine, useful_s}, asked, run);
  way.method = entry.method;
  return way;
}
const MethodEntry& that_takes_every_block() { return entry_with(&MethodEntry::takes_every_block); }
// Says whether a method is asked before the one that takes every block. Parts would be without the order that is to be
// followed.
bool looks_first(const MethodEntry& entry, const CountOptions& options) {
  const bool is_beside_order = entry.leaves_parts && options.order && options.method != entry.method;
  return entry.way && !entry.takes_every_block && !is_beside_order;
}
void require_applies(const Way& way, const RunContext& run) {
  if (way.why_not.empty()) return;
  throw Unable("the method " + std::string(to_string(way.method)) + " does not apply: " + run.part() + " " +
               way.why_not);
}

Forecast forecast_of(const Way& way) {
  Forecast forecast = matchcount::forecast_of(way.method, way.cost);
  forecast.log2_operations = std::numeric_limits<double>::quiet_NaN();
  return forecast;
}

EntryScaling scale(OwnedBlock& block, const RunContext& run) {
  return std::visit([&](auto& given) { return scale_entries(given.pattern, given.entries, run); }, block);
}

BlockPlan block_of(const CoveredPart& part) {
  BlockPlan block;
  const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern);
  block.bipartite = bipartite != nullptr;
  block.size = bipartite ? bipartite->num_rows() : std::get<UndirectedGraph>(part.pattern).num_vertices();
  block.edges = part.edges.size();
  return block;
}

}  // namespace

CoveredGraph::CoveredGraph(GraphView view, const RunContext& run) {
  std::visit(
      [&](const auto* given) {
        describe(*given, plan);
        num_edges = plan.edges;
        matching_size = (std::size_t{plan.rows} + plan.columns + plan.vertices) / 2;
        std::vector<bool> keep = nonzeros(given->weights());
        if (keep.empty()) keep.assign(num_edges, true);
        for (EdgeId id = 0; id < num_edges; ++id)
          if (keep[id]) given_edge.push_back(id);
        const auto nonzero = given->filtered(keep);
        entries = entries_of_kind(nonzero);
        positive = are_positive(entries);
        const auto graph = nonzero.pattern();
        const auto matching = find_matching(graph, plan, run);
        if (has_perfect_matching()) parts = covered_parts(graph, matching, run);
      },
      view);
}

OwnedBlock CoveredGraph::block(std::size_t part, bool in_reals) const {
  const CoveredPart& given = parts.parts[part];
  return std::visit(
      [&](const auto& pattern, const auto& all) -> OwnedBlock {
        using Graph = std::decay_t<decltype(pattern)>;
        const auto with = [&](auto mine) -> OwnedBlock {
          return BlockOf<Graph, typename decltype(mine)::value_type>{pattern, std::move(mine)};
        };
        std::decay_t<decltype(all)> mine;
        mine.reserve(given.edges.size());
        for (const EdgeId edge : given.edges) mine.push_back(all[edge]);
        if constexpr (std::is_same_v<decltype(mine), std::vector<std::int64_t>>) {
          if (in_reals) {
            std::vector<RealEntry> reals;
            std::ranges::transform(mine, std::back_inserter(reals), as_real);
            return with(std::move(reals));
          }
        }
        return with(std::move(mine));
      },
      given.pattern, entries);
}

Distribution::Distribution(GraphView given, const DistributionOptions& options, const RunContext& run)
    : options_(count_options(options)),
      is_exact_(options.exact),
      run_(run),
      completed_(completed(given, options)),
      graph_(completed_ ? completed_->view() : given, run_) {
  if (!options.rotation) return;
  std::visit([&](const auto* graph) { require_rotation_of(without_sides(*graph), *options.rotation); }, given);
  for (const CoveredPart& part : graph_.parts.parts)
    rotations_.push_back(std::make_shared<const RotationSystem>(rotation_among(*options.rotation, part.vertices)));
}

CountOptions Distribution::count_options(const DistributionOptions& given) {
  if (given.frontier_engine == FrontierEngine::twins || given.frontier_engine == FrontierEngine::lean) {
    throw InputError("the engine " + std::string(to_string(given.frontier_engine)),
                     "auto, sparse or dense: the others have no backward pass");
  }
  std::vector<std::string_view> names = names_with([](const MethodEntry& entry) { return entry.way != nullptr; });
  names.insert(names.begin(), to_string(Method::automatic));
  if (std::ranges::find(names, to_string(given.method)) == names.end())
    throw InputError("the method " + std::string(to_string(given.method)), listed(names));
  CountOptions options;
  options.method = given.method;
  options.frontier_strategy = given.frontier_strategy;
  options.frontier_engine = given.frontier_engine;
  options.effort_s = given.effort_s;
  options.run = given.run;
  options.known_planar = no_known_planar_graphs();
  return options;
}

std::optional<CompletedGraph> Distribution::completed(GraphView given, const DistributionOptions& options) const {
  if (options.matchings == MatchingKind::perfect) return std::nullopt;
  if (options.rotation) throw InputError("a rotation system with other matchings than perfect ones", "one of the two");
  OrderEffort effort;
  effort.seconds = options.effort_s;
  const Question question{given,
                          options_,
                          options.matchings,
                          true,
                          options.fractions,
                          &options.activity,
                          options.loops ? &*options.loops : nullptr,
                          options.always_matched};
  return completed_graph(question, &effort, run_);
}

CountOptions Distribution::options_of(std::size_t part) const {
  CountOptions options = options_;
  if (!rotations_.empty()) options.rotation = rotations_[part];
  if (!completed_ || completed_->order.empty()) return options;
  constexpr Vertex nowhere = std::numeric_limits<Vertex>::max();
  std::vector<Vertex> places(graph_.plan.vertices, nowhere);
  for (std::size_t i = 0; i < completed_->order.size(); ++i) places[completed_->order[i]] = static_cast<Vertex>(i);
  const std::vector<Vertex>& names = graph_.parts.parts[part].vertices;
  if (std::ranges::none_of(names, [&](Vertex name) { return places[name] == nowhere; }))
    options.order = order_among(places, names);
  return options;
}

std::size_t Distribution::matching_size() const {
  return has_own_plan() ? completed_->plan.maximum_matching : graph_.matching_size;
}

NumberType Distribution::number() const {
  NumberType number;
  constexpr WeightKind kinds[] = {WeightKind::integer, WeightKind::real, WeightKind::complex};
  number.kind = kinds[graph_.entries.index()];
  number.precision = options_.run.precision;
  number.exact = is_exact();
  number.nonnegative = graph_.positive;
  return number;
}

// ---- Marginals.

Distribution::Ways Distribution::marginals_ways(std::size_t part) const {
  constexpr double worth_a_look_s = 0.05;
  const OwnedBlock block = graph_.block(part, !is_exact());
  const AnyBlock view = view_of(block);
  const NumberType numbers = number();
  const RunContext run = run_of(part);
  const CountOptions options = options_of(part);
  Ways found;
  // The fastest of those that fit into memory; where none does, the smallest, which a refusal tells.
  const auto is_better = [&](const Way& a, const Way& b) {
    const bool fits_a = fits(a.cost, run_), fits_b = fits(b.cost, run_);
    if (fits_a != fits_b) return fits_a;
    return fits_a ? a.cost.seconds < b.cost.seconds : a.cost.memory_bytes < b.cost.memory_bytes;
  };
  const auto add = [&](const MethodEntry& entry, double useful_s) {
    const bool is_asked = options_.method == entry.method;
    if (!is_asked && options_.method != Method::automatic) return;
    try {
      Way way = way_by(entry, view, numbers, options, useful_s, Asked::marginals, run);
      if (is_asked) require_applies(way, run);
      if (way.why_not.empty()) found.ways.push_back(std::move(way));
    } catch (const OverLimit& limit) {
      if (is_asked || !limit.is_forecast()) throw;  // it was asked for, or the time is over
      found.unseen = limit;
    }
    std::ranges::stable_sort(found.ways, is_better);
  };
  for (const MethodEntry& entry : methods())
    if (looks_first(entry, options)) add(entry, infinity);
  const bool fitting = !found.ways.empty() && fits(found.ways.front().cost, run_);
  const double useful_s = fitting ? found.ways.front().cost.seconds : infinity;
  if (fitting && useful_s < entry_of(found.ways.front().method).marginals_moment_s) return found;
  add(that_takes_every_block(), useful_s);
  // A look pays where it takes a small part of what it may save.
  for (const MethodEntry& entry : methods())
    if (entry.samples == MethodEntry::Samples::for_time &&
        (found.ways.empty() || !(found.ways.front().cost.seconds < worth_a_look_s)))
      add(entry, useful_s);
  return found;
}

template <class V>
BlockMarginals<V> Distribution::marginals_of_part(std::size_t part, Way& way) const {
  OwnedBlock block = graph_.block(part, !is_exact());
  const double error = std::visit([](const auto& given) { return input_error(given.entries); }, block) *
                       static_cast<double>(graph_.matching_size);
  const RunContext run = run_of(part);
  EntryScaling scaling;
  if (!entry_of(way.method).scales) scaling = scale(block, run_);
  std::optional<AnyMarginals> found;
  try {
    found = way.marginals(view_of(block), run);
  } catch (const CannotGoOn&) {
    if (options_.method != Method::automatic) throw;
  }
  if (!found) {
    way = way_by(that_takes_every_block(), view_of(block), number(), options_of(part), infinity, Asked::marginals, run);
    require_within_limits("this", needs_of(way.cost), run_);
    return marginals_of_part<V>(part, way);
  }
  auto result = std::get<BlockMarginals<V>>(std::move(*found));
  const auto finish = [&](V& value) {
    add_error(value, error);
    Value whole = std::move(value);
    undo_scaling(whole, scaling);
    value = std::get<V>(std::move(whole));
  };
  finish(result.total);
  for (V& sum : result.of_edge) finish(sum);
  return result;
}

template <class V>
void Distribution::add_marginals(std::vector<Way>& chosen, Marginals& result) const {
  const CoveredParts& parts = graph_.parts;
  result.edges.assign(graph_.num_edges, {zero<V>(), 0, 0});
  result.total = zero<V>();
  if (!graph_.has_perfect_matching()) return;
  std::vector<BlockMarginals<V>> of_part;
  for (std::size_t i = 0; i < chosen.size(); ++i) of_part.push_back(marginals_of_part<V>(i, chosen[i]));
  // before[i]: the factors and the totals of the parts before i.
  std::vector<V> before{one<V>()};
  for (const EdgeId edge : parts.forced) {
    std::visit(
        [&](const auto& all) {
          if constexpr (std::is_same_v<decltype(rounded(all[edge])), V>)
            before.front() = times(before.front(), rounded(all[edge]));
          else if constexpr (requires { rounded(as_real(all[edge])); } && std::is_same_v<V, RealValue>)
            before.front() = times(before.front(), rounded(as_real(all[edge])));
        },
        graph_.entries);
  }
  for (const auto& part : of_part) before.push_back(times(before.back(), part.total));
  const V total = before.back();
  result.total = total;
  result.are_probabilities = graph_.positive;
  for (const EdgeId edge : parts.forced) result.edges[graph_.given_edge[edge]] = {total, 1, 0};
  V behind = one<V>();
  for (std::size_t i = of_part.size(); i-- > 0;) {
    const V others = times(before[i], behind);
    for (std::size_t e = 0; e < of_part[i].of_edge.size(); ++e) {
      EdgeMarginal& edge = result.edges[graph_.given_edge[parts.parts[i].edges[e]]];
      if (graph_.positive) set_probability(edge, of_part[i].of_edge[e], of_part[i].total);
      edge.sum = times(others, of_part[i].of_edge[e]);
    }
    behind = times(behind, of_part[i].total);
    check_sums(parts.parts[i], of_part[i]);
  }
}

Marginals Distribution::marginals() {
  // All are chosen before any is run, so that what can't be done is refused at once.
  Marginals result;
  std::vector<Way> chosen;
  double seconds = 0;
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) {
    Ways found = marginals_ways(i);
    Way& best = found.ways.front();
    // The planar method may need less than what was found.
    if (found.unseen && !fits(best.cost, run_) && found.unseen->memory_bytes() < best.cost.memory_bytes)
      throw OverLimit(*found.unseen);
    require_within_limits("this", needs_of(best.cost), run_, seconds);
    seconds += best.cost.seconds;
    chosen.push_back(std::move(best));
  }
  const WeightKind kind = number().kind;
  if (kind == WeightKind::complex)
    add_marginals<ComplexValue>(chosen, result);
  else if (kind == WeightKind::integer && is_exact())
    add_marginals<Integer>(chosen, result);
  else
    add_marginals<RealValue>(chosen, result);
  const auto dearest = std::ranges::max_element(chosen, {}, [](const Way& way) { return way.cost.seconds; });
  if (dearest != chosen.end()) result.method = dearest->method;
  if (completed_) return folded(*completed_, result);
  return result;
}

// ---- Samples.

void Distribution::require_positive() const {
  if (graph_.positive) return;
  throw InputError(number().kind == WeightKind::complex ? "complex weights" : "a weight that is negative",
                   "weights above 0: no probability is in proportion to others");
}

// Samples depend on the method and on the order of vertices: no limit changes these, nor what was asked before.
Way Distribution::sampler_way(std::size_t part) const {
  // Layers that take less draw samples in microseconds each; the planar method takes milliseconds for each.
  constexpr double layers_s = 0.5;
  constexpr Vertex small = 16;
  // Layers of more than this, at one time, are not kept for samples where another method draws them in less time.
  constexpr double most_bytes_of_layers = 4e9;
  const OwnedBlock block = graph_.block(part, true);
  const AnyBlock view = view_of(block);
  const NumberType numbers = number();
  const RunContext run = run_of(part);
  CountOptions unlimited = options_of(part);
  unlimited.run.time_limit_s = infinity;
  const auto by = [&](const MethodEntry& entry, double useful_s = infinity) {
    return way_by(entry, view, numbers, unlimited, useful_s, Asked::samples, run);
  };
  if (options_.method != Method::automatic) {
    Way asked = by(entry_of(options_.method));
    require_applies(asked, run);
    return asked;
  }
  if (may_be_planar(view) || size_of(view) <= small) {
    Way layers = by(that_takes_every_block(), layers_s);
    if (layers.cost.seconds <= layers_s) return layers;
  }
  using Samples = MethodEntry::Samples;
  for (const MethodEntry& entry : methods()) {
    if (entry.samples != Samples::always || !looks_first(entry, unlimited)) continue;
    Way way = by(entry);
    if (way.why_not.empty()) return way;
  }
  Way layers = by(that_takes_every_block());
  for (const MethodEntry& entry : methods()) {
    const bool for_time = entry.samples == Samples::for_time && layers.cost.seconds > layers_s;
    const bool for_memory = entry.samples == Samples::for_memory && layers.cost.memory_bytes > most_bytes_of_layers;
    if (!entry.way || (!for_time && !for_memory)) continue;
    Way way = by(entry, layers.cost.seconds);
    if (way.why_not.empty() && (for_memory || way.cost.seconds < layers.cost.seconds)) return way;
  }
  return layers;
}

std::vector<std::unique_ptr<PartSampler>> Distribution::make_samplers() const {
  std::vector<Way> chosen;
  double seconds = 0;
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) {
    chosen.push_back(sampler_way(i));
    require_within_limits("this", needs_of(chosen.back().cost), run_, seconds);
    seconds += chosen.back().cost.seconds;
  }
  std::vector<std::unique_ptr<PartSampler>> samplers;
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) {
    OwnedBlock block = graph_.block(i, true);
    if (!entry_of(chosen[i].method).scales) scale(block, run_);
    try {
      samplers.push_back(chosen[i].sampler(view_of(block), run_));
    } catch (const CannotGoOn&) {
      if (options_.method != Method::automatic) throw;
      const Way other =
          way_by(that_takes_every_block(), view_of(block), number(), options_of(i), infinity, Asked::samples, run_);
      require_within_limits("this", needs_of(other.cost), run_);
      samplers.push_back(other.sampler(view_of(block), run_));
    }
  }
  return samplers;
}

// Memory of a sample: its edges, here and in the sampler of a part, and where the sampler is.
double Distribution::bytes_of_sample() const {
  return static_cast<double>(2 * sizeof(EdgeId) * graph_.matching_size + sizeof(std::size_t) + sizeof(std::uint64_t));
}

std::vector<EdgeId> Distribution::samples(std::uint64_t first, std::size_t count) {
  require_positive();
  if (!has_matching())
    throw Unable(completed_ ? "there is no matching of the kind to be drawn"
                            : "there is no perfect matching to be drawn");
  if (count > 0 && first + (count - 1) < first)
    throw InputError("samples beyond number 2^64 - 1", "numbers below 2^64");
  require_memory("so many samples at once", bytes_of_sample() * static_cast<double>(count), run_);
  if (samplers_.empty()) samplers_ = make_samplers();
  const CoveredParts& parts = graph_.parts;
  const std::size_t matching_size = graph_.matching_size;
  std::vector<EdgeId> edges(matching_size * count);
  std::size_t filled = parts.forced.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t e = 0; e < filled; ++e) edges[i * matching_size + e] = graph_.given_edge[parts.forced[e]];
  for (std::size_t p = 0; p < samplers_.size(); ++p) {
    const std::vector<EdgeId> drawn =
        samplers_[p]->draw(options_.run.seed, static_cast<std::uint32_t>(p), first, count);
    const std::size_t size = samplers_[p]->matching_size();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t e = 0; e < size; ++e)
        edges[i * matching_size + filled + e] = graph_.given_edge[parts.parts[p].edges[drawn[i * size + e]]];
    filled += size;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(i * matching_size);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(matching_size));
  }
  if (completed_) return folded(*completed_, edges, count, this->matching_size());
  return edges;
}

// ---- Plans.

DistributionPlan Distribution::plan(bool of_samples) const {
  const RunContext limited(options_.run);
  DistributionPlan result;
  Plan& plan = result.plan = plan_of_structure();
  if (completed_ && !has_own_plan()) plan.edges = completed_->plan.edges;
  result.are_probabilities = graph_.positive && (has_matching() || has_own_plan());  // weights of 0 have no sign
  if (!has_matching()) return result;
  plan.reductions.useless_edges = plan.edges;
  const auto count_useful = [&](EdgeId edge) {
    const EdgeId given = graph_.given_edge[edge];
    if (!completed_ || completed_->edges[given] != no_edge) --plan.reductions.useless_edges;
  };
  std::ranges::for_each(graph_.parts.forced, count_useful);
  for (const CoveredPart& part : graph_.parts.parts) std::ranges::for_each(part.edges, count_useful);
  plan.reductions.fine_blocks = static_cast<Vertex>(graph_.parts.forced.size() + graph_.num_parts());
  plan.reductions.degree1 = static_cast<Vertex>(2 * graph_.parts.forced.size());
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) {
    BlockPlan block = block_of(graph_.parts.parts[i]);
    double seconds = infinity;
    try {
      if (of_samples)
        block.forecasts.push_back(forecast_of(sampler_way(i)));
      else
        for (const Way& way : marginals_ways(i).ways) block.forecasts.push_back(forecast_of(way));
      const Forecast& first = block.forecasts.front();
      seconds = first.seconds;
      plan.memory_bytes = std::max(plan.memory_bytes, first.memory_bytes);
      require_within_limits("this", {first.seconds, first.memory_bytes}, limited, plan.seconds);
    } catch (const OverLimit& limit) {
      if (result.refusal.empty()) result.refusal = limit.what();
    }
    plan.seconds += seconds;
    plan.blocks.push_back(std::move(block));
  }
  std::ranges::stable_sort(plan.blocks, std::ranges::greater(), &BlockPlan::edges);
  return result;
}

DistributionPlan plan_distribution(GraphView graph, const DistributionOptions& options, bool of_samples) {
  const Distribution distribution(graph, options, context_of(options.run, nullptr, Until::plan));
  if (of_samples) distribution.require_positive();
  return distribution.plan(of_samples);
}

}  // namespace matchcount
