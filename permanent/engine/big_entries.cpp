// A prime p = 1 mod 4 has two roots of -1; a Gaussian integer a + b i becomes a + b r for either, and from the two
// values of a sum its parts follow.

#include "permanent/engine/big_entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "core/amounts.hpp"
#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/numbers/residue.hpp"
#include "core/work.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "permanent/engine/engine.hpp"
#include "permanent/engine/limits.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/engine/structure.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t prime_limit = std::uint64_t{1} << 62;
constexpr double bits_of_prime = 61.99;
// No double-double has so many bits.
constexpr int bits_of_all = 1 << 16;

bool is_word(const GaussianInteger& entry) {
  static const Integer largest = std::numeric_limits<std::int64_t>::max();
  return entry.im.sign() == 0 && abs(entry.re) <= largest;
}
bool is_real(const GaussianInteger& entry) { return entry.im.sign() == 0; }

// Returns log2 of a bound on what the sums of |re| + |im| over these lines multiply to.
double log2_product(const std::vector<Integer>& sums) {
  double result = 0;
  for (const Integer& sum : sums) result += sum.sign() == 0 ? 0 : log2_abs(sum) + 1e-9;
  return result;
}
Integer size_of(const GaussianInteger& entry) { return abs(entry.re) + abs(entry.im); }

double log2_bound(const BipartiteGraph& pattern, const std::vector<GaussianInteger>& entries) {
  std::vector<Integer> rows(pattern.num_rows()), columns(pattern.num_columns());
  const std::vector<Edge> edges = pattern.edges();
  for (EdgeId id = 0; id < edges.size(); ++id) {
    const Integer size = size_of(entries[id]);
    rows[edges[id].row] += size;
    columns[edges[id].column] += size;
  }
  return std::min(log2_product(rows), log2_product(columns));
}
// haf^2 <= per.
double log2_bound(const UndirectedGraph& pattern, const std::vector<GaussianInteger>& entries) {
  std::vector<Integer> vertices(pattern.num_vertices());
  for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
    const Integer size = size_of(entries[id]);
    vertices[pattern.edges()[id].row] += size;
    vertices[pattern.edges()[id].column] += size;
  }
  return log2_product(vertices) / 2;
}

std::uint64_t residue(const Integer& value, std::uint64_t prime) {
  const Integer modulus(prime);
  const Integer rest = value % modulus;
  return static_cast<std::uint64_t>(rest.sign() < 0 ? rest + modulus : rest);
}
std::int64_t balanced(std::uint64_t residue, std::uint64_t prime) {
  return residue > prime / 2 ? -static_cast<std::int64_t>(prime - residue) : static_cast<std::int64_t>(residue);
}

// The runs of one count: what each is given, and which primes they are for.
template <class Graph>
class Runs {
 public:
  Runs(const Graph& pattern, const std::vector<GaussianInteger>& entries)
      : pattern_(pattern),
        entries_(entries),
        fits_(std::all_of(entries.begin(), entries.end(), is_word)),
        real_(std::all_of(entries.begin(), entries.end(), is_real)) {
    if (entries.size() != pattern.num_edges()) throw InputError("another number of entries", "one entry per edge");
    if (!fits_) choose_primes(log2_bound(pattern, entries));
  }

  bool is_one() const { return fits_; }
  // Returns a hash of all that is counted.
  std::string identity() const {
    Hash hash;
    for (const Edge& edge : pattern_.edges()) {
      hash.add(edge.row);
      hash.add(edge.column);
    }
    for (const GaussianInteger& entry : entries_) hash.add_text(to_decimal(entry.re) + " " + to_decimal(entry.im));
    return hash.hex();
  }
  std::size_t size() const { return fits_ ? 1 : primes_.size() * (real_ ? 1 : 2); }

