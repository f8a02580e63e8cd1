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

PreparedBlock prepare_block(const AnyBlock& block, const CountOptions& options, bool all, double seconds_left,
                            const RunContext& run) {
  CountOptions planned = options;
  if (options.verify) planned.method = Method::automatic;
  const Precision asked = options.run.precision;
  const bool is_open = asked == Precision::automatic && !has_integers(block);
  const Precision first = is_open ? Precision::double_double : asked;
  PreparedBlock prepared = plan_block(block, number_type(block, first), planned, !all && !options.verify, run);
  prepared.plan.precision = has_integers(block) ? Precision::automatic : first;
  if (!is_open) return prepared;
  const Forecast* followed = affordable(prepared.plan, options, seconds_left);
  if (followed && (followed->seconds <= cheap_s || followed->method == Method::expansion)) return prepared;
  prepared.plan.precision = Precision::float64;
  plan_for(prepared, block, number_type(block, Precision::float64), planned, run);
  return prepared;
}

BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run) {
  const auto seconds_in_double_doubles = [&] {
    return predicted_seconds(prepared, block, chosen, number_type(block, Precision::double_double), options, run);
  };
  const auto value_in = [&](Precision precision, const RunContext& part) {
    return entry_of(chosen.method)
        .verbs.run({block, *prepared.plan_of(chosen), precision, prepared.gpus_of(chosen)}, part);
  };
  BlockOutcome outcome;
  outcome.precision = agreed(prepared.plan.precision, run);
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
