#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "graph/planar.hpp"
#include "permanent/engine/cut_matchings.hpp"
#include "permanent/engine/cut_sums.hpp"
#include "permanent/engine/distribution.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/rooms.hpp"

namespace matchcount {

namespace {

DistributionOptions options_of_distribution(const CountOptions& options, bool exact, const RunContext& run) {
  const CountOptions mine = options_of_pieces(options, run);
  DistributionOptions result;
  result.exact = exact;
  result.effort_s = mine.effort_s;
  result.run = mine.run;
  return result;
}

UndirectedGraph with_words(const UndirectedGraph& pattern, const std::vector<Integer>& weights) {
  std::vector<std::int64_t> words;
  for (const Integer& weight : weights) {
    if (weight > Integer(std::numeric_limits<std::int64_t>::max()))
      throw CannotGoOn("integers in the place of pieces pass 64 bits; sums in doubles would do without");
    words.push_back(static_cast<std::int64_t>(weight));
  }
  return pattern.with_weights(std::move(words));
}

BlockMarginals<Integer> marginals_of(const UndirectedGraph& pattern, const std::vector<Integer>& weights,
                                     const CountOptions& options, const RunContext& run) {
  const UndirectedGraph graph = with_words(pattern, weights);
  Distribution distribution(&graph, options_of_distribution(options, true, run));
  const Marginals found = distribution.marginals();
  BlockMarginals<Integer> result{std::get<Integer>(found.total), {}};
  for (const EdgeMarginal& edge : found.edges) result.of_edge.push_back(std::get<Integer>(edge.sum));
  return result;
}
BlockMarginals<RealValue> marginals_of(const UndirectedGraph& pattern, const std::vector<RealValue>& weights,
                                       const CountOptions& options, const RunContext& run) {
  const ScaledGraph scaled = scaled_graph(pattern, weights);
  Distribution distribution(&scaled.graph, options_of_distribution(options, false, run));
  const Marginals found = distribution.marginals();
  BlockMarginals<RealValue> result{std::get<RealValue>(found.total), {}};
  for (const EdgeMarginal& edge : found.edges) result.of_edge.push_back(std::get<RealValue>(edge.sum));
  undo(scaled, result.total.value.log2_abs() + 1, result.total);
  for (RealValue& sum : result.of_edge) undo(scaled, sum.value.log2_abs() + 1, sum);
  return result;
}

Integer minus(const Integer& a, const Integer& b) { return a - b; }
RealValue minus(const RealValue& a, RealValue b) {
  b.value = -b.value;
  return plus(a, b);
}

// Finds for each edge of the plan the sum over the matchings that it is in, the sums of the pieces included.
template <class Entry>
class EdgeSums {
 public:
  using Number = BlockValue<Entry>;

  EdgeSums(const CutPlan& plan, const std::vector<Entry>& entries, const CountOptions& options, const RunContext& run)
      : plan_(plan), options_(options), run_(run), sums_(plan, entries, options), total_(sums_.total(run)) {
    of_edge_.assign(plan.edges.size(), zero<Number>());
  }

  BlockMarginals<Number> take(std::size_t num_edges) {
    if (!is_zero(total_)) {
      spread(part_of(plan_, plan_.vertices, plan_.rest), total_);
      for (std::size_t i = plan_.cuts.size(); i-- > 0;) undo_cut(plan_.cuts[i]);
    }
    of_edge_.resize(num_edges);
    return {total_, std::move(of_edge_)};
  }

 private:
  // The matchings that take a subset of the boundary into the piece, for each subset.
  void undo_cut(const Cut& cut) {
    run_.check();
    std::vector<Number> taken(cut.subsets.size(), zero<Number>());
    Number rest = total_;
    for (const Cut::NewEdge& edge : cut.added) {
      if (edge.tells == Cut::nothing) continue;
      taken[static_cast<std::size_t>(edge.tells)] = of_edge_[edge.edge];
      rest = minus(rest, of_edge_[edge.edge]);
    }
    if (cut.otherwise != Cut::nothing) taken[static_cast<std::size_t>(cut.otherwise)] = std::move(rest);
    for (std::size_t s = 0; s < taken.size(); ++s)
      if (cut.subsets[s].is_possible && !is_zero(taken[s])) spread(piece_with(plan_, cut, cut.subsets[s]), taken[s]);
  }

