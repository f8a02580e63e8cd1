#include "apps/matchings.hpp"

#include <sstream>
#include <utility>

#include "apps/edge_names.hpp"
#include "core/error.hpp"
#include "graph/weights.hpp"
#include "matchcount/conditions.hpp"

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

void meet_conditions(const Options& options, Input& input) {
  if (options.conditions.empty()) return;
  const EdgesByName edges(input);
  std::vector<EdgeId> with, without;
  std::istringstream conditions(options.conditions);
  for (std::string condition; std::getline(conditions, condition, ',');) {
    const bool is_without = condition.starts_with('!');
    const std::string ends = condition.substr(is_without ? 1 : 0);
    (is_without ? without : with).push_back(edges.find("--given ", ends));
  }
  const auto reduce = [&](auto& graph) {
    auto given = conditioned(graph, with, without);
    graph = std::move(given.graph);
    const bool may_leave_out = options.matchings == MatchingKind::all || options.matchings == MatchingKind::by_size;
    if (may_leave_out || input.loops) input.always_matched = std::move(given.always_matched);
  };
  input.is_bipartite() ? reduce(input.graph) : reduce(input.undirected);
}

void refuse_multiplicities(const Input& input, const std::string& what) {
  if (input.weights_are_multiplicities) throw InputError("--duplicates sum with " + what, "--duplicates one");
}

std::vector<std::string> labels_of(const Options& options, const Input& input) {
  if (options.input.label.empty() || input.edge_labels.empty()) return {};
  return {input.edge_labels.begin() + 1, input.edge_labels.end()};
}

namespace {

void refuse_zeros(const Options& options, const Input& input) {
  if (!options.has("keep-zeros") && has_zero(input.weights()))
    throw InputError("a weight of 0", "--keep-zeros where it is an edge of weight 0, or a list of edges without it");
}

// Takes labels from the places that stand for weights, or from the arcs that are loops.
void count_by(const Options& options, const Input& input, MatchingOptions& question) {
  if (!options.input.label.empty() && options.input.duplicates == Duplicates::sum)
    throw InputError("--duplicates sum with labels", "--duplicates one");
  refuse_multiplicities(input, "--by");
  question.weighted = false;
  question.by_weight = options.by == "weight";
  if (question.by_weight) {
    refuse_zeros(options, input);
    if (!input.fractions.empty()) throw InputError("--by weight of weights that are not integers", "integers");
    return;
  }
  std::vector<std::uint32_t>& labels = question.labels.emplace();
  if (is_by_loops(options)) {
    for (const Edge& arc : input.graph.edges()) labels.push_back(arc.row == arc.column ? 0 : 1);
  } else if (const auto* places = std::get_if<std::vector<std::int64_t>>(&input.weights())) {
    for (const std::int64_t place : *places) labels.push_back(static_cast<std::uint32_t>(place - 1));
  }
}

}  // namespace

MatchingOptions matching_options(const Options& options, const Input& input, const CountOptions& count, bool weighted) {
  if (options.matchings == MatchingKind::saturating) refuse_saturating(input);
  if (options.optimum) {
    refuse_multiplicities(input, "--matchings minimum-weight or maximum-weight");
    refuse_zeros(options, input);
  }
  MatchingOptions result;
  result.kind = input.loops                             ? MatchingKind::all
                : !options.optimum                      ? options.matchings
                : *options.optimum == Optimum::lightest ? MatchingKind::lightest
                                                        : MatchingKind::heaviest;
  result.weighted = weighted || options.optimum || input.weights_are_multiplicities;
  if (result.weighted) result.fractions = input.fractions;
  result.loops = input.loops;
  result.always_matched = input.always_matched;
  if (options.activity) result.activity = *options.activity;
  if (!options.by.empty()) count_by(options, input, result);
  result.count = count;
  return result;
}

}  // namespace matchcount::app
