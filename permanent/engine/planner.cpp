#include "permanent/engine/planner.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <limits>
#include <sstream>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/ryser/gpu_cost.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// A prediction is right to about this factor.
constexpr double prediction_factor = 2;
constexpr Vertex max_expansion_size = 12;
constexpr Vertex max_expansion_vertices = 20;
constexpr Vertex max_subset_size = 62;
// So small a block is expanded before any plan of it could be made.
constexpr Vertex max_unplanned_size = 5;
// Below this many seconds nothing else is worth a look.
constexpr double momentary = 0.01;
// Below this many seconds no GPU is looked for, unless it is asked for: starting one takes about as long.
constexpr double worth_a_gpu = 1;
// A transition of the merge engine takes about as long as so many of the ranked one (40 x 40, density 0.3, every column
// twice; 36 x 36, density 0.5).
constexpr double merged_cost = 20;
// An order with twins is searched for where it can pay: where they save more bits than that.
constexpr double min_bits_saved = 4;
// A cheaper order is searched for where the first is within this factor of the other kind's.
constexpr double within_reach = 64;
// Of the time limit, for annealing each kind of order.
constexpr double order_share_of_time = 0.02;

// Seconds of one frontier transition on one thread of the reference machine (a virtual Intel Xeon with AVX-512, 2.0 GHz
// nominal), by number type: while a layer stays in the second-level cache (mesh1e1, grid 20 x 20), and beyond
// (bcsstk01, random n = 40).
double transition_seconds(const NumberType& number, double log2_peak_states) {
  constexpr double log2_cached_states = 19;
  const double memory = log2_peak_states > log2_cached_states ? 1.2 : 1;
  switch (number.kind) {
    case WeightKind::none:
    case WeightKind::integer: {
      return 1.2e-9 * words_of_state(number.log2_bound) * memory;
    }
    case WeightKind::real:
      return ((number.precision == Precision::float64 ? 1.2e-9 : 3.5e-9) + (number.nonnegative ? 0 : 1.2e-9)) * memory;
    case WeightKind::complex:
      return (number.precision == Precision::float64 ? 3e-9 : 14e-9) * memory;
  }
  return infinity;
}

double bytes_of_state(const NumberType& number) {
  switch (number.kind) {
    case WeightKind::none:
    case WeightKind::integer:
      return 8 * words_of_state(number.log2_bound);
    case WeightKind::real:
      return number.precision == Precision::float64 ? 8 : 16;
    case WeightKind::complex:
      return number.precision == Precision::float64 ? 16 : 32;
  }
  return infinity;
}

std::string two_to(double log2_value) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << "2^" << log2_value;
  return text.str();
}

std::string_view name(FrontierStrategy strategy) {
  switch (strategy) {
    case FrontierStrategy::rows:
      return "rows";
    case FrontierStrategy::columns:
      return "columns";
    default:
      return "mixed";
  }
}

RyserVariant variant(Method method) {
  return method == Method::ryser      ? RyserVariant::ryser
         : method == Method::sparyser ? RyserVariant::sparyser
         : method == Method::skipper  ? RyserVariant::skipper
                                      : RyserVariant::staged;
}

int num_primes(const NumberType& number) {
  return std::max(1, static_cast<int>(std::ceil((number.log2_bound + 2) / 49.9)));
}

// Threads beyond the first help by this much each, in long runs.
double speedup(int threads) { return 1 + 0.9 * (threads - 1); }

// log2 of the transitions that cost as much as inclusion-exclusion on a dense matrix with as many rows, which is what
// it costs at the most: an order beyond that is of no use. A function of the block alone, not of threads or instruction
// sets, so that the order is one too.
double useful_log2_transitions(const BipartiteGraph& pattern, const NumberType& number, const CountOptions& options) {
  const Vertex n = pattern.num_rows();
  if (options.method == Method::frontier || n > max_subset_size) return infinity;
  RyserPlan dense;
  dense.operations_per_leaf = dense.operations_with_skipping = 3.0 * n;
  dense.stage_of_row.resize(n);
  dense.log2_leaves = n > 2 ? n - 2 : 0;
  const double seconds = ryser_seconds(dense, number.kind, number.precision, num_primes(number), Isa::baseline, 1);
  return std::log2(seconds / transition_seconds(number, infinity));
}

