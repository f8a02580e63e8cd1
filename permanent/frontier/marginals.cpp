#include "permanent/frontier/marginals.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/parallel.hpp"
#include "permanent/frontier/cpu/numbers.hpp"
#include "permanent/frontier/cpu/spread.hpp"
#include "permanent/frontier/cpu/transposed.hpp"
#include "permanent/frontier/run_along.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

// Terms of a sum that is made in doubles, by blocks of the dense engine (C(12, 6), or 2^10), one after another.
constexpr double terms_in_doubles = 1024;

template <class AnyBlock>
FrontierSteps steps_without_twins(const AnyBlock& block, const FrontierOrder& order) {
  if (!order.twin_before.empty()) throw InputError("an order with twins", "an order without");
  return frontier_steps(block.pattern, order.sequence);
}

// ---- Integers.

// Returns how many primes to do side by side: as many as leave room for all layers, and no more than pay.
std::size_t primes_at_once(const FrontierSteps& steps, std::size_t num_primes, const RunContext& run) {
  constexpr double most = 8, share_of_memory = 0.5;
  double states = 0;
  for (const FrontierStep& step : steps.steps) states += step.states;
  const double room =
      share_of_memory * static_cast<double>(run.memory_limit_bytes()) / (sizeof(std::uint32_t) * states);
  return static_cast<std::size_t>(std::clamp(room, 1.0, std::min(most, static_cast<double>(num_primes))));
}

// residues[i] of the total, and behind it of every edge, modulo primes[i].
void residues_of_marginals(const FrontierSteps& steps, const std::vector<std::int64_t>& entries,
                           std::span<const std::uint64_t> primes, FrontierEngine engine, const RunContext& run,
                           std::vector<std::vector<std::uint64_t>>& residues) {
  Residues arithmetic(entries, primes);
  LayerStore<Residues> store(steps, arithmetic, engine, run);
  const std::size_t first = residues.size();
  for (std::size_t k = 0; k < primes.size(); ++k) residues.emplace_back(entries.size() + 1, 0);
  if (!store.reached_end()) return;
  for (std::size_t k = 0; k < primes.size(); ++k) residues[first + k][0] = store.last_layer().values()[k];
  TransposedResidues transposed(arithmetic);
  BackwardRun<Residues, TransposedResidues> backward(store, transposed);
  backward.run([&](std::size_t t, std::size_t i, const TransposedResidues::Product* sums, std::int64_t) {
    const EdgeId edge = steps.steps[t].choices[i].edge;
    for (std::size_t k = 0; k < primes.size(); ++k) {
      residues[first + k][edge + 1] = transposed.residue(sums[k], k, i + 1);
    }
  });
}

template <class AnyBlock>
BlockMarginals<Integer> exact_marginals(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine,
                                        const RunContext& run) {
  const FrontierSteps steps = steps_without_twins(block, order);
  BlockMarginals<Integer> result{0, std::vector<Integer>(block.entries.size())};
  if (steps.impossible) return result;
  const std::vector<std::uint64_t> primes = primes_for(log2_sum_bound(block), residue_limit);
  const std::size_t num_primes = primes.size(), at_once = primes_at_once(steps, num_primes, run);
  std::vector<std::vector<std::uint64_t>> residues;
  for (std::size_t first = 0; first < num_primes; first += at_once) {
    residues_of_marginals(steps, block.entries, std::span(primes).subspan(first, std::min(at_once, num_primes - first)),
                          engine, run, residues);
  }
  std::vector<std::uint64_t> of_value(num_primes);
  const ChineseRemainder remainder(primes);
  const auto value = [&](std::size_t place) {
    for (std::size_t k = 0; k < num_primes; ++k) of_value[k] = residues[k][place];
    return remainder.value(of_value);
  };
  result.total = value(0);
  for (std::size_t edge = 0; edge < block.entries.size(); ++edge) result.of_edge[edge] = value(edge + 1);
  return result;
}

// ---- Reals and complex numbers.

// Sums in one number type, and what their error bounds are made of.
struct FloatMarginals {
  ScaledComplex total;  // im is 0 for reals
  std::vector<ScaledComplex> of_edge;
  double roundings = 0;         // of a term, beyond those of the sums of products
  double num_products = 0;      // in a sum of them, at the most
  double log2_lost = no_terms;  // by underflow, of each of them
};

