#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "graph/generate.hpp"
#include "permanent/frontier/costs.hpp"
#include "permanent/frontier/cpu/in_place.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cpu/states.hpp"
#include "permanent/frontier/cpu/steps.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/cuda/sorted_gpu.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/marginals.hpp"
#include "permanent/frontier/residues.hpp"

namespace matchcount {
namespace {

namespace costs = frontier_costs;

// An order with twins is searched for where it can pay: where they save more bits than that.
constexpr double min_bits_saved = 4;
// A cheaper order is searched for where the first is within this factor of the other kind's.
constexpr double within_reach = 64;
// An exact count on one process considers residues if its largest layer has at least 2^this states.
constexpr double log2_worth_spreading = 16;
// Returns the time for the search for an order: a tenth of the time limit, and more of a small one, in which a first
// order may not end.
double most_search_seconds(double time_limit_s) {
  constexpr double share = 0.1, share_of_small = 0.3, small_s = 0.3;
  return std::max(share * time_limit_s, std::min(share_of_small * time_limit_s, small_s));
}

bool is_exact(const NumberType& number) {
  return number.kind == WeightKind::none || number.kind == WeightKind::integer;
}

struct FrontierPlan : MethodPlan {
  FrontierOrder order;
  FrontierEngine engine = FrontierEngine::automatic;
  std::string kind_of_order;  // for people: "rows order, "
  double cost_factor = 1;     // of a transition, by the engine, beyond what the order says
};

// Returns the seconds of one transition on one thread.
double seconds_by_number(const NumberType& number, double log2_peak_states) {
  const double memory = log2_peak_states > costs::log2_cached_states ? costs::memory : 1;
  const bool in_doubles = number.precision == Precision::float64;
  if (is_exact(number)) return costs::word_s * words_of_state(number.log2_bound) * memory;
  if (number.kind == WeightKind::complex) return (in_doubles ? costs::complex_s : costs::complex_pair_s) * memory;
  return ((in_doubles ? costs::real_s : costs::real_pair_s) + (number.nonnegative ? 0 : costs::magnitude_s)) * memory;
}

double bytes_of_state(const NumberType& number) {
  if (is_exact(number)) return 8 * words_of_state(number.log2_bound);
  return (number.kind == WeightKind::complex ? 16 : 8) * (number.precision == Precision::float64 ? 1 : 2);
}

// Threads beyond the first help by this much each, in long runs; beyond eight they wait for memory (random 40 x 40 of
// density 0.2 on 32: 11 to 14 times).
double speedup(int threads) {
  constexpr int fed_by_memory = 8;
  return 1 + 0.9 * (std::min(threads, fed_by_memory) - 1) + 0.25 * std::max(0, threads - fed_by_memory);
}

// Values that may cancel are counted a second time, in magnitudes.
int runs_of(const NumberType& number) {
  return is_exact(number) || (number.kind == WeightKind::real && number.nonnegative) ? 1 : 2;
}

std::vector<Vertex> twins_of(const AnyBlock& block) {
  return std::visit(
      [](const auto* given) {
        if constexpr (requires { find_twins(*given); }) {
          return find_twins(*given);
        } else {
          return std::vector<Vertex>();
        }
      },
      block);
}

constexpr double gpu_share_free = 0.97;  // of the device's memory
constexpr double gpu_host_bytes = 2e8;   // what the driver takes
constexpr int gpu_multiprocessors = 132;

OrderEffort effort_of(const PlanRequest& request, const RunContext& run) {
  OrderEffort effort;
  const DeviceChoice& device = request.options.run.device;
  if (device.kind != DeviceChoice::Kind::cpu && is_exact(request.number) && built_with_cuda()) {
    effort.transition_s_elsewhere = [&device, primes = residues_needed(request.number.log2_bound)] {
      const bool is_there = device.kind == DeviceChoice::Kind::cuda || !choose_devices(device).empty();
      return is_there ? static_cast<double>(primes) / costs::gpu::search_transitions_per_s : infinity;
    };
  }
  effort.useful_log2_transitions = std::log2(request.useful_s / seconds_by_number(request.number, infinity));
  effort.most_seconds = most_search_seconds(request.options.run.time_limit_s);
  effort.affordable_log2_transitions =
      std::log2(request.options.run.time_limit_s / seconds_by_number(request.number, infinity));
  effort.has_memory_for = [&run, &number = request.number](double states) {
    constexpr double residue = sizeof(std::uint32_t);
    const double bytes = is_exact(number) ? in_place_slack * residue : 2 * bytes_of_state(number);
    return run.has_memory_for(states * bytes / run.num_ranks());
  };
  effort.seconds = std::min(request.options.effort_s, request.options.run.time_limit_s);
  return effort;
}

FrontierOrder order_as_given(const PlanRequest& request) {
  return std::visit([&](const auto* block) { return frontier_order_along(block->pattern, *request.options.order); },
                    request.block);
}
FrontierOrder find_order(const PlanRequest& request, std::uint64_t seed, const OrderEffort& effort,
                         const RunContext& run) {
  const BlockPattern pattern = pattern_of(request.block);
  return pattern.general
             ? find_frontier_order(*pattern.general, seed, run, effort)
             : find_frontier_order(*pattern.bipartite, request.options.frontier_strategy, seed, run, effort);
}

// Returns the memory of the keys of states that are sorted.
double bytes_of_key(const FrontierOrder& order) {
  return order.twin_before.empty() ? 0 : 8 * std::ceil((order.max_width + 1) / 64.0);
}

// Returns the least memory that an order's layers take: two of numbers, or of residues modulo one prime one in place
// or, where states are sorted, two.
double least_bytes(const FrontierOrder& order, const NumberType& number) {
  const double states = std::exp2(order.log2_peak_states), key = bytes_of_key(order);
  const double numbers = 2 * states * (bytes_of_state(number) + key);
  if (!is_exact(number)) return numbers;
  constexpr double residue = sizeof(std::uint32_t);
  return std::min(numbers, states * (order.twin_before.empty() ? in_place_slack * residue : 2 * (residue + key)));
}

// Returns the order that is found or, if its largest layers do not fit into memory and those of another would, the
// other.
FrontierOrder order_that_fits(const PlanRequest& request, OrderEffort effort, const RunContext& run) {
  constexpr double most_that_is_saved = 8;
  const auto bytes = [&](const FrontierOrder& order) { return least_bytes(order, request.number); };
  const FrontierOrder order = find_order(request, request.options.run.seed, effort, run);
  if (run.has_memory_for(bytes(order)) || !run.has_memory_for(bytes(order) / most_that_is_saved)) return order;
  effort.for_memory = true;
  const FrontierOrder smaller = find_order(request, request.options.run.seed, effort, run);
  return run.has_memory_for(bytes(smaller)) ? smaller : order;
}

// Chooses the cheaper of an order that the dense engine can follow and one with twins, or the one of them that fits
// into memory.
FrontierOrder choose_order(const PlanRequest& request, const OrderEffort& effort, const RunContext& run) {
  const BipartiteGraph& pattern = *pattern_of(request.block).bipartite;
  const CountOptions& options = request.options;
  const std::vector<Vertex> twin_before = twins_of(request.block);
  double useful = effort.useful_log2_transitions;
  const auto with_twins = [&](const OrderEffort& given) {
    return find_twins_order(pattern, twin_before, options.frontier_strategy, options.run.seed, run, given);
  };
  const auto without = [&] {
    OrderEffort of_plain = effort;
    of_plain.useful_log2_transitions = useful;
    return order_that_fits(request, of_plain, run);
  };
  const FrontierEngine engine = options.frontier_engine;
  if (engine == FrontierEngine::twins) {
    FrontierOrder order = with_twins(effort);
    return order.sequence.empty() ? without() : order;
  }
  if (engine != FrontierEngine::automatic || options.frontier_strategy == FrontierStrategy::mixed ||
      options.wants_order || bits_saved(pattern, twin_before) < min_bits_saved) {
    return without();
  }
  FrontierOrder twins = with_twins({.most_seconds = 0});
  if (twins.sequence.empty()) return without();
  const double log2_sparse = std::log2(costs::sparse);
  useful = std::min(useful, twins.log2_transitions + log2_sparse);
  FrontierOrder plain = without();
  const auto fits = [&](const FrontierOrder& order) { return run.has_memory_for(least_bytes(order, request.number)); };
  const bool needs_twins = !fits(plain);
  if (needs_twins || twins.log2_transitions + log2_sparse < plain.log2_transitions + std::log2(within_reach)) {
    OrderEffort of_twins = effort;
    of_twins.useful_log2_transitions = needs_twins ? useful : plain.log2_transitions - log2_sparse;
    twins = with_twins(of_twins);
  }
  if (needs_twins && fits(twins)) return twins;
  return twins.log2_transitions + log2_sparse < plain.log2_transitions ? twins : plain;
}

// Writes "2^32.6 transitions (2^38.5 before the search), "
std::string what_search_saved(const FrontierOrder& order) {
  std::string text = two_to(order.log2_transitions) + " transitions";
  if (order.twin_before.empty()) text += " (" + two_to(order.log2_transitions_of_start) + " before the search)";
  return text + ", ";
}

Planned plan(const PlanRequest& request, const RunContext& run) {
  auto result = std::make_shared<FrontierPlan>();
  const CountOptions& options = request.options;
  result->engine = options.frontier_engine;
  const OrderEffort effort = effort_of(request, run);
  if (options.order) {
    result->order = order_as_given(request);
    result->kind_of_order = "order as given, ";
  } else if (pattern_of(request.block).general) {
    result->order = order_that_fits(request, effort, run);
  } else {
    result->order = choose_order(request, effort, run);
    const bool one_side =
        result->order.strategy == FrontierStrategy::rows || result->order.strategy == FrontierStrategy::columns;
    result->kind_of_order =
        std::string(to_string(one_side ? result->order.strategy : FrontierStrategy::mixed)) + " order, ";
  }
  if (options.effort_s > 0 && !options.order) result->kind_of_order += what_search_saved(result->order);
  return {std::move(result), {}};
}

// Plans another order, by sorted states if they are few: nothing else verifies a graph with odd cycles and more
// vertices than expansion takes.
Planned plan_again(const PlanRequest& request, const MethodPlan& first, const RunContext& run) {
  constexpr double few_log2_transitions = 24;  // half a second by sorted states
  if (!pattern_of(request.block).general) return {nullptr, "a bipartite block is verified by another method"};
  auto result = std::make_shared<FrontierPlan>();
  OrderEffort effort = effort_of(request, run);
  effort.useful_log2_transitions = infinity;
  result->order = find_order(request, request.options.run.seed + 1, effort, run);
  // Another search may end where the first did; backwards, other vertices are on the frontier.
  if (result->order.sequence == static_cast<const FrontierPlan&>(first).order.sequence) {
    std::ranges::reverse(result->order.sequence);
  }
  const bool few = result->order.log2_transitions <= few_log2_transitions;
  result->engine = few ? FrontierEngine::sparse : request.options.frontier_engine;
  if (few) result->cost_factor = costs::sparse;
  result->kind_of_order = "another order, ";
  return {std::move(result), {}};
}

// Sums over the layers of a graph with odd cycles. Early ones have few of the states that the dense engine would hold,
// and are sorted.
struct LayerSums {
  double dense_transitions = 0, sorted_transitions = 0;
  double peak_bytes = 0;  // of a layer and the one before; buffers of sorted layers are kept to the end
};
LayerSums sums_of_layers(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state) {
  LayerSums sums;
  double before[2] = {0, 0}, peak[2] = {0, 0};  // sorted, dense
  const bool may_be_dense = engine != FrontierEngine::sparse && engine != FrontierEngine::twins;
  const double key_bytes = 8 * std::ceil((steps.max_width + 1) / 64.0);
  bool dense = engine == FrontierEngine::dense;
  for (const FrontierStep& step : steps.steps) {
    const double all = std::exp2(std::max(0.0, step.width - 1.0));
    if (may_be_dense && engine != FrontierEngine::dense)
      dense = step.width <= max_dense_width && step.states >= (dense ? merge_fill : dense_fill) * all;
    const double states = dense ? all : step.states;
    (dense ? sums.dense_transitions : sums.sorted_transitions) += step.transitions_into(states);
    const double bytes = states * (bytes_of_state + (dense ? 0 : key_bytes));
    peak[dense] = std::max(peak[dense], before[dense] + bytes);
    before[dense] = bytes;
    before[!dense] = 0;
  }
  sums.peak_bytes = peak[0] + peak[1];
  return sums;
}

FrontierSteps steps_of(const BlockPattern& pattern, const FrontierOrder& order) {
  return pattern.bipartite ? frontier_steps(*pattern.bipartite, order.sequence, order.twin_before)
                           : frontier_steps(*pattern.general, order.sequence);
}

std::optional<Cost> cost_on_gpus(const AnyBlock& block, const MethodPlan& given, const NumberType& number,
                                 const Machine& machine) {
  const auto& plan = static_cast<const FrontierPlan&>(given);
  if (!gpu::frontier_runs_on(machine.gpus)) return std::nullopt;
  const FrontierSteps steps = steps_of(pattern_of(block), plan.order);
  const GpuLayers layers = gpu_layers(steps, plan.engine);
  if (layers == GpuLayers::none || (layers == GpuLayers::sorted && !is_exact(number))) return std::nullopt;
  const auto least = [&](auto value) { return static_cast<double>(std::ranges::min(machine.gpus, {}, value).*value); };
  const double free_bytes = gpu_share_free * least(&DeviceInfo::memory_bytes);
  const double speed = least(&DeviceInfo::multiprocessors) / gpu_multiprocessors;
  const double rate = costs::gpu::transitions_per_s * (is_exact(number) ? costs::gpu::gain_of_joined_steps : 1) * speed;
  double transitions = 0;
  for (const FrontierStep& step : steps.steps) {
    transitions += step.transitions_into(steps.by_parity ? std::exp2(std::max(0.0, step.width - 1.0)) : step.states);
  }
  // Returns the seconds of one number of so many bytes that a team holds.
  const auto seconds_of = [&](std::size_t team, double bytes) {
    if (layers == GpuLayers::sorted) {
      return gpu::sorted_work(steps, 1).looks / speed *
             (1 / costs::gpu::looks_per_s + bytes / sizeof(std::uint32_t) / costs::gpu::values_per_s);
    }
    if (team == 1) return bytes / sizeof(std::uint32_t) * transitions / rate;
    const gpu::TeamWork work = gpu::team_work(steps, team);
    return bytes / sizeof(std::uint32_t) * work.transitions / rate + bytes * work.moved / costs::gpu::link_bytes_per_s;
  };
  Cost result;
  result.log2_operations = plan.order.log2_transitions;
  result.memory_bytes = gpu_host_bytes;
  result.description = on_gpus(machine) + plan.kind_of_order + "width " + std::to_string(plan.order.max_width) +
                       ", at most " + two_to(plan.order.log2_peak_states) + " states" +
                       (plan.order.twin_before.empty() ? "" : ", twins matched in turn");
  const double steps_s = costs::gpu::step_s * static_cast<double>(steps.steps.size());
  if (!is_exact(number)) {
    const std::size_t team =
        gpus_of_reals(steps, static_cast<int>(bytes_of_state(number) / sizeof(double)), machine.gpus, free_bytes);
    if (team == 0) return std::nullopt;
    result.seconds = costs::gpu::start_s + runs_of(number) * (steps_s + seconds_of(team, bytes_of_state(number)));
    if (team > 1) result.description += ", states shared";
    return result;
  }
  const GpuTeams teams = gpu_teams(steps, plan.engine, number.log2_bound, machine.gpus, machine.num_ranks, free_bytes);
  const std::size_t num_primes = teams.all_primes;
  if (teams.primes == 0) return std::nullopt;
  const std::size_t num_teams = machine.gpus.size() / teams.gpus * static_cast<std::size_t>(machine.num_ranks);
  const std::size_t passes = (num_primes + num_teams * teams.primes - 1) / (num_teams * teams.primes);
  result.seconds = costs::gpu::start_s +
                   static_cast<double>(passes) *
                       (steps_s + seconds_of(teams.gpus, sizeof(std::uint32_t) * static_cast<double>(teams.primes)));
  result.description += ", modulo " + std::to_string(teams.primes) + " of " + std::to_string(num_primes) + " primes" +
                        (teams.bytes == 2 ? " of 15 bits" : "") + " at once";
  if (teams.gpus > 1) result.description += ", states shared";
  return result;
}

std::optional<Cost> cost(const AnyBlock& block, const MethodPlan& given, const NumberType& number,
                         const Machine& machine) {
  if (!machine.gpus.empty()) return cost_on_gpus(block, given, number, machine);
  const auto& plan = static_cast<const FrontierPlan&>(given);
  const FrontierOrder& order = plan.order;
  const bool with_twins = !order.twin_before.empty();
  Cost result;
  result.log2_operations = order.log2_transitions;
  result.memory_bytes = 2 * std::exp2(order.log2_peak_states) * (bytes_of_state(number) + bytes_of_key(order));
  result.description = plan.kind_of_order + "width " + std::to_string(order.max_width) + ", at most " +
                       two_to(order.log2_peak_states) + " states" + (with_twins ? ", twins matched in turn" : "");
  double share_of_time = 1;
  bool lean = false;
  if (machine.num_ranks > 1 ||
      (is_exact(number) && (plan.engine == FrontierEngine::lean || order.log2_peak_states >= log2_worth_spreading))) {
    const FrontierSteps steps = steps_of(pattern_of(block), order);
    const SpreadCost spread = choose_spread(steps, plan.engine, bytes_of_state(number),
                                            is_exact(number) ? residues_needed(number.log2_bound) : 0,
                                            machine.num_ranks, machine.num_threads, machine.memory_limit_bytes);
    share_of_time = spread.time;
    lean = spread.spread == FrontierSpread::residues && is_lean(steps, plan.engine);
    if (spread.spread != FrontierSpread::first_rank) {
      result.memory_bytes = spread.memory_bytes;
      result.description += spread.spread == FrontierSpread::residues
                                ? ", modulo " + std::to_string(spread.primes_at_once) + " of " +
                                      std::to_string(residues_needed(number.log2_bound)) + " primes at once"
                                : ", states";
      if (machine.num_ranks > 1) result.description += " shared by " + std::to_string(machine.num_ranks) + " ranks";
    }
  }
  constexpr double log2_states_of_a_team = 17;
  // Twins are matched in sorted layers, by one thread.
  const double parallel =
      order.log2_peak_states > log2_states_of_a_team && !with_twins ? speedup(machine.num_threads) : 1;
  const double of_transition = seconds_by_number(number, order.log2_peak_states);
  const int runs = runs_of(number);
  const double of_twins =
      costs::sparse * (order.log2_peak_states > costs::log2_sparse_cached_states ? costs::sparse_memory : 1);
  double counting = plan.cost_factor * (with_twins ? of_twins : 1) * std::exp2(order.log2_transitions) * of_transition;
  if (pattern_of(block).general) {
    const LayerSums layers = sums_of_layers(steps_of(pattern_of(block), order), plan.engine, bytes_of_state(number));
    counting = layers.dense_transitions * of_transition +
               layers.sorted_transitions * (of_transition + runs * costs::sorting_s);
    if (machine.num_ranks == 1 && !lean) result.memory_bytes = layers.peak_bytes;
  }
  result.memory_bytes += bytes_beside_layers;
  result.seconds =
      share_of_time * (counting / parallel + costs::count_s) +
      runs * (costs::step_s * static_cast<double>(order.sequence.size()) +
              costs::square_width_s * order.max_width * std::min<double>(order.max_width, max_dense_width));
  return result;
}

Value run_frontier(const RunRequest& request, const RunContext& run) {
  const auto& plan = static_cast<const FrontierPlan&>(request.plan);
  return sum_frontier(request.block, plan.order, plan.engine, request.precision, run, request.gpus);
}

// ---- Single matchings.

// The share of the time limit for the search for an order.
constexpr double order_share_of_time = 0.02;

std::shared_ptr<const FrontierOrder> order_of(const PlanRequest& request, const RunContext& run) {
  const CountOptions& options = request.options;
  if (options.order) return std::make_shared<const FrontierOrder>(order_as_given(request));
  OrderEffort effort;
  effort.most_seconds = order_share_of_time * options.run.time_limit_s;
  effort.seconds = std::min(options.effort_s, options.run.time_limit_s);
  effort.useful_log2_transitions = std::log2(request.useful_s / costs::kept_transition_s);
  return std::make_shared<const FrontierOrder>(find_order(request, options.run.seed, effort, run));
}

// Returns what the layers take that have to be kept at one time: all, or one in sqrt(steps) and those between two.
double bytes_of_layers(const FrontierSteps& steps) {
  const std::size_t count = steps.steps.size();
  const auto stride = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  double all = 0, kept = 0, between = 0, most = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const double bytes = sizeof(double) * steps.steps[t].states;  // behind step t
    all += bytes;
    between += bytes;
    if ((t + 1) % stride != 0 && t + 1 < count) continue;
    kept += bytes;
    most = std::max(most, kept + between - bytes);
    between = 0;
  }
  return std::min(all, most);
}

// Layers forwards and backwards.
Cost cost_of(const BlockPattern& pattern, const FrontierOrder& order) {
  return {0, costs::kept_transition_s * std::exp2(order.log2_transitions),
          std::max(2 * sizeof(double) * std::exp2(order.log2_peak_states),
                   bytes_of_layers(steps_of(pattern, order)) / share_of_kept_layers),
          "width " + std::to_string(order.max_width) + ", at most " + two_to(order.log2_peak_states) + " states"};
}

Way way_frontier(const PlanRequest& request, Asked, const RunContext& run) {
  Way way;
  const auto order = order_of(request, run);
  way.cost = cost_of(pattern_of(request.block), *order);
  const FrontierEngine engine = request.options.frontier_engine;
  way.marginals = [order, engine](const AnyBlock& block, const RunContext& inner) {
    return marginals_frontier(block, *order, engine, inner);
  };
  way.sampler = [order, engine](const AnyBlock& block, const RunContext& inner) {
    return sampler_frontier(block, *order, engine, inner);
  };
  return way;
}

}  // namespace

MethodVerbs frontier_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_frontier,
          .plan_again = plan_again,
          .way = way_frontier,
          .order = [](const MethodPlan& given) { return static_cast<const FrontierPlan&>(given).order.sequence; },
          .scale = &Throughput::frontier_scale,
          .workload = [] { return grid_graph(16, 16); },
          .takes_every_block = true,
          .has_kernels_for_gpus = true,
          .integers_on_any_device = true,
          .searches = true,
          .matchings = MatchingsBy::layers};
}

}  // namespace matchcount
