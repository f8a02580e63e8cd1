#include "permanent/engine/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/throughput.hpp"
#include "permanent/ryser/method.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A prediction is right to about this factor.
constexpr double prediction_factor = 2;
// So small a block is expanded before any plan of it could be made.
constexpr Vertex max_unplanned_size = 5;
// Below this many seconds nothing else is worth a look.
constexpr double momentary = 0.01;
// Below this many seconds, of the machine of the cost models, it does not matter how fast this one is.
constexpr double worth_measuring = 0.1 * momentary;
// Below this many seconds no GPU is looked for, unless it is asked for: starting one takes about as long.
constexpr double worth_a_gpu = 1;

// Blocks with so few pairs in a matching are not worth a plan.
bool expanded_unplanned(const BlockPlan& block) {
  return (block.bipartite ? block.size : block.size / 2) <= max_unplanned_size;
}

Machine machine_of(const RunContext& run, std::vector<DeviceInfo> gpus) {
  Machine machine;
  machine.num_threads = run.num_threads();
  machine.isa = std::min(run.options().max_isa, detected_isa());
  machine.num_ranks = run.num_ranks();
  machine.memory_limit_bytes = static_cast<double>(run.memory_limit_bytes());
  machine.gpus = std::move(gpus);
  return machine;
}

// This machine's seconds on the CPU.
double scaled_seconds(double seconds, const MethodEntry& entry, const CountOptions& options) {
  if (!entry.scale) return seconds;
  if (options.throughput) return seconds * (*options.throughput).*entry.scale;
  return seconds < worth_measuring ? seconds : seconds * this_throughput().*entry.scale;
}

Forecast not_applicable(Method method, std::string reason) {
  Forecast forecast;
  forecast.method = method;
  forecast.reason = std::move(reason);
  forecast.seconds = infinity;
  return forecast;
}

// Whether a forecast is so small that no other is worth a look, where any will do.
bool is_momentary(const Forecast& forecast, const CountOptions& options, const RunContext& run) {
  return options.method == Method::automatic && options.run.device.kind != DeviceChoice::Kind::cuda &&
         forecast.seconds < momentary && forecast.memory_bytes <= static_cast<double>(run.memory_limit_bytes());
}

// Marks what the options don't allow, and puts the cheapest first.
void rule_out_and_sort(BlockPlan& plan, const CountOptions& options) {
  if (!options.verify) {
    for (Forecast& forecast : plan.forecasts) {
      if (!forecast.applies || allowed(forecast, plan, options)) continue;
      forecast.applies = false;
      forecast.seconds = infinity;
      forecast.reason += options.method != Method::automatic && forecast.method != options.method
                             ? " (another method was asked for)"
                             : " (another device was asked for)";
    }
  }
  std::stable_sort(plan.forecasts.begin(), plan.forecasts.end(), [](const Forecast& a, const Forecast& b) {
    return a.applies != b.applies ? a.applies : a.seconds < b.seconds;
  });
}

std::string duration(double seconds) {
  std::ostringstream text;
  text.precision(3);
  if (seconds < 600) {
    text << seconds << " s";
  } else if (seconds < 1e6) {
    text << seconds / 3600 << " h";
  } else {
    text << seconds / 31556952 << " years";
  }
  return text.str();
}

// Plans one block, method by method.
class Planner {
 public:
  Planner(const AnyBlock& block, const NumberType& number, const CountOptions& options, bool only_if_needed,
          const RunContext& run)
      : block_(block),
        pattern_(pattern_of(block)),
        number_(number),
        options_(options),
        only_if_needed_(only_if_needed),
        run_(run),
        here_(machine_of(run, {})) {
    prepared_.plan.size = size_of(block);
    prepared_.plan.bipartite = pattern_.bipartite != nullptr;
    prepared_.plan.edges = pattern_.bipartite ? pattern_.bipartite->num_edges() : pattern_.general->num_edges();
  }