  // Adds to the edges of a part their shares in so much.
  void spread(const CutPart& part, const Number& sum) {
    if (part.pattern.num_vertices() == 0) return;
    const std::vector<Number> weights = sums_.weights_of(part);
    const BlockMarginals<Number> found = marginals_of(part.pattern, weights, options_, run_);
    for (EdgeId id = 0; id < weights.size(); ++id) {
      if (is_zero(found.of_edge[id])) continue;
      const Number mine = quotient(times(sum, found.of_edge[id]), found.total);
      for (const EdgeId member : part.members[id]) {
        const Number& weight = sums_.weights()[member];
        if (is_zero(weight)) continue;
        const Number share = part.members[id].size() == 1 ? mine : quotient(times(mine, weight), weights[id]);
        of_edge_[member] = plus(of_edge_[member], share);
      }
    }
  }

  const CutPlan& plan_;
  const CountOptions& options_;
  const RunContext& run_;
  CutSums<Entry> sums_;
  Number total_;
  std::vector<Number> of_edge_;
};

class CutSampler : public PartSampler {
 public:
  CutSampler(std::shared_ptr<const CutPlan> plan, const std::vector<RealEntry>& entries, const CountOptions& options,
             const RunContext& run)
      : held_(std::move(plan)),
        plan_(*held_),
        options_(options),
        run_(run),
        num_edges_(entries.size()),
        sums_(plan_, entries, options) {
    sums_.total(run);
    for (const Edge& edge : std::span(plan_.edges).first(num_edges_))
      num_vertices_ = std::max<std::size_t>(num_vertices_, edge.column + std::size_t{1});
  }

  std::size_t matching_size() const override { return num_vertices_ / 2; }

  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override {
    if (seed != seed_) parts_.clear();
    seed_ = seed;
    std::vector<EdgeId> result;
    for (std::size_t i = 0; i < count; ++i) {
      run_.check();
      draw_one(stream, first + i, result);
    }
    return result;
  }

 private:
  struct Part {
    CutPart part;
    std::vector<RealValue> weights;
    std::unique_ptr<Distribution> distribution;
    std::uint32_t stream = 0;
  };

  void draw_one(std::uint32_t stream, std::uint64_t i, std::vector<EdgeId>& result) {
    is_drawn_.assign(plan_.edges.size(), false);
    draw_part(0, 0, stream, i);
    for (std::size_t c = plan_.cuts.size(); c-- > 0;) {
      const Cut& cut = plan_.cuts[c];
      int subset = cut.otherwise;
      for (const Cut::NewEdge& edge : cut.added)
        if (edge.tells != Cut::nothing && is_drawn_[edge.edge]) subset = edge.tells;
      draw_part(c + 1, static_cast<std::size_t>(subset), stream, i);
    }
    for (EdgeId id = 0; id < num_edges_; ++id)
      if (is_drawn_[id]) result.push_back(id);
  }

  // Cut 0 is the rest.
  void draw_part(std::size_t cut, std::size_t subset, std::uint32_t stream, std::uint64_t i) {
    Part& part = part_at(cut, subset);
    if (part.part.pattern.num_vertices() == 0) return;
    std::uint32_t step = 0;
    for (const EdgeId id : part.distribution->samples(i, 1)) {
      // Edges side by side by their weights.
      const std::vector<EdgeId>& members = part.part.members[id];
      double left = uniform_of_sample(seed_, stream ^ part.stream, i, step++);
      EdgeId drawn = members.back();
      for (const EdgeId member : members) {
        const ScaledReal& weight = sums_.weights()[member].value;
        left -= ScaledReal(weight.mantissa / part.weights[id].value.mantissa,
                           weight.exponent - part.weights[id].value.exponent)
                    .to_double();
        if (weight.is_zero()) continue;
        drawn = member;
        if (left < 0) break;
      }
      is_drawn_[drawn] = true;
    }
  }

