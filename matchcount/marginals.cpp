#include "matchcount/marginals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <type_traits>
#include <variant>

#include "core/error.hpp"
#include "graph/weights.hpp"
#include "permanent/block_marginals.hpp"
#include "permanent/engine/completed_graph.hpp"
#include "permanent/engine/distribution.hpp"
#include "permanent/engine/product.hpp"

namespace matchcount {
namespace {

// The natural logarithm of a number above 0 that is right to `relative`.
Entropy log_of(const ScaledReal& number, double relative) {
  const double of_mantissa = std::log(number.mantissa.hi);
  const double of_exponent = static_cast<double>(number.exponent) * std::numbers::ln2;
  return {of_mantissa + of_exponent,
          (std::fabs(of_mantissa) + std::fabs(of_exponent)) * 0x1p-51 + 0x1p-52 - std::log1p(-std::min(relative, 1.0))};
}
Entropy log_of(const Rational& number) { return number == 1 ? Entropy{} : log_of(nearest_real(number), 0x1p-52); }
Entropy log_of(const Value& number) {
  if (const auto* integer = std::get_if<Integer>(&number)) return log_of(Rational(*integer));
  const auto& real = std::get<RealValue>(number);
  return log_of(real.value, std::exp2(real.log2_error - real.value.log2_abs()));
}

RealValue real_of(const Rational& value) {
  const ScaledReal real = nearest_real(value);
  const double size = value == 0 ? -std::numeric_limits<double>::infinity() : real.log2_abs();
  return {real, size - 100, size};
}

class EntropySum {
 public:
  void add(const Entropy& term) {
    sum_.value += term.value;
    sum_.error += term.error + (std::fabs(term.value) + std::fabs(sum_.value)) * 0x1p-52;
  }
  // Takes P log w away, of an edge or a vertex.
  void take(const EdgeMarginal& marginal, const Entropy& log) {
    add({-marginal.probability * log.value,
         marginal.error * (std::fabs(log.value) + log.error) + marginal.probability * log.error});
  }
  void take(const std::vector<EdgeMarginal>& marginals, const Weights& weights, std::span<const Rational> fractions) {
    visit_values(weights, [&](const auto& values) {
      using Number = std::decay_t<decltype(values.front())>;
      for (std::size_t i = 0; i < marginals.size(); ++i) {
        if (!(marginals[i].probability > 0)) continue;
        if constexpr (std::is_same_v<Number, std::int64_t>)
          take(marginals[i],
               log_of(fractions.empty() ? Rational(values[i]) : fractions[static_cast<std::size_t>(values[i])]));
        else if constexpr (std::is_same_v<Number, DoubleDouble>)
          take(marginals[i],
               values[i].hi == 1 && values[i].lo == 0 ? Entropy{} : log_of(ScaledReal(values[i]), 0x1p-52));
      }
    });
  }
  Entropy sum() const { return sum_; }

 private:
  Entropy sum_;
};

template <class Graph>
std::optional<Entropy> entropy_of(const Graph& graph, const DistributionOptions& options, const Marginals& marginals) {
  if (!marginals.are_probabilities) return std::nullopt;
  if (marginals.edges.size() != graph.num_edges()) throw InputError("marginals of another graph", "those of this one");
  EntropySum sum;
  sum.add(log_of(marginals.total));
  sum.add(log_of(marginals.unit));
  if (options.matchings == MatchingKind::lightest || options.matchings == MatchingKind::heaviest) return sum.sum();
  if (options.matchings == MatchingKind::perfect) {  // which have no fractions
    sum.take(marginals.edges, graph.weights(), {});
    return sum.sum();
  }
  sum.take(marginals.edges, graph.weights(), options.fractions);
  if (options.loops)
    sum.take(marginals.vertices, *options.loops, options.fractions);
  else if (options.matchings == MatchingKind::all && options.activity != 1)
    for (const EdgeMarginal& vertex : marginals.vertices) {
      if (vertex.probability > 0) sum.take(vertex, log_of(options.activity));
    }
  return sum.sum();
}

}  // namespace

struct MatchingDistribution::State : Distribution {
  using Distribution::Distribution;
};

MatchingDistribution::MatchingDistribution(GraphView graph, const DistributionOptions& options)
    : state_(std::make_unique<State>(graph, options)) {}
MatchingDistribution::MatchingDistribution(MatchingDistribution&&) noexcept = default;
MatchingDistribution& MatchingDistribution::operator=(MatchingDistribution&&) noexcept = default;
MatchingDistribution::~MatchingDistribution() = default;

const std::optional<HallViolator>& MatchingDistribution::hall_violator() const {
  return state_->plan_of_structure().hall_violator;
}
const std::optional<TutteSet>& MatchingDistribution::tutte_set() const { return state_->plan_of_structure().tutte_set; }
bool MatchingDistribution::has_matching() const { return state_->has_matching(); }
std::size_t MatchingDistribution::matching_size() const { return state_->matching_size(); }
double MatchingDistribution::bytes_of_sample() const { return state_->bytes_of_sample(); }
Marginals MatchingDistribution::marginals() { return state_->marginals(); }
std::vector<EdgeId> MatchingDistribution::samples(std::uint64_t first, std::size_t count) {
  return state_->samples(first, count);
}

std::optional<Entropy> entropy(GraphView view, const DistributionOptions& options, const Marginals& marginals) {
  return std::visit([&](const auto* graph) { return entropy_of(*graph, options, marginals); }, view);
}

MatchingSum reweighted_total(const Marginals& marginals, EdgeId edge, const Rational& factor) {
  if (edge >= marginals.edges.size())
    throw InputError("the edge " + std::to_string(edge), "one of " + std::to_string(marginals.edges.size()) + " edges");
  return std::visit(
      [&]<class V>(const V& total) -> MatchingSum {
        const V& sum = std::get<V>(marginals.edges[edge].sum);
        if constexpr (std::is_same_v<V, Integer>) {
          const Rational exact = marginals.unit * (Rational(total) + (factor - 1) * Rational(sum));
          if (denominator(exact) == 1) return {Integer(numerator(exact)), std::nullopt};
          return {real_of(exact), exact};
        } else {
          const auto as_number = [](const Rational& value) {
            const RealValue real = real_of(value);
            if constexpr (std::is_same_v<V, RealValue>)
              return real;
            else
              return V{{real.value, {}}, real.log2_error, real.log2_magnitudes};
          };
          const V changed = factor == 1 ? total : plus(total, times(sum, as_number(factor - 1)));
          return {marginals.unit == 1 ? changed : times(changed, as_number(marginals.unit)), std::nullopt};
        }
      },
      marginals.total);
}

MatchingList list_matchings(GraphView graph, MatchingKind kind, std::span<const Rational> fractions,
                            const RunContext& run, std::span<const Vertex> always_matched) {
  const auto* bipartite = std::get_if<const BipartiteGraph*>(&graph);
  if (bipartite && (kind == MatchingKind::perfect || kind == MatchingKind::saturating))
    return MatchingList(**bipartite, kind == MatchingKind::saturating, run);
  if (kind == MatchingKind::perfect) return MatchingList(*std::get<const UndirectedGraph*>(graph), run);
  return list_completed(graph, kind, fractions, always_matched, run);
}

DistributionPlan plan_marginals(GraphView graph, const DistributionOptions& options) {
  return plan_distribution(graph, options, false);
}
DistributionPlan plan_samples(GraphView graph, const DistributionOptions& options) {
  return plan_distribution(graph, options, true);
}

}  // namespace matchcount
