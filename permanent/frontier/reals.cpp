// Sums of reals and complex numbers along an order, with their bounds.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/entry_error.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cuda/lean_gpu_run.hpp"
#include "permanent/frontier/frontier.hpp"
#include "permanent/frontier/residues.hpp"
#include "permanent/frontier/run_along.hpp"

namespace matchcount {
namespace {

// Numbers of doubles, on a GPU, or on all of them together where they need to be.
template <class Arithmetic>
std::vector<double> run_on_gpus(const FrontierSteps& steps, Arithmetic& arithmetic, const std::vector<DeviceInfo>& gpus,
                                const RunContext& run, const std::string& name, const std::string& description) {
  std::vector<DeviceContext> contexts;
  double free_bytes = std::numeric_limits<double>::infinity();
  for (const DeviceInfo& gpu : gpus) {
    contexts.emplace_back(gpu);
    free_bytes = std::min(free_bytes, static_cast<double>(contexts.back().free_bytes()));
    if (contexts.size() == 1 && gpus_of_reals(steps, arithmetic.source_planes(), gpus, free_bytes) <= 1) break;
  }
  const int planes = arithmetic.source_planes();
  const double states = gpu::bytes_for_layers(static_cast<double>(contexts.size()) * free_bytes) / (8.0 * planes);
  const auto span = std::min(static_cast<std::size_t>(std::max(states, 0.0)), gpu::side_by_side_states(steps));
  gpu::FrontierDevice device(contexts, planes, span, sizeof(double));
  return gpu::LeanGpuRun<Arithmetic>(steps, arithmetic, device.state(), run, name, description, {}, false).run();
}

// Entries in a term.
template <class Entry>
double term_size(const Block<Entry>& block) {
  return block.pattern.num_rows();
}
template <class Entry>
double term_size(const GraphBlock<Entry>& block) {
  return block.pattern.num_vertices() / 2.0;
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

// What the float runs of one block have in common.
struct FloatOutcome {
  ScaledComplex value;  // im is 0 for reals
  double roundings = 0;
  double log2_underflow = -std::numeric_limits<double>::infinity();
};

double log2_of_sum(double sum) { return std::max(0.0, std::log2(sum)) + 1e-9; }

// log2 of max(1, sum of magnitudes), of every row or of every vertex.
template <class Entry>
std::vector<double> row_sums_log2(const GraphBlock<Entry>& block) {
  std::vector<double> result(block.pattern.num_vertices());
  for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) {
    double sum = 0;
    for (const EdgeId edge : block.pattern.incident_edges(v)) sum += block.entries[edge].magnitude;
    result[v] = log2_of_sum(sum);
  }
  return result;
}
template <class Entry>
std::vector<double> row_sums_log2(const Block<Entry>& block) {
  std::vector<double> result(block.pattern.num_rows());
  for (Vertex r = 0; r < block.pattern.num_rows(); ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < block.pattern.row(r).size(); ++i) {
      sum += block.entries[block.pattern.row_begin(r) + i].magnitude;
    }
    result[r] = log2_of_sum(sum);
  }
  return result;
}

// weights(entry, out) appends Sum::planes doubles.
template <class Sum, FrontierKernels::Float FrontierKernels::*kernel, class AnyBlock, class WeightsOf>
FloatOutcome run_floats(const AnyBlock& block, const FrontierSteps& steps, FrontierEngine engine,
                        const std::vector<DeviceInfo>& gpus, const RunContext& run, const std::string& what,
                        WeightsOf&& weights_of) {
  const std::string name = run.part() + ", " + what;
  const std::string description = "frontier method in numbers of " + std::to_string(Sum::planes) + " doubles";
  const bool on_gpu = !gpus.empty() && gpus_take(steps, engine);
  const FrontierSpread spread =
      on_gpu ? FrontierSpread::first_rank : agreed_spread(steps, engine, 8.0 * Sum::planes, 0, run).spread;
  const Bytes record = run_here(run, spread, name, description, [&] {
    std::vector<double> weights;
    weights.reserve(block.entries.size() * Sum::planes);
    for (const auto& entry : block.entries) weights_of(entry, weights);
    const std::vector<double> row_log2 = row_sums_log2(block);
    FloatArithmetic<Sum, kernel> arithmetic(std::move(weights), row_log2, static_cast<Vertex>(row_log2.size()));
    ByteWriter out;
    out.put_vector(on_gpu ? run_on_gpus(steps, arithmetic, gpus, run, name + " so far", description)
                          : run_steps(steps, arithmetic, engine, spread, run, name + " so far", description));
    out.put(arithmetic.roundings());
    out.put(arithmetic.log2_underflow());
    out.put(arithmetic.exponent());
    return out.take();
  });
  ByteReader in(record);
  auto planes = in.get_vector<double>();
  FloatOutcome outcome;
  outcome.roundings = in.get<double>();
  outcome.log2_underflow = in.get<double>();
  const auto e = in.get<std::int64_t>();
  if (planes.empty()) return outcome;
  planes.resize(4, 0);
  if constexpr (kernel == &FrontierKernels::real) outcome.value.re = {planes[0], e};
  if constexpr (kernel == &FrontierKernels::double_double) outcome.value.re = {DoubleDouble(planes[0], planes[1]), e};
  if constexpr (kernel == &FrontierKernels::complex) outcome.value = {{planes[0], e}, {planes[1], e}};
  if constexpr (kernel == &FrontierKernels::complex_double_double) {
    outcome.value = {{DoubleDouble(planes[0], planes[1]), e}, {DoubleDouble(planes[2], planes[3]), e}};
  }
  return outcome;
}

// log2 of an upper bound on the permanent or hafnian of the magnitudes, by a run in doubles.
template <class AnyBlock>
double log2_of_magnitudes(const AnyBlock& block, const FrontierSteps& steps, FrontierEngine engine,
                          const std::vector<DeviceInfo>& gpus, const RunContext& run) {
  const FloatOutcome outcome = run_floats<RealSum, &FrontierKernels::real>(
      block, steps, engine, gpus, run, "magnitudes",
      [](const auto& entry, std::vector<double>& out) { out.push_back(entry.magnitude); });
  return log2_sum(outcome.value.re.log2_abs() + 2 * outcome.roundings * 0x1p-53, outcome.log2_underflow);
}

// The bound of the comment on top, with one rounding an entry for its own error: 2^-53 where it was rounded to a
// double, 2^-100 for what its double-double lacks.
double log2_error(const FloatOutcome& outcome, double log2_magnitudes, double unit_roundoff, double entry_error,
                  double entries_in_term) {
  const double gamma = 1.01 * (outcome.roundings * unit_roundoff + entries_in_term * entry_error);
  return log2_sum(std::log2(gamma) + log2_magnitudes, outcome.log2_underflow) + 1e-9;
}

constexpr double no_terms = -std::numeric_limits<double>::infinity();  // log2 of an empty sum
constexpr double double_roundoff = 0x1p-53;
// A complex product or sum errs by less than 4 real units (Brent, Percival and Zimmermann 2007: sqrt(5)).
constexpr double complex_factor = 4;

template <class AnyBlock>
RealValue real_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, Precision precision,
                        const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const bool as_double = precision == Precision::float64;
  const FloatOutcome outcome =
      as_double ? run_floats<RealSum, &FrontierKernels::real>(
                      block, steps, engine, gpus, run, "values",
                      [](const RealEntry& entry, std::vector<double>& out) { out.push_back(entry.value.hi); })
                : run_floats<DoubleDoubleSum, &FrontierKernels::double_double>(
                      block, steps, engine, gpus, run, "values", [](const RealEntry& entry, std::vector<double>& out) {
                        out.insert(out.end(), {entry.value.hi, entry.value.lo});
                      });
  // Where no entry is negative or hides a cancellation, the value is its own magnitude, to a factor of (1 + 2^-30)^n
  // and rounding.
  const bool positive = std::all_of(block.entries.begin(), block.entries.end(), [](const RealEntry& entry) {
    return entry.value.hi >= 0 && entry.magnitude <= entry.value.hi * (1 + 0x1p-30);
  });
  const double log2_magnitudes = positive ? log2_sum(outcome.value.re.log2_abs(), outcome.log2_underflow) +
                                                term_size(block) * 0x1p-29 + 4 * outcome.roundings * double_roundoff
                                          : log2_of_magnitudes(block, steps, engine, gpus, run);
  RealValue value{outcome.value.re,
                  log2_error(outcome, log2_magnitudes, as_double ? double_roundoff : DoubleDouble::unit_roundoff,
                             as_double ? double_roundoff + entry_roundoff : entry_roundoff, term_size(block)),
                  log2_magnitudes};
  multiply(value, twin_factors(order));
  return value;
}

