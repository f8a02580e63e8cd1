#include "permanent/engine/product.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "core/work.hpp"
#include "graph/vertices.hpp"
#include "permanent/engine/methods.hpp"

namespace matchcount {

namespace {

// Double-doubles are taken where they cost no more than this,
constexpr double cheap_s = 1;
// or, where doubles left fewer than six digits, than that, beside what was spent.
constexpr double affordable_s = 60;
constexpr double poor_relative_error = 0x1p-20;
// --verify must not turn a second into a day.
constexpr double affordable_check_s = 600;
// A method that shares no code is preferred to another order up to here.
constexpr double preferred_check_s = 10;

// |ab - AB| <= |a| |b - B| + |b| |a - A| + |a - A| |b - B|, and a product's own rounding.
template <class V>
V bounded_product(const V& a, const V& b) {
  const double log2_a = log2_of(a), log2_b = log2_of(b);
  V result;
  result.value = a.value * b.value;
  result.log2_error = log2_sum(log2_sum(log2_a + b.log2_error, log2_b + a.log2_error),
                               log2_sum(a.log2_error + b.log2_error, log2_a + log2_b - 98));
  result.log2_magnitudes = a.log2_magnitudes + b.log2_magnitudes;
  return result;
}
void shift(ScaledReal& value, std::int64_t exponent) {
  if (!value.is_zero()) value.exponent += exponent;
}
void shift(ScaledComplex& value, std::int64_t exponent) {
  shift(value.re, exponent);
  shift(value.im, exponent);
}
template <class V>
void shift_all(V& value, std::int64_t exponent) {
  shift(value.value, exponent);
  value.log2_error += static_cast<double>(exponent);
  value.log2_magnitudes += static_cast<double>(exponent);
}

void count_as_lost(Integer&, double) {}
template <class V>
void count_as_lost(V& value, double log2_lost) {
  value.log2_error = log2_sum(value.log2_error, log2_lost);
}

// Holds what a reduction with so many merged vertices left.
template <class Entry>
struct Parts {
  const std::vector<Entry>& factors;
  Vertex degree2 = 0;
  std::vector<BlockValue<Entry>> blocks;
  const std::vector<EntryScaling>& block_scaling;
  const EntryScaling& scaling;  // before it
  bool exact = false;
  double entry_error = 0;
};

Integer combine(Parts<std::int64_t> parts) {
  for (const std::int64_t factor : parts.factors) parts.blocks.push_back(factor);
  return product_of(std::move(parts.blocks), Integer(1), [](const Integer& a, const Integer& b) { return a * b; });
}
template <class Entry>
BlockValue<Entry> combine(Parts<Entry> parts) {
  BlockValue<Entry> product = number_of(Entry{1.0, 1.0});
  for (const Entry& factor : parts.factors) product = times(product, number_of(factor));
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    count_as_lost(parts.blocks[i], parts.block_scaling[i].log2_lost);
    shift(parts.blocks[i], parts.block_scaling[i].exponent);
    product = times(product, parts.blocks[i]);
  }
  // The merges' own rounding (matching/reduce.hpp) and one of 2^-100 for every factor that the input gave.
  const double steps =
      parts.exact ? 0
                  : parts.degree2 * 0x1p-99 + static_cast<double>(parts.factors.size()) * 0x1p-100 + parts.entry_error;
  if (steps > 0) count_as_lost(product, std::log2(steps) + product.log2_magnitudes);
  count_as_lost(product, parts.scaling.log2_lost);
  shift(product, parts.scaling.exponent);
  return product;
}

// Returns log2 of the product of row sums or, in any graph, of the root of that of all vertices' sums.
template <class Graph, class Entry>
double log2_sums(const BlockOf<Graph, Entry>& block) {
  constexpr bool has_sides = std::is_same_v<Graph, BipartiteGraph>;
  double sums = 0;
  for (Vertex v = 0; v < (has_sides ? num_vertices(block.pattern) / 2 : num_vertices(block.pattern)); ++v) {
    double sum = 0;
    for_each_neighbour(block.pattern, v, [&](Vertex, EdgeId edge) { sum += block.entries[edge].magnitude; });
    sums += std::log2(sum) + 1e-9;
  }
  return has_sides ? sums : sums / 2;
}

bool are_equal(const Integer& a, const Integer& b) { return a == b; }
bool are_equal(const RealValue& a, const RealValue& b) {
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}
bool are_equal(const ComplexValue& a, const ComplexValue& b) {
  const ScaledComplex difference{a.value.re + -b.value.re, a.value.im + -b.value.im};
  return log2_abs(difference) <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}

}  // namespace