  PreparedBlock take() {
    if (only_if_needed_ && options_.method == Method::automatic && expanded_unplanned(prepared_.plan)) {
      plan_here(entry_of(Method::expansion));
      return std::move(prepared_);
    }
    if (!plan_until_one_is_momentary()) {
      plan_on_gpus();
      if (options_.verify && pattern_.general && !is_found(Method::planar)) plan_again(entry_of(Method::frontier));
      if (options_.method == Method::expansion || !only_if_needed_) plan_here(entry_of(Method::expansion));
      if (options_.method != Method::automatic && pattern_.general && !entry_of(options_.method).takes_odd_cycles)
        plan_here(entry_of(options_.method));
    }
    rule_out_and_sort(prepared_.plan, options_);
    return std::move(prepared_);
  }

 private:
  std::vector<Forecast>& forecasts() { return prepared_.plan.forecasts; }

  bool is_wanted(const MethodEntry& entry) const {
    if (entry.method == Method::expansion || (pattern_.general && !entry.takes_odd_cycles)) return false;
    if (options_.method == entry.method || !only_if_needed_) return true;
    return options_.method == Method::automatic && entry.competes;
  }

  bool is_found(Method method) const {
    return std::any_of(prepared_.found.begin(), prepared_.found.end(),
                       [&](const PreparedBlock::Found& found) { return found.method == method; });
  }

  // All on the CPU; true where one was so cheap that those after it were left out.
  bool plan_until_one_is_momentary() {
    for (const MethodEntry& entry : methods()) {
      if (!is_wanted(entry)) continue;
      plan_here(entry);
      if (only_if_needed_ && is_momentary(forecasts().back(), options_, run_)) return true;
    }
    return false;
  }

  // Another method takes so long, on the machine of the cost models.
  double useful_seconds(Method method) const {
    double seconds = infinity;
    if (options_.method == Method::automatic) {
      for (const Forecast& forecast : prepared_.plan.forecasts) seconds = std::min(seconds, forecast.seconds);
    }
    if (method == Method::frontier && options_.method != Method::frontier && pattern_.bipartite)
      seconds = std::min(seconds, most_seconds_of_ryser(prepared_.plan.size, number_));
    return seconds;
  }

  PlanRequest request_for(Method method) const { return {method, block_, number_, options_, useful_seconds(method)}; }

  void plan_here(const MethodEntry& entry) {
    Planned planned = entry.verbs.plan(request_for(entry.method), run_);
    if (!planned.plan) {
      // What runs on GPUs alone is listed where it is named.
      if (entry.method != Method::sparyser || options_.method == entry.method)
        forecasts().push_back(not_applicable(entry.method, std::move(planned.reason)));
      return;
    }
    add_forecast(entry, *planned.plan, here_);
    prepared_.found.push_back({entry.method, false, std::move(planned.plan)});
  }

  void plan_again(const MethodEntry& entry) {
    const auto first = std::find_if(prepared_.found.begin(), prepared_.found.end(),
                                    [&](const PreparedBlock::Found& found) { return found.method == entry.method; });
    if (first == prepared_.found.end()) return;
    Planned planned = entry.verbs.plan_again(request_for(entry.method), *first->plan, run_);
    if (!planned.plan) return;
    add_forecast(entry, *planned.plan, here_);
    forecasts().back().other_order = true;
    prepared_.found.push_back({entry.method, true, std::move(planned.plan)});
  }

  void plan_on_gpus() {
    double cheapest = infinity;
    for (const Forecast& forecast : forecasts()) cheapest = std::min(cheapest, forecast.seconds);
    const bool looks =
        options_.run.device.kind == DeviceChoice::Kind::cuda || !only_if_needed_ || cheapest > worth_a_gpu;
    const auto runs_there = [](const PreparedBlock::Found& found) {
      return entry_of(found.method).has_kernels_for_gpus;
    };
    if (!looks || std::none_of(prepared_.found.begin(), prepared_.found.end(), runs_there)) return;
    prepared_.gpus = choose_devices(options_.run.device);
    if (prepared_.gpus.empty()) return;
    const Machine there = machine_of(run_, prepared_.gpus);
    for (const PreparedBlock::Found& found : prepared_.found) add_forecast(entry_of(found.method), *found.plan, there);
  }

