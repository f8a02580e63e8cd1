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

}  // namespace

OptimalMatchings count_optimal_matchings(GraphView graph, Optimum optimum, const CountOptions& options,
                                         std::span<const Rational> fractions, Work* work) {
  MatchingResult result = answer(question_of(graph, optimum, options, fractions), work);
  return {std::move(result.weight), std::move(result.run)};
}

Plan plan_optimal_matchings(GraphView graph, Optimum optimum, const CountOptions& options,
                            std::span<const Rational> fractions, Work* work) {
  return plan_answer(question_of(graph, optimum, options, fractions), work);
}

}  // namespace matchcount
