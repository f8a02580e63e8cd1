// estimate: a number that is known within an interval.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "approx/estimate.hpp"
#include "approx/estimated_sizes.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/matchings.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "graph/picture.hpp"

namespace matchcount::app {
namespace {

bool drops_weights(const Options& options, const Input& input) {
  return input.kind != InputKind::matrix && !options.optimum && has_own_weights(input);
}

Estimate answer(const Options& options, const Loaded& loaded, const EstimateOptions& estimate, Work* work) {
  const Input& input = loaded.input;
  // The cycle covers of a digraph are the perfect matchings of its matrix.
  if (input.kind == InputKind::directed && !options.optimum && !asks_for_others(options, input))
    loaded.require_square("the square matrix of a digraph");
  return estimate_matchings(input.view(), matching_options(options, input, {}, input.kind == InputKind::matrix),
                            estimate, work);
}

constexpr int most_digits = 15;

// Writes one digit more than the interval settles; what is exact in full.
std::string value_text(const Estimate& estimate) {
  const ScaledReal& value = estimate.value;
  if (estimate.unknown) return "no estimate";
  if (estimate.exact) {
    const double number = value.to_double();
    if ((number != 0 || value.is_zero()) && number == std::floor(number) && std::fabs(number) < 0x1p53)
      return formatted("%.0f", number);
    return to_scientific(value, most_digits);
  }
  return to_scientific(value, supported_digits(estimate.relative_error, most_digits) + 1);
}

// Says how far the interval reaches, rounded up: "0.92 % either way".
std::string reach_text(double relative_error) {
  if (relative_error < 1) return rounded_up(100 * relative_error, 2) + " % either way";
  if (!std::isfinite(relative_error)) return "which says no more than the bounds";
  return "up to a factor of " + rounded_up(1 + relative_error, 2);
}

// Writes a number that is not negative, to so many digits, rounded down or up.
std::string directed_text(const ScaledReal& value, int digits, bool up) {
  if (value.is_zero()) return "0";
  // d.ddd...e5; what is left out behind the digits that are wanted is told from zero by twenty more.
  const std::string text = to_scientific(value, digits + 20);
  const std::size_t point = text.find('.'), letter = text.find('e');
  std::string wanted = text.substr(0, 1) + text.substr(point + 1, static_cast<std::size_t>(digits) - 1);
  std::int64_t exponent = std::stoll(text.substr(letter + 1));
  const std::string rest =
      text.substr(point + static_cast<std::size_t>(digits), letter - point - static_cast<std::size_t>(digits));
  if (up && rest.find_first_not_of('0') != std::string::npos) {
    std::string next = std::to_string(std::stoull(wanted) + 1);
    exponent += next.size() > wanted.size() ? 1 : 0;
    wanted = next.substr(0, wanted.size());
  }
  return wanted.substr(0, 1) + "." + wanted.substr(1) + "e" + std::to_string(exponent);
}

// Writes both ends, rounded outwards.
std::array<std::string, 2> interval_ends(const Estimate& estimate, int digits) {
  return {directed_text(estimate.low, digits, false), directed_text(estimate.high, digits, true)};
}

std::string log_text(double log_value, bool up) {
  const double hundredths = 100 * log_value / std::log(10.0);
  return formatted("10^%.2f", (up ? std::ceil(hundredths) : std::floor(hundredths)) / 100);
}

// Names the method, with the size of its populations.
std::string method_text(const Estimate& estimate) {
  const std::string name(to_string(estimate.method));
  for (const BlockEstimate& block : estimate.blocks) {
    if (block.method == estimate.method && block.population != 0)
      return name + " of " + std::to_string(block.population) + (block.by_logarithms ? ", by their logarithms" : "");
  }
  return name;
}

std::string interval_text(const Estimate& estimate) {
  if (estimate.unknown)
    return "all " + std::to_string(estimate.samples) + " samples (" + method_text(estimate) + ") ran into dead ends";
  const auto [low, high] = interval_ends(estimate, supported_digits(estimate.relative_error, most_digits) + 2);
  return formatted("%g %% interval [", 100 * estimate.confidence) + low + ", " + high + "], " +
         reach_text(estimate.relative_error) + "; " + std::to_string(estimate.samples) + " samples (" +
         method_text(estimate) + formatted("), %.3g effective, ", estimate.effective_samples) +
         formatted("%.3g %% dead ends", 100 * estimate.zero_fraction);
}

// Returns the vertices whose entropy a count of these matchings tells; 0: the answer is another.
double vertices_of(const Options& options, const Input& input, MatchingKind kind) {
  if (options.optimum || options.matchings != kind || input.loops || input.kind == InputKind::matrix ||
      input.kind == InputKind::directed || input.weights_are_multiplicities)
    return 0;
  return input.is_bipartite() ? 1.0 * input.graph.num_rows() + input.graph.num_columns()
                              : 1.0 * input.undirected.num_vertices();
}

std::string fixed(int digits, double value) { return formatted(("%." + std::to_string(digits) + "f").c_str(), value); }

// Writes the interval of the logarithm, to two digits of its width, outwards, and the entropy of a vertex.
std::string log_interval_text(const Estimate& estimate, double vertices) {
  const double low = estimate.low.log2_abs() * std::log10(2.0), high = estimate.high.log2_abs() * std::log10(2.0);
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(high - low, 1e-12))) - 1);
  const int digits = std::max(0, static_cast<int>(std::lround(-std::log10(unit))));
  std::string text = "log10 in [" + fixed(digits, std::floor(low / unit) * unit) + ", " +
                     fixed(digits, std::ceil(high / unit) * unit) + "]";
  if (vertices == 0) return text;
  const double reach = (high - low) * std::log(10.0) / vertices;
  const int places = std::clamp(static_cast<int>(-std::floor(std::log10(std::max(reach, 1e-12)))), 1, 12);
  return text + ", entropy a vertex " + fixed(places, estimate.log_value / vertices);
}