KasteleynSizes planar_sizes(const PreparedBlock& block, const NumberType& number) {
  const bool is_integer = number.kind == WeightKind::none || number.kind == WeightKind::integer;
  return is_integer ? KasteleynSizes{number.log2_bound} : number.planar_sizes(*block.planar);
}
// That share the subsets of inclusion-exclusion and the primes of planar graphs.
int num_ranks(const CountOptions& options) { return options.work ? options.work->num_ranks() : 1; }

KasteleynCost planar_cost(const PreparedBlock& block, const NumberType& number, const CountOptions& options) {
  return kasteleyn_cost(*block.planar, planar_sizes(block, number), std::min(options.run.max_isa, detected_isa()),
                        resolve_num_threads(options.run), num_ranks(options));
}

double seconds_with(const KasteleynCost& cost, const CountOptions& options) {
  return options.throughput.ryser_scale * cost.seconds + 1e-4;
}

double seconds_of(const PreparedBlock& block, Method method, const NumberType& number, const CountOptions& options) {
  const int threads = resolve_num_threads(options.run);
  switch (method) {
    case Method::frontier: {
      const double transitions = std::exp2(block.order.log2_transitions);
      const double parallel = block.order.log2_peak_states > 17 ? speedup(threads) : 1;
      const double merged = block.order.twin_before.empty() ? 1 : merged_cost;
      return block.share_of_time * options.throughput.frontier_scale *
             (merged * transitions * transition_seconds(number, block.order.log2_peak_states) / parallel + 1e-4);
    }
    case Method::planar:
      return seconds_with(planar_cost(block, number, options), options);
    case Method::ryser:
    case Method::sparyser:
    case Method::skipper:
    case Method::staged:
      return options.throughput.ryser_scale *
             ryser_seconds(block.subsets(method), number.kind, number.precision, num_primes(number),
                           std::min(options.run.max_isa, detected_isa()), threads) /
             num_ranks(options);
    default:
      return infinity;
  }
}

// The cheaper of an order that the ranked engine can follow and one with twins. Another method takes useful_s.
FrontierOrder choose_order(const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before,
                           const NumberType& number, const CountOptions& options, const RunContext& run,
                           double useful_s) {
  const double most_seconds = order_share_of_time * options.run.time_limit_s;
  double useful = std::min(useful_log2_transitions(pattern, number, options),
                           std::log2(useful_s / transition_seconds(number, infinity)));
  const auto with_twins = [&](double useful_merged) {
    return find_twins_order(pattern, twin_before, options.frontier_strategy, options.run.seed, run, useful_merged,
                            most_seconds);
  };
  const auto without = [&] {
    return find_frontier_order(pattern, options.frontier_strategy, options.run.seed, run, useful, most_seconds);
  };
  const FrontierEngine engine = options.frontier_engine;
  if (engine == FrontierEngine::twins) {
    FrontierOrder order = with_twins(infinity);
    return order.sequence.empty() ? without() : order;
  }
  if (engine != FrontierEngine::automatic || options.frontier_strategy == FrontierStrategy::mixed ||
      bits_saved(pattern, twin_before) < min_bits_saved) {
    return without();
  }
  FrontierOrder twins = with_twins(0);
  if (twins.sequence.empty()) return without();
  const double log2_merged = std::log2(merged_cost);
  useful = std::min(useful, twins.log2_transitions + log2_merged);
  FrontierOrder plain = without();
  if (twins.log2_transitions + log2_merged < plain.log2_transitions + std::log2(within_reach)) {
    twins = with_twins(plain.log2_transitions - log2_merged);
  }
  return twins.log2_transitions + log2_merged < plain.log2_transitions ? twins : plain;
}

