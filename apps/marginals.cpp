// marginals: how likely each edge is in a matching.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/distribution.hpp"
#include "apps/edge_names.hpp"
#include "apps/matchings.hpp"
#include "apps/picture.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

// No probability: with --exact the sums are an answer all the same.
void require_probabilities(const Options& options, const Loaded& loaded, const MatchingDistribution& distribution,
                           const Marginals& marginals) {
  if (marginals.are_probabilities) return;
  if (!distribution.has_matching())
    throw Unable("no edge has a probability: " + why_none(options, loaded.input, distribution));
  refuse_signs(loaded);
}

struct Shown {
  std::string text;  // as many digits as the bound supports; where it supports none, what the probability is at most
  std::optional<double> number;  // of the digits; nothing where there are none
};

Shown shown(const EdgeMarginal& edge, int digits) {
  const RealValue value{ScaledReal(edge.probability), std::log2(edge.error)};
  const int proven = proven_digits(value, std::min(digits, 17));
  if (proven == 0) return {to_string(value), std::nullopt};
  const std::string text = formatted(("%." + std::to_string(proven) + "g").c_str(), edge.probability);
  return {text, std::stod(text)};
}

// Turns sums over matchings of integers in proportion to the file's values into sums of these values.
class Scale {
 public:
  Scale(const Rational& unit, std::size_t matching_size, const Rational& of_sums)
      : factor_(of_sums * Rational(pow(numerator(unit), static_cast<unsigned>(matching_size)),
                                   pow(denominator(unit), static_cast<unsigned>(matching_size)))) {}
  bool is_one() const { return factor_ == 1; }
  Rational of(const Value& sum) const { return factor_ * Rational(std::get<Integer>(sum)); }

 private:
  Rational factor_;
};

std::string sum_text(const Value& sum, const Scale& scale, int digits) {
  return scale.is_one() ? to_string(sum, digits) : fraction_text(scale.of(sum));
}
Json json_sum(const Value& sum, const Scale& scale, int digits) {
  return scale.is_one() ? json_value(sum, digits) : json_fraction(scale.of(sum));
}

// Writes a line for every edge: its ends, and what `words` makes of it.
template <class Edge, class Words>
std::string text_of(const Loaded& loaded, const std::vector<Edge>& edges, const Words& words) {
  const EdgeNames names(loaded.input, true);
  std::string text;
  for (EdgeId edge = 0; edge < names.count(); ++edge)
    text += names.first(edge) + " " + names.second(edge) + " " + words(edges[edge]) + "\n";
  return text;
}

template <class Edge, class Words>
std::string picture_of(const PlacedGraph& placed, const std::vector<Edge>& edges, const Words& words) {
  std::vector<double> probabilities;
  std::vector<std::string> texts;
  for (const Edge& edge : edges) {
    probabilities.push_back(edge.probability);
    texts.push_back(words(edge));
  }
  return probability_picture(placed, probabilities, texts);
}

// Names a vertex that may be left alone, and says whether it is a column of a file with two sides.
struct Alone {
  std::string name;
  bool is_column = false;
};
Alone alone(const Input& input, Vertex vertex) {
  const Vertex rows = input.is_bipartite() ? input.graph.num_rows() : input.undirected.num_vertices();
  if (vertex < rows) return {input.row_label(vertex)};
  return {input.column_label(vertex - rows), input.kind != InputKind::undirected};
}