PreparedBlock prepare_block(const AnyBlock& block, const CountOptions& options, bool all, double seconds_left,
                            const RunContext& run) {
  CountOptions planned = options;
  if (options.verify) planned.method = Method::automatic;
  const Precision asked = options.run.precision;
  const bool is_open = asked == Precision::automatic && !has_integers(block);
  const Precision first = is_open ? Precision::double_double : asked;
  PreparedBlock prepared = plan_block(block, number_type(block, first), planned, !all && !options.verify, run);
  prepared.plan.precision = has_integers(block) ? Precision::automatic : first;
  if (!is_open) return prepared;
  const Forecast* followed = affordable(prepared.plan, options, seconds_left);
  if (followed && (followed->seconds <= cheap_s || entry_of(followed->method).has_one_precision)) return prepared;
  prepared.plan.precision = Precision::float64;
  plan_for(prepared, block, number_type(block, Precision::float64), planned, run);
  return prepared;
}

BlockOutcome run_block(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& chosen,
                       const CountOptions& options, const RunContext& run) {
  const auto seconds_in_double_doubles = [&] {
    return predicted_seconds(prepared, block, chosen, number_type(block, Precision::double_double), options, run);
  };
  const auto value_in = [&](Precision precision, const RunContext& part) {
    return entry_of(chosen.method).run({block, *prepared.plan_of(chosen), precision, prepared.gpus_of(chosen)}, part);
  };
  BlockOutcome outcome;
  outcome.precision = agreed(prepared.plan.precision, "precision", run);
  outcome.value = value_in(outcome.precision, run);
  const bool is_poor = options.run.precision == Precision::automatic && outcome.precision == Precision::float64 &&
                       relative_error(outcome.value) > poor_relative_error;
  const RunContext again = run.in_part(run.part() + ", again");
  if (is_poor &&
      agreed(seconds_in_double_doubles() <= std::min(affordable_s, run.seconds_left()), "is affordable", again)) {
    outcome.precision = Precision::double_double;
    outcome.value = value_in(outcome.precision, again);
  }
  bound_magnitudes(outcome.value, block);
  return outcome;
}

Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  const double limit = std::min(affordable_check_s, 2 * seconds_left);
  const auto memory = static_cast<double>(resolve_memory_limit(options.run));
  const Forecast* cheapest = nullptr;
  const Forecast* other_order = nullptr;
  for (const Forecast& forecast : plan.forecasts) {
    if (!forecast.applies) continue;
    const bool affordable = forecast.seconds <= limit && forecast.memory_bytes <= memory;
    if (forecast.method == first.method) {
      if (forecast.other_order != first.other_order && affordable) other_order = &forecast;
      continue;
    }
    if (entry_of(forecast.method).room == entry_of(first.method).room) continue;
    if (!cheapest) cheapest = &forecast;
    if (affordable && (forecast.seconds <= preferred_check_s || !other_order)) return forecast;
  }
  if (other_order) return *other_order;
  const std::string block = "a block of " + std::to_string(plan.size) + (plan.bipartite ? " rows" : " vertices");
  if (!cheapest) throw Unable("no second method applies to " + block + ", so that nothing can verify it");
  throw Unable("a second method to verify " + block + " would need about " + time_amount(cheapest->seconds) + " (" +
               std::string(to_string(cheapest->method)) + ")");
}

