// What the reductions of degree 1 and 2 merge would have to be taken apart again, so that they are left out: the graph
// is split into parts in which every edge counts (matching/covered_parts.hpp), and a sum of the whole is that of a part
// times the totals of the others.

#include "permanent/engine/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/amounts.hpp"
#include "core/error.hpp"
#include "permanent/engine/part_needs.hpp"
#include "permanent/engine/part_samplers.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

Integer one(const std::vector<std::int64_t>&) { return 1; }
RealValue one(const std::vector<RealEntry>&) { return {ScaledReal(1.0), minus_infinity, 0}; }
ComplexValue one(const std::vector<ComplexEntry>&) { return {{ScaledReal(1.0), {}}, minus_infinity, 0}; }
Integer zero(const Integer&) { return 0; }
template <class V>
V zero(const V&) {
  return {{}, minus_infinity, minus_infinity};
}
Integer value_of(std::int64_t entry) { return entry; }
RealValue value_of(const RealEntry& entry) {
  const double log2_magnitude = std::log2(entry.magnitude) + 1e-9;
  return {entry.value, log2_magnitude - 100, log2_magnitude};
}
ComplexValue value_of(const ComplexEntry& entry) {
  const double log2_magnitude = std::log2(entry.magnitude) + 1e-9;
  return {{entry.value.re, entry.value.im}, log2_magnitude - 100, log2_magnitude};
}

// What a quotient that is not 0 may be off because doubles end; what is computed of its error may be 0 for that too.
double underflow(double quotient) { return quotient < 0x1p-900 ? 0x1p-1073 : 0; }

// sum / total, of numbers that are not negative.
void set_probability(EdgeMarginal& edge, const Integer& sum, const Integer& total) {
  const ScaledReal a = nearest_real(sum), b = nearest_real(total);
  edge.probability = ScaledReal(a.mantissa.hi / b.mantissa.hi, a.exponent - b.exponent).to_double();
  edge.error = edge.probability * 0x1.9p-52 + underflow(edge.probability);  // three roundings
}
void set_probability(EdgeMarginal& edge, const RealValue& sum, const RealValue& total) {
  const double log2_total = total.value.log2_abs();
  const double share =
      ScaledReal(sum.value.mantissa.hi / total.value.mantissa.hi, sum.value.exponent - total.value.exponent)
          .to_double();
  const double of_sum = std::exp2(sum.log2_error - log2_total), of_total = std::exp2(total.log2_error - log2_total);
  if (!(of_total < 0.5)) throw Unable("the sum over all matchings is not told from 0: no probability is known");
  edge.probability = std::clamp(share, 0.0, 1.0);
  edge.error = (of_sum + share * of_total) / (1 - of_total) + share * 0x1p-50 + underflow(share);
}
void set_probability(EdgeMarginal&, const ComplexValue&, const ComplexValue&) {}

Integer plus(const Integer& a, const Integer& b) { return a + b; }
template <class V>
V plus(const V& a, const V& b) {
  return {a.value + b.value, log2_sum(log2_sum(a.log2_error, b.log2_error), b.log2_magnitudes - 98),
          log2_sum(a.log2_magnitudes, b.log2_magnitudes)};
}

// Every vertex is in each matching: the sums of its edges are the total.
template <class V>
void check_sums(const CoveredPart& given, const BlockMarginals<V>& part) {
  const auto check = [&](auto&& edges) {
    V sum = zero(part.total);
    for (const EdgeId edge : edges) sum = plus(sum, part.of_edge[edge]);
    if (!agree(sum, part.total)) throw Error("the sums of a vertex's edges are not the total");
  };
  std::visit(
      [&](const auto& pattern) {
        if constexpr (std::is_same_v<std::decay_t<decltype(pattern)>, BipartiteGraph>) {
          for (Vertex c = 0; c < pattern.num_columns(); ++c) check(pattern.column_edges(c));
          for (Vertex r = 0; r < pattern.num_rows(); ++r) {
            std::vector<EdgeId> edges;
            for (std::size_t e = 0; e < pattern.row(r).size(); ++e) edges.push_back(pattern.row_begin(r) + e);
            check(edges);
          }
        } else {
          for (Vertex v = 0; v < pattern.num_vertices(); ++v) check(pattern.incident_edges(v));
        }
      },
      given.pattern);
}
}  // namespace

const DistributionOptions& Distribution::checked(const DistributionOptions& options) {
  require_answerable(options);
  return options;
}

