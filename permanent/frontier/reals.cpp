// This file sums reals and complex numbers along an order, with their bounds.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

#include "core/entry_error.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cuda/lean_gpu.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/residues.hpp"
#include "permanent/frontier/run_along.hpp"

namespace matchcount {
namespace {

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
  const double states = gpu::bytes_for_layers(static_cast<double>(contexts.size()) * free_bytes) / (8.0 * planes);
  const auto span = std::min(static_cast<std::size_t>(std::max(states, 0.0)), gpu::side_by_side_states(steps));
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
    const bool on_gpu = !gpus.empty() && gpus_take(steps, engine);
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

// The bound of the comment on numbers.hpp, with one rounding an entry for its own error: 2^-53 where it was rounded to
// a double, 2^-100 for what its double-double lacks.
template <class V, class AnyBlock>
V float_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, Precision precision,
                 const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  constexpr bool is_real = std::is_same_v<V, RealValue>;
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const bool as_double = precision == Precision::float64;
  const FloatKind kind = is_real ? (as_double ? FloatKind::real : FloatKind::double_double)
                                 : (as_double ? FloatKind::complex : FloatKind::complex_double_double);
  const FloatRuns runs{steps, engine, gpus, run};
  const FloatOutcome outcome = runs.sum(kind, "values", [&] { return float_weights(kind, block.entries); });
  double log2_magnitudes = 0;
  if (is_real && are_positive(block.entries)) {
    log2_magnitudes = log2_sum(outcome.value(kind).re.log2_abs(), outcome.log2_underflow) + term_size(block) * 0x1p-29 +
                      4 * outcome.roundings * double_roundoff;
  } else {
    const FloatOutcome bound = runs.sum(FloatKind::real, "magnitudes", [&] { return magnitudes_of(block.entries); });
    log2_magnitudes = log2_sum(bound.value(FloatKind::real).re.log2_abs() + 2 * bound.roundings * double_roundoff,
                               bound.log2_underflow);
  }
  const double unit = (is_real ? 1 : complex_factor) * (as_double ? double_roundoff : DoubleDouble::unit_roundoff);
  const double entry_error = (is_real ? 1 : 2) * (as_double ? double_roundoff + entry_roundoff : entry_roundoff);
  const double gamma = 1.01 * (outcome.roundings * unit + term_size(block) * entry_error);
  V value = bounded<V>(outcome.value(kind), log2_sum(std::log2(gamma) + log2_magnitudes, outcome.log2_underflow) + 1e-9,
                       log2_magnitudes);
  multiply(value, twin_factors(order));
  return value;
}

}  // namespace

RealValue permanent_frontier(const Block<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                             Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return float_frontier<RealValue>(block, order, engine, precision, run, gpus);
}
ComplexValue permanent_frontier(const Block<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                                Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return float_frontier<ComplexValue>(block, order, engine, precision, run, gpus);
}
RealValue hafnian_frontier(const GraphBlock<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                           Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return float_frontier<RealValue>(block, order, engine, precision, run, gpus);
}
ComplexValue hafnian_frontier(const GraphBlock<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                              Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return float_frontier<ComplexValue>(block, order, engine, precision, run, gpus);
}

}  // namespace matchcount