// Along the order that the block has, by the ranks that there are.
Forecast frontier_forecast(PreparedBlock& block, const std::function<FrontierSteps()>& steps, const NumberType& number,
                           const CountOptions& options, const std::string& kind_of_order) {
  Forecast forecast;
  forecast.method = Method::frontier;
  const bool with_twins = !block.order.twin_before.empty();
  const double key_bytes = with_twins ? 8 * std::ceil((block.order.max_width + 1) / 64.0) : 0;
  forecast.applies = true;
  forecast.log2_operations = block.order.log2_transitions;
  forecast.memory_bytes = 2 * std::exp2(block.order.log2_peak_states) * (bytes_of_state(number) + key_bytes);
  forecast.reason = kind_of_order + "width " + std::to_string(block.order.max_width) + ", at most " +
                    two_to(block.order.log2_peak_states) + " states" + (with_twins ? ", twins matched in turn" : "");
  if (const int ranks = num_ranks(options); ranks > 1) {
    const SpreadCost cost = choose_spread(steps(), options.frontier_engine, bytes_of_state(number),
                                          residues_to_spread(number.log2_bound, number.all_ones), ranks,
                                          static_cast<double>(resolve_memory_limit(options.run)));
    block.share_of_time = cost.time;
    if (cost.spread != FrontierSpread::first_rank) {
      forecast.memory_bytes = cost.memory_bytes;
      forecast.reason += (cost.spread == FrontierSpread::residues ? ", residues" : ", states") +
                         std::string(" shared by ") + std::to_string(ranks) + " ranks";
    }
  }
  forecast.seconds = seconds_of(block, Method::frontier, number, options);
  return forecast;
}

Forecast frontier_forecast(PreparedBlock& block, const BipartiteGraph& pattern, const std::vector<Vertex>& twin_before,
                           const NumberType& number, const CountOptions& options, const RunContext& run,
                           double useful_s) {
  block.order = choose_order(pattern, twin_before, number, options, run, useful_s);
  block.ordered = true;
  const auto steps = [&] { return frontier_steps(pattern, block.order.sequence, block.order.twin_before); };
  return frontier_forecast(block, steps, number, options, std::string(name(block.order.strategy)) + " order, ");
}

Forecast frontier_forecast(PreparedBlock& block, const UndirectedGraph& pattern, const NumberType& number,
                           const CountOptions& options, const RunContext& run, double useful_s) {
  block.order =
      find_frontier_order(pattern, options.run.seed, run, std::log2(useful_s / transition_seconds(number, infinity)),
                          order_share_of_time * options.run.time_limit_s);
  block.ordered = true;
  const auto steps = [&] { return frontier_steps(pattern, block.order.sequence); };
  return frontier_forecast(block, steps, number, options, "");
}

// The same along another order, by sorted states where they are few: all that is left to verify a graph with odd cycles
// and more vertices than expansion takes.
Forecast other_order_forecast(PreparedBlock& block, const UndirectedGraph& pattern, const NumberType& number,
                              const CountOptions& options, const RunContext& run) {
  constexpr double few_log2_transitions = 24;  // half a second merged
  PreparedBlock other;
  other.order =
      find_frontier_order(pattern, options.run.seed + 1, run, infinity, order_share_of_time * options.run.time_limit_s);
  // Another search may end where the first did; backwards, other vertices are on the frontier.
  if (other.order.sequence == block.order.sequence) std::ranges::reverse(other.order.sequence);
  block.other_engine =
      other.order.log2_transitions <= few_log2_transitions ? FrontierEngine::sparse : options.frontier_engine;
  const auto steps = [&] { return frontier_steps(pattern, other.order.sequence); };
  Forecast forecast = frontier_forecast(other, steps, number, options, "another order, ");
  forecast.other_order = true;
  if (block.other_engine == FrontierEngine::sparse) forecast.seconds *= merged_cost;
  block.other_order = std::move(other.order);
  return forecast;
}

Forecast not_applicable(Method method, std::string reason) {
  Forecast forecast;
  forecast.method = method;
  forecast.reason = std::move(reason);
  forecast.seconds = infinity;
  return forecast;
}

// Of a block that has a plan.
Forecast planar_forecast(const KasteleynPlan& plan, const KasteleynCost& cost, double seconds) {
  Forecast forecast;
  forecast.method = Method::planar;
  forecast.applies = true;
  forecast.log2_operations = std::log2(std::max(plan.structure.multiplications, 1.0) * cost.num_primes);
  forecast.seconds = seconds;
  forecast.memory_bytes = cost.memory_bytes;
  std::ostringstream text;
  if (plan.torus) text << "four Pfaffians on a torus, ";
  text << two_to(std::log2(std::max(plan.structure.multiplications, 1.0))) << " multiplications modulo each of at most "
       << std::fixed << std::setprecision(0) << cost.num_primes << (cost.num_primes == 1 ? " prime" : " primes");
  forecast.reason = text.str();
  return forecast;
}

