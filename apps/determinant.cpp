// determinant and parity: one number, or a fraction.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "linear/determinant.hpp"
#include "linear/parity.hpp"

namespace matchcount::app {

namespace {

bool has_no_use_for_weights(const Input& input) {
  return input.kind != InputKind::matrix && !input.weights_are_multiplicities;
}

bool ignores_weights(const Input& input) { return has_no_use_for_weights(input) && has_own_weights(input); }

// Weights that are places in a table of integers of any size become their remainders.
BipartiteGraph modulo_two(const Input& input) {
  std::vector<std::int64_t> weights = std::get<std::vector<std::int64_t>>(input.graph.weights());
  for (std::int64_t& weight : weights) weight = numerator(input.fractions[static_cast<std::size_t>(weight)]).is_odd();
  return input.graph.with_weights(std::move(weights));
}

bool is_odd(const Loaded& loaded, const RunContext& run, ParityReport& report) {
  const Input& input = loaded.input;
  const bool is_pattern = has_no_use_for_weights(input);
  const WeightKind kind = input.weight_kind();
  const bool are_integers =
      kind <= WeightKind::integer &&
      std::ranges::all_of(input.fractions, [](const Rational& value) { return denominator(value) == 1; });
  if (!is_pattern && !are_integers) {
    throw InputError(loaded.name(), 0, kind == WeightKind::complex ? "complex values" : "values that are not integers",
                     "integers, which alone are even or odd");
  }
  if (!input.is_bipartite())
    return hafnian_is_odd(is_pattern ? input.undirected.pattern() : input.undirected, run, &report);
  // Sides of different sizes have no perfect matching.
  if (input.graph.num_rows() != input.graph.num_columns()) return false;
  return permanent_is_odd(is_pattern                ? input.graph.pattern()
                          : input.fractions.empty() ? input.graph
                                                    : modulo_two(input),
                          run, &report);
}

using DeterminantValue = decltype(DeterminantResult::value);

// Returns the value, a fraction to 30 digits.
Value real_value(const DeterminantValue& value) {
  if (const auto* integer = std::get_if<Integer>(&value)) return *integer;
  if (const auto* complex = std::get_if<ComplexValue>(&value)) return *complex;
  if (const auto* real = std::get_if<RealValue>(&value)) return *real;
  return RealValue{nearest_real(std::get<Rational>(value))};
}

std::vector<std::string> notes_of(const DeterminantResult& result) {
  if (const auto* fraction = std::get_if<Rational>(&result.value)) return {fraction_note(*fraction)};
  const Value value = real_value(result.value);
  std::vector<std::string> notes = {result.note, error_note(value)};
  if (!std::isfinite(relative_error(value)))
    notes.push_back("with integers, or with every value as a fraction such as 1/3, the answer is exact");
  return notes;
}

Json json_of(const DeterminantValue& exact, int digits) {
  const auto* const fraction = std::get_if<Rational>(&exact);
  const Value value = real_value(exact);
  Json object = fraction != nullptr ? json_fraction(*fraction) : json_value(value, digits);
  if (const auto* real = std::get_if<RealValue>(&value)) {
    // mantissa * 2^exponent, where the sign at least is known.
    const bool known = relative_error(value) < 1;
    const double mantissa = real->value.mantissa.hi;
    object["sign"] = known ? Json((mantissa > 0) - (mantissa < 0)) : Json();
    object["mantissa"] = known ? Json(std::fabs(mantissa)) : Json();
    object["exponent"] = known ? Json(real->value.exponent) : Json();
  }
  return object;
}

MethodReport method_of(const DeterminantResult& result, int threads) {
  Json more = {{"arithmetic", to_string(result.arithmetic)}};
  if (result.arithmetic == Arithmetic::residues) more["primes"] = result.primes;
  if (!result.note.empty()) more["note"] = result.note;
  more["instruction_set"] = to_string(detected_isa());
  return {to_string(result.method), result.gpus, threads, std::move(more)};
}

}  // namespace

int run_parity(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, true, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch stopwatch;
    const RunContext run(count.run);
    // A device that can't be had is refused even where nothing is left to find on it.
    if (count.run.device.kind == DeviceChoice::Kind::cuda) choose_devices(count.run.device);
    ParityReport found;
    const bool odd = is_odd(loaded, run, found);
    Report report;
    if (ignores_weights(loaded.input)) report.weights_ignored = "values other than 0 play no part";
    report.result = json_value(Integer(odd ? 1 : 0), options.digits);
    report.method = {"elimination",
                     found.gpu ? std::vector{*found.gpu} : std::vector<DeviceInfo>(),
                     run.num_threads(),
                     {{"arithmetic", "bits"}, {"instruction_set", to_string(detected_isa())}}};
    report.times_s = {{"compute", stopwatch.lap()}};
    return report;
  });
}

int run_determinant(const Options& options, Interrupt& interrupt) {
  return report_each(options, interrupt, false, [&](Loaded& loaded, CountOptions& count, ProgressBar&) {
    Stopwatch run;
    const Input& input = loaded.input;
    loaded.require_square("a square matrix, which alone has a determinant");
    if (input.kind == InputKind::undirected)
      throw InputError("--kind undirected",
                       "matrix, directed or bipartite: a determinant's sign needs rows and columns");
    const bool has_names = !(input.row_labels.empty() && input.column_labels.empty());
    if (input.kind == InputKind::matrix && has_names && input.format != InputFormat::dense)
      throw InputError(loaded.name(), 0, "rows and columns by name, whose order would decide the sign",
                       "indices from 1, or --kind directed where both columns name the same things");
    DeterminantOptions how = options.determinant;
    how.run = count.run;
    const DeterminantResult result =
        input.fractions.empty() ? determinant(input.graph, how) : determinant(input.graph, input.fractions, how);
    Report report;
    report.result = json_of(result.value, options.digits);
    report.notes = notes_of(result);
    report.method = method_of(result, how.run.num_threads);
    report.times_s = {{"compute", run.lap()}};
    return report;
  });
}

}  // namespace matchcount::app