Json json_of(const Options& options, const Loaded& loaded, const Marginals& marginals, const Scale& scale) {
  const EdgeNames names(loaded.input, false);
  const bool integers = std::holds_alternative<Integer>(marginals.total) && scale.is_one();
  double error = 0;
  const auto add = [&](Json& list, Json entry, const EdgeMarginal& marginal) {
    entry["probability"] = Json();
    if (marginals.are_probabilities) {
      const Shown probability = shown(marginal, options.digits);
      if (probability.number) entry["probability"] = *probability.number;
      entry["value"] = probability.text;
      error = std::max(error, marginal.error + std::fabs(probability.number.value_or(0) - marginal.probability));
    }
    if (options.exact && integers) entry["count"] = to_string(marginal.sum);
    if (options.exact && !integers) entry["sum"] = json_sum(marginal.sum, scale, options.digits);
    list.push_back(std::move(entry));
  };
  Json edges = Json::array(), unmatched = Json::array();
  for (EdgeId edge = 0; edge < names.count(); ++edge)
    add(edges, {{"u", names.first(edge)}, {"v", names.second(edge)}}, marginals.edges[edge]);
  if (!marginals.vertices.empty()) {
    for (const Vertex vertex : vertices_in_file_order(loaded.input)) {
      const Alone which = alone(loaded.input, vertex);
      Json entry = {{"vertex", which.name}};
      if (loaded.input.kind != InputKind::undirected) entry["side"] = which.is_column ? "column" : "row";
      add(unmatched, std::move(entry), marginals.vertices[vertex]);
    }
  }
  Json result;
  if (const Json matchings = json_matchings(options); !matchings.is_null()) result["matchings"] = matchings;
  // A count is expected to have an exact total, which a sum in floating point is not.
  const bool is_real = uses_weights(options, loaded.input) && loaded.input.weight_kind() > WeightKind::integer;
  if (options.exact || is_real) result["total"] = json_sum(marginals.total, scale, options.digits);
  result["probability_error"] = marginals.are_probabilities ? Json(error) : Json();
  result["edges"] = std::move(edges);
  if (!marginals.vertices.empty()) result["unmatched"] = std::move(unmatched);
  return result;
}

// Fills in what exact and estimated marginals have in common.
Report report_of(const Options& options, const Loaded& loaded, std::string_view method, const CountOptions& count,
                 double compute_s) {
  Report report;
  (uses_weights(options, loaded.input) ? report.about_weights : report.weights_ignored) =
      weights_note(options, loaded.input);
  report.method = {method, {}, count.run.num_threads};
  report.seed = options.count.run.seed;
  report.times_s = {{"compute", compute_s}};
  return report;
}

// ---- Estimates.

// Returns the decimal places that show the interval's reach with two digits; 17 significant digits are all that a
// double has.
int places_of(const EstimatedProbability& edge) {
  const double reach = std::max(edge.high - edge.probability, edge.probability - edge.low);
  return reach > 1e-15 ? static_cast<int>(std::ceil(-std::log10(reach))) + 1 : 16;
}

// Both ends are rounded outwards.
std::string rounded(double value, int places, int direction) {
  const double scale = std::pow(10.0, places);
  double shown = value;
  if (direction < 0) shown = std::max(0.0, std::floor(value * scale) / scale);
  if (direction > 0) shown = std::min(1.0, std::ceil(value * scale) / scale);
  return formatted(("%." + std::to_string(places) + "f").c_str(), shown);
}

std::string interval_text(const EstimatedProbability& edge) {
  const int places = places_of(edge);
  return rounded(edge.probability, places, 0) + " " + rounded(edge.low, places, -1) + " " +
         rounded(edge.high, places, 1);
}

std::vector<std::string> notes_of_estimate(const EstimatedMarginals& marginals) {
  if (marginals.samples == 0) return {"(exact: nothing was left to sample)"};
  std::vector<std::string> notes = sampling_notes(marginals);
  notes.insert(notes.begin(), formatted("probability and ends of its %g %% interval; ", 100 * marginals.confidence) +
                                  std::to_string(marginals.samples) + " samples (" +
                                  std::string(to_string(marginals.method)) +
                                  formatted("), %.3g effective", marginals.effective_samples));
  return notes;
}

