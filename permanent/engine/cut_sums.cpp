// The values f(S) of a piece may be divided by a common factor, which is one of the whole: integers by what divides
// them all, reals by a power of two, so that weights keep near 1.
//
// Errors of reals. A weight that takes the place of a piece has its own bound. Where every weight of a part with n
// vertices is off by at most a share r of its magnitude, the sum is off by n r times that over the magnitudes: a
// matching has n / 2 of them, and (1 + r)^(n/2) - 1 < n r as long as n r < 1.

#include "permanent/engine/cut_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "permanent/engine/big_entries.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {
namespace {

// Takes a common factor out; 1 where all are 0.
Integer take_factor(std::vector<Integer>& values) {
  Integer common = 0;
  for (const Integer& value : values) common = gcd(common, abs(value));
  if (common.sign() == 0) return 1;
  for (Integer& value : values) value /= common;
  return common;
}
template <class Number>
Number take_factor(std::vector<Number>& values) {
  double largest = minus_infinity;
  for (const Number& value : values) largest = std::max(largest, log2_of(value));
  if (largest == minus_infinity) return one<Number>();
  const auto bits = static_cast<std::int64_t>(std::floor(largest));
  for (Number& value : values) shift(value, -bits);
  Number factor = one<Number>();
  shift(factor, bits);
  return factor;
}

void add_text(const Integer& value, std::string& key) { key += to_decimal(value) + ' '; }
void add_bits(const ScaledReal& value, std::string& key) {
  const double parts[] = {value.mantissa.hi, value.mantissa.lo, static_cast<double>(value.exponent)};
  key.append(reinterpret_cast<const char*>(parts), sizeof parts);
}
void add_text(const RealValue& value, std::string& key) { add_bits(value.value, key); }
void add_text(const ComplexValue& value, std::string& key) {
  add_bits(value.value.re, key);
  add_bits(value.value.im, key);
}

// Weights as a graph has them: times 2^-bits.
DoubleDouble as_weight(const RealValue& value, std::int64_t bits) {
  return ldexp(value.value.mantissa, static_cast<int>(std::max<std::int64_t>(value.value.exponent - bits, -5000)));
}
ComplexDoubleDouble as_weight(const ComplexValue& value, std::int64_t bits) {
  const auto part = [&](const ScaledReal& real) {
    return ldexp(real.mantissa, static_cast<int>(std::max<std::int64_t>(real.exponent - bits, -5000)));
  };
  return {part(value.value.re), part(value.value.im)};
}

Integer count_weighted(const UndirectedGraph& pattern, const std::vector<Integer>& weights, const CountOptions& options,
                       const RunContext& run) {
  std::vector<bool> keep;
  std::vector<GaussianInteger> entries;
  for (const Integer& weight : weights) {
    keep.push_back(weight.sign() != 0);
    if (keep.back()) entries.push_back({weight, 0});
  }
  const UndirectedGraph graph = pattern.filtered(keep);
  return compute_big(&graph, entries, options_of_pieces(options, run), nullptr).value.re;
}

template <class Number>
Number count_weighted(const UndirectedGraph& pattern, const std::vector<Number>& weights, const CountOptions& options,
                      const RunContext& run) {
  const ScaledGraph scaled = scaled_graph(pattern, weights);
  const Result result = compute(&scaled.graph, options_of_pieces(options, run), nullptr);
  if (!result.plan.has_perfect_matching()) return zero<Number>();
  Number value = std::get<Number>(result.value);
  undo(scaled, value.log2_magnitudes, value);
  return value;
}

}  // namespace

Integer quotient(const Integer& a, const Integer& b) {
  if ((a % b).sign() != 0) throw Error("a sum over cuts that its divisor does not divide; please report this graph");
  return a / b;
}
// Divisors are sums of positive weights.
RealValue quotient(const RealValue& a, const RealValue& b) {
  const double log2_b = b.value.log2_abs(), log2_relative = b.log2_error - log2_b;
  if (!(log2_relative < -2)) throw Unable("the sum of a piece behind a cut is not told from 0");
  RealValue result;
  result.value = {a.value.mantissa / b.value.mantissa, a.value.exponent - b.value.exponent};
  const double log2_a = a.value.log2_abs();
  result.log2_error =
      log2_sum(log2_sum(a.log2_error - log2_b, log2_a - log2_b + log2_relative) + 0.5, log2_a - log2_b - 98);
  result.log2_magnitudes = a.log2_magnitudes - log2_b + 0.5;
  return result;
}
ComplexValue quotient(const ComplexValue&, const ComplexValue&) { throw Error("a quotient of complex sums over cuts"); }

