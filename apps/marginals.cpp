// marginals: how likely each edge is in a matching.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/matchings.hpp"
#include "apps/placement.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/numbers/real.hpp"
#include "core/stopwatch.hpp"
#include "graph/picture.hpp"
#include "matchcount/pairs.hpp"

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

Shown shown(double number, double error, int digits) {
  if (std::isnan(number)) return {"-", std::nullopt};
  const RealValue value{ScaledReal(number), std::log2(error)};
  const int proven = proven_digits(value, std::min(digits, 17));
  if (proven == 0) return {to_string(value), std::nullopt};
  const std::string text = formatted(("%." + std::to_string(proven) + "g").c_str(), number);
  return {text, std::stod(text)};
}
Shown shown(const EdgeMarginal& edge, int digits) { return shown(edge.probability, edge.error, digits); }
Json json_shown(const Shown& number) { return number.number ? Json(*number.number) : Json(); }

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
  return scale.is_one() ? to_string(sum, digits) : to_decimal(scale.of(sum));
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
  return {name_of(input, vertex), input.kind != InputKind::undirected && vertex >= input.graph.num_rows()};
}

// ---- Pairs of edges, and the entropy.

bool asks_for_pairs(const Options& options) { return options.near || !options.pairs_file.empty(); }

std::vector<EdgePair> asked_pairs(const Options& options, const Input& input, const RunContext& run) {
  if (!asks_for_pairs(options)) return {};
  if (options.near) return with_graph(options, input, [&](const auto& g) { return near_pairs(g, *options.near, run); });
  std::ifstream file(options.pairs_file);
  const EdgesByName edges(input);
  std::vector<EdgePair> pairs;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    run.check();
    std::istringstream words(line);
    std::string first, second, more;
    if (!(words >> first) || first.starts_with('#')) continue;
    if (!(words >> second) || words >> more)
      throw InputError(options.pairs_file, number, "'" + line + "'", "two edges by their ends, U-V W-X");
    const std::string what = options.pairs_file + ":" + std::to_string(number) + ": ";
    pairs.push_back({edges.find(what, first), edges.find(what, second)});
  }
  if (!file.eof()) throw InputError("--pairs " + options.pairs_file + ", which can't be read", "a file");
  return pairs;
}

// All that is asked of a distribution but for the marginals.
struct Beside {
  std::optional<Entropy> entropy;
  std::vector<EdgePair> pairs;
  std::vector<PairMarginal> found;
};

Beside beside(const Options& options, const Loaded& loaded, const CountOptions& count, const Marginals& marginals,
              std::vector<EdgePair> pairs, double elapsed_s) {
  DistributionOptions how = distribution_options(options, loaded.input, count);
  how.run.time_limit_s = std::max(0.0, how.run.time_limit_s - elapsed_s);
  Beside result;
  result.pairs = std::move(pairs);
  return with_graph(options, loaded.input, [&](const auto& graph) {
    result.entropy = entropy(graph, how, marginals);
    result.found = pair_marginals(graph, how, marginals, result.pairs);
    return std::move(result);
  });
}

// Returns the entropy, and for each vertex; without vertices there is no such number.
std::vector<Shown> shown_entropy(const Input& input, const Entropy& entropy, int digits) {
  const double size = static_cast<double>(vertices_in_file_order(input).size());
  return {shown(entropy.value, entropy.error, digits),
          shown(size > 0 ? entropy.value / size : std::nan(""), entropy.error / size + entropy.value / size * 0x1p-52,
                digits)};
}

// Returns the bound on what is printed: its digits were rounded too.
double error_of(const Shown& printed, double value, double error) {
  return error + std::fabs(printed.number.value_or(value) - value);
}

Json json_pairs(const Options& options, const Loaded& loaded, const Marginals& marginals, const Beside& also,
                const Rational& unit, std::size_t size) {
  const EdgeNames names(loaded.input, false);
  Json pairs = Json::array();
  for (std::size_t i = 0; i < also.pairs.size(); ++i) {
    const PairMarginal& pair = also.found[i];
    Json edges = Json::array();
    for (const EdgeId edge : {also.pairs[i].first, also.pairs[i].second})
      edges.push_back({{"u", names.first(edge)}, {"v", names.second(edge)}});
    Json entry = {{"edges", std::move(edges)}, {"probability", Json()}};
    if (marginals.are_probabilities) {
      const Shown both = shown(pair.both, options.digits);
      entry["probability"] = json_shown(both);
      entry["value"] = both.text;
      const Shown connected = shown(pair.connected, pair.connected_error, options.digits);
      entry["connected"] = json_shown(connected);
      entry["connected_error"] = error_of(connected, pair.connected, pair.connected_error);
      entry["correlation"] = json_shown(shown(pair.correlation, pair.correlation_error, options.digits));
    }
    const Scale scale(unit, size, pair.unit);
    if (options.exact) entry["sum"] = json_sum(pair.both.sum, scale, options.digits);
    pairs.push_back(std::move(entry));
  }
  return pairs;
}

std::string pairs_text(const Options& options, const Loaded& loaded, const Beside& also, const Rational& unit,
                       std::size_t size) {
  const EdgeNames names(loaded.input, false);
  std::string text;
  for (std::size_t i = 0; i < also.pairs.size(); ++i) {
    const PairMarginal& pair = also.found[i];
    for (const EdgeId edge : {also.pairs[i].first, also.pairs[i].second})
      text += names.first(edge) + "-" + names.second(edge) + " ";
    text += options.exact ? sum_text(pair.both.sum, Scale(unit, size, pair.unit), options.digits)
                          : shown(pair.both, options.digits).text + " " +
                                shown(pair.correlation, pair.correlation_error, options.digits).text + " " +
                                shown(pair.connected, pair.connected_error, options.digits).text;
    text += "\n";
  }
  return text;
}

