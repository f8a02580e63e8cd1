#include "permanent/engine/answer.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/work.hpp"
#include "matching/reduce.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/matching_weights.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/sums.hpp"

namespace matchcount {
namespace {

template <class T>
struct EntryType {
  using type = T;
};

// Calls body with the graph, zeros dropped, and the type of its entries.
template <class Graph, class Body>
auto by_entry(const Graph& matrix, Body&& body) {
  switch (matrix.weight_kind()) {
    case WeightKind::real:
      return body(matrix.drop_zeros(), EntryType<RealEntry>{});
    case WeightKind::complex:
      return body(matrix.drop_zeros(), EntryType<ComplexEntry>{});
    case WeightKind::integer:
      return body(matrix.drop_zeros(), EntryType<std::int64_t>{});
    default:
      return body(matrix, EntryType<std::int64_t>{});
  }
}

// Says whether these are reals or complex numbers that are to be counted as they are held.
template <class Entry>
bool as_held(const CountOptions& options) {
  return !std::is_same_v<Entry, std::int64_t> && options.run.precision == Precision::exact;
}

template <class Graph>
Result value_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    using Entry = typename decltype(entry)::type;
    if constexpr (!std::is_same_v<Entry, std::int64_t>) {
      const bool may_be_planar = options.method == Method::automatic || options.method == Method::planar;
      const std::string choice = "exactly, as";
      if (as_held<Entry>(options) && (!may_be_planar || (work && work->decided(choice))))
        return compute_as_held<Entry>(given, options, work);
      if (as_held<Entry>(options) && options.method == Method::automatic) {
        try {
          return compute<Entry>(given, options, work);
        } catch (const NoMethodApplies&) {
          if (work) work->decide(choice, "integers");
          return compute_as_held<Entry>(given, options, work);
        }
      }
    }
    return compute<Entry>(given, options, work);
  });
}

template <class Graph>
Plan plan_of(const Graph& graph, const CountOptions& options, Work* work) {
  return by_entry(graph, [&](const Graph& given, auto entry) {
    using Entry = typename decltype(entry)::type;
    if constexpr (!std::is_same_v<Entry, std::int64_t>) {
      if (as_held<Entry>(options) && options.method != Method::planar) {
        if (options.method != Method::automatic) return plan_as_held<Entry>(given, options, work);
        Plan plan = plan_only<Entry>(given, options, work);
        const bool all_planar =
            std::ranges::all_of(plan.blocks, [](const BlockPlan& block) { return block.forecasts.front().applies; });
        return all_planar ? plan : plan_as_held<Entry>(given, options, work);
      }
    }
    return plan_only<Entry>(given, options, work);
  });
}

// ---- Fractions.

// The fractions on the edges, and the pattern of those that are not 0.
template <class Graph>
struct FractionGraph {
  Graph pattern;
  std::vector<Rational> entries;

  FractionGraph(const Graph& graph, std::span<const Rational> fractions) {
    if (graph.num_edges() > 0 && graph.weight_kind() != WeightKind::integer)
      throw InputError("weights that are not integers", "places in the table of fractions");
    std::vector<bool> keep;
    for (GaussianRational& weight : exact_weights(graph.weights(), graph.num_edges(), fractions)) {
      keep.push_back(weight.re.sign() != 0);
      if (keep.back()) entries.push_back(std::move(weight.re));
    }
    pattern = graph.pattern().filtered(keep);
  }
};

template <class Graph>
MatchingResult value_of_fractions(const Graph& graph, const Question& question, Work* work) {
  const FractionGraph<Graph> given(graph, question.fractions);
  const WithoutDenominators integers = without_denominators(given.pattern, given.entries);
  BigCount count = compute_big(given.pattern, integers.entries, question.options, work);
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
MatchingResult perfect(const Graph& graph, const Question& question, Work* work) {
  if (question.weighted && !question.fractions.empty()) return value_of_fractions(graph, question, work);
  MatchingResult result;
  result.run = question.weighted ? value_of(graph, question.options, work)
                                 : compute<std::int64_t>(graph.pattern(), question.options, work);
  return result;
}

template <class Graph>
Plan plan_perfect(const Graph& graph, const Question& question, Work* work) {
  if (question.weighted && !question.fractions.empty()) {
    const FractionGraph<Graph> given(graph, question.fractions);
    return plan_big(given.pattern, without_denominators(given.pattern, given.entries).entries, question.options, work);
  }
  return plan_of(question.weighted ? graph : graph.pattern(), question.options, work);
}

void refuse_what_does_not_fit(const Question& question) {
  const bool of_all = question.matchings == MatchingKind::all;
  const std::string kind(to_string(question.matchings));
  if (!of_all && question.activity && *question.activity != 1)
    throw InputError("an activity of unmatched vertices for " + kind + " matchings", "all matchings");
  if (!of_all && question.loops) throw InputError("loops for " + kind + " matchings", "all matchings");
  if (question.loops && question.activity && *question.activity != 1)
    throw InputError("loops and an activity", "one of them: both are weights of unmatched vertices");
}

}  // namespace

MatchingResult answer(const Question& question, Work* work) {
  refuse_what_does_not_fit(question);
  return std::visit(
      [&](const auto* graph) {
        switch (question.matchings) {
          case MatchingKind::perfect:
            return perfect(*graph, question, work);
          case MatchingKind::lightest:
          case MatchingKind::heaviest:
            return count_optimal(*graph, question, work);
          default:
            return count_imperfect(*graph, question, work);
        }
      },
      question.graph);
}

Plan plan_answer(const Question& question, Work* work) {
  refuse_what_does_not_fit(question);
  return std::visit(
      [&](const auto* graph) {
        switch (question.matchings) {
          case MatchingKind::perfect:
            return plan_perfect(*graph, question, work);
          case MatchingKind::lightest:
          case MatchingKind::heaviest:
            return plan_optimal(*graph, question, work);
          default:
            return plan_imperfect(*graph, question, work);
        }
      },
      question.graph);
}

}  // namespace matchcount