template <class Entry>
Marginals Distribution::marginals_of(const std::vector<Entry>& all) {
  using V = BlockValue<Entry>;
  const CoveredParts& parts = graph_.parts;
  const V unit = one(all);
  Marginals result;
  result.edges.assign(graph_.num_edges, {zero(unit), 0, 0});
  result.total = zero(unit);
  if (!graph_.has_perfect_matching()) return result;
  // All are chosen before any is run, so that what can't be done is refused at once.
  std::vector<PartChoice> chosen;
  double seconds = 0, most_seconds = -1;
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) {
    chosen.push_back(part_marginals_.choose(i, seconds));
    seconds += chosen.back().needs.seconds;
    if (chosen.back().needs.seconds <= most_seconds) continue;
    most_seconds = chosen.back().needs.seconds;
    result.method = chosen.back().method;
  }
  std::vector<BlockMarginals<V>> of_part;
  for (std::size_t i = 0; i < graph_.num_parts(); ++i) of_part.push_back(part_marginals_.run(i, all, chosen[i]));
  // before[i]: the factors and the totals of the parts before i.
  std::vector<V> before{unit};
  for (const EdgeId edge : parts.forced) before.front() = times(before.front(), value_of(all[edge]));
  for (const auto& part : of_part) before.push_back(times(before.back(), part.total));
  const V total = before.back();
  result.total = total;
  result.are_probabilities = graph_.positive;
  for (const EdgeId edge : parts.forced) result.edges[graph_.given_edge[edge]] = {total, 1, 0};
  V behind = unit;
  for (std::size_t i = of_part.size(); i-- > 0;) {
    const V others = times(before[i], behind);
    for (std::size_t e = 0; e < of_part[i].of_edge.size(); ++e) {
      EdgeMarginal& edge = result.edges[graph_.given_edge[parts.parts[i].edges[e]]];
      if (graph_.positive) set_probability(edge, of_part[i].of_edge[e], of_part[i].total);
      edge.sum = times(others, of_part[i].of_edge[e]);
    }
    behind = times(behind, of_part[i].total);
    check_sums(graph_.parts.parts[i], of_part[i]);
  }
  return result;
}

Marginals Distribution::marginals() {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&graph_.entries)) {
    return part_marginals_.is_exact() ? marginals_of(*integers) : marginals_of(as_reals(*integers));
  }
  if (const auto* reals = std::get_if<std::vector<RealEntry>>(&graph_.entries)) return marginals_of(*reals);
  return marginals_of(std::get<std::vector<ComplexEntry>>(graph_.entries));
}

// Its edges, here and in the sampler of a part, and where the sampler is.
double Distribution::bytes_of_sample() const {
  return static_cast<double>(2 * sizeof(EdgeId) * graph_.matching_size + sizeof(std::size_t) + sizeof(std::uint64_t));
}

std::vector<EdgeId> Distribution::samples(std::uint64_t first, std::size_t count) {
  require_positive(graph_);
  if (!graph_.has_perfect_matching()) throw Unable("there is no perfect matching to be drawn");
  if (count > 0 && first + (count - 1) < first) throw InputError("samples beyond number 2^64 - 1", "numbers below 2^64");
  const double bytes = bytes_of_sample() * static_cast<double>(count);
  if (!run_.has_memory_for(bytes)) {
    throw OverLimit("so many samples at once would take " + memory_amount(bytes) + "; the memory limit is " +
                    memory_amount(static_cast<double>(run_.memory_limit_bytes())));
  }
  if (samplers_.empty()) samplers_ = make_samplers(graph_, options_, run_);
  const CoveredParts& parts = graph_.parts;
  const std::size_t matching_size = graph_.matching_size;
  std::vector<EdgeId> edges(matching_size * count);
  std::size_t filled = parts.forced.size();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t e = 0; e < filled; ++e) edges[i * matching_size + e] = graph_.given_edge[parts.forced[e]];
  }
  for (std::size_t p = 0; p < samplers_.size(); ++p) {
    const std::vector<EdgeId> drawn =
        samplers_[p]->draw(options_.run.seed, static_cast<std::uint32_t>(p), first, count);
    const std::size_t size = samplers_[p]->matching_size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t e = 0; e < size; ++e) {
        edges[i * matching_size + filled + e] = graph_.given_edge[parts.parts[p].edges[drawn[i * size + e]]];
      }
    }
    filled += size;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(i * matching_size);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(matching_size));
  }
  return edges;
}

}  // namespace matchcount