  Graph graph(std::size_t run) const {
    std::vector<std::int64_t> weights(entries_.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = fits_ ? static_cast<std::int64_t>(entries_[i].re) : weight(entries_[i], run);
    return pattern_.with_weights(std::move(weights));
  }

  GaussianInteger value(const std::vector<Integer>& values) const {
    if (fits_) return {values.front(), 0};
    std::vector<std::uint64_t> re, im;
    for (std::size_t i = 0; i < primes_.size(); ++i) {
      const std::uint64_t p = primes_[i];
      if (real_) {
        re.push_back(residue(values[i], p));
        continue;
      }
      const std::uint64_t plus = residue(values[2 * i], p), minus = residue(values[2 * i + 1], p);
      const std::uint64_t half = inverse_mod(2, p);
      re.push_back(multiply_mod((plus + minus) % p, half, p));
      im.push_back(multiply_mod(multiply_mod((plus + p - minus) % p, half, p), inverse_mod(roots_[i], p), p));
    }
    return {chinese_remainder(re, primes_), real_ ? Integer(0) : chinese_remainder(im, primes_)};
  }

 private:
  void choose_primes(double log2_bound) {
    const double wanted = std::ceil((log2_bound + 2) / bits_of_prime) + 1;
    std::uint64_t below = prime_limit;
    while (primes_.size() < static_cast<std::size_t>(wanted)) {
      below = primes_below(below, 1).front();
      if (!real_ && below % 4 != 1) continue;
      primes_.push_back(below);
      if (!real_) roots_.push_back(root_of_minus_one(below));
    }
    primes_.resize(primes_needed(log2_bound, primes_));
  }

  std::int64_t weight(const GaussianInteger& entry, std::size_t run) const {
    const std::size_t i = real_ ? run : run / 2;
    const std::uint64_t p = primes_[i];
    if (real_) return balanced(residue(entry.re, p), p);
    const std::uint64_t root = run % 2 == 0 ? roots_[i] : p - roots_[i];
    return balanced((residue(entry.re, p) + multiply_mod(residue(entry.im, p), root, p)) % p, p);
  }

  const Graph& pattern_;
  const std::vector<GaussianInteger>& entries_;
  bool fits_, real_;
  std::vector<std::uint64_t> primes_, roots_;
};

CountOptions for_integers(CountOptions options) {
  options.run.precision = Precision::automatic;
  return options;
}

// Returns the options of one of several runs: what is left of the time, progress and the forecast of them all.
CountOptions options_of(const CountOptions& options, std::size_t run, std::size_t runs, const RunContext& context) {
  CountOptions result = for_integers(options);
  result.run.time_limit_s = context.seconds_left();
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

void add(Times& sum, const Times& more) {
  sum.structure += more.structure;
  sum.order += more.order;
  sum.count += more.count;
  sum.total += more.total;
}

// Entries as they are held, as integers; requires a perfect matching.
template <class Entry>
FixedPoint as_integers(const BipartiteGraph& graph, const std::vector<Entry>& entries) {
  return fixed_point(UndirectedGraph::from_bipartite(graph.pattern()), entries, bits_of_all);
}
template <class Entry>
FixedPoint as_integers(const UndirectedGraph& graph, const std::vector<Entry>& entries) {
  return fixed_point(graph.pattern(), entries, bits_of_all);
}

RealValue as_value(const GaussianInteger& integer, std::int64_t exponent, const RealEntry*) {
  ScaledReal value = nearest_real(integer.re);
  if (!value.is_zero()) value.exponent -= exponent;
  return {value, value.log2_abs() - 100, infinity};
}
ComplexValue as_value(const GaussianInteger& integer, std::int64_t exponent, const ComplexEntry*) {
  ComplexValue result;
  result.value = {nearest_real(integer.re), nearest_real(integer.im)};
  for (ScaledReal* part : {&result.value.re, &result.value.im}) {
    if (!part->is_zero()) part->exponent -= exponent;
  }
  result.log2_error = log2_abs(result.value) - 100;
  return result;
}

}  // namespace

template <class Graph>
BigCount compute_big(const Graph& pattern, const std::vector<GaussianInteger>& entries, const CountOptions& options,
                     Work* work) {
  const Runs<Graph> runs(pattern, entries);
  BigCount count;
  if (runs.is_one()) {
    count.result = compute<std::int64_t>(runs.graph(0).drop_zeros(), for_integers(options), work);
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
      Result result = compute<std::int64_t>(runs.graph(run).drop_zeros(),
                                            options_of(options, run, runs.size(), context), work, part);
      values.push_back(std::get<Integer>(result.value));
      if (may_be_done) work->decide(part + ", value", to_decimal(values.back()));
      add(times, result.time_s);
      // Residues may be 0 by chance; the run that had most to count tells how all were counted.
      if (result.blocks.size() >= count.result.blocks.size()) count.result = std::move(result);
    } catch (const Cancelled&) {
      throw;
    } catch (const Unable&) {
      context.check();  // of the time limit that was given
      throw;
    }
  }
  count.result.time_s = times;
  count.value = runs.value(values);
  return count;
}

template <class Graph>
Plan plan_big(const Graph& pattern, const std::vector<GaussianInteger>& entries, const CountOptions& options,
              Work* work) {
  const Runs<Graph> runs(pattern, entries);
  Plan plan = plan_only<std::int64_t>(runs.graph(0).drop_zeros(), for_integers(options), work);
  const auto times = static_cast<double>(runs.size());
  plan.seconds *= times;
  for (BlockPlan& block : plan.blocks) {
    for (Forecast& forecast : block.forecasts) {
      forecast.seconds *= times;
      if (forecast.applies && !runs.is_one()) forecast.reason += ", " + std::to_string(runs.size()) + " times";
    }
  }
  return plan;
}

