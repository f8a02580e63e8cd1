#include "permanent/engine/big_entries.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/amounts.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/work.hpp"
#include "graph/vertices.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/product.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t prime_limit = std::uint64_t{1} << 62;
constexpr double bits_of_prime = 61.99;
// No double-double has so many bits.
constexpr int bits_of_all = 1 << 16;

bool is_word(const GaussianInteger& entry) {
  static const Integer largest = std::numeric_limits<std::int64_t>::max();
  return entry.im.sign() == 0 && abs(entry.re) <= largest;
}
bool is_real(const GaussianInteger& entry) { return entry.im.sign() == 0; }

// Returns log2 of a bound on what these sums multiply to.
double log2_product(std::span<const Integer> sums) {
  double result = 0;
  for (const Integer& sum : sums) result += sum.sign() == 0 ? 0 : log2_abs(sum) + 1e-9;
  return result;
}

// Bounds the sum over matchings by what the sums of |re| + |im| at rows, or at columns, multiply to; haf^2 <= per.
template <class Graph>
double log2_bound(const Graph& pattern, const std::vector<GaussianInteger>& entries) {
  std::vector<Integer> sums(num_vertices(pattern));
  for_each_edge(pattern, [&](Vertex u, Vertex v, EdgeId id) {
    const Integer size = abs(entries[id].re) + abs(entries[id].im);
    sums[u] += size;
    sums[v] += size;
  });
  const std::span<const Integer> all(sums);
  if constexpr (std::is_same_v<Graph, UndirectedGraph>)
    return log2_product(all) / 2;
  else
    return std::min(log2_product(all.first(pattern.num_rows())), log2_product(all.subspan(pattern.num_rows())));
}

// The runs of one count: what each is given, and which primes they are for.
template <class Graph>
class Runs {
 public:
  Runs(const Graph& pattern, const std::vector<GaussianInteger>& entries)
      : pattern_(pattern), entries_(entries), fits_(std::all_of(entries.begin(), entries.end(), is_word)) {
    if (entries.size() != pattern.num_edges()) throw InputError("another number of entries", "one entry per edge");
    if (!fits_)
      moduli_ =
          moduli_for(log2_bound(pattern, entries), prime_limit, bits_of_prime, !std::ranges::all_of(entries, is_real));
  }

  bool is_one() const { return fits_; }
  // Returns a hash of all that is counted.
  std::string identity() const {
    Hash hash;
    hash.add_all(pattern_.edges());
    for (const GaussianInteger& entry : entries_) hash.add_text(to_decimal(entry.re) + " " + to_decimal(entry.im));
    return hash.hex();
  }
  std::size_t size() const { return fits_ ? 1 : moduli_.size(); }

  Graph graph(std::size_t run) const {
    std::vector<std::int64_t> weights;
    for (const GaussianInteger& entry : entries_)
      weights.push_back(fits_ ? static_cast<std::int64_t>(entry.re) : balanced(entry, moduli_[run]));
    return pattern_.with_weights(std::move(weights));
  }

  GaussianInteger value(const std::vector<Integer>& values) const {
    if (fits_) return {values.front(), 0};
    std::vector<std::uint64_t> residues;
    for (std::size_t i = 0; i < values.size(); ++i) residues.push_back(residue(values[i], moduli_[i].prime));
    return GaussianRemainder(moduli_).value(residues);
  }

 private:
  static std::int64_t balanced(const GaussianInteger& entry, GaussianModulus modulus) {
    const std::uint64_t rest = residue(entry, modulus), prime = modulus.prime;
    return rest > prime / 2 ? -static_cast<std::int64_t>(prime - rest) : static_cast<std::int64_t>(rest);
  }

  const Graph& pattern_;
  const std::vector<GaussianInteger>& entries_;
  bool fits_;
  std::vector<GaussianModulus> moduli_;
};

CountOptions for_integers(CountOptions options) {
  options.run.precision = Precision::automatic;
  return options;
}

void add(Times& sum, const Times& more) {
  sum.structure += more.structure;
  sum.order += more.order;
  sum.count += more.count;
  sum.total += more.total;
}

// Divides an integer, to be rounded, by 2^exponent.
template <class V, class Number>
V as_value(const Number& number, std::int64_t exponent) {
  V value{number};
  value.log2_error = log2_of(value) - 100;
  shift(value, -exponent);
  return value;
}
Value as_value(const GaussianInteger& integer, std::int64_t exponent, WeightKind kind) {
  if (kind == WeightKind::real) return as_value<RealValue>(nearest_real(integer.re), exponent);
  return as_value<ComplexValue>(ScaledComplex{nearest_real(integer.re), nearest_real(integer.im)}, exponent);
}