Json json_of(const Options& options, const Loaded& loaded, const Marginals& marginals, const Scale& scale,
             const std::optional<Entropy>& entropy) {
  const EdgeNames names(loaded.input, false);
  const bool integers = std::holds_alternative<Integer>(marginals.total) && scale.is_one();
  double error = 0;
  const auto add = [&](Json& list, Json entry, const EdgeMarginal& marginal) {
    entry["probability"] = Json();
    if (marginals.are_probabilities) {
      const Shown probability = shown(marginal, options.digits);
      if (probability.number) entry["probability"] = *probability.number;
      entry["value"] = probability.text;
      error = std::max(error, error_of(probability, marginal.probability, marginal.error));
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
  const std::vector<Shown> entropies =
      entropy ? shown_entropy(loaded.input, *entropy, options.digits) : std::vector<Shown>(2);
  result["entropy"] = json_shown(entropies[0]);
  const bool has_error = entropy && std::isfinite(entropy->error);
  result["entropy_error"] = has_error ? Json(error_of(entropies[0], entropy->value, entropy->error)) : Json();
  result["entropy_per_vertex"] = json_shown(entropies[1]);
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

std::string interval_words(const EstimatedProbability& edge) {
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

Json json_of_estimate(const Options& options, const Loaded& loaded, const EstimatedMarginals& marginals) {
  const EdgeNames names(loaded.input, false);
  Json result = {{"kind", "estimate"},
                 {"confidence", marginals.confidence},
                 {"samples", marginals.samples},
                 {"effective_samples", marginals.effective_samples},
                 {"out_of_time", marginals.out_of_time},
                 {"interrupted", marginals.interrupted}};
  if (const Json matchings = json_matchings(options); !matchings.is_null()) result["matchings"] = matchings;
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
    report.result = json_of_estimate(options, loaded, marginals);
  else
    report.text = text_of(loaded, marginals.edges, interval_words);
  report.notes = notes_of_estimate(marginals);
  report.is_whole = !marginals.out_of_time && !marginals.interrupted;
  return report;
}

Report exact(const Options& options, const Loaded& loaded, const CountOptions& count, const PlacedGraph* placed,
             const Rational& unit) {
  Stopwatch stopwatch;
  std::vector<EdgePair> pairs = asked_pairs(options, loaded.input, RunContext(count.run));
  MatchingDistribution distribution = distribution_of(options, loaded, count);
  const Marginals marginals = distribution.marginals();
  if (!options.exact || placed != nullptr) require_probabilities(options, loaded, distribution, marginals);
  const double seconds = stopwatch.lap();
  const Beside also = beside(options, loaded, count, marginals, std::move(pairs), seconds);
  Report report = report_of(options, loaded, to_string(marginals.method), count, seconds + stopwatch.lap());
  const auto probability = [&](const EdgeMarginal& edge) { return shown(edge, options.digits).text; };
  if (placed != nullptr) write_picture(options.output, picture_of(*placed, marginals.edges, probability));
  const Scale scale(unit, distribution.matching_size(), marginals.unit);
  const auto words = [&](const EdgeMarginal& edge) {
    return options.exact ? sum_text(edge.sum, scale, options.digits) : probability(edge);
  };
  if (options.json) {
    report.result = json_of(options, loaded, marginals, scale, also.entropy);
    if (asks_for_pairs(options))
      report.result["pairs"] = json_pairs(options, loaded, marginals, also, unit, distribution.matching_size());
  } else if (asks_for_pairs(options)) {
    report.text = pairs_text(options, loaded, also, unit, distribution.matching_size());
  } else {
    report.text = text_of(loaded, marginals.edges, words);
    for (const Vertex vertex :
         marginals.vertices.empty() ? std::vector<Vertex>() : vertices_in_file_order(loaded.input)) {
      const Alone which = alone(loaded.input, vertex);
      const std::string name = quoted_name(which.name);
      *report.text += (which.is_column ? "- " + name : name + " -") + " " + words(marginals.vertices[vertex]) + "\n";
    }
  }
  if (also.entropy) {
    const std::vector<Shown> entropies = shown_entropy(loaded.input, *also.entropy, options.digits);
    report.notes.push_back("entropy " + entropies[0].text + " nats, for each vertex " + entropies[1].text);
  }
  report.certificate = certificate_of(distribution);
  if (options.matchings == MatchingKind::saturating) report.none = "no matching saturates the smaller side: ";
  return report;
}

}  // namespace

int run_marginals(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    const bool has_fractions = !loaded.input.fractions.empty();
    const Rational unit = bring_to_integers(options, loaded);
    std::optional<PlacedGraph> placed;
    if (!options.output.empty()) placed = placed_graph(options, loaded.input, RunContext(count.run));
    const PlacedGraph* const shown = placed ? &*placed : nullptr;
    if (!options.by_estimate) {
      Report report = exact(options, loaded, count, shown, unit);
      if (options.exact && has_fractions && loaded.input.weight_kind() == WeightKind::real)
        report.notes.push_back("(sums are rounded: weights, brought to one denominator, pass 64 bits)");
      return report;
    }
    CheckpointedRun checkpointed(options, bar, interrupt, loaded);
    return estimated(options, loaded, count, shown, checkpointed);
  });
}

}  // namespace matchcount::app
