#include "permanent/engine/answer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/work.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/matching_parts.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/planner.hpp"

namespace matchcount {
namespace {

// Reals and complex numbers as they are held are counted by a method that takes them so, or as integers by others.
Result value_of(GraphView graph, const CountOptions& options, Work* work, Until until) {
  const WeightKind kind = std::visit([](const auto* given) { return given->weight_kind(); }, graph);
  const bool as_held =
      (kind == WeightKind::real || kind == WeightKind::complex) && options.run.precision == Precision::exact;
  const bool is_any = options.method == Method::automatic;
  if (!as_held || (!is_any && entry_of(options.method).takes_entries_as_held))
    return compute(graph, options, work, until);
  const std::string choice = "exactly, as";
  if (is_any && !(work && work->decided(choice))) {
    try {
      Result result = compute(graph, options, work, until);
      const auto applies = [](const BlockPlan& block) { return block.forecasts.front().applies; };
      if (std::ranges::all_of(result.plan.blocks, applies)) return result;
    } catch (const NoMethodApplies&) {
      if (work) work->decide(choice, "integers");
    }
  }
  return compute_as_held(graph, options, work, until);
}

// ---- Fractions.

template <class Graph>
MatchingResult value_of_fractions(const Graph& graph, const Question& question, Work* work, Until until) {
  if (graph.num_edges() > 0 && graph.weight_kind() != WeightKind::integer)
    throw InputError("weights that are not integers", "places in the table of fractions");
  std::vector<bool> keep;
  std::vector<Rational> entries;
  for (GaussianRational& weight : exact_weights(graph.weights(), graph.num_edges(), question.fractions)) {
    keep.push_back(weight.re.sign() != 0);
    if (keep.back()) entries.push_back(std::move(weight.re));
  }
  const Graph pattern = graph.pattern().filtered(keep);
  const WithoutDenominators integers = without_denominators(&pattern, entries);
  BigCount count = compute_big(&pattern, integers.entries, question.options, work, until);
  MatchingResult result;
  result.run = std::move(count.result);
  const bool only_integers =
      std::ranges::all_of(question.fractions, [](const Rational& entry) { return denominator(entry) == 1; });
  if (only_integers) {
    result.run.value = std::move(count.value.re);
    return result;
  }
  result.fraction = Rational(count.value.re, integers.multiple);
  const ScaledReal rounded = nearest_real(*result.fraction);
  result.run.value = RealValue{rounded, rounded.log2_abs() - 100};
  return result;
}

template <class Graph>
MatchingResult perfect(const Graph& graph, const Question& question, Work* work, Until until) {
  if (question.weighted && !question.fractions.empty()) return value_of_fractions(graph, question, work, until);
  MatchingResult result;
  if (question.weighted || graph.weight_kind() == WeightKind::none) {
    result.run = value_of(&graph, question.options, work, until);
  } else {
    const Graph pattern = graph.pattern();
    result.run = compute(&pattern, question.options, work, until);
  }
  return result;
}

constexpr Policy policies[] = {{MatchingKind::perfect, Policy::Parts::blocks, false, false, true},
                               {MatchingKind::maximum, Policy::Parts::components, false, false, true},
                               {MatchingKind::saturating, Policy::Parts::components, false, false, true},
                               {MatchingKind::all, Policy::Parts::components, true, true, true},
                               {MatchingKind::by_size, Policy::Parts::components, true},
                               {MatchingKind::maximal, Policy::Parts::components, true, true},
                               {MatchingKind::lightest, Policy::Parts::tight, false, false, true},
                               {MatchingKind::heaviest, Policy::Parts::tight, false, false, true}};

}  // namespace

const Policy& policy_of(MatchingKind kind) {
  const auto* const found = std::ranges::find(policies, kind, &Policy::kind);
  if (found == std::end(policies)) throw Error("no policy for " + std::string(to_string(kind)) + " matchings");
  return *found;
}

void refuse_what_does_not_fit(const Question& question) {
  const bool of_all = policy_of(question.matchings).weighs_unmatched;
  const std::string kind(to_string(question.matchings));
  if (!of_all && question.activity && *question.activity != 1)
    throw InputError("an activity of unmatched vertices for " + kind + " matchings", "all or maximal matchings");
  if (!question.always_matched.empty() && question.matchings != MatchingKind::all &&
      question.matchings != MatchingKind::by_size)
    throw InputError("vertices that are always matched for " + kind + " matchings", "all matchings, or those by size");
  if (!of_all && question.loops) throw InputError("loops for " + kind + " matchings", "all or maximal matchings");
  if (policy_of(question.matchings).parts == Policy::Parts::tight &&
      (question.options.order || question.options.wants_order))
    throw InputError("an order of vertices for " + kind + " matchings",
                     "perfect, maximum or all matchings, or by size");
  if (question.matchings != MatchingKind::perfect && question.options.rotation)
    throw InputError("a rotation system for " + kind + " matchings", "perfect matchings");
  if (question.loops && question.activity && *question.activity != 1)
    throw InputError("loops and an activity", "one of them: both are weights of unmatched vertices");
}

MatchingResult answer(const Question& question, Work* work, Until until) {
  refuse_what_does_not_fit(question);
  if (question.labels || question.by_weight) return enumerate(question, work, until);
  return std::visit(
      [&](const auto* graph) {
        switch (policy_of(question.matchings).parts) {
          case Policy::Parts::blocks:
            return perfect(*graph, question, work, until);
          case Policy::Parts::tight:
            return count_optimal(*graph, question, work, until);
          default:
            return count_imperfect(*graph, question, work, until);
        }
      },
      question.graph);
}

}  // namespace matchcount