FloatMarginals run_floats(const FrontierSteps& steps, FrontierEngine engine, const RunContext& run, FloatKind kind,
                          const std::vector<double>& weights) {
  const auto doubles = static_cast<std::size_t>(doubles_of(kind));
  FloatMarginals result;
  result.of_edge.resize(weights.size() / doubles);
  Floats number(kind, steps, weights);
  LayerStore<Floats> store(steps, number, engine, run);
  if (!store.reached_end()) return result;
  result.roundings = number.roundings();
  result.total = float_value(kind, store.last_layer().values(), store.last_layer().exponent);
  TransposedFloats transposed(kind, steps, weights);
  BackwardRun<Floats, TransposedFloats> backward(store, transposed);
  backward.run([&](std::size_t t, std::size_t i, const DoubleDouble* sums, std::int64_t exponent) {
    const EdgeId edge = steps.steps[t].choices[i].edge;
    const ScaledComplex sum{{sums[0], exponent}, doubles == 4 ? ScaledReal(sums[1], exponent) : ScaledReal()};
    result.of_edge[edge] = sum * float_value(kind, weights.data() + edge * doubles, 0);
  });
  result.num_products = backward.num_products();
  result.log2_lost = backward.log2_lost();
  return result;
}

// Bounds the error. On its way from a matching to a sum a term meets the roundings of the steps, half of them forwards
// and half backwards, a product of F, B and the weight and the additions of the sum of products. `by_magnitudes` has
// the same sums over magnitudes, in doubles or the values themselves, and what underflow loses: layers of values are no
// larger than those.
double log2_error(const FloatMarginals& values, const FloatMarginals& by_magnitudes, double log2_magnitude, Unit unit,
                  double entries_in_term) {
  const double in_sums = unit.roundoff == double_roundoff ? terms_in_doubles * double_roundoff : 0;
  const double gamma =
      1.01 * ((values.roundings + 3) * unit.roundoff + in_sums +
              values.num_products * complex_factor * DoubleDouble::unit_roundoff + entries_in_term * unit.entry_error);
  return log2_sum(std::log2(gamma) + log2_magnitude, by_magnitudes.log2_lost + 2) + 1e-9;
}

// Returns an upper bound on log2 of what the sum over magnitudes is, from the one that was computed.
double log2_magnitude_bound(const ScaledReal& computed, const FloatMarginals& by_magnitudes) {
  return log2_sum(computed.log2_abs() + 2 * (by_magnitudes.roundings + terms_in_doubles + 3) * double_roundoff,
                  by_magnitudes.log2_lost) +
         1e-9;
}

template <class V, class AnyBlock>
BlockMarginals<V> inexact_marginals(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine,
                                    const RunContext& run) {
  constexpr bool is_real = std::is_same_v<V, RealValue>;
  const FrontierSteps steps = steps_without_twins(block, order);
  const V zero{{}, no_terms, no_terms};
  BlockMarginals<V> result{zero, std::vector<V>(block.entries.size(), zero)};
  if (steps.impossible) return result;
  const bool positive = is_own_magnitude(block.entries);
  const FloatKind kind = positive  ? FloatKind::real
                         : is_real ? FloatKind::double_double
                                   : FloatKind::complex_double_double;
  const FloatMarginals values = run_floats(steps, engine, run, kind, float_weights(kind, block.entries));
  const FloatMarginals magnitudes =
      positive ? values : run_floats(steps, engine, run, FloatKind::real, magnitudes_of(block.entries));
  const Unit unit = unit_of(kind);
  const auto with_bounds = [&](const ScaledComplex& value, const ScaledComplex& magnitude) {
    const double log2_magnitude =
        log2_magnitude_bound(magnitude.re, magnitudes) + (positive ? term_size(block) * 0x1p-29 : 0);
    return bounded<V>(value, log2_error(values, magnitudes, log2_magnitude, unit, term_size(block)), log2_magnitude);
  };
  result.total = with_bounds(values.total, magnitudes.total);
  for (std::size_t e = 0; e < block.entries.size(); ++e)
    result.of_edge[e] = with_bounds(values.of_edge[e], magnitudes.of_edge[e]);
  return result;
}

}  // namespace

AnyMarginals marginals_frontier(const AnyBlock& given, const FrontierOrder& order, FrontierEngine engine,
                                const RunContext& run) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> AnyMarginals {
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return exact_marginals(*block, order, engine, run);
        } else {
          return inexact_marginals<BlockValue<Entry>>(*block, order, engine, run);
        }
      },
      given);
}

// ---- Samples.

namespace {

constexpr std::uint64_t samples_of_chunk = 4096;
// A step takes 20 ns or so a sample: fewer are over before a team has started, or while it waits on a busy machine.
constexpr std::size_t samples_of_a_team = 1 << 15;

// Lists the old states that each new state of a sparse step can come from, with the weights summed up.
struct Sources {
  struct Source {
    double sum;  // of the weights of those of the state up to here
    std::size_t state;
    std::size_t choice;
  };
  std::vector<std::size_t> offsets;
  std::vector<Source> sources;

