#include "permanent/frontier/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include "core/error.hpp"
#include "core/work.hpp"
#include "permanent/frontier/cpu/dense.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/partitioned.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/residues.hpp"
#include "permanent/frontier/run_along.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

// Returns the order that a run which goes on, and other ranks, have taken: the search depends on limits too.
FrontierOrder agreed_order(const FrontierOrder& mine, const RunContext& run) {
  struct Order {
    std::vector<Vertex> sequence, twin_before;
    auto fields() { return std::tie(sequence, twin_before); }
  };
  FrontierOrder order = mine;
  std::tie(order.sequence, order.twin_before) = agreed(Order{mine.sequence, mine.twin_before}, "order", run).fields();
  return order;
}

// Returns the first rank's choice on all ranks.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, const RunContext& run) {
  const auto mine = [&] {
    return choose_spread(steps, engine, bytes_of_state, num_primes, run.num_ranks(), run.num_threads(),
                         static_cast<double>(run.memory_limit_bytes()));
  };
  if (!run.work() || run.num_ranks() == 1) {
    return num_primes > 0 && residues_may_pay(steps, engine) ? mine() : SpreadCost{};
  }
  return from_bytes<SpreadCost>(run.work()->tell_all(to_bytes(mine()), run).front());
}

template <class Entry>
FrontierSteps steps_along(const Block<Entry>& block, const FrontierOrder& order) {
  if (!order.twin_before.empty()) {
    // find_twins links the nearest in a class, so that all the twins of an order are among those it finds.
    std::vector<Vertex> found = find_twins(block);
    found.resize(order.twin_before.size(), unmatched);
    for (std::size_t v = 0; v < found.size(); ++v) {
      if (order.twin_before[v] != unmatched && order.twin_before[v] != found[v]) {
        throw InputError("twins that differ", "vertices with the same neighbours and equal entries");
      }
    }
  }
  return frontier_steps(block.pattern, order.sequence, order.twin_before);
}
template <class Entry>
FrontierSteps steps_along(const GraphBlock<Entry>& block, const FrontierOrder& order) {
  if (!order.twin_before.empty()) throw InputError("an order with twins", "an order of a graph that is not bipartite");
  return frontier_steps(block.pattern, order.sequence);
}

// Runs along the steps, on this process or over ranks; returns the planes of the one state that is left, or nothing.
template <class Number>
auto run_steps(const FrontierSteps& steps, Number& number, FrontierEngine engine, FrontierSpread spread,
               const RunContext& run, const std::string& name, const std::string& description) {
  if (spread == FrontierSpread::partitioned) return PartitionedRun(steps, number, run, name, description).run();
  return FrontierRun(steps, number, engine, run, name, description).run();
}

// Returns m! for every class of m twins, as its factors: the i-th of a class has i.
std::vector<std::uint32_t> twin_factors(const FrontierOrder& order) {
  std::vector<std::uint32_t> place(order.twin_before.size(), 1);
  std::vector<std::uint32_t> factors;
  for (std::size_t v = 0; v < place.size(); ++v) {
    if (order.twin_before[v] == unmatched) continue;
    place[v] = place[order.twin_before[v]] + 1;
    factors.push_back(place[v]);
  }
  return factors;
}

void multiply(Integer& value, const std::vector<std::uint32_t>& factors) {
  for (const std::uint32_t factor : factors) value *= factor;
}
// agreed_spread for an exact count. A run that was begun in other numbers goes on in them.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double log2_bound, const RunContext& run) {
  const auto mine = [&](std::size_t num_primes) {
    return agreed_spread(steps, engine, 8 * words_of_state(log2_bound), num_primes, run);
  };
  if (!run.work()) return mine(residues_needed(log2_bound));
  const std::string numbers = run.part() + ", numbers";
  const auto begun = run.work()->decided(numbers);
  SpreadCost spread;
  if (begun && begun->ends_with(in_2_bytes))
    throw Unable("the checkpoint has residues of 2 bytes, with which GPUs have to go on (--device cuda)");
  if (begun && *begun != "words") {
    spread.spread = FrontierSpread::residues;
    spread.primes_at_once = std::stoul(*begun);
    return spread;
  }
  spread = mine(begun ? 0 : residues_needed(log2_bound));
  const bool residues = spread.spread == FrontierSpread::residues;
  run.work()->decide(numbers, residues ? std::to_string(spread.primes_at_once) : "words");
  return spread;
}

template <class AnyBlock>
Integer exact_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, const RunContext& run,
                       const std::vector<DeviceInfo>& gpus) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return 0;
  if (engine == FrontierEngine::lean) require_dense_width(steps);
  const bool begun_in_words = run.work() && run.work()->decided(run.part() + ", numbers") == "words";
  if (!gpus.empty() && gpu_layers(steps, engine) != GpuLayers::none && !begun_in_words) {
    Integer result = count_on_gpus(steps, engine, block.entries, log2_sum_bound(block), gpus, run);
    multiply(result, twin_factors(order));
    return result;
  }
  const SpreadCost choice = agreed_spread(steps, engine, log2_sum_bound(block), run);
  const FrontierSpread spread = choice.spread;
  if (spread == FrontierSpread::residues) {
    Integer result = count_by_residues(steps, engine, block.entries, log2_sum_bound(block), choice.primes_at_once, run);
    multiply(result, twin_factors(order));
    return result;
  }
  const std::string description = "frontier method in integers of 64-bit words";
  const Bytes record = run_here(run, spread, run.part(), description, [&] {
    Words arithmetic(block.entries, log2_sum_bound(block));
    return to_bytes(run_steps(steps, arithmetic, engine, spread, run, run.part() + ", so far", description));
  });
  const auto words = from_bytes<std::vector<Word>>(record);
  if (words.empty()) return 0;
  Integer result = from_magnitude(words);
  if (words.back() >> 63) result -= Integer(1) << (64 * static_cast<unsigned>(words.size()));
  multiply(result, twin_factors(order));
  return result;
}

