// A perfect matching weighs at least the sum of all prices u and v such that u_r + v_c is at most the weight of every
// edge, and that sum exactly if each of its edges is tight. Prices that some matching reaches (Kuhn 1955,
// doi:10.1002/nav.3800020109) thus tell the minimum-weight matchings: all perfect matchings of the tight edges, and no
// others. A count of these has the whole engine behind it. If there are odd cycles prices of sets of vertices come in,
// which no subgraph has.

#include "permanent/engine/sums.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "core/work.hpp"
#include "graph/input.hpp"
#include "matching/covered_parts.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/matching_weights.hpp"
#include "permanent/engine/structure.hpp"
#include "permanent/frontier/optimal_matchings.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns the value as it was written, if that is the shortest decimal of its high double; nothing if it is not.
std::optional<Rational> written(DoubleDouble value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value.hi).ptr;
  DoubleDouble read;
  if (!parse_real(text.data(), end, read) || !(read == value)) return std::nullopt;
  return read_number({text.data(), static_cast<std::size_t>(end - text.data())});
}

template <class Graph>
std::vector<Rational> exact_values(const Graph& graph, std::span<const Rational> fractions) {
  if (graph.weight_kind() == WeightKind::complex)
    throw InputError("complex weights", "real ones, of which one is less than another");
  std::vector<Rational> values;
  for (GaussianRational& value : exact_weights(graph.weights(), graph.num_edges(), fractions))
    values.push_back(std::move(value.re));
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&graph.weights())) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::optional<Rational> decimal = written((*reals)[i])) values[i] = *std::move(decimal);
    }
  }
  return values;
}

// Weights of which the least sum is looked for: times `multiple`, negative where the heaviest are.
struct Costs {
  std::vector<Integer> of_edge;
  Integer multiple = 1;

  Rational weight(const Integer& sum) const { return {sum, multiple}; }
};

template <class Graph>
Costs costs_of(const Graph& graph, const Question& question) {
  const std::vector<Rational> values = exact_values(graph, question.fractions);
  Costs costs;
  for (const Rational& value : values) {
    if (denominator(value) != 1) costs.multiple = lcm(costs.multiple, denominator(value));
  }
  for (const Rational& value : values)
    costs.of_edge.push_back(numerator(value) * (costs.multiple / denominator(value)));
  if (question.matchings == MatchingKind::heaviest) {
    costs.multiple = -costs.multiple;
    for (Integer& cost : costs.of_edge) cost.negate();
  }
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
    for (const auto* side : {&prices.of_row, &prices.of_column}) {
      for (const std::int64_t price : *side) tight.weight += unit * price;
    }
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

bool has_perfect_matching(const BipartiteGraph& graph, const RunContext& run) {
  return graph.num_rows() == graph.num_columns() && maximum_matching(graph, run).is_perfect();
}

// ---- Graphs with odd cycles, part by part.

class PartByPart {
 public:
  PartByPart(const UndirectedGraph& graph, const Costs& costs, const CountOptions& options, const RunContext& run)
      : costs_(costs), options_(options), run_(run), matching_(maximum_matching(graph, run)) {
    describe(graph, plan_);
    plan_.maximum_matching = matching_.size;
    if (!matching_.is_perfect()) {
      plan_.tutte_set = tutte_set(graph, matching_);
      return;
    }
    if (options.method != Method::automatic && options.method != Method::frontier)
      throw Unable("the lightest matchings of a graph with odd cycles are found by the frontier method alone");
    parts_ = covered_parts(graph, matching_, run);
    for (const CoveredPart& part : parts_.parts) prepare(part);
  }

  const Plan& plan() const { return plan_; }

  MatchingResult count() {
    MatchingResult result;
    result.run.plan = plan_;
    result.run.seed = options_.run.seed;
    result.run.value = Integer(0);
    if (plan_.tutte_set) return result;
    require_within_limits("this", {plan_.seconds, plan_.memory_bytes}, run_);
    result.run.value = Integer(1);
    Integer weight = 0;
    for (const EdgeId edge : parts_.forced) weight += costs_.of_edge[edge];
    for (const auto& count_part : ways_) {
      LightestMatchings found = count_part(result.run);
      weight += found.weight;
      std::get<Integer>(result.run.value) *= found.number;
    }
    result.run.time_s.total = run_.elapsed_s();
    result.weight = costs_.weight(weight);
    return result;
  }

 private:
  // Each part is counted by the frontier method, or where it has two sides as the perfect matchings of its tight edges.
  void prepare(const CoveredPart& part) {
    std::vector<Integer> costs;
    for (const EdgeId edge : part.edges) costs.push_back(costs_.of_edge[edge]);
    if (const auto* bipartite = std::get_if<BipartiteGraph>(&part.pattern)) {
      Tight tight = tight_edges(*bipartite, costs, run_);
      Plan plan = plan_only<std::int64_t>(tight.graph, what_is_left(), nullptr);
      std::ranges::move(plan.blocks, std::back_inserter(plan_.blocks));
      add(plan.seconds, plan.memory_bytes);
      ways_.push_back([this, tight = std::move(tight)](Result& run) {
        const Result found = compute<std::int64_t>(tight.graph, what_is_left(), nullptr);
        run.blocks.insert(run.blocks.end(), found.blocks.begin(), found.blocks.end());
        if (run.method == Method::structure) run.method = found.method;
        return LightestMatchings{tight.weight, std::get<Integer>(found.value)};
      });
      return;
    }
    const auto& pattern = std::get<UndirectedGraph>(part.pattern);
    LightestPlan plan = plan_lightest(pattern, options_.effort_s, run_);
    BlockPlan block{pattern.num_vertices(), false, pattern.num_edges(), Precision::automatic, {}};
    block.forecasts.push_back({Method::frontier, false, false, true,
                               "width " + std::to_string(plan.width) + ", weights and numbers of matchings",
                               std::log2(plan.seconds + 1e-9), plan.seconds, plan.memory_bytes});
    plan_.blocks.push_back(std::move(block));
    add(plan.seconds, plan.memory_bytes);
    ways_.push_back([this, &pattern, costs = std::move(costs), plan = std::move(plan)](Result& run) {
      run.method = Method::frontier;
      run.blocks.push_back({Method::frontier, Precision::automatic});
      return lightest_matchings_frontier(pattern, costs, plan, run_);
    });
  }
  void add(double seconds, double memory_bytes) {
    plan_.seconds += seconds;
    plan_.memory_bytes = std::max(plan_.memory_bytes, memory_bytes);
  }
  CountOptions what_is_left() const {
    CountOptions options = options_;
    options.run.time_limit_s = run_.seconds_left();
    return options;
  }

  const Costs& costs_;
  const CountOptions& options_;
  const RunContext& run_;
  GraphMatching matching_;
  CoveredParts parts_;
  std::vector<std::function<LightestMatchings(Result& run)>> ways_;
  Plan plan_;
};

}  // namespace

