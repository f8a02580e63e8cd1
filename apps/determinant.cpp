// determinant: one number, or a fraction.

#include <cmath>
#include <string>
#include <variant>

#include "apps/commands.hpp"
#include "apps/report.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "linear/determinant.hpp"

namespace matchcount::app {
namespace {

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
