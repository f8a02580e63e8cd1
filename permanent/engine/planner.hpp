#pragma once
// Plans a block before any of it is counted: what every method would cost, and which to follow.

#include <memory>
#include <vector>

#include "core/error.hpp"
#include "permanent/method.hpp"

namespace matchcount {

// Holds what was found out on the way to a plan and is needed to carry it out.
struct PreparedBlock {
  BlockPlan plan;
  bool nonnegative = false;              // no entry is below 0, or complex
  std::vector<DeviceInfo> gpus;          // where some forecast is for them
  Method momentary = Method::automatic;  // a method so cheap that no other was compared with it, if there is one

  struct Found {
    Method method = Method::automatic;
    bool other_order = false;
    std::shared_ptr<const MethodPlan> plan;
  };
  std::vector<Found> found;  // the methods that apply

  // Returns the plan of the method that a forecast is for; null if it does not apply.
  const MethodPlan* plan_of(const Forecast& forecast) const;
  // The devices that a forecast is for; none for the CPU.
  std::vector<DeviceInfo> gpus_of(const Forecast& forecast) const;
};

// Plans a block: forecasts for every method or, when `only_if_needed` is set, for as many as it takes to choose: a
// block that one method counts in a moment gets no plan of those that would be looked at after it. The forecast to
// follow is the same either way. options.method restricts the choice to that method. Throws as run.check() does, and
// Unable if a device is asked for that is not there.
PreparedBlock plan_block(const AnyBlock& block, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run);

// The same forecasts for other numbers, such as another precision; nothing is planned anew.
void plan_for(PreparedBlock& prepared, const AnyBlock& block, const NumberType& number, const CountOptions& options,
              const RunContext& run);

// Predicted seconds of one forecast for other numbers.
double predicted_seconds(const PreparedBlock& prepared, const AnyBlock& block, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options, const RunContext& run);

// Says what a run may use.
Machine machine_of(const RunContext& run, std::vector<DeviceInfo> gpus);

// Forecasts that a method takes so much, on the CPU.
Forecast forecast_of(Method method, const Cost& cost);
// Forecasts that a method does not apply.
Forecast not_applicable(Method method, std::string reason);

// Adds a block to a plan, the first of its forecasts being the one that is followed.
void add_block(Plan& plan, BlockPlan block);

// Tells options.on_forecast of the most expensive block, and of all.
void announce(const CountOptions& options, const Plan& plan);

// Says whether the options allow a block to be counted so: method and device are what was asked for. Blocks of a few
// rows (or twice as many vertices) are expanded, whatever the device.
bool allowed(const Forecast& forecast, const BlockPlan& block, const CountOptions& options);

// The forecast to follow: the first that applies, is allowed and keeps within the limits of time (by a factor of 2) and
// memory; null where there is none.
const Forecast* affordable(const BlockPlan& plan, const CountOptions& options, double seconds_left);
// The same; throws Unable, saying what the cheapest would need, which structure the block lacks for others and whether
// it can be estimated, where there is none: NoMethodApplies where that is no matter of limits.
struct NoMethodApplies : Unable {
  using Unable::Unable;
};
const Forecast& choose(const BlockPlan& plan, const CountOptions& options, double seconds_left,
                       bool can_be_estimated = false);

}  // namespace matchcount
