// A perfect matching weighs at least the sum of all prices u and v such that u_r + v_c is at most the weight of every
// edge, and that sum exactly if each of its edges is tight. Prices that some matching reaches (Kuhn 1955,
// doi:10.1002/nav.3800020109) thus tell the minimum-weight matchings: all perfect matchings of the tight edges, and no
// others. A count of these has the whole engine behind it. If there are odd cycles prices of sets of vertices come in,
// which no subgraph has.

#include "permanent/engine/answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "graph/input.hpp"
#include "matching/covered_parts.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/matching_parts.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/frontier/matchings.hpp"

namespace matchcount {
namespace {

// Returns the value as it was written, if that is the shortest decimal of its high double; nothing if it is not.
std::optional<Rational> written(DoubleDouble value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value.hi).ptr;
  DoubleDouble read;
  if (!parse_real(text.data(), end, read) || !(read == value)) return std::nullopt;
  return read_number({text.data(), static_cast<std::size_t>(end - text.data())});
}

// Weights of which the least sum is looked for: times `multiple`, negative where the heaviest are.
struct Costs {
  std::vector<Integer> of_edge;
  Integer multiple = 1;

  Rational weight(const Integer& sum) const { return {sum, multiple}; }
};

template <class Graph>
Costs costs_of(const Graph& graph, const Question& question) {
  if (graph.weight_kind() == WeightKind::complex)
    throw InputError("complex weights", "real ones, of which one is less than another");
  MatchingWeights weights{exact_weights(graph.weights(), graph.num_edges(), question.fractions), {}};
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&graph.weights())) {
    for (std::size_t i = 0; i < reals->size(); ++i)
      if (std::optional<Rational> decimal = written((*reals)[i])) weights.edges[i].re = *std::move(decimal);
  }
  Costs costs;
  costs.multiple = weights.common_denominator();
  if (question.matchings == MatchingKind::heaviest) costs.multiple = -costs.multiple;
  for (GaussianInteger& cost : times_multiple(weights.edges, costs.multiple))
    costs.of_edge.push_back(std::move(cost.re));
  return costs;
}

// The edges of all lightest matchings, among others that are in no perfect matching of these; and what they weigh.
struct Tight {
  BipartiteGraph graph;
  Integer weight;
};
// Prices have 61 bits with room for sums. Of longer costs the highest bits are priced first: what is left of each cost
// is then 0 or more, and less than `unit` on some perfect matching's every edge, so that no lightest one has an edge of
// which more than `unit` a row is left; the others' costs are so many bits shorter.
Tight tight_edges(const BipartiteGraph& pattern, std::vector<Integer> costs, const RunContext& run) {
  Tight tight{pattern, 0};
  const Integer most = (Integer(1) << std::size_t{61}) / (2 * std::int64_t{pattern.num_rows()} + 1);
  for (std::size_t bits = 1; bits != 0;) {
    Integer largest = 0;
    for (const Integer& cost : costs) largest = std::max(largest, abs(cost));
    for (bits = 0; largest >> bits >= most;) ++bits;
    const Integer unit = Integer(1) << bits;
    std::vector<std::int64_t> high;
    for (const Integer& cost : costs) high.push_back(static_cast<std::int64_t>(cost >> bits));
    const AssignmentPrices prices = assignment_prices(tight.graph, std::move(high), run);
    for (const auto* side : {&prices.of_row, &prices.of_column})
      for (const std::int64_t price : *side) tight.weight += unit * price;
    const Integer enough = bits == 0 ? Integer(0) : unit * pattern.num_rows();
    std::vector<bool> keep;
    std::vector<Integer> left;
    const std::vector<Edge> edges = tight.graph.edges();
    for (EdgeId id = 0; id < edges.size(); ++id) {
      Integer rest = costs[id] - unit * (prices.of_row[edges[id].row] + prices.of_column[edges[id].column]);
      keep.push_back(rest <= enough);
      if (keep.back()) left.push_back(std::move(rest));
    }
    tight.graph = tight.graph.filtered(keep);
    costs = std::move(left);
  }
  return tight;
}

// ---- Graphs with odd cycles, part by part.

// Each part is counted by layers, or where it has two sides as the perfect matchings of its tight edges.
class PartByPart {
 public:
  PartByPart(const Costs& costs, const CountOptions& options, const RunContext& run)
      : costs_(costs), options_(options), run_(run) {
    result_.run.seed = options.run.seed;
    result_.run.value = Integer(0);
  }

  MatchingResult answer(const UndirectedGraph& graph, Until until) {
    describe(graph, plan_);
    Stopwatch stopwatch;
    Times& times = result_.run.time_s;
    const GraphMatching matching = find_matching(graph, plan_, run_);
    if (!plan_.has_perfect_matching()) return std::move(result_);
    if (options_.method != Method::automatic && options_.method != layers_)
      throw Unable("the lightest matchings of a graph with odd cycles are found by the " +
                   std::string(to_string(layers_)) + " method alone");
    const CoveredParts parts = covered_parts(graph, matching, run_);
    times.structure = stopwatch.lap();
    for (const CoveredPart& part : parts.parts) prepare(part);
    times.order = stopwatch.lap();
    if (until == Until::plan) return std::move(result_);
    require_within_limits("this", {plan_.seconds, plan_.memory_bytes}, run_);
    LightestMatchings all{0, 1};
    for (const EdgeId edge : parts.forced) all.weight += costs_.of_edge[edge];
    for (const auto& count_part : ways_) {
      const LightestMatchings found = count_part();
      all.weight += found.weight;
      all.number *= found.number;
    }
    result_.run.value = std::move(all.number);
    times.count = stopwatch.lap();
    times.total = run_.elapsed_s();
    result_.weight = costs_.weight(all.weight);
    return std::move(result_);
  }