Forecast planar_forecast(PreparedBlock& block, const UndirectedGraph& pattern, const NumberType& number,
                         const CountOptions& options, const RunContext& run) {
  block.planar = plan_kasteleyn(pattern, options.run.seed, run);
  if (!block.planar) return not_applicable(Method::planar, "not planar");
  const KasteleynCost cost = planar_cost(block, number, options);
  return planar_forecast(*block.planar, cost, seconds_with(cost, options));
}

std::string on_devices(const std::vector<DeviceInfo>& gpus) {
  return std::to_string(gpus.size()) + " GPU" + (gpus.size() > 1 ? "s" : "");
}

Forecast planar_gpu_forecast(const PreparedBlock& block, const NumberType& number, const CountOptions& options) {
  const KasteleynCost cost = kasteleyn_cost(*block.planar, planar_sizes(block, number), block.gpus, num_ranks(options));
  Forecast forecast = planar_forecast(*block.planar, cost, cost.seconds);
  forecast.on_gpu = true;
  forecast.reason = "on " + (num_ranks(options) > 1 ? std::to_string(num_ranks(options)) + " ranks of " : "") +
                    on_devices(block.gpus) + ", " + forecast.reason;
  return forecast;
}

Forecast subsets_forecast(const PreparedBlock& block, Method method, const NumberType& number,
                          const CountOptions& options) {
  const RyserPlan& plan = block.subsets(method);
  Forecast forecast;
  forecast.method = method;
  forecast.applies = true;
  forecast.log2_operations = plan.log2_leaves + std::log2(std::max(plan.operations_per_leaf, 1.0));
  forecast.seconds = seconds_of(block, method, number, options);
  forecast.memory_bytes = 1e6;
  std::ostringstream text;
  text.precision(3);
  text << two_to(plan.log2_leaves) << " subsets, " << plan.operations_per_leaf << " operations each";
  if (number.kind == WeightKind::integer || number.kind == WeightKind::none)
    text << ", " << num_primes(number) << " primes";
  forecast.reason = text.str();
  return forecast;
}

GpuCost gpu_cost_of(const PreparedBlock& block, const BipartiteGraph& pattern, Method method, const NumberType& number,
                    const CountOptions& options) {
  GpuCost cost = gpu_cost(pattern, block.subsets(method), number.kind, number.precision, number.log2_bound, block.gpus);
  cost.seconds /= num_ranks(options);
  return cost;
}

Forecast gpu_forecast(const PreparedBlock& block, const BipartiteGraph& pattern, Method method,
                      const NumberType& number, const CountOptions& options) {
  const GpuCost cost = gpu_cost_of(block, pattern, method, number, options);
  Forecast forecast;
  forecast.method = method;
  forecast.on_gpu = true;
  forecast.applies = true;
  forecast.log2_operations = cost.log2_leaves + std::log2(std::max(cost.operations_per_leaf, 1.0));
  forecast.seconds = cost.seconds;
  forecast.memory_bytes = 4e8;  // of a driver and its contexts, here
  std::ostringstream text;
  text.precision(3);
  text << "on ";
  if (num_ranks(options) > 1) text << num_ranks(options) << " ranks of ";
  text << on_devices(block.gpus) << ", " << two_to(cost.log2_leaves) << " subsets, " << cost.operations_per_leaf
       << " operations each";
  forecast.reason = text.str();
  return forecast;
}

Forecast expansion_forecast(const BipartiteGraph& pattern) {
  Forecast forecast;
  forecast.method = Method::expansion;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    forecast.log2_operations += std::log2(
        std::max<double>(1, static_cast<double>(std::min<std::size_t>(pattern.row(r).size(), pattern.num_rows() - r))));
  }
  forecast.applies = true;
  forecast.seconds = 2e-8 * std::exp2(forecast.log2_operations) * pattern.num_rows();
  forecast.memory_bytes = 1e4;
  forecast.reason = "at most " + two_to(forecast.log2_operations) + " permutations";
  return forecast;
}

Forecast expansion_forecast(const UndirectedGraph& pattern) {
  Forecast forecast;
  forecast.method = Method::expansion;
  // Every other vertex chooses among its neighbours, and among what is left.
  std::vector<std::size_t> degrees(pattern.num_vertices());
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) degrees[v] = pattern.neighbours(v).size();
  std::sort(degrees.begin(), degrees.end(), std::greater<>());
  for (std::size_t i = 0; 2 * i + 1 < degrees.size(); ++i) {
    forecast.log2_operations +=
        std::log2(static_cast<double>(std::max<std::size_t>(1, std::min(degrees[i], degrees.size() - 1 - 2 * i))));
  }
  forecast.applies = true;
  forecast.seconds = 2e-8 * std::exp2(forecast.log2_operations) * pattern.num_vertices();
  forecast.memory_bytes = 1e4;
  forecast.reason = "at most " + two_to(forecast.log2_operations) + " matchings";
  return forecast;
}