template <class Entry, class Graph>
Result compute_as_held(const Graph& graph, const CountOptions& options, Work* work) {
  const RunContext context(options.run);
  Result result;
  if (!maximum_matching(graph, context).is_perfect()) {
    result = compute<std::int64_t>(graph.pattern(), for_integers(options), work);
    result.value = BlockValue<Entry>{};
    return result;
  }
  const FixedPoint numbers = as_integers(graph, entries_of<Entry>(graph));
  BigCount count = compute_big(graph.pattern(), numbers.entries, options, work);
  result = std::move(count.result);
  result.value = as_value(count.value, numbers.exponent, static_cast<const Entry*>(nullptr));
  for (BlockRun& block : result.blocks) block.precision = Precision::exact;
  return result;
}

template <class Entry, class Graph>
Plan plan_as_held(const Graph& graph, const CountOptions& options, Work* work) {
  RunOptions unlimited = options.run;
  unlimited.time_limit_s = infinity;
  if (!maximum_matching(graph, RunContext(unlimited)).is_perfect())
    return plan_only<std::int64_t>(graph.pattern(), for_integers(options), work);
  Plan plan = plan_big(graph.pattern(), as_integers(graph, entries_of<Entry>(graph)).entries, options, work);
  for (BlockPlan& block : plan.blocks) block.precision = Precision::exact;
  return plan;
}

WithoutDenominators without_denominators(const BipartiteGraph& pattern, const std::vector<Rational>& entries) {
  WithoutDenominators result;
  result.entries.resize(entries.size());
  for (Vertex row = 0; row < pattern.num_rows(); ++row) {
    const std::span of_row = std::span(entries).subspan(pattern.row_begin(row), pattern.row(row).size());
    Integer multiple = 1;
    for (const Rational& entry : of_row) multiple = lcm(multiple, denominator(entry));
    for (std::size_t i = 0; i < of_row.size(); ++i)
      result.entries[pattern.row_begin(row) + i].re = numerator(of_row[i]) * (multiple / denominator(of_row[i]));
    result.multiple *= multiple;
  }
  return result;
}

// Every vertex takes what its edges still lack when they are first met.
WithoutDenominators without_denominators(const UndirectedGraph& pattern, const std::vector<Rational>& entries) {
  std::vector<Integer> factor(pattern.num_vertices(), Integer(1));
  const auto lacking = [&](EdgeId id) {
    const Edge& edge = pattern.edges()[id];
    const Integer& below = denominator(entries[id]);
    return below / gcd(below, factor[edge.row] * factor[edge.column]);
  };
  for (EdgeId id = 0; id < pattern.num_edges(); ++id) factor[pattern.edges()[id].row] *= lacking(id);
  WithoutDenominators result;
  for (EdgeId id = 0; id < pattern.num_edges(); ++id) {
    const Edge& edge = pattern.edges()[id];
    const Integer both = factor[edge.row] * factor[edge.column];
    result.entries.push_back({numerator(entries[id]) * (both / denominator(entries[id])), 0});
  }
  for (const Integer& of_vertex : factor) result.multiple *= of_vertex;
  return result;
}

template BigCount compute_big(const BipartiteGraph&, const std::vector<GaussianInteger>&, const CountOptions&, Work*);
template BigCount compute_big(const UndirectedGraph&, const std::vector<GaussianInteger>&, const CountOptions&, Work*);
template Plan plan_big(const BipartiteGraph&, const std::vector<GaussianInteger>&, const CountOptions&, Work*);
template Plan plan_big(const UndirectedGraph&, const std::vector<GaussianInteger>&, const CountOptions&, Work*);
template Result compute_as_held<RealEntry>(const BipartiteGraph&, const CountOptions&, Work*);
template Result compute_as_held<ComplexEntry>(const BipartiteGraph&, const CountOptions&, Work*);
template Result compute_as_held<RealEntry>(const UndirectedGraph&, const CountOptions&, Work*);
template Result compute_as_held<ComplexEntry>(const UndirectedGraph&, const CountOptions&, Work*);
template Plan plan_as_held<RealEntry>(const BipartiteGraph&, const CountOptions&, Work*);
template Plan plan_as_held<ComplexEntry>(const BipartiteGraph&, const CountOptions&, Work*);
template Plan plan_as_held<RealEntry>(const UndirectedGraph&, const CountOptions&, Work*);
template Plan plan_as_held<ComplexEntry>(const UndirectedGraph&, const CountOptions&, Work*);

}  // namespace matchcount
