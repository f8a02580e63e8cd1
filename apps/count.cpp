// count, cycles, permanent and hafnian: one number.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/checkpointed_run.hpp"
#include "apps/commands.hpp"
#include "apps/matchings.hpp"
#include "apps/placement.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "matchcount/sextets.hpp"
#include "permanent/explanation.hpp"

namespace matchcount::app {
namespace {

// Reads decimals that no double holds, reals, as fractions for exact answers. Complex numbers have none.
void refuse_what_is_not_held(const Input& input) {
  const auto* values = std::get_if<std::vector<ComplexDoubleDouble>>(&input.weights());
  if (values != nullptr &&
      std::ranges::any_of(*values, [](const auto& value) { return value.re.lo != 0 || value.im.lo != 0; }))
    throw InputError("complex decimals that are no doubles with --precision exact",
                     "values such as 0.5 + 0.25i, or --precision double-double");
}

// Cycles are counted in digraphs: the cycle covers are the perfect matchings of the matrix.
void require_digraph(const Loaded& loaded) {
  const InputKind kind = loaded.input.kind;
  if (kind != InputKind::directed && kind != InputKind::matrix)
    throw InputError("--kind " + std::string(to_string(kind)), "directed or matrix: cycles are counted in digraphs");
  loaded.require_square("the square matrix of a digraph");
}

MatchingResult counted(const Options& options, const Loaded& loaded, const CountOptions& count, Work* work) {
  const std::string_view command = options.command->name;
  const Input& input = loaded.input;
  const bool weighted = command == "permanent" || command == "hafnian";
  if (command == "cycles") require_digraph(loaded);
  if (weighted && !options.optimum && count.run.precision == Precision::exact) refuse_what_is_not_held(input);
  return count_matchings(input.view(), matching_options(options, input, count, weighted), work);
}

bool is_zero(const Value& value) {
  const Integer* integer = std::get_if<Integer>(&value);
  return integer != nullptr && *integer == 0;
}

bool ignores_weights(const Options& options, const Input& input) {
  const bool counts = options.command->name == "count" || options.command->name == "cycles";
  return counts && !options.optimum && options.by.empty() && has_own_weights(input);
}

// Finds the least precision among the blocks of reals and complex numbers; exact where nothing is rounded. Where no
// block is left, all was merged in double-doubles.
Precision lowest_precision(const Result& result) {
  if (is_exact(result.value)) return Precision::exact;
  Precision lowest = Precision::automatic;
  for (const BlockRun& block : result.blocks) {
    if (block.precision == Precision::automatic) continue;
    lowest = lowest == Precision::automatic ? block.precision : std::min(lowest, block.precision);
  }
  return lowest == Precision::automatic ? Precision::double_double : lowest;
}

// Names the option that would prove more digits, where one would.
std::string precision_advice(const Result& result, int digits) {
  if (is_exact(result.value) || proven_digits(result.value, digits) == digits) return {};
  const Precision lowest = lowest_precision(result);
  if (lowest == Precision::exact) return {};
  return lowest == Precision::double_double ? "--precision exact proves more digits"
                                            : "--precision double-double proves more digits";
}

std::string value_text(const Value& value, const std::optional<Rational>& fraction, int digits) {
  return fraction ? to_decimal(*fraction) : to_string(value, digits);
}

// Returns what tells some matchings apart: numbers by label, or one of loops or the sum of weights.
Json numbers_of(const Options& options, const std::vector<std::string>& labels, const CountOfLabels& one) {
  if (options.by == "weight") return {{"weight", std::to_string(one.numbers.front())}};
  if (is_by_loops(options)) return {{"loops", one.numbers.empty() ? 0 : one.numbers.front()}};
  Json numbers = Json::object();
  for (std::size_t label = 0; label < labels.size(); ++label)
    numbers[labels[label]] = label < one.numbers.size() ? one.numbers[label] : 0;
  return {{"labels", std::move(numbers)}};
}

// Writes the weight and the number, or a line for each size, or for all that labels tell apart.
std::string lines_of(const Options& options, const Input& input, const MatchingResult& answer) {
  if (options.optimum)
    return (answer.weight ? to_decimal(*answer.weight) : "none") + " " + to_string(answer.run.value) + "\n";
  std::string text;
  for (std::size_t size = 0; size < answer.by_size.size(); ++size) {
    const MatchingSum& sum = answer.by_size[size];
    text += std::to_string(size) + " " + value_text(sum.value, sum.fraction, options.digits) + "\n";
  }
  const std::vector<std::string> labels = labels_of(options, input);
  for (const CountOfLabels& one : answer.by_label) {
    for (std::size_t label = 0; label < one.numbers.size(); ++label) {
      if (is_by_loops(options) && label > 0) continue;
      text += (labels.empty() ? "" : labels[label] + "=") + std::to_string(one.numbers[label]) + " ";
    }
    text += to_string(Value(one.count)) + "\n";
  }
  return text;
}

std::vector<std::string> notes_of(const Options& options, const MatchingResult& answer) {
  const Result& result = answer.run;
  std::vector<std::string> notes = {answer.fraction ? fraction_note(*answer.fraction) : error_note(result.value),
                                    answer.fraction ? "" : precision_advice(result, options.digits)};
  for (const Check& check : result.checks) {
    if (check.kind == Check::Kind::verify && check.passed) notes.push_back("verified: " + check.detail);
  }
  return notes;
}

Json json_result(const Options& options, const Input& input, const MatchingResult& answer) {
  const Result& result = answer.run;
  Json object = answer.fraction ? json_fraction(*answer.fraction) : json_value(result.value, options.digits);
  if (const Json matchings = json_matchings(options); !matchings.is_null()) object["matchings"] = matchings;
  if (options.optimum) object["weight"] = answer.weight ? Json(to_decimal(*answer.weight)) : Json();
  if (answer.edges_of_each) object["matching_size"] = *answer.edges_of_each;
  for (const MatchingSum& sum : answer.by_size)
    object["values"].push_back(value_text(sum.value, sum.fraction, options.digits));
  if (!options.by.empty()) object["values"] = Json::array();
  for (const CountOfLabels& one : answer.by_label) {
    Json numbers = numbers_of(options, labels_of(options, input), one);
    numbers["count"] = to_decimal(one.count);
    object["values"].push_back(std::move(numbers));
  }
  object["precision"] = to_string(answer.fraction ? Precision::exact : lowest_precision(result));
  return object;
}

MethodReport method_of(const Result& result, int threads) {
  Json blocks = Json::array();
  for (std::size_t i = 0; i < result.blocks.size(); ++i) {
    Json block;
    if (i < result.plan.blocks.size()) block = json_block(result.plan.blocks[i]);
    block["method"] = to_string(result.blocks[i].method);
    blocks.push_back(std::move(block));
  }
  return {to_string(result.method),
          result.gpus,
          threads,
          {{"instruction_set", to_string(detected_isa())}, {"blocks", std::move(blocks)}}};
}

// Returns what was weighed, predicted and taken.
Json json_explanation(const Result& result) {
  Json blocks = Json::array();
  for (std::size_t i = 0; i < result.plan.blocks.size(); ++i) {
    const BlockPlan& plan = result.plan.blocks[i];
    Json block = json_block(plan);
    block["predicted_s"] = plan.forecasts.front().seconds;
    if (result.blocks.size() == result.plan.blocks.size()) block["taken_s"] = result.blocks[i].seconds;
    block["methods"] = json_forecasts(plan);
    blocks.push_back(std::move(block));
  }
  return {{"predicted_s", result.plan.seconds}, {"taken_s", result.time_s.count}, {"blocks", std::move(blocks)}};
}

Report report_of(const Options& options, const Loaded& loaded, const MatchingResult& answer, int threads) {
  const Result& result = answer.run;
  Report report;
  if (ignores_weights(options, loaded.input))
    report.weights_ignored = std::string("values other than 0 play no part; matchcount ") +
                             (loaded.input.kind == InputKind::undirected ? "hafnian" : "permanent") + " uses them";
  // Digits and blocks may be many: nothing is made that the other writer alone would take.
  if (!options.json && (options.optimum || !options.by.empty() || !answer.by_size.empty()))
    report.text = lines_of(options, loaded.input, answer);
  else if (!options.json)
    report.text = value_text(result.value, answer.fraction, options.digits) + "\n";
  else
    report.result = json_result(options, loaded.input, answer);
  report.certificate = certificate_of(result.plan);
  if (!is_zero(result.value))
    report.none.clear();
  else if (options.command->name == "cycles")
    report.none = "no cycle cover: ";
  else if (options.matchings == MatchingKind::saturating)
    report.none = "no matching saturates the smaller side: ";
  report.notes = notes_of(options, answer);
  if (options.explain && !options.json) report.notes.push_back("\n" + explanation(result));
  if (options.explain && options.json) report.members["explanation"] = json_explanation(result);
  if (options.has("svg")) write_picture(options.output, explanation_picture(result));
  if (options.json) report.method = method_of(result, threads);
  report.reductions = result.plan.reductions;
  report.blocks_left = result.plan.blocks.size();
  report.checks = result.checks;
  report.seed = result.seed;
  report.times_s = {
      {"structure", result.time_s.structure}, {"order", result.time_s.order}, {"count", result.time_s.count}};
  return report;
}

// Answers --sextets: a line for each number of hexagons.
Report sextets_report(const Options& options, const Loaded& loaded, const CountOptions& count) {
  refuse_multiplicities(loaded.input, "--sextets");
  const Sextets found = count_sextets(loaded.input.view(), count);
  MatchingResult structures;
  structures.run = found.run;
  Report report = report_of(options, loaded, structures, count.run.num_threads);
  std::string lines;
  for (std::size_t k = 0; k < found.covers.size(); ++k) {
    const std::string covers = to_decimal(found.covers[k]), sets = to_decimal(found.resonant[k]);
    lines += std::to_string(k) + " " + covers + " " + sets + "\n";
    if (options.json) report.result["sextets"].push_back({{"covers", covers}, {"sets", sets}});
  }
  if (!options.json) report.text = lines;
  if (found.covers[0] != 0) report.notes.push_back("Clar number " + std::to_string(found.covers.size() - 1));
  return report;
}

// Announces a count that takes its time.
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
  return report_each(options, interrupt, odd_cycles, [&](Loaded& loaded, CountOptions& count, ProgressBar& bar) {
    count.on_forecast = [&](const Forecast& most_expensive, double seconds) {
      announce(options, most_expensive, seconds, bar);
    };
    count.value_only = !options.json && !options.explain;
    if (options.sextets) return sextets_report(options, loaded, count);
    take_order(options, loaded.input, count);
    CheckpointedRun checkpointed(options, bar, interrupt, loaded);
    const MatchingResult answer = checkpointed([&](Work* work) { return counted(options, loaded, count, work); });
    write_order(options, loaded.input, answer.run.plan, count.run);
    return report_of(options, loaded, answer, count.run.num_threads);
  });
}

}  // namespace matchcount::app