template <class AnyBlock>
ComplexValue complex_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine,
                              Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const bool as_double = precision == Precision::float64;
  const FloatOutcome outcome =
      as_double
          ? run_floats<ComplexSum, &FrontierKernels::complex>(
                block, steps, engine, gpus, run, "values",
                [](const ComplexEntry& entry, std::vector<double>& out) {
                  out.insert(out.end(), {entry.value.re.hi, entry.value.im.hi});
                })
          : run_floats<ComplexDoubleDoubleSum, &FrontierKernels::complex_double_double>(
                block, steps, engine, gpus, run, "values", [](const ComplexEntry& entry, std::vector<double>& out) {
                  out.insert(out.end(), {entry.value.re.hi, entry.value.re.lo, entry.value.im.hi, entry.value.im.lo});
                });
  const double log2_magnitudes = log2_of_magnitudes(block, steps, engine, gpus, run);
  const double unit = complex_factor * (as_double ? double_roundoff : DoubleDouble::unit_roundoff);
  const double entry_error = 2 * (as_double ? double_roundoff + entry_roundoff : entry_roundoff);
  ComplexValue value{outcome.value, log2_error(outcome, log2_magnitudes, unit, entry_error, term_size(block)),
                     log2_magnitudes};
  multiply(value, twin_factors(order));
  return value;
}

}  // namespace

RealValue permanent_frontier(const Block<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                             Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return real_frontier(block, order, engine, precision, run, gpus);
}
ComplexValue permanent_frontier(const Block<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                                Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return complex_frontier(block, order, engine, precision, run, gpus);
}
RealValue hafnian_frontier(const GraphBlock<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                           Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return real_frontier(block, order, engine, precision, run, gpus);
}
ComplexValue hafnian_frontier(const GraphBlock<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                              Precision precision, const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return complex_frontier(block, order, engine, precision, run, gpus);
}

}  // namespace matchcount
