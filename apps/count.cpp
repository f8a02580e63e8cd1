// count, cycles and permanent: one number.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <variant>

#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/machine.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::app {
namespace {

Result answer(const Options& options, const Input& input, const CountOptions& count, Work* work) {
  const std::string_view command = options.command->name;
  if (command == "permanent") {
    return input.is_bipartite() ? permanent(input.graph, count, work) : hafnian(input.undirected, count, work);
  }
  // Parallel edges that were counted on the way in are part of a count of matchings.
  const bool multiplicities = input.weights_are_multiplicities;
  if (!input.is_bipartite()) {
    return multiplicities ? hafnian(input.undirected, count, work)
                          : count_perfect_matchings(input.undirected, count, work);
  }
  if (command == "count") {
    return multiplicities ? permanent(input.graph, count, work) : count_perfect_matchings(input.graph, count, work);
  }
  if (input.kind != InputKind::directed && input.kind != InputKind::matrix) {
    throw InputError("--kind " + std::string(to_string(input.kind)),
                     "directed or matrix: cycles are counted in digraphs");
  }
  if (input.graph.num_rows() != input.graph.num_columns()) {
    throw InputError(
        file_argument(options), 0,
        "a matrix of " + std::to_string(input.graph.num_rows()) + " x " + std::to_string(input.graph.num_columns()),
        "the square matrix of a digraph");
  }
  if (multiplicities) return permanent(input.graph, count, work);
  return count_cycle_covers(Digraph::from_arcs(input.graph.num_rows(), input.graph.edges()), count, work);
}

bool is_zero(const Value& value) {
  const Integer* integer = std::get_if<Integer>(&value);
  return integer != nullptr && *integer == 0;
}

std::string text_notes(const Input& input, const Options& options, const Result& result) {
  std::string text;
  if (options.command->name != "permanent" && input.weight_kind() != WeightKind::none &&
      !input.weights_are_multiplicities) {
    text += "the values in the file are ignored; matchcount permanent uses them\n";
  }
  if (is_zero(result.value) && result.plan.hall_violator) {
    text += options.command->name == "cycles" ? "no cycle cover: " : "no perfect matching: ";
    text += hall_sentence(input, *result.plan.hall_violator) + "\n";
  }
  if (is_zero(result.value) && result.plan.tutte_set) {
    text += "no perfect matching: " + tutte_sentence(input, *result.plan.tutte_set) + "\n";
  }
  if (const std::string error = error_note(result.value); !error.empty()) text += error + "\n";
  for (const Check& check : result.checks) {
    if (check.kind == Check::Kind::verify && check.passed) text += "verified: " + check.detail + "\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::string json_text(const Options& options, const Loaded& loaded, const Result& result, int threads, double total_s) {
  Json object = json_header(options);
  object["input"] = json_input(file_argument(options), loaded.input);
  Json value;
  value["kind"] = std::holds_alternative<Integer>(result.value)     ? "exact"
                  : std::holds_alternative<RealValue>(result.value) ? "real"
                                                                    : "complex";
  value["value"] = to_string(result.value);
  value["log10"] = json_number(log10_abs(result.value));
  if (!std::holds_alternative<Integer>(result.value)) {
    value["relative_error"] = json_number(relative_error(result.value));
  }
  object["result"] = value;
  if (result.plan.hall_violator) {
    object["hall_violator"] = json_hall_violator(loaded.input, *result.plan.hall_violator);
  }
  if (result.plan.tutte_set) object["tutte_set"] = json_tutte_set(loaded.input, *result.plan.tutte_set);
  Json method;
  method["name"] = to_string(result.method);
  method["device"] = result.gpus.empty() ? "cpu" : "cuda";
  for (const DeviceInfo& gpu : result.gpus) method["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  method["threads"] = threads;
  if (options.ranks) method["ranks"] = options.ranks->size();
  method["instruction_set"] = to_string(detected_isa());
  method["blocks"] = Json::array();
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    Json block;
    if (i < result.plan.blocks.size()) {
      block["size"] = result.plan.blocks[i].size;
      block["edges"] = result.plan.blocks[i].edges;
      block["bipartite"] = result.plan.blocks[i].bipartite;
    }
    block["method"] = to_string(result.blocks[i].method);
    method["blocks"].push_back(block);
  }
  object["method"] = method;
  object["reductions"] = json_reductions(result.plan.reductions, result.plan.blocks.size());
  object["checks"] = Json::array();
  for (const Check& check : result.checks) {
    object["checks"].push_back({{"name", to_string(check.kind)}, {"passed", check.passed}, {"detail", check.detail}});
  }
  object["seed"] = result.seed;
  object["time_s"] = {{"read", loaded.read_s},
                      {"structure", result.time_s.structure},
                      {"order", result.time_s.order},
                      {"count", result.time_s.count},
                      {"total", total_s}};
  object["peak_memory_bytes"] = peak_memory_bytes();
  return dump(object);
}

// Before a count that takes its time.
void announce(const Options& options, const Forecast& most_expensive, double seconds, ProgressBar& bar) {
  constexpr double worth_saying_s = 60;
  if (seconds < worth_saying_s) return;
  std::string text = "this will take about " + format_seconds(seconds) + " (" +
                     std::string(to_string(most_expensive.method)) + ": " + most_expensive.reason + ")";
  if (std::isinf(options.count.run.time_limit_s)) text += "; --time-limit SECONDS refuses what would take longer";
  bar.clear();
  note(options, text);
}

}  // namespace

void run_count(const Options& options, Interrupt& interrupt) {
  const auto start = std::chrono::steady_clock::now();
  const Loaded loaded = load(options, options.command->name != std::string_view("cycles"));
  ProgressBar bar(options.progress);
  CountOptions count = counting_options(options, loaded, bar, interrupt);
  count.on_forecast = [&](const Forecast& most_expensive, double seconds) {
    announce(options, most_expensive, seconds, bar);
  };
  CheckpointedRun checkpointed(options, bar, interrupt);
  const Result result = checkpointed([&](Work* work) { return answer(options, loaded.input, count, work); });
  bar.clear();
  const double total_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.is_first()) return;
  write_answer(options.json ? json_text(options, loaded, result, resolve_num_threads(count.run), total_s)
                            : to_string(result.value) + "\n");
  note(options, text_notes(loaded.input, options, result));
}

}  // namespace matchcount::app
