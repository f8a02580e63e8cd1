#include "matchcount/matchings.hpp"

#include "permanent/engine/answer.hpp"

namespace matchcount {
namespace {

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

}  // namespace

MatchingResult count_matchings(GraphView graph, const MatchingOptions& options, Work* work) {
  return answer(question_of(graph, options), work);
}
Plan plan_matchings(GraphView graph, const MatchingOptions& options, Work* work) {
  return plan_answer(question_of(graph, options), work);
}

}  // namespace matchcount