  template <class Store>
  Sources(Store& store, std::size_t t, typename Store::Stored& before, const typename Store::Stored& after,
          const std::vector<double>& weights)
      : offsets(after.count + 2, 0) {
    store.for_each_transition(t, before, after,
                              [&](std::size_t, std::size_t target, std::size_t) { ++offsets[target + 2]; });
    for (std::size_t i = 2; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    sources.resize(offsets.back());
    // offsets[target + 1] is where the next source of `target` goes, and in the end where it has all.
    store.for_each_transition(t, before, after, [&](std::size_t source, std::size_t target, std::size_t choice) {
      const double weight = before.values()[source] * weights[choice];
      const std::size_t place = offsets[target + 1]++;
      const bool is_first = place == offsets[target];
      sources[place] = {is_first ? weight : sources[place - 1].sum + weight, source, choice};
    });
  }

  const Source& choose(std::size_t target, double uniform) const {
    const std::size_t end = offsets[target + 1];
    const double mark = uniform * sources[end - 1].sum;
    std::size_t place = offsets[target];
    while (place + 1 < end && sources[place].sum <= mark) ++place;
    return sources[place];
  }
};

class FrontierSampler : public PartSampler {
 public:
  template <class AnyBlock>
  FrontierSampler(const AnyBlock& block, const FrontierOrder& order, FrontierEngine engine, const RunContext& run)
      : steps_(steps_without_twins(block, order)),
        weights_(weights_of(block.entries)),
        number_(FloatKind::real, steps_, weights_),
        store_(steps_, number_, engine, run),
        matching_size_(static_cast<std::size_t>(term_size(block))) {
    if (!store_.reached_end()) throw InputError("a block without a perfect matching", "one that has samples");
  }

  std::size_t matching_size() const override { return matching_size_; }
  std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::size_t count) override;

 private:
  static std::vector<double> weights_of(const std::vector<RealEntry>& entries) {
    std::vector<double> weights;
    for (const RealEntry& entry : entries) {
      if (!(entry.value.hi > 0)) throw InputError("a weight that is not above 0", "weights above 0, to draw samples");
      weights.push_back(entry.value.hi);
    }
    return weights;
  }

  FrontierSteps steps_;
  std::vector<double> weights_;
  Floats number_;
  LayerStore<Floats> store_;
  std::size_t matching_size_;
};

std::vector<EdgeId> FrontierSampler::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                          std::size_t count) {
  const std::size_t size = matching_size_;
  std::vector<EdgeId> edges(size * count);
  std::vector<std::size_t> filled(count, 0);
  // Places of the samples: after a step the mask in a dense layer, the index in a sparse one.
  std::vector<Word> at(count, 0);
  const std::uint64_t num_chunks = (count + samples_of_chunk - 1) / samples_of_chunk;
  store_.backward([&](std::size_t t, auto& before, const auto& after) {
    const FrontierStep& step = steps_.steps[t];
    std::vector<double> weights{1};
    for (const auto& choice : step.choices) weights.push_back(weights_[choice.edge]);
    const auto walk = [&](const auto& choose) {
      parallel_for_chunks(
          count < samples_of_a_team ? 1 : store_.num_threads_, num_chunks, [&](std::uint64_t chunk, int) {
            store_.run_.check();
            const std::size_t end = std::min<std::size_t>(count, (chunk + 1) * samples_of_chunk);
            for (std::size_t i = chunk * samples_of_chunk; i < end; ++i) {
              const std::size_t choice =
                  choose(at[i], uniform_of_sample(seed, stream, first + i, static_cast<std::uint32_t>(t)));
              if (choice > 0) edges[i * size + filled[i]++] = step.choices[choice - 1].edge;
            }
          });
    };
    if (!before.is_dense) {
      const Sources sources(store_, t, before, after, weights);
      walk([&](Word& place, double uniform) {
        const auto& source = sources.choose(after.is_dense ? store_.indices_.index(place) : place, uniform);
        place = source.state;
        return source.choice;
      });
      return;
    }
    const DenseStep dense(steps_, store_.touches_, store_.indices_, t, before.layout, before.count);
    walk([&](Word& mask, double uniform) {
      double sum = 0;
      dense.for_each_source(mask, [&](Word source, std::size_t choice) {
        sum += before.values()[store_.indices_.index(source)] * weights[choice];
      });
      const double mark = uniform * sum;
      double so_far = 0;
      Word chosen = 0;
      std::size_t chosen_choice = 0;
      bool found = false;
      dense.for_each_source(mask, [&](Word source, std::size_t choice) {
        const double weight = before.values()[store_.indices_.index(source)] * weights[choice];
        if ((found && so_far > mark) || weight == 0) return;
        so_far += weight;
        chosen = source;
        chosen_choice = choice;
        found = true;
      });
      mask = chosen;
      return chosen_choice;
    });
  });
  return edges;
}

}  // namespace

std::unique_ptr<PartSampler> sampler_frontier(const AnyBlock& given, const FrontierOrder& order, FrontierEngine engine,
                                              const RunContext& run) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> std::unique_ptr<PartSampler> {
        if constexpr (std::is_same_v<Entry, RealEntry>)
          return std::make_unique<FrontierSampler>(*block, order, engine, run);
        throw Error("samples of numbers that are not real");
      },
      given);
}

}  // namespace matchcount
