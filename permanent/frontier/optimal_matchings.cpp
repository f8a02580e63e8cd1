#include "permanent/frontier/optimal_matchings.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "permanent/frontier/cpu/matching_run.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/matching_order.hpp"

namespace matchcount {
namespace {

FrontierSteps steps_of(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence) {
  return matching_steps(pattern, sequence, {std::vector<bool>(pattern.num_vertices(), false), 0});
}

template <class Weight>
LightestMatchings lightest(const UndirectedGraph& pattern, const std::vector<Weight>& weights, const LightestPlan& plan,
                           const RunContext& run) {
  const FrontierSteps steps = steps_of(pattern, plan.sequence);
  MatchingLayout layout;  // of the dense engine, which is not used
  layout.first_dense = steps.steps.size();
  std::vector<Lightest<Weight>> of_edges;
  for (const Weight& weight : weights) of_edges.emplace_back(weight, 1);
  Graded<Objects<Lightest<Weight>>> numbers({std::move(of_edges), {}}, Grade::none, 1);
  std::vector<Lightest<Weight>> value = MatchingRun(steps, layout, numbers, 1, run).run();
  return {std::move(value[0].weight), std::move(value[0].number)};
}

}  // namespace

LightestPlan plan_lightest(const UndirectedGraph& pattern, double effort_s, const RunContext& run) {
  OrderEffort effort;
  effort.seconds = effort_s;
  LightestPlan plan;
  plan.sequence = find_matching_order(pattern, effort, run);
  const FrontierSteps steps = steps_of(pattern, plan.sequence);
  plan.width = steps.max_width;
  // Times of a transition and of a step (kings' boards of 8 x 8 to 12 x 12 with weights of 1 to 9). About a tenth of
  // the possible states occur.
  constexpr double transition_s = 1e-8, step_s = 2e-6;
  double states = 1, most = 1;
  for (const FrontierStep& step : steps.steps) {
    plan.seconds += transition_s * states * static_cast<double>(1 + step.choices.size()) + step_s;
    most = std::max(most, states + step.states);
    states = step.states;
  }
  plan.memory_bytes = most * (sizeof(Lightest<Integer>) + 24);
  return plan;
}

LightestMatchings lightest_matchings_frontier(const UndirectedGraph& pattern, const std::vector<Integer>& weights,
                                              const LightestPlan& plan, const RunContext& run) {
  Integer sum = 0;
  for (const Integer& weight : weights) sum += abs(weight);
  if (sum > Integer(std::numeric_limits<std::int64_t>::max())) return lightest(pattern, weights, plan, run);
  std::vector<std::int64_t> words;
  for (const Integer& weight : weights) words.push_back(static_cast<std::int64_t>(weight));
  return lightest(pattern, words, plan, run);
}

}  // namespace matchcount
