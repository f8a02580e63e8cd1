#include "matchcount/count.hpp"

#include <utility>

#include "permanent/engine/answer.hpp"

namespace matchcount {
namespace {

Question pattern_of(GraphView graph, const CountOptions& options) {
  return {graph, options, MatchingKind::perfect, false};
}
Question with_fractions(GraphView graph, const CountOptions& options, std::span<const Rational> fractions) {
  return {graph, options, MatchingKind::perfect, true, fractions};
}

ExactResult exact(MatchingResult result) {
  if (result.fraction) return {*std::move(result.fraction), std::move(result.run)};
  return {std::get<Integer>(result.run.value), std::move(result.run)};
}

}  // namespace

Result count_perfect_matchings(const BipartiteGraph& graph, const CountOptions& options, Work* work) {
  return answer(pattern_of(&graph, options), work).run;
}

Result count_perfect_matchings(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return answer(pattern_of(&graph, options), work).run;
}

Result count_cycle_covers(const Digraph& digraph, const CountOptions& options, Work* work) {
  return answer(pattern_of(&digraph.bipartite(), options), work).run;
}

Result permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return answer({&matrix, options}, work).run;
}

Result hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return answer({&graph, options}, work).run;
}

ExactResult permanent(const Matrix& matrix, std::span<const Rational> fractions, const CountOptions& options,
                      Work* work) {
  return exact(answer(with_fractions(&matrix, options, fractions), work));
}

ExactResult hafnian(const UndirectedGraph& graph, std::span<const Rational> fractions, const CountOptions& options,
                    Work* work) {
  return exact(answer(with_fractions(&graph, options, fractions), work));
}

Plan plan_permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return plan_answer({&matrix, options}, work);
}

Plan plan_hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return plan_answer({&graph, options}, work);
}

Plan plan_permanent_of_fractions(const Matrix& matrix, std::span<const Rational> fractions, const CountOptions& options,
                                 Work* work) {
  return plan_answer(with_fractions(&matrix, options, fractions), work);
}

Plan plan_hafnian_of_fractions(const UndirectedGraph& graph, std::span<const Rational> fractions,
                               const CountOptions& options, Work* work) {
  return plan_answer(with_fractions(&graph, options, fractions), work);
}

}  // namespace matchcount