 private:
  void prepare(const CoveredPart& part) {
    std::vector<Integer> costs;
    for (const EdgeId edge : part.edges) costs.push_back(costs_.of_edge[edge]);
    if (const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern)) {
      Tight tight = tight_edges(*bipartite, costs, run_);
      for (BlockPlan& block : compute(&tight.graph, what_is_left(options_, run_), nullptr, Until::plan).plan.blocks)
        add_block(plan_, std::move(block));
      ways_.push_back([this, tight = std::move(tight)] {
        const Result found = compute(&tight.graph, what_is_left(options_, run_), nullptr);
        result_.run.blocks.insert(result_.run.blocks.end(), found.blocks.begin(), found.blocks.end());
        if (result_.run.method == Method::structure) result_.run.method = found.method;
        return LightestMatchings{tight.weight, std::get<Integer>(found.value)};
      });
      return;
    }
    const auto& pattern = std::get<UndirectedGraph>(part.pattern);
    MatchingPlan plan = plan_lightest(pattern, options_.effort_s, run_);
    BlockPlan block{pattern.num_vertices(), false, pattern.num_edges(), Precision::automatic, {}};
    block.forecasts.push_back(
        forecast_of(layers_, {std::log2(plan.seconds + 1e-9), plan.seconds, plan.memory_bytes, plan.description}));
    add_block(plan_, std::move(block));
    ways_.push_back([this, costs = std::move(costs), plan = std::move(plan)] {
      result_.run.method = layers_;
      Stopwatch stopwatch;
      LightestMatchings found = lightest_matchings(plan, costs, run_);
      result_.run.blocks.push_back({layers_, Precision::automatic, stopwatch.lap()});
      return found;
    });
  }

  const Costs& costs_;
  const CountOptions& options_;
  const RunContext& run_;
  const Method layers_ = method_of(MatchingsBy::layers);
  std::vector<std::function<LightestMatchings()>> ways_;
  MatchingResult result_;
  Plan& plan_ = result_.run.plan;
};

// ---- Which edges they have.

void keep_optimal(const BipartiteGraph& graph, const std::vector<Integer>& costs, const std::vector<EdgeId>& ids,
                  const RunContext& run, std::vector<bool>& keep) {
  const Tight tight = tight_edges(graph, costs, run);
  const std::vector<Edge> all = graph.edges(), tight_ones = tight.graph.edges();
  auto next = tight_ones.begin();
  for (EdgeId id = 0; id < all.size(); ++id) {
    const bool is_kept = next != tight_ones.end() && *next == all[id];
    keep[ids[id]] = is_kept;
    if (is_kept) ++next;
  }
}

template <class Graph>
std::vector<bool> optimal_edges_of(const Graph& graph, const Costs& costs, const RunContext& run) {
  std::vector<bool> keep(graph.num_edges(), true);
  const auto matching = maximum_matching(graph, run);
  if (!matching.is_perfect()) return keep;
  const CoveredParts parts = covered_parts(graph, matching, run);
  keep.assign(graph.num_edges(), false);
  for (const EdgeId edge : parts.forced) keep[edge] = true;
  for (const CoveredPart& part : parts.parts) {
    const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern);
    if (!bipartite)
      throw Unable(
          "in a graph with odd cycles edges alone do not tell the lightest matchings from others: they are "
          "counted, but not drawn or listed");
    std::vector<Integer> of_part;
    for (const EdgeId edge : part.edges) of_part.push_back(costs.of_edge[edge]);
    keep_optimal(*bipartite, of_part, part.edges, run, keep);
  }
  return keep;
}

}  // namespace

std::vector<bool> optimal_edges(const Question& question, const RunContext& run) {
  return std::visit(
      [&](const auto* graph) { return optimal_edges_of(graph->pattern(), costs_of(*graph, question), run); },
      question.graph);
}

MatchingResult count_optimal(const BipartiteGraph& graph, const Question& question, Work* work, Until until) {
  const RunContext run = context_of(question.options.run, work, until);
  const BipartiteGraph pattern = graph.pattern();
  const Costs costs = costs_of(graph, question);
  MatchingResult result;
  if (!maximum_matching(pattern, run).is_perfect()) {
    result.run = compute(&pattern, question.options, work, until);
    return result;
  }
  const Tight tight = tight_edges(pattern, costs.of_edge, run);
  result.run = compute(&tight.graph, what_is_left(question.options, run), work, until);
  result.weight = costs.weight(tight.weight);
  return result;
}

MatchingResult count_optimal(const UndirectedGraph& graph, const Question& question, Work* work, Until until) {
  if (until == Until::value) {
    if (work != nullptr && (work->keeps() || work->num_ranks() > 1))
      throw Unable("the lightest matchings of a graph with odd cycles are found without checkpoints and ranks");
    if (question.options.verify)
      throw Unable("no second method finds the lightest matchings of a graph with odd cycles");
  }
  const RunContext run = context_of(question.options.run, nullptr, until);
  const Costs costs = costs_of(graph, question);
  return PartByPart(costs, question.options, run).answer(graph.pattern(), until);
}

}  // namespace matchcount