Json json_of_estimate(const Loaded& loaded, const EstimatedMarginals& marginals) {
  const EdgeNames names(loaded.input, false);
  Json result = {{"kind", "estimate"},
                 {"confidence", marginals.confidence},
                 {"samples", marginals.samples},
                 {"effective_samples", marginals.effective_samples},
                 {"out_of_time", marginals.out_of_time},
                 {"interrupted", marginals.interrupted}};
  if (!marginals.warning.empty()) result["warning"] = marginals.warning;
  Json edges = Json::array();
  for (EdgeId edge = 0; edge < names.count(); ++edge) {
    const EstimatedProbability& marginal = marginals.edges[edge];
    edges.push_back({{"u", names.first(edge)},
                     {"v", names.second(edge)},
                     {"probability", marginal.probability},
                     {"interval", Json::array({marginal.low, marginal.high})}});
  }
  result["edges"] = std::move(edges);
  return result;
}

Report estimated(const Options& options, const Loaded& loaded, const CountOptions& count, const PlacedGraph* placed,
                 CheckpointedRun& checkpointed) {
  Stopwatch stopwatch;
  const EstimatedMarginals marginals = checkpointed([&](Work* work) {
    EstimatedDistribution distribution = estimated_distribution_of(options, loaded, count, work);
    if (!distribution.has_perfect_matching())
      throw Unable("no edge has a probability: " + sentence(loaded.input, certificate_of(distribution)));
    return distribution.marginals();
  });
  Report report = report_of(options, loaded, to_string(marginals.method), count, stopwatch.lap());
  if (placed != nullptr)
    write_picture(options.output, picture_of(*placed, marginals.edges, [](const EstimatedProbability& edge) {
                    return rounded(edge.probability, places_of(edge), 0);
                  }));
  if (options.json)
    report.result = json_of_estimate(loaded, marginals);
  else
    report.text = text_of(loaded, marginals.edges, interval_text);
  report.notes = notes_of_estimate(marginals);
  report.is_whole = !marginals.out_of_time && !marginals.interrupted;
  return report;
}

Report exact(const Options& options, const Loaded& loaded, const CountOptions& count, const PlacedGraph* placed,
             const Rational& unit) {
  Stopwatch stopwatch;
  MatchingDistribution distribution = distribution_of(options, loaded, count);
  const Marginals marginals = distribution.marginals();
  Report report = report_of(options, loaded, to_string(marginals.method), count, stopwatch.lap());
  if (!options.exact || placed != nullptr) require_probabilities(options, loaded, distribution, marginals);
  const auto probability = [&](const EdgeMarginal& edge) { return shown(edge, options.digits).text; };
  if (placed != nullptr) write_picture(options.output, picture_of(*placed, marginals.edges, probability));
  const Scale scale(unit, distribution.matching_size(), marginals.unit);
  const auto words = [&](const EdgeMarginal& edge) {
    return options.exact ? sum_text(edge.sum, scale, options.digits) : probability(edge);
  };
  if (options.json) {
    report.result = json_of(options, loaded, marginals, scale);
  } else {
    report.text = text_of(loaded, marginals.edges, words);
    for (const Vertex vertex :
         marginals.vertices.empty() ? std::vector<Vertex>() : vertices_in_file_order(loaded.input)) {
      const Alone which = alone(loaded.input, vertex);
      const std::string name = quoted_name(which.name);
      *report.text += (which.is_column ? "- " + name : name + " -") + " " + words(marginals.vertices[vertex]) + "\n";
    }
  }
  report.certificate = certificate_of(distribution);
  if (options.matchings == MatchingKind::saturating) report.none = "no matching saturates the smaller side: ";
  return report;
}

}  // namespace

int run_marginals(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    const Rational unit = bring_to_integers(options, loaded);
    std::optional<PlacedGraph> placed;
    if (!options.output.empty()) placed = placed_graph(options, loaded.input, RunContext(count.run));
    const PlacedGraph* const shown = placed ? &*placed : nullptr;
    if (!options.by_estimate) return exact(options, loaded, count, shown, unit);
    CheckpointedRun checkpointed(options, bar, interrupt, loaded);
    return estimated(options, loaded, count, shown, checkpointed);
  });
}

}  // namespace matchcount::app
