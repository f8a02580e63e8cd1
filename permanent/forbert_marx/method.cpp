// The error of reals. A term's value is the product of its factors and of its block's permanent, which has a proven
// bound of its own. Its entries and factors were rounded in at most `merges` merges and products, each relative to its
// magnitude by at most 2^-99, so that the term errs besides by (merges + factors) 2^-99 times the product of the
// factors' magnitudes and of the permanent of the block's. The sum of n terms adds at most n 2^-98 of the sum of all
// those.

#include "permanent/rooms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/numbers/infinity.hpp"
#include "matching/expand.hpp"
#include "permanent/residue_sum.hpp"
#include "permanent/ryser/ryser.hpp"

namespace matchcount {
namespace {

constexpr Vertex max_rows = 62;
// A term costs so many seconds beside its sum: its plan, mostly.
constexpr double term_s = 2e-3;

struct ExpandedPlan : MethodPlan {
  ExpandOptions options;
  std::uint64_t seed = 1;
  ExpansionSize size;
  std::vector<RyserPlan> samples;  // of size.samples
};

Planned plan(const PlanRequest& request, const RunContext& run) {
  const BipartiteGraph* pattern = pattern_of(request.block).bipartite;
  if (!pattern) return {nullptr, "the block has odd cycles; forbert-marx takes bipartite ones"};
  auto found = std::make_shared<ExpandedPlan>();
  found->options = {request.options.expand_degree, request.options.expand_rows};
  found->seed = request.options.run.seed;
  found->size = expansion_size(*pattern, found->options, found->seed, run);
  if (found->size.most_rows > max_rows)
    return {nullptr, "a matrix of " + std::to_string(found->size.most_rows) +
                         " rows is left; inclusion-exclusion takes " + std::to_string(max_rows)};
  for (const BipartiteGraph& sample : found->size.samples)
    found->samples.push_back(plan_ryser(sample, Method::staged, found->seed));
  return {std::move(found), {}};
}

std::optional<Cost> cost(const AnyBlock&, const MethodPlan& given, const NumberType& number, const Machine& machine) {
  if (!machine.gpus.empty()) return std::nullopt;
  const auto& found = static_cast<const ExpandedPlan&>(given);
  const int primes = std::max(1, static_cast<int>(std::ceil((number.log2_bound + 2) / 49.9)));
  double seconds = 0, operations = 0;
  for (const RyserPlan& sample : found.samples) {
    seconds += ryser_seconds(sample, number.kind, number.precision, primes, machine.isa, machine.num_threads) + term_s;
    operations += std::exp2(sample.log2_leaves) * std::max(sample.operations_per_leaf, 1.0);
  }
  const double terms = found.size.terms / static_cast<double>(std::max<std::size_t>(found.samples.size(), 1));
  Cost result;
  result.seconds = seconds * terms / machine.num_ranks;
  result.log2_operations = std::log2(std::max(operations * terms, 1.0));
  result.memory_bytes = 1e6;
  char text[160];
  std::snprintf(text, sizeof text, "%s%.0f matrices, in the mean of %.4g rows and %.5g entries",
                found.size.estimated ? "about " : "", found.size.terms, found.size.mean_rows, found.size.mean_edges);
  result.description = text;
  return result;
}

double log2_error_of_sum(double log2_magnitudes, double rounded) {
  return log2_magnitudes + std::log2(rounded + 1) - 98;
}

// Adds up terms, each of which is found when it comes.
template <class Entry>
class Expansion {
  static constexpr bool is_integer = std::is_same_v<Entry, std::int64_t>;

 public:
  Expansion(const ExpandedPlan& plan, Precision precision, const RunContext& run)
      : plan_(plan), precision_(precision), run_(run) {}

  void add(const ExpandedTerm<Entry>& term) {
    run_.report("forbert-marx", std::min(num_terms_, plan_.size.terms), std::max(plan_.size.terms, 1.0));
    const RyserPlan plan = plan_ryser(term.block.pattern, Method::staged, plan_.seed);
    const RunContext part =
        run_.in_part(run_.part() + ", term " + std::to_string(static_cast<std::uint64_t>(num_terms_)) + " of " +
                     std::to_string(plan_.options.most_degree) + " to " + std::to_string(plan_.options.least_rows));
    num_terms_ += 1;
    if constexpr (is_integer) {
      Integer value = permanent_ryser(term.block, plan, part);
      for (const std::int64_t factor : term.factors) value *= Integer(factor);
      integer_ += value;
    } else {
      add_inexact(term, permanent_ryser(term.block, plan, precision_, part));
    }
  }

  Value total() const {
    if constexpr (is_integer) {
      return integer_;
    } else {
      const double error = log2_sum(log2_error_, log2_error_of_sum(log2_magnitudes_, num_terms_ + most_roundings_));
      if constexpr (std::is_same_v<Entry, RealEntry>) {
        return RealValue{sum_.re, error, log2_magnitudes_};
      } else {
        return ComplexValue{sum_, error + 2, log2_magnitudes_};
      }
    }
  }

 private:
  static ScaledComplex as_complex(const RealValue& value) { return {value.value, {}}; }
  static ScaledComplex as_complex(const ComplexValue& value) { return value.value; }
  static ScaledComplex as_complex(const RealEntry& entry) { return {ScaledReal(entry.value), {}}; }
  static ScaledComplex as_complex(const ComplexEntry& entry) {
    return {ScaledReal(entry.value.re), ScaledReal(entry.value.im)};
  }

  template <class Found>
  void add_inexact(const ExpandedTerm<Entry>& term, const Found& value) {
    double log2_factors = 0;
    ScaledComplex product = as_complex(value);
    for (const Entry& factor : term.factors) {
      log2_factors += std::log2(factor.magnitude) + 1e-12;
      product = product * as_complex(factor);
    }
    sum_ = sum_ + product;
    log2_error_ = log2_sum(log2_error_, value.log2_error + log2_factors);
    log2_magnitudes_ = log2_sum(log2_magnitudes_, log2_factors + log2_sum_bound(term.block)) + 1e-12;
    most_roundings_ = std::max(most_roundings_, 4 * static_cast<double>(term.merges + term.factors.size()));
  }

  const ExpandedPlan& plan_;
  Precision precision_;
  const RunContext& run_;
  double num_terms_ = 0;
  Integer integer_ = 0;
  ScaledComplex sum_;
  double log2_error_ = -infinity, log2_magnitudes_ = -infinity, most_roundings_ = 0;
};

Value run_expansion(const RunRequest& request, const RunContext& run) {
  const auto& found = static_cast<const ExpandedPlan&>(request.plan);
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* block) -> Value {
        if constexpr (std::is_same_v<Graph, BipartiteGraph>) {
          Expansion<Entry> expansion(found, request.precision, run);
          const auto add = [&](ExpandedTerm<Entry>&& term) { expansion.add(term); };
          expand<Entry>(*block, found.options, add, run);
          return expansion.total();
        } else {
          throw Error("Forbert and Marx's expansion of a block with odd cycles");
        }
      },
      request.block);
}

}  // namespace

MethodVerbs forbert_marx_method() {
  return {.plan = plan,
          .cost = cost,
          .run = run_expansion,
          .scale = &Throughput::ryser_scale,
          .takes_odd_cycles = false,
          .competes = false,
          .listed = false};
}

}  // namespace matchcount
