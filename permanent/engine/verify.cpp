#include "permanent/engine/verify.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {
namespace {

// --verify must not turn a second into a day.
constexpr double affordable_check_s = 600;
// A method that shares no code is preferred to another order up to here.
constexpr double preferred_check_s = 10;

}  // namespace

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

}  // namespace matchcount
