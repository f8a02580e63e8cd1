#include "matchcount/optimal_matchings.hpp"

#include <utility>

#include "permanent/engine/answer.hpp"

namespace matchcount {
namespace {

Question question_of(GraphView graph, Optimum optimum, const CountOptions& options,
                     std::span<const Rational> fractions) {
  const MatchingKind kind = optimum == Optimum::lightest ? MatchingKind::lightest : MatchingKind::heaviest;
  return {graph, options, kind, true, fractions};
}

OptimalMatchings optimal(MatchingResult result) { return {std::move(result.weight), std::move(result.run)}; }

}  // namespace

OptimalMatchings count_optimal_matchings(const BipartiteGraph& graph, Optimum optimum, const CountOptions& options,
                                         std::span<const Rational> fractions, Work* work) {
  return optimal(answer(question_of(&graph, optimum, options, fractions), work));
}

OptimalMatchings count_optimal_matchings(const UndirectedGraph& graph, Optimum optimum, const CountOptions& options,
                                         std::span<const Rational> fractions, Work* work) {
  return optimal(answer(question_of(&graph, optimum, options, fractions), work));
}

Plan plan_optimal_matchings(const BipartiteGraph& graph, Optimum optimum, const CountOptions& options,
                            std::span<const Rational> fractions, Work* work) {
  return plan_answer(question_of(&graph, optimum, options, fractions), work);
}

Plan plan_optimal_matchings(const UndirectedGraph& graph, Optimum optimum, const CountOptions& options,
                            std::span<const Rational> fractions, Work* work) {
  return plan_answer(question_of(&graph, optimum, options, fractions), work);
}

}  // namespace matchcount