  Part& part_at(std::size_t cut, std::size_t subset) {
    const auto [place, is_new] = parts_.try_emplace({cut, subset});
    Part& part = place->second;
    if (!is_new) return part;
    const Cut* given = cut == 0 ? nullptr : &plan_.cuts[cut - 1];
    part.part = given ? piece_with(plan_, *given, given->subsets[subset]) : part_of(plan_, plan_.vertices, plan_.rest);
    part.weights = sums_.weights_of(part.part);
    const auto bits = philox4x32({static_cast<std::uint32_t>(cut), static_cast<std::uint32_t>(subset), 0, 0},
                                 {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    part.stream = bits[2];
    if (part.part.pattern.num_vertices() == 0) return part;
    DistributionOptions options = options_of_distribution(options_, false, run_);
    options.run.seed = (std::uint64_t{bits[0]} << 32) | bits[1];
    const UndirectedGraph graph = scaled_graph(part.part.pattern, part.weights).graph;
    part.distribution = std::make_unique<Distribution>(&graph, options);
    return part;
  }

  std::shared_ptr<const CutPlan> held_;
  const CutPlan& plan_;
  CountOptions options_;
  RunContext run_;
  std::size_t num_edges_ = 0, num_vertices_ = 0;
  CutSums<RealEntry> sums_;
  std::uint64_t seed_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, Part> parts_;
  std::vector<bool> is_drawn_;
};

// Smaller blocks, and those of more edges than this for each vertex, have no pieces that are worth it.
constexpr Vertex least_vertices = 8;
constexpr EdgeId most_edges_of_vertex = 32;

struct BlockCuts : MethodPlan {
  std::shared_ptr<const CutPlan> cuts;
  CountOptions options;
  Cost cost;
};

// A part with ones for weights, in the numbers of the block.
template <class Entry>
Plan plan_part(const UndirectedGraph& pattern, Asked asked, const CountOptions& options, const RunContext& run) {
  const CountOptions mine = options_of_pieces(options, run);
  UndirectedGraph graph = pattern;
  if constexpr (!std::is_same_v<Entry, std::int64_t>) {
    using Weight = decltype(Entry::value);
    graph = pattern.with_weights(std::vector<Weight>(pattern.num_edges(), Weight(1.0)));
  }
  if (asked != Asked::sum) return plan_of_part(graph, asked == Asked::samples, mine, run);
  return compute(&graph, mine, nullptr, Until::choice).plan;
}

// Bounds the logarithms of weights, those in the place of pieces as well.
class Sizes {
 public:
  template <class Entry>
  Sizes(const CutPlan& cuts, const std::vector<Entry>& entries) {
    for (const double magnitude : magnitudes_of(entries)) bits_.push_back(std::log2(magnitude));
    bits_.resize(cuts.edges.size());
  }

  // Returns the bits of a part's sum, as many as the runs that it would take would have (big_entries.hpp).
  double of_sum(const CutPart& part) const {
    double sum = 0;
    std::vector<double> largest(part.pattern.num_vertices(), 0), edges(part.pattern.num_vertices(), 0);
    for (EdgeId id = 0; id < part.members.size(); ++id) {
      for (const Vertex v : {part.pattern.edges()[id].row, part.pattern.edges()[id].column}) {
        for (const EdgeId member : part.members[id]) largest[v] = std::max(largest[v], bits_[member]);
        edges[v] += static_cast<double>(part.members[id].size());
      }
    }
    for (Vertex v = 0; v < largest.size(); ++v) sum += (largest[v] + std::log2(std::max(edges[v], 1.0))) / 2;
    return sum;
  }
  // Returns the bits of all edges of a part: pieces of equal ones are summed up once.
  std::vector<double> of_edges(const CutPart& part) const {
    std::vector<double> bits;
    for (const std::vector<EdgeId>& members : part.members)
      for (const EdgeId member : members) bits.push_back(bits_[member]);
    return bits;
  }
  // Returns how many runs a part takes by which integers beyond 64 bits are counted.
  double runs_of(const CutPart& part) const {
    constexpr double bits_of_word = 63, bits_of_run = 61.99;
    const auto is_long = [&](EdgeId member) { return bits_[member] > bits_of_word; };
    const bool fits = std::ranges::none_of(
        part.members, [&](const std::vector<EdgeId>& members) { return std::ranges::any_of(members, is_long); });
    return fits ? 1 : std::ceil(of_sum(part) / bits_of_run);
  }
  // Takes note that a cut has gone whose piece has sums of so many bits.
  void replace(const Cut& cut, double bits) {
    for (const EdgeId edge : cut.scaled) bits_[edge] += bits;
    for (const Cut::NewEdge& edge : cut.added)
      bits_[edge.edge] = (edge.first != Cut::nothing ? bits : 0) + (edge.second != Cut::nothing ? bits : 0);
  }

 private:
  std::vector<double> bits_;  // by EdgeId of the plan
};

// The cost of all pieces and of what is left.
template <class Entry>
Cost cost_of(const CutPlan& cuts, const std::vector<Entry>& entries, Asked asked, const CountOptions& options,
             const RunContext& run) {
  Cost cost;
  Sizes sizes(cuts, entries);
  constexpr bool is_integer = std::is_same_v<Entry, std::int64_t>;
  std::map<std::vector<Edge>, Plan> known;  // of pieces alike but for their weights
  std::set<std::pair<std::vector<Edge>, std::vector<double>>> counted;
  const auto add = [&](const CutPart& part, double times) {
    const auto [place, is_unplanned] = known.try_emplace(part.pattern.edges());
    if (is_unplanned) place->second = plan_part<Entry>(part.pattern, asked, options, run);
    const bool is_new = counted.emplace(part.pattern.edges(), sizes.of_edges(part)).second;
    // Parts are planned again when they are counted.
    constexpr double plan_of_edge_s = 9e-6;
    const double seconds = place->second.seconds + plan_of_edge_s * static_cast<double>(part.pattern.num_edges());
    cost.seconds += (is_new ? times : 0) * (is_integer ? sizes.runs_of(part) : 1) * seconds;
    cost.memory_bytes = std::max(cost.memory_bytes, place->second.memory_bytes);
    return place->second.blocks.empty() ? std::string("nothing")
                                        : place->second.blocks.front().forecasts.front().reason;
  };
  std::size_t widest = 0;
  for (const Cut& cut : cuts.cuts) {
    run.check();
    widest = std::max(widest, cut.piece.boundary.size());
    const Cut::Subset* most = nullptr;
    double times = 0;
    for (const Cut::Subset& subset : cut.subsets) {
      if (!subset.is_possible) continue;
      ++times;
      if (!most || subset.taken.size() > most->taken.size()) most = &subset;
    }
    if (!most) continue;
    const CutPart piece = piece_with(cuts, cut, *most);
    add(piece, times);
    sizes.replace(cut, sizes.of_sum(piece));
  }
  const CutPart rest = part_of(cuts, cuts.vertices, cuts.rest);
  const std::string reason = add(rest, 1);
  cost.log2_operations = std::log2(static_cast<double>(cuts.cuts.size()) + 1);
  cost.description = std::to_string(cuts.cuts.size()) + " pieces behind at most " + std::to_string(widest) +
                     " vertices; " + std::to_string(rest.pattern.num_vertices()) + " vertices are left: " + reason;
  return cost;
}

// The cuts of a block with their cost; or why there are none.
struct Found {
  std::shared_ptr<const CutPlan> cuts;
  Cost cost;
  std::string why_not;
};
Found find(const PlanRequest& request, Asked asked, bool other_root, const RunContext& run) {
  const BlockPattern pattern = pattern_of(request.block);
  const UndirectedGraph graph =
      pattern.general ? *pattern.general : UndirectedGraph::from_bipartite(*pattern.bipartite);
  if (graph.num_vertices() < least_vertices) return {nullptr, {}, "has too few vertices to hang pieces on"};
  if (graph.num_edges() > most_edges_of_vertex * graph.num_vertices())
    return {nullptr, {}, "has too many edges for pieces behind few vertices"};
  if (request.options.method == Method::automatic && may_be_planar(request.block) && planar_embedding(graph, run))
    return {nullptr, {}, "is planar as it is"};
  const bool nonnegative = request.number.nonnegative;
  if (asked != Asked::sum && !nonnegative) return {nullptr, {}, "has weights of both signs, or complex ones"};
  CutPlan cuts = plan_cuts(graph, nonnegative ? 3 : 2, other_root, run);
  if (cuts.cuts.empty()) return {nullptr, {}, "has no piece behind at most three vertices"};
  Cost cost = std::visit([&](const auto* block) { return cost_of(cuts, block->entries, asked, request.options, run); },
                         request.block);
  if (std::isinf(cost.seconds)) return {nullptr, {}, "has parts that no method takes: " + cost.description};
  return {std::make_shared<const CutPlan>(std::move(cuts)), std::move(cost), {}};
}

Planned plan_from(const PlanRequest& request, bool other_root, const RunContext& run) {
  Found found = find(request, Asked::sum, other_root, run);
  if (!found.cuts) return {nullptr, "the block " + found.why_not};
  auto result = std::make_shared<BlockCuts>();
  result->cuts = std::move(found.cuts);
  result->options = request.options;
  result->cost = std::move(found.cost);
  return {std::move(result), {}};
}

Planned plan(const PlanRequest& request, const RunContext& run) { return plan_from(request, false, run); }
Planned plan_again(const PlanRequest& request, const MethodPlan&, const RunContext& run) {
  return plan_from(request, true, run);
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& plan, const NumberType&, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  return static_cast<const BlockCuts&>(plan).cost;
}

Value run_cuts(const RunRequest& request, const RunContext& run) {
  const auto& found = static_cast<const BlockCuts&>(request.plan);
  CountOptions options = found.options;
  options.run.precision = request.precision;
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> Value {
        return CutSums<Entry>(*found.cuts, block->entries, options).total(run);
      },
      request.block);
}

Way way_of(const PlanRequest& request, Asked asked, const RunContext& run) {
  Found found = find(request, asked, false, run);
  Way way;
  way.cost = std::move(found.cost);
  way.why_not = std::move(found.why_not);
  way.marginals = [cuts = found.cuts, options = request.options](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::optional<AnyMarginals> {
          if constexpr (!std::is_same_v<decltype(block->entries), std::vector<ComplexEntry>>)
            return marginals_by_cuts(*cuts, block->entries, options, inner);
          throw Error("marginals of complex weights by cuts");
        },
        given);
  };
  way.sampler = [cuts = found.cuts, options = request.options](const AnyBlock& given, const RunContext& inner) {
    return std::visit(
        [&](const auto* block) -> std::unique_ptr<PartSampler> {
          if constexpr (requires { sampler_by_cuts(cuts, block->entries, options, inner); })
            return sampler_by_cuts(cuts, block->entries, options, inner);
          throw Error("samples of numbers that are not real");
        },
        given);
  };
  return way;
}

}  // namespace

template <class Entry>
BlockMarginals<BlockValue<Entry>> marginals_by_cuts(const CutPlan& plan, const std::vector<Entry>& entries,
                                                    const CountOptions& options, const RunContext& run) {
  return EdgeSums<Entry>(plan, entries, options, run).take(entries.size());
}
template BlockMarginals<Integer> marginals_by_cuts(const CutPlan&, const std::vector<std::int64_t>&,
                                                   const CountOptions&, const RunContext&);
template BlockMarginals<RealValue> marginals_by_cuts(const CutPlan&, const std::vector<RealEntry>&, const CountOptions&,
                                                     const RunContext&);

std::unique_ptr<PartSampler> sampler_by_cuts(std::shared_ptr<const CutPlan> plan, const std::vector<RealEntry>& entries,
                                             const CountOptions& options, const RunContext& run) {
  return std::make_unique<CutSampler>(std::move(plan), entries, options, run);
}

Plan plan_of_part(const UndirectedGraph& graph, bool of_samples, const CountOptions& options, const RunContext& run) {
  const bool is_integer = graph.weight_kind() == WeightKind::none;
  return plan_distribution(&graph, options_of_distribution(options, is_integer, run), of_samples).plan;
}

MethodVerbs cuts_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_cuts,
          .plan_again = plan_again,
          .way = way_of,
          .before_search_from = least_large_size,
          .leaves_parts = true};
}

}  // namespace matchcount