// ---- Reals and complex numbers, with their bounds.

// Runs numbers of doubles on one GPU, or on all of them together if one has no room.
std::vector<double> run_on_gpus(const FrontierSteps& steps, Floats& number, const std::vector<DeviceInfo>& gpus,
                                const RunContext& run, const std::string& name, const std::string& description) {
  std::vector<DeviceContext> contexts;
  double free_bytes = std::numeric_limits<double>::infinity();
  for (const DeviceInfo& gpu : gpus) {
    contexts.emplace_back(gpu);
    free_bytes = std::min(free_bytes, static_cast<double>(contexts.back().free_bytes()));
    if (contexts.size() == 1 && gpus_of_reals(steps, number.source_planes(), gpus, free_bytes) <= 1) break;
  }
  const int planes = number.source_planes();
  const double states = gpu::bytes_for_layers(free_bytes, contexts.size()) / (8.0 * planes);
  const auto span =
      std::min(static_cast<std::size_t>(std::max(states, 0.0)), gpu::side_by_side_states(steps, contexts.size()));
  gpu::FrontierDevice device(contexts, planes, span, sizeof(double));
  return gpu::run_on_gpu(steps, number, device, run, name, description);
}

void multiply(ScaledReal& value, double factor) { value = value * ScaledReal(factor); }
void multiply(ScaledComplex& value, double factor) {
  multiply(value.re, factor);
  multiply(value.im, factor);
}
// A real or complex value with its bounds. Each product errs by at most 2^-100 of the magnitudes, and so does each of
// the logarithms' sums.
template <class V>
void multiply(V& value, const std::vector<std::uint32_t>& factors) {
  if (factors.empty()) return;
  double log2_factor = 0;
  for (const std::uint32_t factor : factors) {
    multiply(value.value, static_cast<double>(factor));
    log2_factor += std::log2(factor) + 1e-12;
  }
  value.log2_magnitudes += log2_factor;
  value.log2_error = log2_sum(value.log2_error + log2_factor,
                              value.log2_magnitudes + std::log2(static_cast<double>(factors.size())) - 100);
}

// FloatRuns sums along the steps of one block, in any kind of doubles.
struct FloatRuns {
  const FrontierSteps& steps;
  FrontierEngine engine;
  const std::vector<DeviceInfo>& gpus;
  const RunContext& run;

  FloatOutcome sum(FloatKind kind, const std::string& what, const std::function<std::vector<double>()>& weights) const {
    const std::string name = run.part() + ", " + what;
    const int doubles = doubles_of(kind);
    const std::string description = "frontier method in numbers of " + std::to_string(doubles) + " doubles";
    const bool on_gpu = !gpus.empty() && gpu_layers(steps, engine) == GpuLayers::dense;
    const FrontierSpread spread =
        on_gpu ? FrontierSpread::first_rank : agreed_spread(steps, engine, 8.0 * doubles, 0, run).spread;
    const Bytes record = run_here(run, spread, name, description, [&] {
      Floats number(kind, steps, weights());
      std::vector<double> last = on_gpu ? run_on_gpus(steps, number, gpus, run, name + " so far", description)
                                        : run_steps(steps, number, engine, spread, run, name + " so far", description);
      return to_bytes(number.outcome(std::move(last)));
    });
    return from_bytes<FloatOutcome>(record);
  }
};

template <class V, class AnyBlock>
V float_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, Precision precision,
                 const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  constexpr bool is_real = std::is_same_v<V, RealValue>;
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const FloatKind kind = float_kind(is_real, precision);
  const FloatRuns runs{steps, engine, gpus, run};
  const FloatOutcome outcome = runs.sum(kind, "values", [&] { return float_weights(kind, block.entries); });
  double log2_magnitudes = 0;
  if (is_own_magnitude(block.entries)) {
    log2_magnitudes = log2_sum(outcome.value(kind).re.log2_abs(), outcome.log2_underflow) + term_size(block) * 0x1p-29 +
                      4 * outcome.roundings * double_roundoff;
  } else {
    log2_magnitudes =
        log2_of_magnitudes(runs.sum(FloatKind::real, "magnitudes", [&] { return magnitudes_of(block.entries); }));
  }
  V value = bounded<V>(kind, outcome, log2_magnitudes, term_size(block));
  multiply(value, twin_factors(order));
  return value;
}

}  // namespace

Value sum_frontier(const AnyBlock& given, const FrontierOrder& order, FrontierEngine engine, Precision precision,
                   const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> Value {
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return exact_frontier(*block, order, engine, run, gpus);
        } else {
          return float_frontier<BlockValue<Entry>>(*block, order, engine, precision, run, gpus);
        }
      },
      given);
}

}  // namespace matchcount
