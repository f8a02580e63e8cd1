#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "graph/planar.hpp"
#include "permanent/bound.hpp"
#include "permanent/engine/cut_matchings.hpp"
#include "permanent/engine/cut_sums.hpp"
#include "permanent/engine/engine.hpp"

namespace matchcount {
namespace {

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
  std::map<std::vector<Edge>, Plan> known;  // of pieces alike
  const auto add = [&](const CutPart& part, double times) {
    const auto [place, is_new] = known.try_emplace(part.pattern.edges());
    if (is_new) place->second = plan_part<Entry>(part.pattern, asked, options, run);
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

MethodVerbs cuts_method() {
  return {.plan = plan, .cost = cost, .run = run_cuts, .plan_again = plan_again, .way = way_of};
}

}  // namespace matchcount