Value run_second(const AnyBlock& block, const PreparedBlock& prepared, const Forecast& second, Precision precision,
                 const RunContext& run) {
  const auto run_by = [&](const AnyBlock& given, Precision in) {
    return entry_of(second.method).run({given, *prepared.plan_of(second), in, prepared.gpus_of(second)}, run);
  };
  if (precision != Precision::exact) return run_by(block, precision);
  return std::visit(
      [&](const auto* given) {
        auto scaled = *given;
        const EntryScaling scaling = scale_entries(scaled.pattern, scaled.entries, run);
        Value value = run_by(&scaled, Precision::double_double);
        undo_scaling(value, scaling);
        return value;
      },
      block);
}

void Verified::note(const std::string& how) {
  if (by.find(how) == std::string::npos) by += (by.empty() ? "by " : ", ") + how;
}

Integer number_of(std::int64_t entry) { return entry; }
RealValue number_of(const RealEntry& entry) { return {entry.value, minus_infinity, std::log2(entry.magnitude) + 1e-9}; }
ComplexValue number_of(const ComplexEntry& entry) {
  return {{entry.value.re, entry.value.im}, minus_infinity, std::log2(entry.magnitude) + 1e-9};
}

void shift(Integer&, std::int64_t) {}
void shift(RealValue& value, std::int64_t exponent) { shift_all(value, exponent); }
void shift(ComplexValue& value, std::int64_t exponent) { shift_all(value, exponent); }

Integer times(const Integer& a, const Integer& b) { return a * b; }
RealValue times(const RealValue& a, const RealValue& b) { return bounded_product(a, b); }
ComplexValue times(const ComplexValue& a, const ComplexValue& b) { return bounded_product(a, b); }

template <class Entry>
Value product_of_blocks(const Structure<Entry>& structure, std::vector<Value> values) {
  std::vector<BlockValue<Entry>> blocks, rest;
  for (Value& value : values) {
    auto& part = blocks.size() < structure.reduced.blocks.size() ? blocks : rest;
    part.push_back(std::get<BlockValue<Entry>>(std::move(value)));
  }
  const bool is_bipartite = structure.plan.vertices == 0;
  auto total = combine(Parts<Entry>{structure.reduced.factors, structure.reduced.counts.degree2, std::move(blocks),
                                    structure.block_scaling, structure.scaling, structure.exact,
                                    is_bipartite ? structure.entry_error : 0});
  if (is_bipartite) return total;
  rest.push_back(std::move(total));
  std::vector<EntryScaling> scaling = structure.graph_block_scaling;
  scaling.emplace_back();
  return combine(Parts<Entry>{structure.rest.factors, structure.rest.counts.degree2, std::move(rest), scaling,
                              structure.graph_scaling, structure.exact, structure.entry_error});
}

template Value product_of_blocks(const Structure<std::int64_t>&, std::vector<Value>);
template Value product_of_blocks(const Structure<RealEntry>&, std::vector<Value>);
template Value product_of_blocks(const Structure<ComplexEntry>&, std::vector<Value>);

void undo_scaling(Value& value, const EntryScaling& scaling) {
  std::visit(
      [&](auto& v) {
        count_as_lost(v, scaling.log2_lost);
        shift(v, scaling.exponent);
      },
      value);
}

void bound_magnitudes(Value& value, const AnyBlock& block) {
  std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        if constexpr (!std::is_same_v<Entry, std::int64_t>) {
          double& magnitudes = std::get<BlockValue<Entry>>(value).log2_magnitudes;
          magnitudes = std::min(magnitudes, log2_sums(*given));
        }
      },
      block);
}

bool agree(const Value& a, const Value& b) {
  return std::visit([&](const auto& mine) { return are_equal(mine, std::get<std::decay_t<decltype(mine)>>(b)); }, a);
}

}  // namespace matchcount