  void add_forecast(const MethodEntry& entry, const MethodPlan& plan, const Machine& machine) {
    const bool on_gpu = !machine.gpus.empty();
    const std::optional<Cost> cost = entry.verbs.cost(block_, plan, number_, machine);
    if (!cost) {
      if (!on_gpu && options_.method == entry.method)
        forecasts().push_back(
            not_applicable(entry.method, std::string(to_string(entry.method)) + " runs on GPUs only"));
      return;
    }
    Forecast forecast;
    forecast.method = entry.method;
    forecast.on_gpu = on_gpu;
    forecast.applies = true;
    forecast.reason = cost->description;
    forecast.log2_operations = cost->log2_operations;
    forecast.seconds = on_gpu ? cost->seconds : scaled_seconds(cost->seconds, entry, options_);
    forecast.memory_bytes = cost->memory_bytes;
    forecasts().push_back(std::move(forecast));
  }

  const AnyBlock& block_;
  BlockPattern pattern_;
  const NumberType& number_;
  const CountOptions& options_;
  bool only_if_needed_;
  const RunContext& run_;
  Machine here_;
  PreparedBlock prepared_;
};

}  // namespace

const MethodPlan* PreparedBlock::plan_of(const Forecast& forecast) const {
  for (const Found& candidate : found) {
    if (candidate.method == forecast.method && candidate.other_order == forecast.other_order)
      return candidate.plan.get();
  }
  return nullptr;
}

std::vector<DeviceInfo> PreparedBlock::gpus_of(const Forecast& forecast) const {
  return forecast.on_gpu ? gpus : std::vector<DeviceInfo>();
}

PreparedBlock plan_block(const AnyBlock& block, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run) {
  return Planner(block, number, options, only_if_needed, run).take();
}

double predicted_seconds(const PreparedBlock& prepared, const AnyBlock& block, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options, const RunContext& run) {
  const MethodPlan* plan = prepared.plan_of(forecast);
  if (!plan) return infinity;
  const MethodEntry& entry = entry_of(forecast.method);
  const auto cost = entry.verbs.cost(block, *plan, number, machine_of(run, prepared.gpus_of(forecast)));
  if (!cost) return infinity;
  return forecast.on_gpu ? cost->seconds : scaled_seconds(cost->seconds, entry, options);
}

bool allowed(const Forecast& forecast, const BlockPlan& block, const CountOptions& options) {
  if (options.method != Method::automatic && forecast.method != options.method) return false;
  if (forecast.method == Method::expansion && expanded_unplanned(block)) return true;
  return forecast.on_gpu ? options.run.device.kind != DeviceChoice::Kind::cpu
                         : options.run.device.kind != DeviceChoice::Kind::cuda;
}

const Forecast& choose(const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  const auto memory = static_cast<double>(resolve_memory_limit(options.run));
  const Forecast* cheapest = nullptr;
  for (const Forecast& forecast : plan.forecasts) {
    if (!forecast.applies) continue;
    if (!cheapest) cheapest = &forecast;
    if (forecast.seconds <= prediction_factor * seconds_left && forecast.memory_bytes <= memory) return forecast;
  }
  const std::string block = "a block of " + std::to_string(plan.size) + (plan.bipartite ? " rows" : " vertices") +
                            " and " + std::to_string(plan.edges) + " edges";
  if (!cheapest) {
    // The reason of the method that was asked for, where one was.
    const auto asked = std::find_if(plan.forecasts.begin(), plan.forecasts.end(), [&](const Forecast& forecast) {
      return options.method == Method::automatic || forecast.method == options.method;
    });
    throw Unable("no method applies to " + block +
                 (asked == plan.forecasts.end() ? std::string() : ": " + asked->reason));
  }
  throw OverLimit(block + " needs about " + duration(cheapest->seconds) + " and " +
                      memory_amount(cheapest->memory_bytes) + " (" + std::string(to_string(cheapest->method)) + ": " +
                      cheapest->reason + "); the limits leave " +
                      (std::isinf(seconds_left) ? std::string("any time") : duration(std::max(seconds_left, 0.0))) +
                      " and " + memory_amount(memory),
                  cheapest->seconds, cheapest->memory_bytes);
}

}  // namespace matchcount
