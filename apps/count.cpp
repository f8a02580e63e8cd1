// count, cycles, permanent and hafnian: one number.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/answer.hpp"
#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/inputs.hpp"
#include "apps/json.hpp"
#include "apps/machine.hpp"
#include "apps/matchings.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"

namespace matchcount::app {
namespace {

struct Answer {
  Result result;
  std::optional<Rational> fraction =
      {};  // exactly, where the file's values are fractions; the result's value is rounded
  std::vector<MatchingSum> by_size = {};
  std::optional<Vertex> edges_of_each = {};  // of maximum and saturating matchings
  std::optional<Rational> weight = {};       // of each of the lightest or heaviest
};

// Below this a decimal is held to fewer than 30 digits (parse_real): what is exact of it would not be what was written.
void refuse_what_is_not_held(const Input& input) {
  const auto is_held = [](DoubleDouble value) { return value.hi == 0 || std::fabs(value.hi) >= 0x1p-968; };
  const Weights& weights = input.is_bipartite() ? input.graph.weights() : input.undirected.weights();
  bool all = true;
  if (const auto* reals = std::get_if<std::vector<DoubleDouble>>(&weights))
    all = std::all_of(reals->begin(), reals->end(), is_held);
  if (const auto* complexes = std::get_if<std::vector<ComplexDoubleDouble>>(&weights))
    all = std::all_of(complexes->begin(), complexes->end(),
                      [&](const ComplexDoubleDouble& value) { return is_held(value.re) && is_held(value.im); });
  if (!all) throw InputError("a value below 3e-292 with --precision exact", "fractions such as 1/3, or larger values");
}

Answer weighted_answer(const Input& input, const CountOptions& count, Work* work) {
  if (count.run.precision == Precision::exact) refuse_what_is_not_held(input);
  if (input.fractions.empty())
    return {input.is_bipartite() ? permanent(input.graph, count, work) : hafnian(input.undirected, count, work)};
  ExactResult exact = input.is_bipartite() ? permanent(input.graph, input.fractions, count, work)
                                           : hafnian(input.undirected, input.fractions, count, work);
  Answer answer{std::move(exact.run)};
  if (auto* fraction = std::get_if<Rational>(&exact.value)) answer.fraction = std::move(*fraction);
  return answer;
}

// Of matchings that need not be perfect.
Answer matchings_answer(const Options& options, const Input& input, const CountOptions& count, bool weighted,
                        Work* work) {
  if (weighted && count.run.precision == Precision::exact) refuse_what_is_not_held(input);
  const MatchingOptions matchings = matching_options(options, input, count, weighted);
  MatchingResult result = input.is_bipartite() ? count_matchings(input.graph, matchings, work)
                                               : count_matchings(input.undirected, matchings, work);
  return {std::move(result.run), std::move(result.fraction), std::move(result.by_size), result.edges_of_each};
}

// The lightest or the heaviest perfect ones.
Answer optimal_answer(const Options& options, const Input& input, const CountOptions& count, Work* work) {
  refuse_multiplicities(input);
  OptimalMatchings optimal =
      input.is_bipartite() ? count_optimal_matchings(input.graph, *options.optimum, count, input.fractions, work)
                           : count_optimal_matchings(input.undirected, *options.optimum, count, input.fractions, work);
  Answer answer{std::move(optimal.run)};
  answer.weight = std::move(optimal.weight);
  return answer;
}

Result counted(const Options& options, const Loaded& loaded, const CountOptions& count, Work* work) {
  const std::string_view command = options.command->name;
  const Input& input = loaded.input;
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
        loaded.name(), 0,
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

bool ignores_weights(const Options& options, const Input& input) {
  const bool counts = options.command->name == "count" || options.command->name == "cycles";
  return counts && !options.optimum && has_own_weights(input);
}

// Of the blocks of reals and complex numbers, the one that proves least; exact where nothing is rounded. What is left
// of no block was merged in double-doubles.
Precision lowest_precision(const Result& result) {
  if (is_exact(result.value)) return Precision::exact;
  Precision lowest = Precision::automatic;
  for (const BlockRun& block : result.blocks) {
    if (block.precision == Precision::automatic) continue;
    lowest = lowest == Precision::automatic ? block.precision : std::min(lowest, block.precision);
  }
  return lowest == Precision::automatic ? Precision::double_double : lowest;
}

// Where more digits could be proven than were: the option that would.
std::string precision_advice(const Result& result, int digits) {
  if (is_exact(result.value) || proven_digits(result.value, digits) == digits) return {};
  const Precision lowest = lowest_precision(result);
  if (lowest == Precision::exact) return {};
  return lowest == Precision::double_double ? "--precision exact proves more digits"
                                            : "--precision double-double proves more digits";
}

std::string value_text(const Value& value, const std::optional<Rational>& fraction, int digits) {
  return fraction ? fraction_text(*fraction) : to_string(value, digits);
}

// A line, or a line for each size.
std::string answer_text(const Options& options, const Answer& answer) {
  const int digits = options.digits;
  if (options.optimum)
    return (answer.weight ? fraction_text(*answer.weight) : "none") + " " + to_string(answer.result.value) + "\n";
  if (answer.by_size.empty()) return value_text(answer.result.value, answer.fraction, digits) + "\n";
  std::string text;
  for (std::size_t size = 0; size < answer.by_size.size(); ++size) {
    const MatchingSum& sum = answer.by_size[size];
    text += std::to_string(size) + " " + value_text(sum.value, sum.fraction, digits) + "\n";
  }
  return text;
}

std::string text_notes(const Input& input, const Options& options, const Answer& answer) {
  const Result& result = answer.result;
  std::string text;
  if (ignores_weights(options, input)) {
    text += std::string("the values in the file are ignored; matchcount ") +
            (input.kind == InputKind::undirected ? "hafnian" : "permanent") + " uses them\n";
  }
  if (is_zero(result.value) && result.plan.hall_violator) {
    text += options.command->name == "cycles"               ? "no cycle cover: "
            : options.matchings == MatchingKind::saturating ? "no matching saturates the smaller side: "
                                                            : "no perfect matching: ";
    text += hall_sentence(input, *result.plan.hall_violator) + "\n";
  }
  if (is_zero(result.value) && result.plan.tutte_set) {
    text += "no perfect matching: " + tutte_sentence(input, *result.plan.tutte_set) + "\n";
  }
  if (answer.fraction) {
    text += fraction_note(*answer.fraction) + "\n";
  } else if (const std::string error = error_note(result.value); !error.empty()) {
    text += error + "\n";
  }
  if (const std::string advice = precision_advice(result, options.digits); !answer.fraction && !advice.empty())
    text += advice + "\n";
  for (const Check& check : result.checks) {
    if (check.kind == Check::Kind::verify && check.passed) text += "verified: " + check.detail + "\n";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

std::string json_text(const Options& options, const Loaded& loaded, const Answer& answer, int threads, double total_s) {
  const Result& result = answer.result;
  Json object = json_header(options);
  object["input"] = json_input(loaded);
  if (ignores_weights(options, loaded.input)) object["input"]["weights_ignored"] = true;
  object["result"] = answer.fraction ? json_fraction(*answer.fraction) : json_value(result.value, options.digits);
  if (options.matchings != MatchingKind::perfect) object["result"]["matchings"] = to_string(options.matchings);
  if (options.optimum) {
    object["result"]["matchings"] = *options.optimum == Optimum::lightest ? "minimum-weight" : "maximum-weight";
    object["result"]["weight"] = answer.weight ? Json(fraction_text(*answer.weight)) : Json();
  }
  if (answer.edges_of_each) object["result"]["matching_size"] = *answer.edges_of_each;
  if (!answer.by_size.empty()) {
    object["result"]["values"] = Json::array();
    for (const MatchingSum& sum : answer.by_size)
      object["result"]["values"].push_back(value_text(sum.value, sum.fraction, options.digits));
  }
  object["result"]["precision"] = to_string(answer.fraction ? Precision::exact : lowest_precision(result));
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
  return line(object);
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

int run_count(const Options& options, Interrupt& interrupt) {
  const bool odd_cycles = options.command->name != std::string_view("cycles");
  return answer_each(options, interrupt, odd_cycles, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    Stopwatch total;
    count.on_forecast = [&](const Forecast& most_expensive, double seconds) {
      announce(options, most_expensive, seconds, bar);
    };
    CheckpointedRun checkpointed(options, bar, interrupt);
    const bool weighted = options.command->name == "permanent" || options.command->name == "hafnian";
    const Answer answer = checkpointed([&](Work* work) {
      if (options.optimum) return optimal_answer(options, loaded.input, count, work);
      if (asks_for_others(options, loaded.input)) return matchings_answer(options, loaded.input, count, weighted, work);
      return weighted ? weighted_answer(loaded.input, count, work) : Answer{counted(options, loaded, count, work)};
    });
    bar.clear();
    if (!options.is_first()) return;
    write_answer(options.json ? json_text(options, loaded, answer, count.run.num_threads, loaded.read_s + total.lap())
                              : answer_text(options, answer));
    if (const std::string text = text_notes(loaded.input, options, answer); !text.empty())
      note(options, loaded.prefix + text);
  });
}

}  // namespace matchcount::app