template <class Number>
ScaledGraph scaled_graph(const UndirectedGraph& pattern, const std::vector<Number>& weights) {
  constexpr double least_log2 = -900;
  double largest = minus_infinity;
  ScaledGraph result;
  for (const Number& weight : weights) {
    if (is_zero(weight)) {
      if (weight.log2_error > minus_infinity) throw Unable("a weight in the place of a piece is not told from 0");
      continue;
    }
    largest = std::max(largest, log2_of(weight));
    result.log2_share = std::max(result.log2_share, weight.log2_error - log2_of(weight));
  }
  const auto bits = largest == minus_infinity ? 0 : static_cast<std::int64_t>(std::floor(largest));
  std::vector<decltype(as_weight(weights.front(), 0))> given;
  for (const Number& weight : weights) {
    if (!is_zero(weight) && log2_of(weight) - largest < least_log2)
      throw Unable("weights in the place of pieces are too far apart for doubles");
    given.push_back(as_weight(weight, bits));
  }
  result.graph = pattern.with_weights(std::move(given));
  result.bits = bits * (pattern.num_vertices() / 2);
  result.log2_share += std::log2(pattern.num_vertices() + 1.0);
  return result;
}

template <class Number>
void undo(const ScaledGraph& scaled, double log2_magnitudes, Number& value) {
  if (scaled.log2_share > minus_infinity) {
    value.log2_error = scaled.log2_share < -1 ? log2_sum(value.log2_error, scaled.log2_share + log2_magnitudes)
                                              : std::numeric_limits<double>::infinity();
  }
  shift(value, scaled.bits);
}
template void undo(const ScaledGraph&, double, RealValue&);
template ScaledGraph scaled_graph(const UndirectedGraph&, const std::vector<RealValue>&);

CountOptions options_of_pieces(const CountOptions& options, const RunContext& run) {
  CountOptions result = what_is_left(options, run);
  result.method = Method::automatic;
  result.verify = false;
  result.order = nullptr;
  result.rotation = nullptr;
  result.wants_order = false;
  result.on_forecast = nullptr;
  result.run.on_progress = nullptr;
  return result;
}

template <class Entry>
CutSums<Entry>::CutSums(const CutPlan& plan, const std::vector<Entry>& entries, const CountOptions& options)
    : plan_(plan), options_(options) {
  for (const Entry& entry : entries) weights_.push_back(number_of(entry));
  weights_.resize(plan.edges.size());
}

template <class Entry>
auto CutSums<Entry>::weights_of(const CutPart& part) const -> std::vector<Number> {
  std::vector<Number> result;
  for (const std::vector<EdgeId>& members : part.members) {
    Number sum = weights_[members.front()];
    for (std::size_t i = 1; i < members.size(); ++i) sum = plus(sum, weights_[members[i]]);
    result.push_back(std::move(sum));
  }
  return result;
}

template <class Entry>
auto CutSums<Entry>::count(const CutPart& part, const RunContext& run) -> Number {
  const std::vector<Number> weights = weights_of(part);
  std::string key = std::to_string(part.pattern.num_vertices()) + ": ";
  for (EdgeId id = 0; id < weights.size(); ++id) {
    const Edge& edge = part.pattern.edges()[id];
    key += std::to_string(edge.row) + ' ' + std::to_string(edge.column) + ' ';
    add_text(weights[id], key);
  }
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  Number value = count_weighted(part.pattern, weights, options_, run);
  known_.emplace(std::move(key), value);
  return value;
}

template <class Entry>
void CutSums<Entry>::replace(std::size_t i, const RunContext& run) {
  const Cut& cut = plan_.cuts[i];
  std::vector<Number>& values = values_.emplace_back();
  for (const Cut::Subset& subset : cut.subsets)
    values.push_back(subset.is_possible ? count(piece_with(plan_, cut, subset), run) : zero<Number>());
  factors_.push_back(take_factor(values));
  if (cut.factor != Cut::nothing) factors_.push_back(values[static_cast<std::size_t>(cut.factor)]);
  if (cut.divisor != Cut::nothing) divisors_.push_back(values[static_cast<std::size_t>(cut.divisor)]);
  for (const EdgeId edge : cut.scaled) weights_[edge] = times(weights_[edge], values.front());
  for (const Cut::NewEdge& edge : cut.added) {
    Number& weight = weights_[edge.edge] = one<Number>();
    for (const int value : {edge.first, edge.second})
      if (value != Cut::nothing) weight = times(weight, values[static_cast<std::size_t>(value)]);
  }
}

template <class Entry>
auto CutSums<Entry>::total(const RunContext& run) -> Number {
  const auto steps = static_cast<double>(plan_.cuts.size() + 1);
  for (std::size_t i = 0; i < plan_.cuts.size(); ++i) {
    run.report("cuts", static_cast<double>(i), steps);
    replace(i, run);
  }
  known_.clear();
  const auto multiply = [](const Number& a, const Number& b) { return times(a, b); };
  Number sum = count(part_of(plan_, plan_.vertices, plan_.rest), run);
  sum = times(sum, product_of(factors_, one<Number>(), multiply));
  for (const Number& divisor : divisors_) sum = quotient(sum, divisor);
  return sum;
}

template class CutSums<std::int64_t>;
template class CutSums<RealEntry>;
template class CutSums<ComplexEntry>;

}  // namespace matchcount