// Blocks with so few pairs in a matching are not worth a plan.
bool expanded_unplanned(const BlockPlan& block) {
  return (block.bipartite ? block.size : block.size / 2) <= max_unplanned_size;
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

// Whether a forecast is so small that no other is worth a look, where any will do.
bool is_momentary(const Forecast& forecast, const CountOptions& options) {
  return options.method == Method::automatic && options.device.kind != DeviceChoice::Kind::cuda &&
         forecast.seconds < momentary &&
         forecast.memory_bytes <= static_cast<double>(resolve_memory_limit(options.run));
}

// Whether GPUs are looked for, by the forecasts without.
bool is_worth_a_gpu(const std::vector<Forecast>& forecasts, const CountOptions& options, bool only_if_needed) {
  double cheapest = infinity;
  for (const Forecast& forecast : forecasts) cheapest = std::min(cheapest, forecast.seconds);
  return options.device.kind == DeviceChoice::Kind::cuda || !only_if_needed || cheapest > worth_a_gpu;
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

}  // namespace

const RyserPlan& PreparedBlock::subsets(Method method) const {
  return method == Method::ryser      ? ryser
         : method == Method::sparyser ? sparyser
         : method == Method::skipper  ? skipper
                                      : staged;
}

double predicted_seconds(const PreparedBlock& block, const BipartiteGraph& pattern, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options) {
  if (forecast.on_gpu && forecast.method == Method::planar) return planar_gpu_forecast(block, number, options).seconds;
  if (forecast.on_gpu) return gpu_cost_of(block, pattern, forecast.method, number, options).seconds;
  return seconds_of(block, forecast.method, number, options);
}

double predicted_seconds(const PreparedBlock& block, const UndirectedGraph&, const Forecast& forecast,
                         const NumberType& number, const CountOptions& options) {
  if (forecast.on_gpu) return planar_gpu_forecast(block, number, options).seconds;
  return seconds_of(block, forecast.method, number, options);
}

bool allowed(const Forecast& forecast, const BlockPlan& block, const CountOptions& options) {
  if (options.method != Method::automatic && forecast.method != options.method) return false;
  if (forecast.method == Method::expansion && expanded_unplanned(block)) return true;
  return forecast.on_gpu ? options.device.kind != DeviceChoice::Kind::cpu
                         : options.device.kind != DeviceChoice::Kind::cuda;
}

PreparedBlock plan_block(const BipartiteGraph& pattern, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run, const std::vector<Vertex>& twin_before) {
  PreparedBlock block;
  block.plan.size = pattern.num_rows();
  block.plan.edges = pattern.num_edges();
  auto& forecasts = block.plan.forecasts;
  const auto wanted = [&](Method method) {
    return options.method == method || options.method == Method::automatic || !only_if_needed;
  };
  if (only_if_needed && options.method == Method::automatic && expanded_unplanned(block.plan)) {
    forecasts.push_back(expansion_forecast(pattern));
    return block;
  }
  const auto enough = [&] { return only_if_needed && is_momentary(forecasts.back(), options); };
  double useful_s = infinity;
  if (wanted(Method::planar)) {
    forecasts.push_back(planar_forecast(block, UndirectedGraph::from_bipartite(pattern), number, options, run));
    if (options.method == Method::automatic) useful_s = forecasts.back().seconds;
  }
  if (wanted(Method::frontier) && (forecasts.empty() || !enough())) {
    forecasts.push_back(frontier_forecast(block, pattern, twin_before, number, options, run, useful_s));
  }
  if (!enough()) {
    std::vector<Method> on_gpus;
    for (const Method method : {Method::staged, Method::skipper, Method::sparyser, Method::ryser}) {
      // The published forms never beat the staged one; they run when they are named.
      if (!wanted(method) || (only_if_needed && options.method != method && method != Method::staged)) continue;
      const bool listed = method != Method::sparyser || options.method == method;  // without a GPU
      if (pattern.num_rows() > max_subset_size) {
        if (listed) {
          forecasts.push_back(not_applicable(method, std::to_string(pattern.num_rows()) +
                                                         " rows; inclusion-exclusion takes " +
                                                         std::to_string(max_subset_size)));
        }
        continue;
      }
      RyserPlan& plan = method == Method::ryser      ? block.ryser
                        : method == Method::sparyser ? block.sparyser
                        : method == Method::skipper  ? block.skipper
                                                     : block.staged;
      plan = plan_ryser(pattern, variant(method), options.run.seed);
      on_gpus.push_back(method);
      if (method != Method::sparyser)
        forecasts.push_back(subsets_forecast(block, method, number, options));
      else if (options.method == method)
        forecasts.push_back(not_applicable(method, "sparyser runs on GPUs only"));
    }
    if (is_worth_a_gpu(forecasts, options, only_if_needed) && (!on_gpus.empty() || block.planar))
      block.gpus = choose_devices(options.device);
    if (!block.gpus.empty()) {
      if (block.planar && kasteleyn_runs_on(block.gpus))
        forecasts.push_back(planar_gpu_forecast(block, number, options));
      for (const Method method : on_gpus) forecasts.push_back(gpu_forecast(block, pattern, method, number, options));
    }
    if (options.method == Method::expansion || !only_if_needed) {
      forecasts.push_back(pattern.num_rows() <= max_expansion_size
                              ? expansion_forecast(pattern)
                              : not_applicable(Method::expansion, std::to_string(pattern.num_rows()) +
                                                                      " rows; expansion takes " +
                                                                      std::to_string(max_expansion_size)));
    }
  }
  rule_out_and_sort(block.plan, options);
  return block;
}

PreparedBlock plan_block(const UndirectedGraph& pattern, const NumberType& number, const CountOptions& options,
                         bool only_if_needed, const RunContext& run) {
  PreparedBlock block;
  block.plan.size = pattern.num_vertices();
  block.plan.bipartite = false;
  block.plan.edges = pattern.num_edges();
  auto& forecasts = block.plan.forecasts;
  const auto wanted = [&](Method method) {
    return options.method == method || options.method == Method::automatic || !only_if_needed;
  };
  if (only_if_needed && options.method == Method::automatic && expanded_unplanned(block.plan)) {
    forecasts.push_back(expansion_forecast(pattern));
    return block;
  }
  double useful_s = infinity;
  if (wanted(Method::planar)) {
    forecasts.push_back(planar_forecast(block, pattern, number, options, run));
    if (options.method == Method::automatic) useful_s = forecasts.back().seconds;
  }
  const bool enough = only_if_needed && !forecasts.empty() && is_momentary(forecasts.back(), options);
  if (wanted(Method::frontier) && !enough) {
    forecasts.push_back(frontier_forecast(block, pattern, number, options, run, useful_s));
  }
  if (block.planar && is_worth_a_gpu(forecasts, options, only_if_needed)) {
    block.gpus = choose_devices(options.device);
    if (!block.gpus.empty() && kasteleyn_runs_on(block.gpus)) {
      forecasts.push_back(planar_gpu_forecast(block, number, options));
    }
  }
  if (options.verify && !block.planar) {
    forecasts.push_back(other_order_forecast(block, pattern, number, options, run));
  }
  if (options.method == Method::expansion || !only_if_needed) {
    forecasts.push_back(pattern.num_vertices() <= max_expansion_vertices
                            ? expansion_forecast(pattern)
                            : not_applicable(Method::expansion, std::to_string(pattern.num_vertices()) +
                                                                    " vertices; expansion takes " +
                                                                    std::to_string(max_expansion_vertices)));
  }
  const bool for_any_graph = options.method == Method::automatic || options.method == Method::frontier ||
                             options.method == Method::planar || options.method == Method::expansion;
  if (!for_any_graph) {
    forecasts.push_back(not_applicable(
        options.method,
        "the block has odd cycles; " + std::string(to_string(options.method)) + " takes bipartite ones"));
  }
  rule_out_and_sort(block.plan, options);
  return block;
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
  throw Unable(block + " needs about " + duration(cheapest->seconds) + " and " + memory_amount(cheapest->memory_bytes) +
               " (" + std::string(to_string(cheapest->method)) + ": " + cheapest->reason + "); the limits leave " +
               (std::isinf(seconds_left) ? std::string("any time") : duration(std::max(seconds_left, 0.0))) + " and " +
               memory_amount(memory));
}

}  // namespace matchcount
