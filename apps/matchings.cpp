#include "apps/matchings.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "graph/weights.hpp"
#include "matchcount/conditions.hpp"

namespace matchcount::app {

namespace {

// Weights that are places in the table of fractions become what stands at these places of another.
template <class Number>
void put_in_place(Input& input, const std::vector<Number>& table) {
  const auto put = [&](auto& graph) {
    std::vector<Number> weights;
    for (const std::int64_t place : std::get<std::vector<std::int64_t>>(graph.weights()))
      weights.push_back(table[static_cast<std::size_t>(place)]);
    graph = graph.with_weights(std::move(weights));
  };
  input.is_bipartite() ? put(input.graph) : put(input.undirected);
  input.fractions.clear();
}

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

std::vector<Edge> edges_in_file_order(const Input& input) {
  if (!input.is_bipartite()) return input.undirected.edges();
  std::vector<Vertex> rows, columns;
  for (Vertex v = 0; v < input.is_column.size(); ++v) (input.is_column[v] ? columns : rows).push_back(v);
  std::vector<Edge> edges = input.graph.edges();
  for (Edge& edge : edges) {
    const Vertex row = rows[edge.row], column = columns[edge.column];
    edge = {std::min(row, column), std::max(row, column)};
  }
  return edges;
}

std::vector<Vertex> vertices_in_file_order(const Input& input) {
  const Vertex rows = input.is_bipartite() ? input.graph.num_rows() : input.undirected.num_vertices();
  std::vector<Vertex> vertices;
  Vertex row = 0, column = rows;
  for (const bool is_column : input.is_column) vertices.push_back(is_column ? column++ : row++);
  if (!vertices.empty()) return vertices;
  vertices.resize(rows + (input.is_bipartite() ? input.graph.num_columns() : 0));
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  return vertices;
}

EdgeNames::EdgeNames(const Input& input, bool as_text)
    : edges_(input.kind == InputKind::undirected ? edges_in_file_order(input) : input.graph.edges()) {
  const auto named = [&](std::string name) { return as_text ? quoted_name(name) : std::move(name); };
  const bool one_set = input.kind == InputKind::undirected;
  for (const Vertex v : vertices_in_file_order(input))
    (one_set || v < input.graph.num_rows() ? rows_ : columns_).push_back(named(name_of(input, v)));
}

EdgesByName::EdgesByName(const Input& input) {
  const EdgeNames names(input, false);
  for (EdgeId edge = 0; edge < names.count(); ++edge) {
    const std::string &u = names.first(edge), &v = names.second(edge);
    edges_.emplace(u + "-" + v, edge);
    if (input.kind == InputKind::undirected && u + "-" + v != v + "-" + u) edges_.emplace(v + "-" + u, edge);
  }
}

EdgeId EdgesByName::find(const std::string& what, const std::string& ends) const {
  const auto found = edges_.count(ends);
  if (found != 1)
    throw InputError(what + ends + ", which is " + (found == 0 ? "no edge" : "more than one edge"),
                     "an edge of the graph by its ends, U-V");
  return edges_.find(ends)->second;
}

bool uses_weights(const Options& options, const Input& input) {
  return options.weighted || options.optimum || options.input.loops == Loops::keep || input.kind == InputKind::matrix ||
         input.weights_are_multiplicities;
}

std::string weights_note(const Options& options, const Input& input) {
  if (!has_own_weights(input) || options.optimum) return {};
  return uses_weights(options, input) ? "matchings count in proportion to the products of the values in the file"
                                      : "values other than 0 play no part; --weighted uses them";
}

DistributionOptions distribution_options(const Options& options, const Input& input, const CountOptions& count) {
  DistributionOptions how;
  const MatchingOptions question = matching_options(options, input, count, uses_weights(options, input));
  how.matchings = question.kind;
  how.fractions = question.fractions;
  how.activity = question.activity;
  how.loops = question.loops;
  how.always_matched = question.always_matched;
  how.exact = options.exact;
  how.method = count.method;
  how.frontier_strategy = count.frontier_strategy;
  how.frontier_engine = count.frontier_engine;
  how.effort_s = count.effort_s;
  how.run = count.run;
  how.rotation = count.rotation;
  return how;
}

void bring_to_reals(Loaded& loaded) {
  std::vector<DoubleDouble> held;
  for (const Rational& value : loaded.input.fractions) {
    constexpr int most = 960;  // beyond it the low half of a double-double is not what it should be
    const ScaledReal real = nearest_real(value);
    if (std::abs(real.exponent) > most)
      throw InputError(loaded.name(), 0, "a fraction or an integer beyond 1e288", "values between 1e-288 and 1e288");
    held.push_back(ldexp(real.mantissa, static_cast<int>(real.exponent)));
  }
  put_in_place(loaded.input, held);
}

Rational bring_to_integers(const Options& options, Loaded& loaded) {
  Input& input = loaded.input;
  if (input.fractions.empty() || !uses_weights(options, input) || options.optimum || asks_for_others(options, input))
    return 1;
  Integer below = 1, divisor = 0;
  for (const Rational& value : input.fractions) below = lcm(below, denominator(value));
  for (const Rational& value : input.fractions) divisor = gcd(divisor, numerator(value * below));
  if (divisor == 0) divisor = 1;
  const Rational unit(divisor, below);
  std::vector<std::int64_t> whole;
  for (const Rational& value : input.fractions) {
    const Integer integer = numerator(value / unit);
    if (abs(integer) > Integer(std::numeric_limits<std::int64_t>::max())) {
      bring_to_reals(loaded);
      return 1;
    }
    whole.push_back(static_cast<std::int64_t>(integer));
  }
  put_in_place(input, whole);
  return unit;
}

void refuse_signs(const Loaded& loaded) {
  throw InputError(loaded.name(), 0, "weights that are negative or complex",
                   "weights above 0, to which probabilities are in proportion; --exact gives the sums over the "
                   "matchings with each edge");
}

std::string why_none(const Options& options, const Input& input, const MatchingDistribution& distribution) {
  if (const Certificate certificate = certificate_of(distribution))
    return (options.matchings == MatchingKind::saturating ? "no matching saturates the smaller side: " : "") +
           sentence(input, certificate);
  return "there is no such matching, or the weights of all add up to 0";
}

MatchingDistribution distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count) {
  const DistributionOptions how = distribution_options(options, loaded.input, count);
  return with_graph(options, loaded.input, [&](const auto& graph) { return MatchingDistribution(graph, how); });
}

EstimatedDistribution estimated_distribution_of(const Options& options, const Loaded& loaded, const CountOptions& count,
                                                Work* work) {
  DistributionEstimateOptions how = options.distribution_estimate;
  how.run = count.run;
  how.matchings = options.matchings;
  if (how.matchings == MatchingKind::saturating) refuse_saturating(loaded.input);
  return with_graph(options, loaded.input, [&](const auto& graph) { return EstimatedDistribution(graph, how, work); });
}

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
    input.notes.push_back("--given leaves " + std::to_string(given.graph.num_edges()) + " of " +
                          format_count(graph.num_edges(), "edge", "edges") + ", and what is said is of these");
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