std::vector<std::string> notes_of(const Estimate& estimate, double vertices) {
  if (certificate_of(estimate)) return {};
  if (estimate.exact) {
    std::vector<std::string> notes = {"(exact: nothing was left to sample)"};
    for (const Check& check : estimate.checks) notes.push_back("verified: " + check.detail);
    return notes;
  }
  const bool odd_cycles = std::any_of(estimate.blocks.begin(), estimate.blocks.end(),
                                      [](const BlockEstimate& block) { return !block.bipartite; });
  std::vector<std::string> notes = sampling_notes(estimate);
  for (const Check& check : estimate.checks) notes.push_back("verified: " + check.detail);
  notes.insert(notes.begin(),
               {interval_text(estimate), estimate.unknown ? std::string() : log_interval_text(estimate, vertices),
                (odd_cycles ? "certain bounds: " : "Bethe's bounds: ") + log_text(estimate.bracket.log_lower, false) +
                    " and " + log_text(estimate.bracket.log_upper, true)});
  return notes;
}

Json json_result(const Estimate& estimate) {
  const double log_of_10 = std::log(10.0);
  const auto [low, high] = interval_ends(estimate, most_digits);
  Json value = {
      {"kind", "estimate"},
      {"exact", estimate.exact},
      {"value", estimate.unknown ? Json()
                : estimate.exact ? Json(value_text(estimate))
                                 : Json(to_scientific(estimate.value, most_digits))},
      {"log10", estimate.log_value / log_of_10},
      {"log_value", estimate.log_value},
      {"relative_error", estimate.relative_error},
      {"standard_error", estimate.standard_error},
      {"confidence", estimate.confidence},
      {"interval", Json::array({low, high})},
      {"interval_log10",
       Json::array({estimate.low.log2_abs() * std::log10(2.0), estimate.high.log2_abs() * std::log10(2.0)})},
      {"samples", estimate.samples},
      {"effective_samples", estimate.effective_samples},
      {"zero_fraction", estimate.zero_fraction},
      {"out_of_time", estimate.out_of_time},
      {"interrupted", estimate.interrupted},
      {"bracket_log10", Json::array({estimate.bracket.log_lower / log_of_10, estimate.bracket.log_upper / log_of_10})}};
  if (!estimate.warning.empty()) value["warning"] = estimate.warning;
  return value;
}

