// Sums over all matchings are estimated component by component, whose vertices walks may leave alone; other kinds, and
// vertices that must not be left alone, as perfect matchings of a larger graph.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "approx/bethe.hpp"
#include "approx/estimation.hpp"
#include "permanent/engine/completed_graph.hpp"
#include "permanent/engine/limits.hpp"

namespace matchcount {
namespace {

// The path of new vertices goes along an order, which need not be the best.
constexpr double order_s = 0.1;

RealValue count_exactly(const MatchingPart& part, const RunOptions& run) {
  CountOptions count;
  count.run = run;
  std::vector<Rational> table;
  std::vector<std::int64_t> edges, vertices;  // places there
  for (auto [weights, places] :
       {std::pair(&part.weights.edges, &edges), std::pair(&part.weights.vertices, &vertices)}) {
    for (const GaussianRational& weight : *weights) {
      places->push_back(static_cast<std::int64_t>(table.size()));
      table.push_back(weight.re);
    }
  }
  const UndirectedGraph graph = part.question.pattern.with_weights(std::move(edges));
  const Weights loops = std::move(vertices);
  const MatchingResult result = answer({&graph, count, MatchingKind::all, true, table, nullptr, &loops});
  if (result.fraction) return {nearest_real(*result.fraction)};
  return {nearest_real(std::get<Integer>(result.run.value))};
}

// Divides edges by what their ends count alone. From below, all parts of one matching; from above the root of the
// product over vertices of 1 + the sum of their edges (log2_matchings_bound of permanent/power_traces/pair_sum.hpp).
Start start_of(const MatchingPart& part, const RunContext& run) {
  const UndirectedGraph& graph = part.question.pattern;
  const std::vector<ComplexEntry> alone = as_entries(part.weights.vertices), of_edges = as_entries(part.weights.edges);
  const GraphMatching matching = maximum_matching(graph, run);
  std::vector<double> weights, sums(graph.num_vertices(), 1);
  Start start;
  start.bracket = {0, 1e-9};
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto [u, v] = graph.edges()[id];
    const double weight = of_edges[id].value.re.hi / alone[u].value.re.hi / alone[v].value.re.hi;
    weights.push_back(weight);
    sums[u] += weight;
    sums[v] += weight;
    if (matching.partner[u] == v) start.bracket.log_lower += std::log1p(weight) * (1 - 1e-15);
  }
  for (const double sum : sums) start.bracket.log_upper += std::log(sum) / 2;
  start.problem = make_problem_of_all(graph, weights);
  propagate(start.problem, most_rounds(start.problem), run);
  return start;
}

Estimate of_all(const MatchingParts& parts, const Question& question, const EstimateOptions& options, Work* work) {
  Estimation estimation(options, work);
  const RunContext& run = estimation.run();
  estimation.multiply(nearest_real(parts.isolated.re), 0, denominator(parts.isolated.re) == 1);
  estimation.told().time_s.structure = estimation.lap();
  estimation.identify(identity(parts, question));
  for (const MatchingPart& part : parts.parts) {
    run.check();
    BlockEstimate block;
    block.size = part.graph.num_vertices();
    block.bipartite = false;
    block.edges = part.graph.num_edges();
    if (block.size <= 2 * options.exact_rows) {
      estimation.add_counted(block, count_exactly(part, what_is_left(run)));
      continue;
    }
    for (const GaussianRational& alone : part.weights.vertices) {
      if (alone.re != 1) estimation.multiply(nearest_real(alone.re), 0, false);
    }
    estimation.add(block, start_of(part, run));
  }
  return estimation.result();
}

// Estimates the sum of weights over perfect matchings.
Estimate of_weights(GraphView graph, const EstimateOptions& options, Work* work) {
  const auto* const matrix = std::get_if<const BipartiteGraph*>(&graph);
  return matrix != nullptr ? estimate_permanent(**matrix, options, work)
                           : estimate_hafnian(*std::get<const UndirectedGraph*>(graph), options, work);
}

Estimate of_completed(const CompletedGraph& completed, const EstimateOptions& options, Work* work) {
  Estimate estimate = of_weights(completed.view(), options, work);
  if (completed.plan.hall_violator) estimate.hall_violator = completed.plan.hall_violator;
  const Rational factor = completed.unit / Rational(completed.ways);
  if (factor == 1) return estimate;
  const ScaledReal scale = nearest_real(factor);
  const double log_scale = scale.log2_abs() * std::numbers::ln2;
  for (ScaledReal* value : {&estimate.value, &estimate.low, &estimate.high}) *value = *value * scale;
  for (double* log_value : {&estimate.log_value, &estimate.bracket.log_lower, &estimate.bracket.log_upper})
    *log_value += log_scale;
  return estimate;
}

}  // namespace

Question question_of(GraphView graph, const MatchingOptions& matchings, MatchingKind kind, const CountOptions& count) {
  const Weights* const loops = matchings.loops ? &*matchings.loops : nullptr;
  return {graph, count, kind, matchings.weighted, matchings.fractions, &matchings.activity, loops};
}

MatchingParts parts_of(const Question& question, const RunContext& run) {
  return std::visit([&](const auto* graph) { return matching_parts(*graph, question, run); }, question.graph);
}

bool are_positive(const MatchingParts& parts) {
  const auto is_positive = [](const GaussianRational& weight) { return weight.im.sign() == 0 && weight.re.sign() > 0; };
  return std::ranges::all_of(parts.parts, [&](const MatchingPart& part) {
    return std::ranges::all_of(part.weights.edges, is_positive) &&
           std::ranges::all_of(part.weights.vertices, is_positive);
  });
}

Estimate estimate_matchings(GraphView graph, const MatchingOptions& matchings, const EstimateOptions& options,
                            Work* work) {
  if (matchings.kind == MatchingKind::perfect)
    return matchings.weighted ? of_weights(graph, options, work) : estimate_perfect_matchings(graph, options, work);
  const CountOptions count;
  const Question question = question_of(graph, matchings, matchings.kind, count);
  const RunContext run(options.run);
  if (matchings.kind == MatchingKind::all) {
    refuse_what_does_not_fit(question);
    const MatchingParts parts = parts_of(question, run);
    if (are_positive(parts)) {
      return verified(options, work,
                      [&](const EstimateOptions& how, Work* shared) { return of_all(parts, question, how, shared); });
    }
  }
  OrderEffort effort;
  effort.most_seconds = order_s;
  const CompletedGraph completed = completed_graph(question, &effort, run);
  EstimateOptions rest = options;
  rest.run.time_limit_s = std::max(1e-3, options.run.time_limit_s - run.elapsed_s());
  return of_completed(completed, rest, work);
}

}  // namespace matchcount
