// determinant: one number, or a fraction.

#include <cmath>
#include <string>
#include <variant>

#include "apps/answer.hpp"
#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/text.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "linear/determinant.hpp"

namespace matchcount::app {
namespace {

using DeterminantValue = decltype(DeterminantResult::value);

// Anything but a fraction, or the fraction to 30 digits.
Value real_value(const DeterminantValue& value) {
  if (const auto* integer = std::get_if<Integer>(&value)) return *integer;
  if (const auto* complex = std::get_if<ComplexValue>(&value)) return *complex;
  if (const auto* real = std::get_if<RealValue>(&value)) return *real;
  return RealValue{nearest_real(std::get<Rational>(value))};
}

std::string value_text(const DeterminantValue& value) {
  const auto* fraction = std::get_if<Rational>(&value);
  if (fraction == nullptr) return to_string(real_value(value));
  const Integer below = denominator(*fraction);
  return to_decimal(numerator(*fraction)) + (below == 1 ? "" : "/" + to_decimal(below));
}

std::string text_notes(const DeterminantResult& result) {
  if (const auto* fraction = std::get_if<Rational>(&result.value)) {
    return "(exactly; about " + to_scientific(nearest_real(*fraction), 17) + ")";
  }
  std::string notes = result.note + (result.note.empty() ? "" : "\n") + error_note(real_value(result.value));
  if (!std::isfinite(relative_error(real_value(result.value)))) {
    notes += "\nwith integers, or with every value as a fraction such as 1/3, the answer is exact";
  }
  return notes;
}

Json json_value(const DeterminantValue& exact) {
  const Value value = real_value(exact);
  Json object;
  constexpr const char* kinds[] = {"exact", "fraction", "real", "complex"};
  object["kind"] = kinds[exact.index()];
  object["value"] = value_text(exact);
  object["log10"] = json_number(log10_abs(value));
  if (exact.index() >= 2) object["relative_error"] = json_number(relative_error(value));
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

std::string json_text(const Options& options, const Loaded& loaded, const DeterminantResult& result, int threads,
                      double compute_s, double total_s) {
  Json object = json_header(options);
  object["input"] = json_input(file_argument(options), loaded.input);
  object["result"] = json_value(result.value);
  Json method;
  method["name"] = to_string(result.method);
  method["arithmetic"] = to_string(result.arithmetic);
  if (result.arithmetic == Arithmetic::residues) method["primes"] = result.primes;
  method["device"] = result.gpus.empty() ? "cpu" : "cuda";
  for (const DeviceInfo& gpu : result.gpus) method["gpus"].push_back({{"index", gpu.index}, {"name", gpu.name}});
  if (!result.note.empty()) method["note"] = result.note;
  method["threads"] = threads;
  method["instruction_set"] = to_string(detected_isa());
  object["method"] = method;
  object["time_s"] = {{"read", loaded.read_s}, {"compute", compute_s}, {"total", total_s}};
  object["peak_memory_bytes"] = peak_memory_bytes();
  return dump(object);
}

}  // namespace

void run_determinant(const Options& options, Interrupt& interrupt) {
  Stopwatch total, run;
  const Loaded loaded = load(options);
  const Input& input = loaded.input;
  if (input.graph.num_rows() != input.graph.num_columns()) {
    throw InputError(
        file_argument(options), 0,
        "a matrix of " + std::to_string(input.graph.num_rows()) + " x " + std::to_string(input.graph.num_columns()),
        "a square matrix, which alone has a determinant");
  }
  ProgressBar bar(options.progress);
  DeterminantOptions how = options.determinant;
  how.run = counting_options(options, loaded, bar, interrupt).run;
  run.lap();
  const DeterminantResult result =
      input.fractions.empty() ? determinant(input.graph, how) : determinant(input.graph, input.fractions, how);
  const double compute_s = run.lap();
  bar.clear();
  write_answer(options.json ? json_text(options, loaded, result, resolve_num_threads(how.run), compute_s, total.lap())
                            : value_text(result.value) + "\n");
  note(options, text_notes(result));
}

}  // namespace matchcount::app