template <class Graph>
BigCount compute_runs(const Graph& pattern, const std::vector<GaussianInteger>& entries, const CountOptions& options,
                      Work* work, Until until) {
  const Runs<Graph> runs(pattern, entries);
  const auto compute_run = [&](std::size_t run, const CountOptions& of_run, const std::string& part) {
    const Graph graph = runs.graph(run);
    return compute(&graph, of_run, work, until, part);
  };
  BigCount count;
  if (until == Until::plan) {
    count.result = compute_run(0, for_integers(options), {});
    repeat(count.result.plan, runs.size());
    return count;
  }
  if (runs.is_one()) {
    count.result = compute_run(0, for_integers(options), {});
    count.value = runs.value({std::get<Integer>(count.result.value)});
    return count;
  }
  const RunContext context(options.run, work);
  identify(runs.identity(), for_integers(options), context);
  std::vector<Integer> values;
  Times times;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const std::string part = "run " + std::to_string(run + 1) + " of " + std::to_string(runs.size());
    // The last is gone through again where all are done: it tells how they were counted.
    const bool may_be_done = work && run + 1 < runs.size();
    if (const auto value = may_be_done ? work->decided(part + ", value") : std::nullopt) {
      values.emplace_back(*value);
      continue;
    }
    context.check();
    try {
      Result result = compute_run(run, options_of_run(options, run, runs.size(), context), part);
      values.push_back(std::get<Integer>(result.value));
      if (may_be_done) work->decide(part + ", value", to_decimal(values.back()));
      add(times, result.time_s);
      // Residues may be 0 by chance; the run that had most to count tells how all were counted.
      if (result.blocks.size() < count.result.blocks.size()) continue;
      for (std::size_t i = 0; i < count.result.blocks.size(); ++i)
        result.blocks[i].seconds += count.result.blocks[i].seconds;
      count.result = std::move(result);
    } catch (const Cancelled&) {
      throw;
    } catch (const Unable&) {
      context.check();  // of the time limit that was given
      throw;
    }
  }
  count.result.time_s = times;
  repeat(count.result.plan, runs.size());
  count.value = runs.value(values);
  return count;
}

}  // namespace

CountOptions options_of_run(const CountOptions& options, std::size_t run, std::size_t runs, const RunContext& context) {
  CountOptions result = for_integers(what_is_left(options, context));
  if (options.run.on_progress) {
    result.run.on_progress = [&options, run, runs](const Progress& progress) {
      options.run.on_progress({progress.phase, static_cast<double>(run) * progress.total + progress.done,
                               static_cast<double>(runs) * progress.total});
    };
  }
  result.on_forecast = nullptr;
  if (run == 0) {
    result.on_forecast = [&options, &context, runs](const Forecast& forecast, double seconds) {
      const double all = seconds * static_cast<double>(runs);
      require_within_limits("this, in " + std::to_string(runs) + " runs,", {all, 0}, context);
      if (options.on_forecast) options.on_forecast(forecast, all);
    };
  }
  return result;
}

void repeat(Plan& plan, std::size_t runs) {
  const auto times = static_cast<double>(runs);
  plan.seconds *= times;
  for (BlockPlan& block : plan.blocks) {
    for (Forecast& forecast : block.forecasts) {
      forecast.seconds *= times;
      if (forecast.applies && runs > 1) forecast.reason += ", " + std::to_string(runs) + " times";
    }
  }
}

BigCount compute_big(GraphView pattern, const std::vector<GaussianInteger>& entries, const CountOptions& options,
                     Work* work, Until until) {
  return std::visit([&](const auto* graph) { return compute_runs(*graph, entries, options, work, until); }, pattern);
}

Result compute_as_held(GraphView given, const CountOptions& options, Work* work, Until until) {
  return std::visit(
      [&](const auto* weighted) {
        const auto graph = weighted->drop_zeros();
        const auto pattern = graph.pattern();
        const WeightKind kind = graph.weight_kind();
        if (!maximum_matching(graph, context_of(options.run, nullptr, until)).is_perfect()) {
          Result result = compute(&pattern, for_integers(options), work, until);
          result.value = as_value({}, 0, kind);
          return result;
        }
        const FixedPoint numbers =
            kind == WeightKind::real
                ? fixed_point(without_sides(pattern), entries_of<RealEntry>(graph), bits_of_all)
                : fixed_point(without_sides(pattern), entries_of<ComplexEntry>(graph), bits_of_all);
        BigCount count = compute_big(&pattern, numbers.entries, options, work, until);
        count.result.value = as_value(count.value, numbers.exponent, kind);
        for (BlockRun& block : count.result.blocks) block.precision = Precision::exact;
        for (BlockPlan& block : count.result.plan.blocks) block.precision = Precision::exact;
        return std::move(count.result);
      },
      given);
}

// Every vertex takes what its edges still lack when they are first met: rows, where there are sides, all of it.
WithoutDenominators without_denominators(GraphView pattern, const std::vector<Rational>& entries) {
  const UndirectedGraph graph = std::visit([](const auto* given) { return without_sides(*given); }, pattern);
  std::vector<Integer> factor(graph.num_vertices(), Integer(1));
  const auto both = [&](const Edge& edge) { return factor[edge.row] * factor[edge.column]; };
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const Edge& edge = graph.edges()[id];
    const Integer& below = denominator(entries[id]);
    factor[edge.row] *= below / gcd(below, both(edge));
  }
  WithoutDenominators result;
  for (EdgeId id = 0; id < graph.num_edges(); ++id)
    result.entries.push_back({numerator(entries[id]) * (both(graph.edges()[id]) / denominator(entries[id])), 0});
  for (const Integer& of_vertex : factor) result.multiple *= of_vertex;
  return result;
}

}  // namespace matchcount