MatchingResult count_optimal(const BipartiteGraph& graph, const Question& question, Work* work) {
  const RunContext run(question.options.run, work);
  const BipartiteGraph pattern = graph.pattern();
  const Costs costs = costs_of(graph, question);
  MatchingResult result;
  if (!has_perfect_matching(pattern, run)) {
    result.run = compute<std::int64_t>(pattern, question.options, work);
    return result;
  }
  const Tight tight = tight_edges(pattern, costs.of_edge, run);
  CountOptions left = question.options;
  left.run.time_limit_s = run.seconds_left();
  result.run = compute<std::int64_t>(tight.graph, left, work);
  result.weight = costs.weight(tight.weight);
  return result;
}

MatchingResult count_optimal(const UndirectedGraph& graph, const Question& question, Work* work) {
  if (work != nullptr && (work->keeps() || work->num_ranks() > 1))
    throw Unable("the lightest matchings of a graph with odd cycles are found without checkpoints and ranks");
  if (question.options.verify) throw Unable("no second method finds the lightest matchings of a graph with odd cycles");
  const RunContext run(question.options.run, work);
  const Costs costs = costs_of(graph, question);
  return PartByPart(graph.pattern(), costs, question.options, run).count();
}

Plan plan_optimal(const BipartiteGraph& graph, const Question& question, Work* work) {
  const RunContext run(question.options.run);
  const BipartiteGraph pattern = graph.pattern();
  const Costs costs = costs_of(graph, question);
  if (!has_perfect_matching(pattern, run)) return plan_only<std::int64_t>(pattern, question.options, work);
  return plan_only<std::int64_t>(tight_edges(pattern, costs.of_edge, run).graph, question.options, work);
}

Plan plan_optimal(const UndirectedGraph& graph, const Question& question, Work*) {
  RunOptions unlimited = question.options.run;
  unlimited.time_limit_s = infinity;
  const RunContext run(unlimited);
  const Costs costs = costs_of(graph, question);
  return PartByPart(graph.pattern(), costs, question.options, run).plan();
}

}  // namespace matchcount
