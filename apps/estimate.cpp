// estimate: a number that is known within an interval.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "approx/estimate.hpp"
#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

bool ignores_weights(const Input& input) { return input.kind != InputKind::matrix && has_own_weights(input); }

Estimate answer(const Loaded& loaded, const EstimateOptions& estimate, Work* work) {
  const Input& input = loaded.input;
  if (!input.is_bipartite()) {
    return input.weights_are_multiplicities ? estimate_hafnian(input.undirected, estimate, work)
                                            : estimate_perfect_matchings(input.undirected, estimate, work);
  }
  // Parallel edges that were counted on the way in are part of a count of matchings.
  if (input.kind == InputKind::matrix || input.weights_are_multiplicities)
    return estimate_permanent(input.graph, estimate, work);
  if (input.kind == InputKind::directed && input.graph.num_rows() != input.graph.num_columns()) {
    throw InputError(
        loaded.name(), 0,
        "a matrix of " + std::to_string(input.graph.num_rows()) + " x " + std::to_string(input.graph.num_columns()),
        "the square matrix of a digraph");
  }
  // The cycle covers of a digraph are the perfect matchings of its matrix.
  return estimate_perfect_matchings(input.graph, estimate, work);
}

constexpr int most_digits = 15;

// One digit more than the interval settles; what is exact in full.
std::string value_text(const Estimate& estimate) {
  const ScaledReal& value = estimate.value;
  if (estimate.unknown) return "no estimate";
  if (estimate.exact) {
    const double number = value.to_double();
    if ((number != 0 || value.is_zero()) && number == std::floor(number) && std::fabs(number) < 0x1p53) {
      char text[32];
      std::snprintf(text, sizeof text, "%.0f", number);
      return text;
    }
    return to_scientific(value, most_digits);
  }
  return to_scientific(value, supported_digits(estimate.relative_error, most_digits) + 1);
}

// How far the interval reaches, rounded up: "0.92 % either way".
std::string reach_text(double relative_error) {
  if (relative_error < 10) return rounded_up(100 * relative_error, 2) + " % either way";
  return "up to a factor of " + rounded_up(1 + relative_error, 2);
}

// A number that is not negative, to so many digits, rounded down or up.
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

// Both ends, rounded outwards.
std::array<std::string, 2> interval_ends(const Estimate& estimate, int digits) {
  return {directed_text(estimate.low, digits, false), directed_text(estimate.high, digits, true)};
}

std::string log_text(double log_value, bool up) {
  char text[40];
  const double hundredths = 100 * log_value / std::log(10.0);
  std::snprintf(text, sizeof text, "10^%.2f", (up ? std::ceil(hundredths) : std::floor(hundredths)) / 100);
  return text;
}

std::string text_notes(const Input& input, const Estimate& estimate) {
  std::string ignored;
  if (ignores_weights(input)) {
    ignored = std::string("the values in the file are ignored") +
              (input.is_bipartite() ? "; --kind matrix uses them\n" : "\n");
  }
  if (estimate.hall_violator) {
    return ignored + std::string(input.kind == InputKind::directed ? "no cycle cover: " : "no perfect matching: ") +
           hall_sentence(input, *estimate.hall_violator);
  }
  if (estimate.tutte_set) return ignored + "no perfect matching: " + tutte_sentence(input, *estimate.tutte_set);
  if (estimate.exact) return ignored + "(exact: nothing was left to sample)";
  std::string method(to_string(estimate.method));
  for (const BlockEstimate& block : estimate.blocks) {
    if (block.method != estimate.method || block.population == 0) continue;
    method += " of " + std::to_string(block.population);
    break;
  }
  std::string notes = ignored;
  char text[320];
  if (estimate.unknown) {
    notes += "all " + std::to_string(estimate.samples) + " samples (" + method + ") ran into dead ends\n";
  } else {
    const int digits = supported_digits(estimate.relative_error, most_digits) + 2;
    const auto [low, high] = interval_ends(estimate, digits);
    std::snprintf(text, sizeof text,
                  "%g %% interval [%s, %s], %s; %llu samples (%s), %.3g effective, %.3g %% dead ends\n",
                  100 * estimate.confidence, low.c_str(), high.c_str(), reach_text(estimate.relative_error).c_str(),
                  static_cast<unsigned long long>(estimate.samples), method.c_str(), estimate.effective_samples,
                  100 * estimate.zero_fraction);
    notes += text;
  }
  const bool odd_cycles = std::any_of(estimate.blocks.begin(), estimate.blocks.end(),
                                      [](const BlockEstimate& block) { return !block.bipartite; });
  notes += (odd_cycles ? "certain bounds: " : "Bethe's bounds: ") + log_text(estimate.bracket.log_lower, false) +
           " and " + log_text(estimate.bracket.log_upper, true);
  if (estimate.out_of_time) notes += "\nthe time limit ended the sampling";
  if (estimate.interrupted) notes += "\ninterrupted: this is what there was";
  if (!estimate.warning.empty()) notes += "\nwarning: " + estimate.warning;
  return notes;
}

