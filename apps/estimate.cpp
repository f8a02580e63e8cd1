// estimate: a number that is known within an interval.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "approx/estimate.hpp"
#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

Estimate answer(const Options& options, const Input& input, const EstimateOptions& estimate, Work* work) {
  // Parallel edges that were counted on the way in are part of a count of matchings.
  if (input.kind == InputKind::matrix || input.weights_are_multiplicities)
    return estimate_permanent(input.graph, estimate, work);
  if (input.kind == InputKind::directed && input.graph.num_rows() != input.graph.num_columns()) {
    throw InputError(
        file_argument(options), 0,
        "a matrix of " + std::to_string(input.graph.num_rows()) + " x " + std::to_string(input.graph.num_columns()),
        "the square matrix of a digraph");
  }
  // The cycle covers of a digraph are the perfect matchings of its matrix.
  return estimate_perfect_matchings(input.graph, estimate, work);
}

// One digit more than the interval settles; what is exact in full.
std::string value_text(const ScaledReal& value, const Estimate& estimate) {
  if (estimate.exact) {
    const double number = value.to_double();
    if (number == std::floor(number) && std::fabs(number) < 0x1p53) {
      char text[32];
      std::snprintf(text, sizeof text, "%.0f", number);
      return text;
    }
    return to_scientific(value, 15);
  }
  return to_scientific(value,
                       std::isfinite(estimate.relative_error) ? supported_digits(estimate.relative_error, 15) + 1 : 3);
}

std::string log_text(double log_value) {
  char text[40];
  std::snprintf(text, sizeof text, "10^%.2f", log_value / std::log(10.0));
  return text;
}

std::string text_notes(const Input& input, const Estimate& estimate) {
  if (estimate.hall_violator) {
    return std::string(input.kind == InputKind::directed ? "no cycle cover: " : "no perfect matching: ") +
           hall_sentence(input, *estimate.hall_violator);
  }
  if (estimate.exact) return "(exact: nothing was left to sample)";
  std::string method(to_string(estimate.method));
  for (const BlockEstimate& block : estimate.blocks) {
    if (block.method != estimate.method || block.population == 0) continue;
    method += " of " + std::to_string(block.population);
    break;
  }
  char text[320];
  const int digits = std::isfinite(estimate.relative_error) ? supported_digits(estimate.relative_error, 15) + 2 : 3;
  std::snprintf(text, sizeof text,
                "%g %% interval [%s, %s], %.2g %% either way; %llu samples (%s), %.3g effective, %.3g "
                "%% dead ends\n",
                100 * estimate.confidence, to_scientific(estimate.low, digits).c_str(),
                to_scientific(estimate.high, digits).c_str(), 100 * estimate.relative_error,
                static_cast<unsigned long long>(estimate.samples), method.c_str(), estimate.effective_samples,
                100 * estimate.zero_fraction);
  std::string notes = text;
  notes += "Bethe's bounds: " + log_text(estimate.bracket.log_lower) + " and " + log_text(estimate.bracket.log_upper);
  if (estimate.out_of_time) notes += "\nthe time limit ended the sampling";
  if (!estimate.warning.empty()) notes += "\nwarning: " + estimate.warning;
  return notes;
}

std::string json_text(const Options& options, const Loaded& loaded, const Estimate& estimate, int threads,
                      double total_s) {
  const double log_of_10 = std::log(10.0);
  Json object = json_header(options);
  object["input"] = json_input(file_argument(options), loaded.input);
  Json value;
  value["kind"] = "estimate";
  value["exact"] = estimate.exact;
  value["value"] = estimate.exact ? value_text(estimate.value, estimate) : to_scientific(estimate.value, 15);
  value["log10"] = json_number(estimate.log_value / log_of_10);
  value["log_value"] = json_number(estimate.log_value);
  value["relative_error"] = json_number(estimate.relative_error);
  value["standard_error"] = json_number(estimate.standard_error);
  value["confidence"] = estimate.confidence;
  value["interval"] = {to_scientific(estimate.low, 15), to_scientific(estimate.high, 15)};
  value["samples"] = estimate.samples;
  value["effective_samples"] = json_number(estimate.effective_samples);
  value["zero_fraction"] = estimate.zero_fraction;
  value["out_of_time"] = estimate.out_of_time;
  value["bracket_log10"] = {json_number(estimate.bracket.log_lower / log_of_10),
                            json_number(estimate.bracket.log_upper / log_of_10)};
  if (!estimate.warning.empty()) value["warning"] = estimate.warning;
  object["result"] = value;
  if (estimate.hall_violator) object["hall_violator"] = json_hall_violator(loaded.input, *estimate.hall_violator);
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
  return dump(object);
}

}  // namespace

void run_estimate(const Options& options, Interrupt& interrupt) {
  const auto start = std::chrono::steady_clock::now();
  const Loaded loaded = load(options);
  ProgressBar bar(options.progress);
  EstimateOptions estimate_options = options.estimate;
  const CountOptions count = counting_options(options, loaded, bar, interrupt);
  estimate_options.run = count.run;
  CheckpointedRun checkpointed(options, bar, interrupt);
  const Estimate estimate =
      checkpointed([&](Work* work) { return answer(options, loaded.input, estimate_options, work); });
  bar.clear();
  const double total_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.is_first()) return;
  write_answer(options.json ? json_text(options, loaded, estimate, resolve_num_threads(estimate_options.run), total_s)
                            : value_text(estimate.value, estimate) + "\n");
  note(options, text_notes(loaded.input, estimate));
}

}  // namespace matchcount::app
