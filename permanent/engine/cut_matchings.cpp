#include "permanent/engine/cut_matchings.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "permanent/engine/distribution.hpp"
#include "permanent/engine/product.hpp"

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
      throw Unable("integers in the place of pieces pass 64 bits; sums in doubles would do without");
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

// By edge of the plan, the sum over the matchings that it is in, the sums of the pieces included.
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
    for (std::size_t s = 0; s < taken.size(); ++s) {
      if (cut.subsets[s].is_possible && !is_zero(taken[s])) spread(piece_with(plan_, cut, cut.subsets[s]), taken[s]);
    }
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
      for (const Cut::NewEdge& edge : cut.added) {
        if (edge.tells != Cut::nothing && is_drawn_[edge.edge]) subset = edge.tells;
      }
      draw_part(c + 1, static_cast<std::size_t>(subset), stream, i);
    }
    for (EdgeId id = 0; id < num_edges_; ++id) {
      if (is_drawn_[id]) result.push_back(id);
    }
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

}  // namespace matchcount