Json json_blocks(const Estimate& estimate) {
  Json blocks = Json::array();
  for (const BlockEstimate& block : estimate.blocks) {
    Json entry = json_block(block);
    entry["method"] = to_string(block.method);
    entry["log_value"] = block.log_value;
    if (block.method != Estimator::exact) {
      if (block.population > 0) entry["population"] = block.population;
      entry.update({{"samples", block.samples},
                    {"zeros", block.zeros},
                    {"relative_deviation", block.relative_deviation},
                    {"effective_samples", block.effective_samples},
                    {"tail_index", block.tail_index}});
    }
    blocks.push_back(std::move(entry));
  }
  return blocks;
}

// Says what the blocks are, what was drawn of each, and where the time went; JSON has that in any case.
std::string explanation(const Estimate& estimate) {
  constexpr std::size_t most_blocks = 10;
  const ReductionCounts& counts = estimate.reductions;
  std::string text = format_count(counts.useless_edges, "edge", "edges") + " in no perfect matching, " +
                     std::to_string(counts.degree1) + " vertices of degree 1 and " + std::to_string(counts.degree2) +
                     " of degree 2 removed, " + format_count(estimate.blocks.size(), "block", "blocks") + " left\n";
  std::vector<std::vector<std::string>> rows = {
      {"block", "edges", "method", "samples", "effective", "dead ends", "natural logarithm"}};
  for (const BlockEstimate& block : estimate.blocks) {
    if (rows.size() > most_blocks) break;
    const std::string size = std::to_string(block.size);
    rows.push_back({block.bipartite ? size + " x " + size : size + " vertices", std::to_string(block.edges),
                    std::string(to_string(block.method)), std::to_string(block.samples),
                    formatted("%.3g", block.effective_samples), std::to_string(block.zeros),
                    formatted("%.6g", block.log_value)});
  }
  const EstimateTimes& times = estimate.time_s;
  return text + table(rows, "  ") + "structure " + short_time(times.structure) + ", bounds " +
         short_time(times.bracket) + ", sampling " + short_time(times.start + times.sample) + ", in all " +
         short_time(times.total);
}

Report report_of(const Options& options, const Input& input, const Estimate& estimate, int threads) {
  Report report;
  if (drops_weights(options, input))
    report.weights_ignored = std::string("values other than 0 play no part") +
                             (input.kind == InputKind::bipartite ? "; --kind matrix uses them" : "");
  report.result = json_result(estimate);
  if (const Json matchings = json_matchings(options); !matchings.is_null()) report.result["matchings"] = matchings;
  report.text = value_text(estimate) + "\n";
  report.certificate = certificate_of(estimate);
  if (input.kind == InputKind::directed) report.none = "no cycle cover: ";
  const double vertices = vertices_of(options, input, MatchingKind::perfect);
  if (vertices > 0) report.result["entropy_per_vertex"] = estimate.log_value / vertices;
  report.notes = notes_of(estimate, vertices);
  if (options.explain && !report.certificate) report.notes.push_back(explanation(estimate));
  if (options.json)
    report.method = {to_string(estimate.method), estimate.gpus, threads, {{"blocks", json_blocks(estimate)}}};
  report.reductions = estimate.reductions;
  report.blocks_left = estimate.blocks.size();
  report.seed = estimate.seed;
  if (!estimate.checks.empty()) report.checks = estimate.checks;
  report.times_s = {{"structure", estimate.time_s.structure},
                    {"bracket", estimate.time_s.bracket},
                    {"start", estimate.time_s.start},
                    {"sample", estimate.time_s.sample}};
  report.is_whole = !estimate.out_of_time && !estimate.interrupted && !estimate.unknown;
  return report;
}

// ---- Matchings by size.

// Returns value, low and high.
std::array<std::string, 3> texts_of(const SizeEstimate& size) {
  if (size.unknown) return {"unknown", "0", "unknown"};
  const double number = size.value.to_double();
  if (size.exact && number == std::floor(number) && number < 0x1p53) {
    const std::string text = formatted("%.0f", number);
    return {text, text, text};
  }
  const int digits = size.exact ? most_digits : supported_digits(size.relative_error, most_digits) + 1;
  return {to_scientific(size.value, digits), directed_text(size.low, digits + 1, false),
          directed_text(size.high, digits + 1, true)};
}

