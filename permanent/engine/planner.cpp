#include "permanent/engine/planner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/methods.hpp"
#include "permanent/engine/throughput.hpp"

namespace matchcount {
namespace {

// A method that takes fewer seconds is followed without a look at others.
constexpr double momentary = 0.01;
// The search for an order of a large block takes the frontier method about this long for each row: structure that
// counts it sooner is followed without.
constexpr double search_s_of_large_row = 1e-4;
// A search for an order of the frontier method takes about this long for each edge and row (random graphs of 12 to 24
// rows, density 0.15 to 1), and no longer than that at first. If inclusion-exclusion is done sooner, a search does not
// pay.
constexpr double search_s_of_edge_and_row = 1.5e-6, most_search_s = 0.02;
// Dense blocks that inclusion-exclusion counts within this, whatever their entries and the machine, are planned for it
// first of all; up to here they are small enough for it whatever they are like,
constexpr double quick = 3e-3;
constexpr Vertex max_quick_size = 8;
// and if it may take that long, it is planned before the frontier method, whose search for an order costs more.
constexpr double moderate = 0.5;
// Other blocks of at most so many vertices, of integers and with few enough edges to be planar, are planned for the
// frontier method first of all, along the first order at hand. If that has no more transitions than this for each
// vertex, it has counted them before another method would be planned: a test of planarity and a dissection take 7 to 9
// us a vertex, this method 2 to 6 in all (grids of 6 x 6 to 14 x 14, cubic graphs of 18 to 80 vertices).
constexpr Vertex max_unsearched_vertices = 256;
constexpr double unsearched_transitions_of_vertex = 4096;
constexpr double unsearched_s = 1e-5;  // what a search might save, so that there is none
// The speed of this machine does not matter below this many seconds, of the machine of the cost models.
constexpr double worth_measuring = 0.3 * momentary;
// Blocks of which cuts leave what takes longer than this have no better order as a whole.
constexpr double out_of_reach_s = 1e9;
// No GPU is looked for below this many seconds, unless it is asked for: starting one takes about as long.
constexpr double worth_a_gpu = 1;

// Blocks with so few pairs in a matching are not worth a plan.
bool goes_unplanned(const MethodEntry& entry, const BlockPlan& block) {
  return (block.bipartite ? block.size : block.size / 2) < entry.unplanned_below;
}

// One thread of the machine, which is all that a quick count takes: how many there are need not be looked up.
Machine thread_of(const RunContext& run) {
  Machine machine;
  machine.isa = std::min(run.options().max_isa, detected_isa());
  return machine;
}

// Says whether only methods with an order of the vertices will do.
bool is_along_order(const CountOptions& options) { return options.order || options.wants_order; }

// Returns this machine's seconds on the CPU.
double scaled_seconds(double seconds, const MethodEntry& entry, const CountOptions& options) {
  if (!entry.scale) return seconds;
  if (options.throughput) return seconds * (*options.throughput).*entry.scale;
  return seconds < worth_measuring ? seconds : seconds * this_throughput().*entry.scale;
}

// Says whether a forecast is so small that no other is worth a look, if any method will do.
bool is_momentary(const Forecast& forecast, const BlockPlan& block, const CountOptions& options,
                  const RunContext& run) {
  const double search_s = std::min(
      most_search_s, search_s_of_edge_and_row * static_cast<double>(block.edges) * static_cast<double>(block.size));
  const MethodEntry& entry = entry_of(forecast.method);
  const bool is_large = block.size >= least_large_size && !entry.takes_every_block;
  const double large_s = is_large ? std::min(search_s_of_large_row * static_cast<double>(block.size), worth_a_gpu) : 0;
  return options.method == Method::automatic && options.run.device.kind != DeviceChoice::Kind::cuda &&
         forecast.applies && forecast.seconds < (entry.spares_search ? search_s : momentary) + large_s &&
         run.has_memory_for(forecast.memory_bytes);
}

// Says whether GPUs that are not asked for are of no use: something else on the CPU takes no longer than their start.
bool needs_no_gpu(const BlockPlan& plan, const CountOptions& options) {
  return options.run.device.kind == DeviceChoice::Kind::automatic &&
         std::any_of(plan.forecasts.begin(), plan.forecasts.end(), [](const Forecast& forecast) {
           return forecast.applies && !forecast.on_gpu && forecast.seconds <= worth_a_gpu;
         });
}

// Puts what is followed first, then the cheapest.
void sort_forecasts(PreparedBlock& prepared, const CountOptions& options) {
  const bool on_cpu_first = needs_no_gpu(prepared.plan, options);
  const auto place = [&](const Forecast& forecast) {
    if (!forecast.applies) return 3;
    if (forecast.on_gpu) return on_cpu_first ? 2 : 1;
    return forecast.method == prepared.momentary && !forecast.other_order ? 0 : 1;
  };
  std::stable_sort(prepared.plan.forecasts.begin(), prepared.plan.forecasts.end(),
                   [&](const Forecast& a, const Forecast& b) {
                     return place(a) != place(b) ? place(a) < place(b) : a.seconds < b.seconds;
                   });
}

// Marks what the device that is asked for does not allow.
void rule_out(BlockPlan& plan, const CountOptions& options) {
  for (Forecast& forecast : plan.forecasts) {
    if (!forecast.applies || allowed(forecast, plan, options)) continue;
    forecast.applies = false;
    forecast.seconds = infinity;
    forecast.reason += "; another device was asked for";
  }
}

// Fills in what a plan would take; false where it does not run on such a machine.
bool price(Forecast& forecast, const AnyBlock& block, const MethodPlan& plan, const NumberType& number,
           const CountOptions& options, const Machine& machine) {
  const MethodEntry& entry = entry_of(forecast.method);
  const std::optional<Cost> cost = entry.cost(block, plan, number, machine);
  if (!cost) return false;
  // A method that GPUs lack something for would take them forever, and says what.
  forecast.applies = !forecast.on_gpu || cost->seconds < infinity;
  forecast.reason = cost->description;
  forecast.log2_operations = cost->log2_operations;
  forecast.seconds = forecast.on_gpu ? cost->seconds : scaled_seconds(cost->seconds, entry, options);
  forecast.memory_bytes = cost->memory_bytes;
  return true;
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
        is_any_(options.method == Method::automatic),
        only_if_needed_(only_if_needed),
        run_(run) {
    prepared_.nonnegative = number.nonnegative;
    prepared_.plan.size = size_of(block);
    prepared_.plan.bipartite = pattern_.bipartite != nullptr;
    prepared_.plan.edges = pattern_.num_edges();
  }

  PreparedBlock take() {
    const MethodEntry& at_once = entry_with(&MethodEntry::unplanned_below);
    if (is_any_ && !is_along_order(options_) && goes_unplanned(at_once, prepared_.plan)) {
      first_ = prepared_.momentary = at_once.method;
      plan_here(at_once);
      if (only_if_needed_) return std::move(prepared_);
    }
    if (!plan_until_one_is_momentary()) {
      plan_on_gpus();
      if (options_.verify) plan_seconds();
      const bool wants_all = is_any_ && !only_if_needed_ && !is_along_order(options_);
      if ((options_.method == at_once.method || wants_all) && prepared_.momentary != at_once.method) plan_here(at_once);
      if (!is_any_ && pattern_.general && !entry_of(options_.method).takes_odd_cycles)
        plan_here(entry_of(options_.method));
    }
    if (!options_.verify) rule_out(prepared_.plan, options_);
    sort_forecasts(prepared_, options_);
    return std::move(prepared_);
  }

 private:
  std::vector<Forecast>& forecasts() { return prepared_.plan.forecasts; }

  bool is_wanted(const MethodEntry& entry) const {
    if (entry.unplanned_below > 0 || (pattern_.general && !entry.takes_odd_cycles)) return false;
    if (!is_any_) return options_.method == entry.method;
    if (is_along_order(options_) && !options_.verify && !entry.order) return false;
    return (!only_if_needed_ && entry.listed) || entry.competes;
  }

  bool is_found(Method method) const {
    return std::ranges::find(prepared_.found, method, &PreparedBlock::Found::method) != prepared_.found.end();
  }

  // Says whether the method that takes every block is done before others are planned, by the first order at hand; then
  // it is planned.
  bool plan_unsearched() {
    const BlockPlan& plan = prepared_.plan;
    const std::size_t vertices = (plan.bipartite ? std::size_t{2} : 1) * plan.size;
    const bool is_integer = number_.kind == WeightKind::none || number_.kind == WeightKind::integer;
    // A planar graph of v vertices has at most 3 v - 6 edges, a bipartite one 2 v - 4.
    if (!is_any_ || options_.verify || options_.effort_s > 0 || !is_integer || is_along_order(options_) ||
        vertices > max_unsearched_vertices || plan.edges > (plan.bipartite ? 2 : 3) * vertices)
      return false;
    const MethodEntry& entry = entry_with(&MethodEntry::takes_every_block);
    first_ = entry.method;
    PlanRequest request = request_for(entry);
    request.useful_s = unsearched_s;
    plan_here(entry, request);
    const Forecast& forecast = forecasts().back();
    if (is_momentary(forecast, plan, options_, run_) &&
        std::exp2(forecast.log2_operations) <= unsearched_transitions_of_vertex * static_cast<double>(vertices))
      return true;
    first_ = Method::automatic;
    forecasts().pop_back();
    if (is_found(entry.method)) prepared_.found.pop_back();
    others_s_ = infinity;
    return false;
  }

  // Lists the methods in the order in which they are planned.
  std::vector<const MethodEntry*> in_order() {
    std::vector<const MethodEntry*> order;
    for (const MethodEntry& entry : methods()) order.push_back(&entry);
    const auto place = [&](const MethodEntry& entry) { return std::ranges::find(order, &entry); };
    const MethodEntry& search = entry_with(&MethodEntry::takes_every_block);
    const Vertex size = prepared_.plan.size;
    for (const MethodEntry& entry : methods()) {
      if (size < entry.before_search_from) std::rotate(place(entry), place(entry) + 1, place(search) + 1);
      // Pieces behind few vertices of a large block that is not planar are found sooner than edges to leave out.
      if (size >= entry.again_from && is_any_) order.insert(place(entry_with(&MethodEntry::leaves_parts)) + 1, &entry);
    }
    if (!pattern_.bipartite) return order;
    const MethodEntry& dense = entry_with(&MethodEntry::most_seconds);
    const double most_seconds = dense.most_seconds(size, number_);
    // A bipartite planar graph of v vertices has at most 2 v - 4 edges.
    const bool may_be_planar = prepared_.plan.edges <= std::size_t{4} * size;
    const bool is_quick = most_seconds < quick && (!may_be_planar || size <= max_quick_size);
    if (is_quick && is_any_) first_ = dense.method;
    if (is_quick)
      std::rotate(order.begin(), place(dense), place(dense) + 1);
    else if (most_seconds < moderate)
      std::rotate(place(search), place(dense), place(dense) + 1);
    return order;
  }

  // All on the CPU; true where one was so cheap that those after it were left out.
  bool plan_until_one_is_momentary() {
    const std::vector<const MethodEntry*> order = in_order();
    if (first_ == Method::automatic && plan_unsearched()) prepared_.momentary = first_;
    if (only_if_needed_ && prepared_.momentary != Method::automatic) return true;
    for (const MethodEntry* entry : order) {
      if (!is_wanted(*entry) || is_found(entry->method)) continue;
      PlanRequest request = request_for(*entry);
      const auto known = std::ranges::find(forecasts(), entry->method, &Forecast::method);
      const bool is_known = known != forecasts().end();
      // Parts are no further off the plane than the block, and hardly wider, and that was looked at.
      const bool is_far = entry->takes_every_block && others_s_ > out_of_reach_s;
      if (only_if_needed_ && (is_known || is_far) && is_found(entry_with(&MethodEntry::leaves_parts).method)) continue;
      if (is_known)
        forecasts().erase(known);
      else if (std::ranges::count(order, entry) > 1)
        request.useful_s = 0;
      plan_here(*entry, request);
      if (prepared_.momentary == Method::automatic && is_momentary(forecasts().back(), prepared_.plan, options_, run_))
        prepared_.momentary = forecasts().back().method;
      if (only_if_needed_ && prepared_.momentary != Method::automatic) return true;
    }
    return false;
  }

  // Another method takes so long on one thread of the machine of the cost models, so that what is found by searching
  // does not depend on the machine.
  double useful_seconds(const MethodEntry& entry) const {
    const double seconds = is_any_ ? others_s_ : infinity;
    if (!entry.searches || options_.method == entry.method || !pattern_.bipartite) return seconds;
    return std::min(seconds, entry_with(&MethodEntry::most_seconds).most_seconds(prepared_.plan.size, number_));
  }

  PlanRequest request_for(const MethodEntry& entry) const {
    return {entry.method, block_, number_, options_, useful_seconds(entry)};
  }

  void plan_here(const MethodEntry& entry) { plan_here(entry, request_for(entry)); }
  void plan_here(const MethodEntry& entry, const PlanRequest& request) {
    Planned planned = entry.plan(request, run_);
    if (!planned.plan) {
      forecasts().push_back(not_applicable(entry.method, std::move(planned.reason)));
      return;
    }
    add_forecast(entry, *planned.plan, {});
    const std::optional<Cost> cost = entry.cost(block_, *planned.plan, number_, {});
    if (cost) others_s_ = std::min(others_s_, cost->seconds);
    prepared_.found.push_back({entry.method, false, std::move(planned.plan)});
  }

  // Second plans of methods that have them, and that no other verifies anyway.
  void plan_seconds() {
    for (const MethodEntry& entry : methods()) {
      const bool is_needed = !entry.takes_every_block ||
                             (pattern_.general && !is_found(entry_with(&MethodEntry::verifies_odd_cycles).method));
      if (is_needed && entry.plan_again) plan_again(entry);
    }
  }

  void plan_again(const MethodEntry& entry) {
    const auto first = std::ranges::find(prepared_.found, entry.method, &PreparedBlock::Found::method);
    if (first == prepared_.found.end()) return;
    Planned planned = entry.plan_again(request_for(entry), *first->plan, run_);
    if (!planned.plan) return;
    add_forecast(entry, *planned.plan, {});
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
    for (const PreparedBlock::Found& found : prepared_.found)
      add_forecast(entry_of(found.method), *found.plan, prepared_.gpus);
  }

  void add_forecast(const MethodEntry& entry, const MethodPlan& plan, const std::vector<DeviceInfo>& gpus) {
    Forecast forecast;
    forecast.method = entry.method;
    forecast.on_gpu = !gpus.empty();
    const Machine machine = entry.method == first_ && gpus.empty() ? thread_of(run_) : machine_of(run_, gpus);
    if (price(forecast, block_, plan, number_, options_, machine)) {
      forecasts().push_back(std::move(forecast));
    } else if (!forecast.on_gpu && options_.method == entry.method) {
      forecasts().push_back(not_applicable(entry.method, std::string(to_string(entry.method)) + " runs on GPUs only"));
    }
  }

  const AnyBlock& block_;
  BlockPattern pattern_;
  const NumberType& number_;
  const CountOptions& options_;
  bool is_any_;  // method that will do
  bool only_if_needed_;
  Method first_ = Method::automatic;  // planned before all others, for one thread, where one may be that quick
  const RunContext& run_;
  double others_s_ = infinity;  // of the methods planned so far (useful_seconds)
  PreparedBlock prepared_;
};

}  // namespace

Machine machine_of(const RunContext& run, std::vector<DeviceInfo> gpus) {
  Machine machine;
  machine.num_threads = run.num_threads();
  machine.isa = std::min(run.options().max_isa, detected_isa());
  machine.num_ranks = run.num_ranks();
  machine.memory_limit_bytes = static_cast<double>(run.memory_limit_bytes());
  machine.gpus = std::move(gpus);
  return machine;
}

Forecast forecast_of(Method method, const Cost& cost) {
  return {method, false, false, true, cost.description, cost.log2_operations, cost.seconds, cost.memory_bytes};
}
Forecast not_applicable(Method method, std::string reason) {
  Forecast forecast;
  forecast.method = method;
  forecast.reason = std::move(reason);
  forecast.seconds = infinity;
  return forecast;
}

const MethodPlan* PreparedBlock::plan_of(const Forecast& forecast) const {
  for (const Found& candidate : found)
    if (candidate.method == forecast.method && candidate.other_order == forecast.other_order)
      return candidate.plan.get();
  return nullptr;
}

std::vector<DeviceInfo> PreparedBlock::gpus_of(const Forecast& forecast) const {
  return forecast.on_gpu ? gpus : std::vector<DeviceInfo>();
}

PreparedBlock plan_block(const AnyBlock& block, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run) {
  return Planner(block, number, options, only_if_needed, run).take();
}

void plan_for(PreparedBlock& prepared, const AnyBlock& block, const NumberType& number, const CountOptions& options,
              const RunContext& run) {
  for (Forecast& forecast : prepared.plan.forecasts) {
    if (!forecast.applies) continue;
    price(forecast, block, *prepared.plan_of(forecast), number, options, machine_of(run, prepared.gpus_of(forecast)));
  }
  sort_forecasts(prepared, options);
}

double predicted_seconds(const PreparedBlock& prepared, const AnyBlock& block, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options, const RunContext& run) {
  const MethodPlan* plan = prepared.plan_of(forecast);
  Forecast other = forecast;
  const bool runs = plan && price(other, block, *plan, number, options, machine_of(run, prepared.gpus_of(forecast)));
  return runs ? other.seconds : infinity;
}

void add_block(Plan& plan, BlockPlan block) {
  const Forecast& followed = block.forecasts.front();
  plan.seconds += followed.applies ? followed.seconds : infinity;
  plan.memory_bytes = std::max(plan.memory_bytes, followed.memory_bytes);
  plan.blocks.push_back(std::move(block));
}

void announce(const CountOptions& options, const Plan& plan) {
  if (!options.on_forecast || plan.blocks.empty()) return;
  const auto slowest =
      std::ranges::max_element(plan.blocks, {}, [](const BlockPlan& block) { return block.forecasts.front().seconds; });
  options.on_forecast(slowest->forecasts.front(), plan.seconds);
}

bool allowed(const Forecast& forecast, const BlockPlan& block, const CountOptions& options) {
  if (options.method != Method::automatic && forecast.method != options.method) return false;
  if (is_along_order(options) && !entry_of(forecast.method).order) return false;
  if (goes_unplanned(entry_of(forecast.method), block)) return true;
  return forecast.on_gpu ? options.run.device.kind != DeviceChoice::Kind::cpu
                         : options.run.device.kind != DeviceChoice::Kind::cuda;
}

const Forecast* affordable(const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  const RunContext run(options.run);
  const auto found = std::find_if(plan.forecasts.begin(), plan.forecasts.end(), [&](const Forecast& forecast) {
    return forecast.applies && allowed(forecast, plan, options) &&
           forecast.seconds <= prediction_factor * seconds_left && run.has_memory_for(forecast.memory_bytes);
  });
  return found == plan.forecasts.end() ? nullptr : &*found;
}

const Forecast& choose(const BlockPlan& plan, const CountOptions& options, double seconds_left, bool can_be_estimated) {
  if (const Forecast* found = affordable(plan, options, seconds_left)) return *found;
  const auto memory = static_cast<double>(resolve_memory_limit(options.run));
  const auto possible = std::find_if(plan.forecasts.begin(), plan.forecasts.end(), [&](const Forecast& forecast) {
    return forecast.applies && allowed(forecast, plan, options);
  });
  const Forecast* cheapest = possible == plan.forecasts.end() ? nullptr : &*possible;
  const std::string block = "a block of " + std::to_string(plan.size) + (plan.bipartite ? " rows" : " vertices") +
                            " and " + std::to_string(plan.edges) + " edges";
  if (!cheapest) {
    // The reasons of the methods that were asked for, by name or by their device.
    const bool is_any = options.method == Method::automatic;
    const bool on_gpus = options.run.device.kind == DeviceChoice::Kind::cuda;
    std::string reasons;
    for (const Forecast& forecast : plan.forecasts) {
      const bool asked =
          is_any ? !on_gpus || entry_of(forecast.method).has_kernels_for_gpus : forecast.method == options.method;
      if (asked)
        reasons +=
            (reasons.empty() ? ": " : "; ") + std::string(to_string(forecast.method)) + " (" + forecast.reason + ")";
    }
    throw NoMethodApplies("no method " + std::string(on_gpus ? "for GPUs " : "") + "applies to " + block + reasons);
  }
  std::string how = std::string(to_string(cheapest->method)) + ": " + cheapest->reason;
  // The structure that was looked for, and how near the block is to it.
  for (const Forecast& other : plan.forecasts)
    if (!other.applies && entry_of(other.method).told_in_refusals) how += "; " + other.reason;
  if (can_be_estimated) how += "; estimate would answer with an interval";
  refuse(block, {cheapest->seconds, cheapest->memory_bytes}, how, seconds_left, memory);
}

}  // namespace matchcount
