#include "apps/matchings.hpp"

#include "core/error.hpp"
#include "graph/weights.hpp"

namespace matchcount::app {

bool asks_for_others(const Options& options, const Input& input) {
  return options.matchings != MatchingKind::perfect || input.loops.has_value();
}

Json json_matchings(const Options& options) {
  if (options.optimum) return *options.optimum == Optimum::lightest ? "minimum-weight" : "maximum-weight";
  return options.matchings == MatchingKind::perfect ? Json() : Json(to_string(options.matchings));
}

void refuse_saturating(const Input& input) {
  // The sides of an undirected graph are found by chance: another first vertex of a component, and others are the
  // smaller.
  if (input.kind == InputKind::undirected)
    throw InputError("--matchings saturating of an undirected graph",
                     "--kind bipartite, whose columns are two sides, or --matchings maximum");
}

void refuse_multiplicities(const Input& input, const std::string& what) {
  if (input.weights_are_multiplicities) throw InputError("--duplicates sum with " + what, "--duplicates one");
}

MatchingOptions matching_options(const Options& options, const Input& input, const CountOptions& count, bool weighted) {
  if (options.matchings == MatchingKind::saturating) refuse_saturating(input);
  if (options.optimum) {
    refuse_multiplicities(input, "--matchings minimum-weight or maximum-weight");
    if (!options.has("keep-zeros") &&
        has_zero(input.is_bipartite() ? input.graph.weights() : input.undirected.weights()))
      throw InputError("a weight of 0", "--keep-zeros where it is an edge of weight 0, or a list of edges without it");
  }
  MatchingOptions result;
  result.kind = input.loops                             ? MatchingKind::all
                : !options.optimum                      ? options.matchings
                : *options.optimum == Optimum::lightest ? MatchingKind::lightest
                                                        : MatchingKind::heaviest;
  result.weighted = weighted || options.optimum || input.weights_are_multiplicities;
  if (result.weighted) result.fractions = input.fractions;
  result.loops = input.loops;
  if (options.activity) result.activity = *options.activity;
  result.count = count;
  return result;
}

}  // namespace matchcount::app