std::string json_text(const Options& options, const Loaded& loaded, const Estimate& estimate, int threads,
                      double total_s) {
  const double log_of_10 = std::log(10.0);
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  if (ignores_weights(loaded.input)) object["input"]["weights_ignored"] = true;
  Json value;
  value["kind"] = "estimate";
  value["exact"] = estimate.exact;
  value["value"] = estimate.unknown ? Json()
                   : estimate.exact ? Json(value_text(estimate))
                                    : Json(to_scientific(estimate.value, most_digits));
  value["log10"] = json_number(estimate.log_value / log_of_10);
  value["log_value"] = json_number(estimate.log_value);
  value["relative_error"] = json_number(estimate.relative_error);
  value["standard_error"] = json_number(estimate.standard_error);
  value["confidence"] = estimate.confidence;
  const auto [low, high] = interval_ends(estimate, most_digits);
  value["interval"] = Json::array({low, high});
  value["samples"] = estimate.samples;
  value["effective_samples"] = json_number(estimate.effective_samples);
  value["zero_fraction"] = estimate.zero_fraction;
  value["out_of_time"] = estimate.out_of_time;
  value["interrupted"] = estimate.interrupted;
  value["bracket_log10"] = {json_number(estimate.bracket.log_lower / log_of_10),
                            json_number(estimate.bracket.log_upper / log_of_10)};
  if (!estimate.warning.empty()) value["warning"] = estimate.warning;
  object["result"] = value;
  if (estimate.hall_violator) object["hall_violator"] = json_hall_violator(loaded.input, *estimate.hall_violator);
  if (estimate.tutte_set) object["tutte_set"] = json_tutte_set(loaded.input, *estimate.tutte_set);
  Json method;
  method["name"] = to_string(estimate.method);
  method["device"] = estimate.gpus.empty() ? "cpu" : "cuda";
  for (const DeviceInfo& gpu : estimate.gpus) method["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  method["threads"] = threads;
  if (options.ranks) method["ranks"] = options.ranks->size();
  method["blocks"] = Json::array();
  for (const BlockEstimate& block : estimate.blocks) {
    const bool exact = block.method == Estimator::exact;
    Json entry;
    entry["size"] = block.size;
    entry["edges"] = block.edges;
    entry["bipartite"] = block.bipartite;
    entry["method"] = to_string(block.method);
    entry["log_value"] = json_number(block.log_value);
    if (!exact) {
      if (block.population > 0) entry["population"] = block.population;
      entry["samples"] = block.samples;
      entry["zeros"] = block.zeros;
      entry["relative_deviation"] = json_number(block.relative_deviation);
      entry["effective_samples"] = json_number(block.effective_samples);
      entry["tail_index"] = json_number(block.tail_index);
    }
    method["blocks"].push_back(entry);
  }
  object["method"] = method;
  object["reductions"] = json_reductions(estimate.reductions, estimate.blocks.size());
  object["seed"] = estimate.seed;
  object["time_s"] = {
      {"read", loaded.read_s},          {"structure", estimate.time_s.structure}, {"bracket", estimate.time_s.bracket},
      {"start", estimate.time_s.start}, {"sample", estimate.time_s.sample},       {"total", total_s}};
  object["peak_memory_bytes"] = peak_memory_bytes();
  return line(object);
}

}  // namespace

int run_estimate(const Options& options, Interrupt& interrupt) {
  int unknown = 0;
  const int status = answer_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    Stopwatch total;
    EstimateOptions how = options.estimate;
    how.run = count.run;
    CheckpointedRun checkpointed(options, bar, interrupt);
    const Estimate estimate = checkpointed([&](Work* work) { return answer(loaded, how, work); });
    bar.clear();
    if (!options.is_first()) return;
    constexpr int no_answer = 3;
    if (estimate.unknown) unknown = no_answer;
    write_answer(options.json ? json_text(options, loaded, estimate, how.run.num_threads, loaded.read_s + total.lap())
                              : value_text(estimate) + "\n");
    note(options, loaded.prefix + text_notes(loaded.input, estimate));
  });
  return std::max(status, unknown);
}

}  // namespace matchcount::app
