#include "matchcount/count.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "matchcount/matchings.hpp"
#include "matchcount/optimal_matchings.hpp"
#include "permanent/engine/answer.hpp"

namespace matchcount {

namespace {

Question question_of(GraphView graph, Optimum optimum, const CountOptions& options,
                     std::span<const Rational> fractions) {
  const MatchingKind kind = optimum == Optimum::lightest ? MatchingKind::lightest : MatchingKind::heaviest;
  return {graph, options, kind, true, fractions};
}

Question question_of(GraphView graph, const MatchingOptions& options) {
  return {graph,
          options.count,
          options.kind,
          options.weighted,
          options.fractions,
          &options.activity,
          options.loops ? &*options.loops : nullptr,
          options.always_matched,
          options.labels ? &*options.labels : nullptr,
          options.by_weight};
}

Question pattern_of(GraphView graph, const CountOptions& options) {
  return {graph, options, MatchingKind::perfect, false};
}
Question with_fractions(GraphView graph, const CountOptions& options, std::span<const Rational> fractions) {
  return {graph, options, MatchingKind::perfect, true, fractions};
}

template <class Entry>
Matrix square_matrix(std::span<const Entry> entries, std::size_t n) {
  if (n > std::numeric_limits<Vertex>::max()) throw InputError(std::to_string(n) + " rows", "fewer than 2^32");
  return Matrix::from_dense(static_cast<Vertex>(n), static_cast<Vertex>(n), entries);
}

ExactResult exact(MatchingResult result) {
  if (result.fraction) return {*std::move(result.fraction), std::move(result.run)};
  return {std::get<Integer>(result.run.value), std::move(result.run)};
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

MatchingResult count_matchings(GraphView graph, const MatchingOptions& options, Work* work) {
  return answer(question_of(graph, options), work);
}
Plan plan_matchings(GraphView graph, const MatchingOptions& options, Work* work) {
  return plan_answer(question_of(graph, options), work);
}

std::string_view version() { return MATCHCOUNT_VERSION; }

Result count_perfect_matchings(GraphView graph, const CountOptions& options, Work* work) {
  return answer(pattern_of(graph, options), work).run;
}

Result count_cycle_covers(const Digraph& digraph, const CountOptions& options, Work* work) {
  return answer(pattern_of(&digraph.bipartite(), options), work).run;
}

Result permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return answer({&matrix, options}, work).run;
}

Result permanent(std::span<const std::int64_t> entries, std::size_t n, const CountOptions& options) {
  return permanent(square_matrix(entries, n), options);
}
Result permanent(std::span<const double> entries, std::size_t n, const CountOptions& options) {
  return permanent(square_matrix(entries, n), options);
}
Result permanent(std::span<const std::complex<double>> entries, std::size_t n, const CountOptions& options) {
  std::vector<ComplexDoubleDouble> held;
  held.reserve(entries.size());
  for (const std::complex<double>& entry : entries) held.emplace_back(entry.real(), entry.imag());
  return permanent(square_matrix(std::span<const ComplexDoubleDouble>(held), n), options);
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
