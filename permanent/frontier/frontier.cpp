#include "permanent/frontier/frontier.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/work.hpp"
#include "permanent/bound.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/partitioned.hpp"
#include "permanent/frontier/cpu/run.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/residues.hpp"

namespace matchcount {
namespace {

// The order that a run which goes on, and other ranks, have taken: the search depends on limits too.
FrontierOrder agreed_order(const FrontierOrder& mine, const RunContext& run) {
  if (!run.work()) return mine;
  const auto text_of = [](const Bytes& bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  ByteWriter out;
  out.put_vector(mine.sequence);
  out.put_vector(mine.twin_before);
  const std::string agreed = run.work()->decide(run.part() + ", order", text_of(out.take()));
  ByteReader in(std::as_bytes(std::span(agreed)));
  FrontierOrder order = mine;
  order.sequence = in.get_vector<Vertex>();
  order.twin_before = in.get_vector<Vertex>();
  return order;
}

// What all ranks do: the choice of the first.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double bytes_of_state,
                         std::size_t num_primes, const RunContext& run) {
  const auto mine = [&] {
    return choose_spread(steps, engine, bytes_of_state, num_primes, run.num_ranks(), run.num_threads(),
                         static_cast<double>(run.memory_limit_bytes()));
  };
  if (!run.work() || run.num_ranks() == 1) {
    return num_primes > 0 && residues_may_pay(steps, engine) ? mine() : SpreadCost{};
  }
  ByteWriter out;
  out.put(mine());
  return ByteReader(run.work()->tell_all(out.take(), run).front()).get<SpreadCost>();
}

// Runs on one process and, where there are several, on the first, or on all of them. What it returns there is kept once
// it is done.
Bytes run_here(const RunContext& run, FrontierSpread spread, const std::string& name, const std::string& description,
               const std::function<Bytes()>& compute) {
  Work here;
  Work& work = run.work() ? *run.work() : here;
  const Job job{name, description, 1, {}};
  Bytes record;
  const bool together = spread == FrontierSpread::partitioned && !work.is_done(job, run);
  if (together) record = compute();
  return total_of(work.run(job, [&](Pieces& pieces) {
    if (!work.is_first()) return;
    const auto piece = pieces.take();
    if (piece) pieces.give(*piece, together ? record : compute());
  }));
}

template <class Arithmetic>
auto run_steps(const FrontierSteps& steps, Arithmetic& arithmetic, FrontierEngine engine, FrontierSpread spread,
               const RunContext& run, const std::string& name, const std::string& description) {
  if (spread == FrontierSpread::partitioned) {
    return PartitionedRun<Arithmetic>(steps, arithmetic, run, name, description).run();
  }
  return FrontierRun<Arithmetic>(steps, arithmetic, engine, run, name, description).run();
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

// Entries in a term.
template <class Entry>
double term_size(const Block<Entry>& block) {
  return block.pattern.num_rows();
}
template <class Entry>
double term_size(const GraphBlock<Entry>& block) {
  return block.pattern.num_vertices() / 2.0;
}

double log2_bound(const Block<std::int64_t>& block) { return log2_permanent_bound(block); }
double log2_bound(const GraphBlock<std::int64_t>& block) { return log2_hafnian_bound(block); }

// m! for every class of m twins, as its factors: the i-th of a class has i.
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
FloatOutcome run_floats(const AnyBlock& block, const FrontierSteps& steps, FrontierEngine engine, const RunContext& run,
                        const std::string& what, WeightsOf&& weights_of) {
  const std::string name = run.part() + ", " + what;
  const std::string description = "frontier method in numbers of " + std::to_string(Sum::planes) + " doubles";
  const FrontierSpread spread = agreed_spread(steps, engine, 8.0 * Sum::planes, 0, run).spread;
  const Bytes record = run_here(run, spread, name, description, [&] {
    std::vector<double> weights;
    weights.reserve(block.entries.size() * Sum::planes);
    for (const auto& entry : block.entries) weights_of(entry, weights);
    const std::vector<double> row_log2 = row_sums_log2(block);
    FloatArithmetic<Sum, kernel> arithmetic(std::move(weights), row_log2, static_cast<Vertex>(row_log2.size()));
    ByteWriter out;
    out.put_vector(run_steps(steps, arithmetic, engine, spread, run, name + " so far", description));
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
                          const RunContext& run) {
  const FloatOutcome outcome = run_floats<RealSum, &FrontierKernels::real>(
      block, steps, engine, run, "magnitudes",
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

// agreed_spread for an exact count. A run that was begun in other numbers goes on in them.
SpreadCost agreed_spread(const FrontierSteps& steps, FrontierEngine engine, double log2_bound, const RunContext& run) {
  const auto mine = [&](std::size_t num_primes) {
    return agreed_spread(steps, engine, 8 * words_of_state(log2_bound), num_primes, run);
  };
  if (!run.work()) return mine(residues_needed(log2_bound));
  const std::string numbers = run.part() + ", numbers";
  const auto begun = run.work()->decided(numbers);
  SpreadCost spread;
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
  if (!gpus.empty() && gpus_take(steps, engine) && !begun_in_words) {
    return count_on_gpus(steps, block.entries, log2_bound(block), gpus, run);
  }
  const SpreadCost choice = agreed_spread(steps, engine, log2_bound(block), run);
  const FrontierSpread spread = choice.spread;
  if (spread == FrontierSpread::residues) {
    Integer result = count_by_residues(steps, engine, block.entries, log2_bound(block), choice.primes_at_once, run);
    multiply(result, twin_factors(order));
    return result;
  }
  const std::string description = "frontier method in integers of 64-bit words";
  const Bytes record = run_here(run, spread, run.part(), description, [&] {
    WordsArithmetic arithmetic(block.entries, log2_bound(block));
    return vector_bytes(run_steps(steps, arithmetic, engine, spread, run, run.part() + ", so far", description));
  });
  const auto words = ByteReader(record).get_vector<Word>();
  if (words.empty()) return 0;
  Integer result = from_magnitude(words);
  if (words.back() >> 63) result -= Integer(1) << (64 * static_cast<unsigned>(words.size()));
  multiply(result, twin_factors(order));
  return result;
}

template <class AnyBlock>
RealValue real_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine, Precision precision,
                        const RunContext& run) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const bool as_double = precision == Precision::float64;
  const FloatOutcome outcome =
      as_double ? run_floats<RealSum, &FrontierKernels::real>(
                      block, steps, engine, run, "values",
                      [](const RealEntry& entry, std::vector<double>& out) { out.push_back(entry.value.hi); })
                : run_floats<DoubleDoubleSum, &FrontierKernels::double_double>(
                      block, steps, engine, run, "values", [](const RealEntry& entry, std::vector<double>& out) {
                        out.insert(out.end(), {entry.value.hi, entry.value.lo});
                      });
  // Where no entry is negative or hides a cancellation, the value is its own magnitude, to a factor of (1 + 2^-30)^n
  // and rounding.
  const bool positive = std::all_of(block.entries.begin(), block.entries.end(), [](const RealEntry& entry) {
    return entry.value.hi >= 0 && entry.magnitude <= entry.value.hi * (1 + 0x1p-30);
  });
  const double log2_magnitudes = positive ? log2_sum(outcome.value.re.log2_abs(), outcome.log2_underflow) +
                                                term_size(block) * 0x1p-29 + 4 * outcome.roundings * double_roundoff
                                          : log2_of_magnitudes(block, steps, engine, run);
  RealValue value{outcome.value.re,
                  log2_error(outcome, log2_magnitudes, as_double ? double_roundoff : DoubleDouble::unit_roundoff,
                             as_double ? double_roundoff + entry_roundoff : entry_roundoff, term_size(block)),
                  log2_magnitudes};
  multiply(value, twin_factors(order));
  return value;
}

template <class AnyBlock>
ComplexValue complex_frontier(const AnyBlock& block, const FrontierOrder& given, FrontierEngine engine,
                              Precision precision, const RunContext& run) {
  const FrontierOrder order = agreed_order(given, run);
  const FrontierSteps steps = steps_along(block, order);
  if (steps.impossible) return {{}, no_terms, no_terms};
  const bool as_double = precision == Precision::float64;
  const FloatOutcome outcome =
      as_double
          ? run_floats<ComplexSum, &FrontierKernels::complex>(
                block, steps, engine, run, "values",
                [](const ComplexEntry& entry, std::vector<double>& out) {
                  out.insert(out.end(), {entry.value.re.hi, entry.value.im.hi});
                })
          : run_floats<ComplexDoubleDoubleSum, &FrontierKernels::complex_double_double>(
                block, steps, engine, run, "values", [](const ComplexEntry& entry, std::vector<double>& out) {
                  out.insert(out.end(), {entry.value.re.hi, entry.value.re.lo, entry.value.im.hi, entry.value.im.lo});
                });
  const double log2_magnitudes = log2_of_magnitudes(block, steps, engine, run);
  const double unit = complex_factor * (as_double ? double_roundoff : DoubleDouble::unit_roundoff);
  const double entry_error = 2 * (as_double ? double_roundoff + entry_roundoff : entry_roundoff);
  ComplexValue value{outcome.value, log2_error(outcome, log2_magnitudes, unit, entry_error, term_size(block)),
                     log2_magnitudes};
  multiply(value, twin_factors(order));
  return value;
}

}  // namespace

Integer permanent_frontier(const Block<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                           const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return exact_frontier(block, order, engine, run, gpus);
}
RealValue permanent_frontier(const Block<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                             Precision precision, const RunContext& run) {
  return real_frontier(block, order, engine, precision, run);
}
ComplexValue permanent_frontier(const Block<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                                Precision precision, const RunContext& run) {
  return complex_frontier(block, order, engine, precision, run);
}

Integer hafnian_frontier(const GraphBlock<std::int64_t>& block, const FrontierOrder& order, FrontierEngine engine,
                         const RunContext& run, const std::vector<DeviceInfo>& gpus) {
  return exact_frontier(block, order, engine, run, gpus);
}
RealValue hafnian_frontier(const GraphBlock<RealEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                           Precision precision, const RunContext& run) {
  return real_frontier(block, order, engine, precision, run);
}
ComplexValue hafnian_frontier(const GraphBlock<ComplexEntry>& block, const FrontierOrder& order, FrontierEngine engine,
                              Precision precision, const RunContext& run) {
  return complex_frontier(block, order, engine, precision, run);
}

}  // namespace matchcount
