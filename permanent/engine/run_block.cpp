#include "permanent/engine/run_block.hpp"

#include <algorithm>

#include "permanent/engine/methods.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/resume.hpp"

namespace matchcount {
namespace {

// Double-doubles are taken where they cost no more than this,
constexpr double cheap_s = 1;
// or, where doubles left fewer than six digits, than that, beside what was spent.
constexpr double affordable_s = 60;
constexpr double poor_relative_error = 0x1p-20;

}  // namespace

BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run) {
  const auto seconds_in_double_doubles = [&] {
    return predicted_seconds(prepared, block, chosen, number_type(block, Precision::double_double), options, run);
  };
  const auto choose_precision = [&] {
    if (options.run.precision != Precision::automatic || has_integers(block)) return options.run.precision;
    if (chosen.method == Method::expansion) return Precision::double_double;
    return seconds_in_double_doubles() <= cheap_s ? Precision::double_double : Precision::float64;
  };
  const auto value_in = [&](Precision precision, const RunContext& part) {
    return entry_of(chosen.method)
        .verbs.run({block, *prepared.plan_of(chosen), precision, prepared.gpus_of(chosen)}, part);
  };
  BlockOutcome outcome;
  outcome.precision = agreed(choose_precision(), run);
  outcome.value = value_in(outcome.precision, run);
  const bool is_poor = options.run.precision == Precision::automatic && outcome.precision == Precision::float64 &&
                       relative_error(outcome.value) > poor_relative_error;
  const RunContext again = run.in_part(run.part() + ", again");
  if (is_poor && agreed(seconds_in_double_doubles() <= std::min(affordable_s, run.seconds_left()), again)) {
    outcome.precision = Precision::double_double;
    outcome.value = value_in(outcome.precision, again);
  }
  bound_magnitudes(outcome.value, block);
  return outcome;
}

}  // namespace matchcount
