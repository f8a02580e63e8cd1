#include "permanent/engine/run_block.hpp"

#include <algorithm>
#include <string>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/work.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {
namespace {

// Double-doubles are taken where they cost no more than this,
constexpr double cheap_s = 1;
// or, where doubles left fewer than six digits, than that, beside what was spent.
constexpr double affordable_s = 60;
constexpr double poor_relative_error = 0x1p-20;
// --verify must not turn a second into a day.
constexpr double affordable_check_s = 600;
// A method that shares no code is preferred to another order up to here.
constexpr double preferred_check_s = 10;

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
  outcome.precision = agreed(prepared.plan.precision, "precision", run);
  outcome.value = value_in(outcome.precision, run);
  const bool is_poor = options.run.precision == Precision::automatic && outcome.precision == Precision::float64 &&
                       relative_error(outcome.value) > poor_relative_error;
  const RunContext again = run.in_part(run.part() + ", again");
  if (is_poor &&
      agreed(seconds_in_double_doubles() <= std::min(affordable_s, run.seconds_left()), "is affordable", again)) {
    outcome.precision = Precision::double_double;
    outcome.value = value_in(outcome.precision, again);
  }
  bound_magnitudes(outcome.value, block);
  return outcome;
}

Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  const double limit = std::min(affordable_check_s, 2 * seconds_left);
  const auto memory = static_cast<double>(resolve_memory_limit(options.run));
  const Forecast* cheapest = nullptr;
  const Forecast* other_order = nullptr;
  for (const Forecast& forecast : plan.forecasts) {
    if (!forecast.applies) continue;
    const bool affordable = forecast.seconds <= limit && forecast.memory_bytes <= memory;
    if (forecast.method == first.method) {
      if (forecast.other_order != first.other_order && affordable) other_order = &forecast;
      continue;
    }
    if (entry_of(forecast.method).room == entry_of(first.method).room) continue;
    if (!cheapest) cheapest = &forecast;
    if (affordable && (forecast.seconds <= preferred_check_s || !other_order)) return forecast;
  }
  if (other_order) return *other_order;
  const std::string block = "a block of " + std::to_string(plan.size) + (plan.bipartite ? " rows" : " vertices");
  if (!cheapest) throw Unable("no second method applies to " + block + ", so that nothing can verify it");
  throw Unable("a second method to verify " + block + " would need about " + time_amount(cheapest->seconds) + " (" +
               std::string(to_string(cheapest->method)) + ")");
}

Value run_second(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& second, Precision precision,
                 const RunContext& run) {
  const auto run_by = [&](const AnyBlock& given, Precision in) {
    return entry_of(second.method).verbs.run({given, *prepared.plan_of(second), in, prepared.gpus_of(second)}, run);
  };
  if (precision != Precision::exact) return run_by(block, precision);
  return std::visit(
      [&](const auto* given) {
        auto scaled = *given;
        const EntryScaling scaling = scale_entries(scaled.pattern, scaled.entries, run);
        Value value = run_by(&scaled, Precision::double_double);
        undo_scaling(value, scaling);
        return value;
      },
      block);
}

void Verified::note(const std::string& how) {
  if (by.find(how) == std::string::npos) by += (by.empty() ? "by " : ", ") + how;
}

}  // namespace matchcount