Report report_of_sizes(const Options& options, const Input& input, const EstimateOptions& how,
                       const std::vector<SizeEstimate>& sizes) {
  Report report;
  if (drops_weights(options, input)) report.weights_ignored = "values other than 0 play no part";
  const double vertices = vertices_of(options, input, MatchingKind::by_size);
  if (!options.output.empty() && vertices == 0)
    throw InputError("--svg of sums of weights", "a count of matchings, whose entropy it draws");
  Json values = Json::array();
  std::string text;
  std::vector<Point> entropy;  // of a vertex, by the share of vertices that are matched
  Point most;
  double worst = 0;
  std::uint64_t samples = 0;
  bool is_known = true;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    const SizeEstimate& of = sizes[size];
    const auto [value, low, high] = texts_of(of);
    text += std::to_string(size) + " " + value + (of.exact ? "" : " [" + low + ", " + high + "]") + "\n";
    values.push_back({{"size", size},
                      {"exact", of.exact},
                      {"value", of.unknown ? Json() : Json(value)},
                      {"interval", of.unknown ? Json() : Json::array({low, high})},
                      {"log10", of.unknown ? Json() : Json(of.value.log2_abs() * std::log10(2.0))}});
    if (vertices > 0 && !of.unknown) {
      const Point point{2 * static_cast<double>(size) / vertices, of.value.log2_abs() * std::numbers::ln2 / vertices};
      values.back()["density"] = point.x;
      values.back()["entropy_per_vertex"] = point.y;
      if (point.y > most.y) most = point;
      entropy.push_back(point);
    }
    worst = std::max(worst, of.relative_error);
    samples = std::max(samples, of.samples);
    is_known = is_known && !of.unknown;
  }
  report.result = {{"kind", "estimates"},
                   {"matchings", "by-size"},
                   {"confidence", how.confidence},
                   {"samples", samples},
                   {"values", values}};
  report.text = text;
  report.none.clear();
  report.notes = {formatted("%g %% intervals, each by itself; ", 100 * how.confidence) + std::to_string(samples) +
                  " populations (annealing), " + reach_text(worst) + " at the most"};
  if (vertices > 0)
    report.notes.push_back(formatted("entropy a vertex at most %.4g", most.y) +
                           formatted(", where a share of %.3g of the vertices is matched", most.x));
  if (!options.output.empty())
    write_picture(options.output, curve_picture(entropy, "share of vertices that are matched", "entropy a vertex"));
  report.method = {to_string(Estimator::annealing), {}, how.run.num_threads};
  report.seed = how.run.seed;
  report.is_whole = is_known && worst <= how.relative_error;
  return report;
}

}  // namespace

int run_estimate(const Options& options, Interrupt& interrupt) {
  int unknown = 0;
  const int status = report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    if (loaded.input.kind == InputKind::matrix && !loaded.input.fractions.empty() && !options.optimum &&
        !asks_for_others(options, loaded.input))
      bring_to_reals(loaded);
    EstimateOptions how = options.estimate;
    how.run = count.run;
    CheckpointedRun checkpointed(options, bar, interrupt, loaded);
    if (options.matchings == MatchingKind::by_size && !options.optimum) {
      const auto sizes = checkpointed([&](Work* work) {
        const bool weighted = loaded.input.kind == InputKind::matrix;
        return estimate_matchings_by_size(loaded.input.view(), matching_options(options, loaded.input, {}, weighted),
                                          how, work);
      });
      return report_of_sizes(options, loaded.input, how, sizes);
    }
    const Estimate estimate = checkpointed([&](Work* work) { return answer(options, loaded, how, work); });
    constexpr int no_answer = 3;
    if (estimate.unknown && options.is_first()) unknown = no_answer;
    return report_of(options, loaded.input, estimate, how.run.num_threads);
  });
  return std::max(status, unknown);
}

}  // namespace matchcount::app
