// From a graph to an answer: matching, scaling, reductions, a plan for every block, the cheapest method on each, the
// product.

#include "permanent/permanent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "permanent/bound.hpp"
#include "permanent/parity.hpp"
#include "permanent/planner.hpp"
#include "permanent/reference/oracles.hpp"
#include "permanent/ryser_gpu.hpp"

namespace matchcount {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
// A check must stay cheap beside the count: elimination on bits takes 0.1 s at this size.
constexpr Vertex max_parity_size = 2048;
// Double-doubles are taken where they cost no more than this,
constexpr double cheap_s = 1;
// or, where doubles left fewer than six digits, than that, beside what was spent.
constexpr double affordable_s = 60;
constexpr double poor_relative_error = 0x1p-20;
// --verify must not turn a second into a day.
constexpr double affordable_check_s = 600;
// Scaled entries below 2^this are lifted to it, so that nothing of theirs underflows; the bound says so.
constexpr double log2_least_entry = -900;

// ---- Number types. What the front door needs to know of each: its entries, its scaling, its product of blocks.

struct Exact {
  using Entry = std::int64_t;
  using BlockValue = Integer;
  static constexpr WeightKind kind = WeightKind::integer;
};
struct Real {
  using Entry = RealEntry;
  using BlockValue = RealValue;
  static constexpr WeightKind kind = WeightKind::real;
};
struct Complex {
  using Entry = ComplexEntry;
  using BlockValue = ComplexValue;
  static constexpr WeightKind kind = WeightKind::complex;
};

// Bounds above |value| that rounding does not undercut.
double magnitude_bound(DoubleDouble value) {
  return std::min(std::fabs(value.hi) * (1 + 0x1p-51), std::numeric_limits<double>::max());
}
double magnitude_bound(const ComplexDoubleDouble& value) {
  const double bound = magnitude(value) * (1 + 0x1p-50);
  if (!std::isfinite(bound))
    throw InputError("an entry whose absolute value passes 1.797e308", "absolute values of doubles");
  return bound;
}

std::vector<std::int64_t> entries_of(const BipartiteGraph& graph, Exact) {
  if (const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights())) return *weights;
  return std::vector<std::int64_t>(graph.num_edges(), 1);
}
std::vector<RealEntry> entries_of(const BipartiteGraph& graph, Real) {
  std::vector<RealEntry> entries;
  for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights()))
    entries.push_back({w, magnitude_bound(w)});
  return entries;
}
std::vector<ComplexEntry> entries_of(const BipartiteGraph& graph, Complex) {
  std::vector<ComplexEntry> entries;
  for (const ComplexDoubleDouble& w : std::get<std::vector<ComplexDoubleDouble>>(graph.weights())) {
    entries.push_back({w, magnitude_bound(w)});
  }
  return entries;
}

// How much an entry of a file may differ from its text beyond the 2^-100 that every method counts, relatively: the low
// half of a double-double below 2^-968 is subnormal.
double input_error(const std::vector<std::int64_t>&) { return 0; }
template <class Entry>
double input_error(const std::vector<Entry>& entries) {
  double worst = 0;
  for (const Entry& entry : entries) {
    if (entry.magnitude >= 0x1p-1022 && entry.magnitude < 0x1p-968)
      worst = std::max(worst, 0x1p-1022 / entry.magnitude * 0x1p-52);
  }
  return worst;
}

// What scaling did: the permanent was multiplied by 2^-exponent, and entries were lifted that make up at most
// 2^log2_lost of the scaled permanent.
struct Scaled {
  std::int64_t exponent = 0;
  double log2_lost = minus_infinity;
  double entry_error = 0;  // what the entries' own relative errors add up to, beyond the methods' account
};

template <class Entry>
Scaled scale(const BipartiteGraph& pattern, std::vector<Entry>& entries) {
  std::vector<double> log2_magnitude;
  log2_magnitude.reserve(entries.size());
  for (const Entry& entry : entries) log2_magnitude.push_back(std::log2(entry.magnitude));
  const Scaling scaling = maximum_product_scaling(pattern, log2_magnitude);
  Scaled result;
  double log2_rows = 0;
  double num_lifted = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    result.exponent -= scaling.row_exponent[r];
    double row_sum = 0;
    EdgeId edge = pattern.row_begin(r);
    for (const Vertex c : pattern.row(r)) {
      const int shift = scaling.row_exponent[r] + scaling.column_exponent[c];
      Entry& entry = entries[edge];
      if (log2_magnitude[edge] + shift < log2_least_entry) {
        entry.value = std::exp2(log2_least_entry);
        entry.magnitude = std::exp2(log2_least_entry);
        ++num_lifted;
      } else {
        entry.value = ldexp(entry.value, shift);
        entry.magnitude = std::ldexp(entry.magnitude, shift);
      }
      row_sum += entry.magnitude;
      ++edge;
    }
    log2_rows += std::max(0.0, std::log2(row_sum)) + 1e-9;
  }
  for (const int exponent : scaling.column_exponent) result.exponent -= exponent;
  if (num_lifted > 0) result.log2_lost = std::log2(2 * num_lifted) + log2_least_entry + log2_rows;
  return result;
}
Scaled scale(const BipartiteGraph&, std::vector<std::int64_t>&) { return {}; }

// ---- One block.

bool nonnegative(const Block<RealEntry>& block) {
  return std::all_of(block.entries.begin(), block.entries.end(),
                     [](const RealEntry& entry) { return entry.value.hi >= 0; });
}

NumberType number_type(const Block<std::int64_t>& block, Precision) {
  NumberType number;
  number.log2_bound = std::max(0.0, log2_permanent_bound(block));
  return number;
}
NumberType number_type(const Block<RealEntry>& block, Precision precision) {
  NumberType number;
  number.kind = WeightKind::real;
  number.precision = precision;
  number.nonnegative = nonnegative(block);
  return number;
}
NumberType number_type(const Block<ComplexEntry>&, Precision precision) {
  NumberType number;
  number.kind = WeightKind::complex;
  number.precision = precision;
  number.nonnegative = false;
  return number;
}

template <class T, class Entry, class Get>
T expand(const Block<Entry>& block, Get&& get) {
  const auto n = static_cast<std::size_t>(block.pattern.num_rows());
  std::vector<T> dense(n * n, T(0));
  for (Vertex r = 0; r < n; ++r) {
    EdgeId edge = block.pattern.row_begin(r);
    for (const Vertex c : block.pattern.row(r)) dense[r * n + c] = get(block.entries[edge++]);
  }
  return reference::permanent_by_expansion(dense, static_cast<int>(n));
}

// n products and a sum for each permutation, at most n! <= 2^29 of them, in double-doubles.
double expansion_log2_error(Vertex n, double log2_magnitudes) {
  return log2_magnitudes + std::log2((2.0 * n + 30) * 0x1p-99);
}

Integer run_expansion(const Block<std::int64_t>& block) {
  return expand<Integer>(block, [](std::int64_t entry) { return Integer(entry); });
}
RealValue run_expansion(const Block<RealEntry>& block) {
  const double log2_magnitudes =
      std::log2(expand<double>(block, [](const RealEntry& e) { return e.magnitude; })) + 1e-9;
  return {expand<DoubleDouble>(block, [](const RealEntry& e) { return e.value; }),
          expansion_log2_error(block.pattern.num_rows(), log2_magnitudes), log2_magnitudes};
}
ComplexValue run_expansion(const Block<ComplexEntry>& block) {
  const double log2_magnitudes =
      std::log2(expand<double>(block, [](const ComplexEntry& e) { return e.magnitude; })) + 1e-9;
  const auto value = expand<ComplexDoubleDouble>(block, [](const ComplexEntry& e) { return e.value; });
  return {{value.re, value.im}, expansion_log2_error(block.pattern.num_rows(), log2_magnitudes) + 2, log2_magnitudes};
}

Integer run_method(const Block<std::int64_t>& block, const PreparedBlock& prepared, const Forecast& chosen, Precision,
                   const CountOptions& options, Watch& watch) {
  const Method method = chosen.method;
  if (chosen.on_gpu) return permanent_ryser(block, prepared.subsets(method), prepared.gpus, options.run, watch);
  if (method == Method::expansion) return run_expansion(block);
  if (method == Method::frontier) {
    return permanent_frontier(block, prepared.order, options.frontier_engine, options.run, watch);
  }
  if (method == Method::planar) {
    const GraphBlock<std::int64_t> graph = {UndirectedGraph::from_bipartite(block.pattern), block.entries};
    return hafnian_kasteleyn(graph, *prepared.planar, options.run, watch);
  }
  return permanent_ryser(block, prepared.subsets(method), options.run, watch);
}
template <class Entry>
auto run_method(const Block<Entry>& block, const PreparedBlock& prepared, const Forecast& chosen, Precision precision,
                const CountOptions& options, Watch& watch) {
  const Method method = chosen.method;
  if (chosen.on_gpu)
    return permanent_ryser(block, prepared.subsets(method), precision, prepared.gpus, options.run, watch);
  if (method == Method::expansion) return run_expansion(block);
  if (method == Method::frontier) {
    return permanent_frontier(block, prepared.order, options.frontier_engine, precision, options.run, watch);
  }
  return permanent_ryser(block, prepared.subsets(method), precision, options.run, watch);
}

bool agree(const Integer& a, const Integer& b) { return a == b; }
bool agree(const RealValue& a, const RealValue& b) {
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}
bool agree(const ComplexValue& a, const ComplexValue& b) {
  const ScaledComplex difference{a.value.re + -b.value.re, a.value.im + -b.value.im};
  return log2_abs(difference) <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}

bool is_subset_method(Method method) {
  return method == Method::ryser || method == Method::sparyser || method == Method::skipper || method == Method::staged;
}

// Another method, sharing no code with the one that ran, or Unable.
Forecast second_method(const Forecast& first, const BlockPlan& plan, const CountOptions& options, double seconds_left) {
  const double limit = std::min(affordable_check_s, 2 * seconds_left);
  const auto memory = static_cast<double>(resolve_memory_limit(options.run));
  const Forecast* cheapest = nullptr;
  for (const Forecast& forecast : plan.forecasts) {
    const bool independent =
        forecast.method != first.method && !(is_subset_method(forecast.method) && is_subset_method(first.method));
    if (!independent || !forecast.applies) continue;
    if (!cheapest) cheapest = &forecast;
    if (forecast.seconds <= limit && forecast.memory_bytes <= memory) return forecast;
  }
  const std::string block = "a block of " + std::to_string(plan.size) + " rows";
  if (!cheapest) throw Unable("no second method applies to " + block + ", so that nothing can verify it");
  throw Unable("a second method to verify " + block + " would need about " +
               std::to_string(static_cast<std::uint64_t>(std::min(cheapest->seconds, 1e18))) + " s (" +
               std::string(to_string(cheapest->method)) + ")");
}

// ---- The product.

Integer product_of(std::vector<Integer> values) {
  if (values.empty()) return 1;
  // In a balanced tree, so that long factors meet long factors.
  while (values.size() > 1) {
    std::size_t half = 0;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) values[half++] = values[i] * values[i + 1];
    if (values.size() % 2) values[half++] = std::move(values.back());
    values.resize(half);
  }
  return std::move(values.front());
}

// |ab - AB| <= |a| |b - B| + |b| |a - A| + |a - A| |b - B|, and a product's own rounding.
template <class V>
V times(const V& a, const V& b, double log2_a, double log2_b) {
  V result;
  result.value = a.value * b.value;
  result.log2_error = log2_sum(log2_sum(log2_a + b.log2_error, log2_b + a.log2_error),
                               log2_sum(a.log2_error + b.log2_error, log2_a + log2_b - 98));
  result.log2_magnitudes = a.log2_magnitudes + b.log2_magnitudes;
  return result;
}
RealValue operator*(const RealValue& a, const RealValue& b) {
  return times(a, b, a.value.log2_abs(), b.value.log2_abs());
}
ComplexValue operator*(const ComplexValue& a, const ComplexValue& b) {
  return times(a, b, log2_abs(a.value), log2_abs(b.value));
}

RealValue as_value(const RealEntry& factor) {
  return {factor.value, minus_infinity, std::log2(factor.magnitude) + 1e-9};
}
ComplexValue as_value(const ComplexEntry& factor) {
  return {{factor.value.re, factor.value.im}, minus_infinity, std::log2(factor.magnitude) + 1e-9};
}
void shift(ScaledReal& value, std::int64_t exponent) {
  if (!value.is_zero()) value.exponent += exponent;
}
void shift(RealValue& value, std::int64_t exponent) {
  shift(value.value, exponent);
  value.log2_error += static_cast<double>(exponent);
  value.log2_magnitudes += static_cast<double>(exponent);
}
void shift(ComplexValue& value, std::int64_t exponent) {
  shift(value.value.re, exponent);
  shift(value.value.im, exponent);
  value.log2_error += static_cast<double>(exponent);
  value.log2_magnitudes += static_cast<double>(exponent);
}

Integer combine(const Reduced<std::int64_t>& reduced, std::vector<Integer> blocks, const std::vector<Scaled>&,
                const Scaled&) {
  for (const std::int64_t factor : reduced.factors) blocks.push_back(factor);
  return product_of(std::move(blocks));
}
template <class Entry, class V>
V combine(const Reduced<Entry>& reduced, std::vector<V> blocks, const std::vector<Scaled>& scaled,
          const Scaled& outer) {
  V product = as_value(Entry{1.0, 1.0});
  for (const Entry& factor : reduced.factors) product = product * as_value(factor);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].log2_error = log2_sum(blocks[i].log2_error, scaled[i].log2_lost);
    shift(blocks[i], scaled[i].exponent);
    product = product * blocks[i];
  }
  // The merges' own rounding (matching/reduce.hpp) and one of 2^-100 for every factor that the input gave.
  const double steps =
      reduced.counts.degree2 * 0x1p-99 + static_cast<double>(reduced.factors.size()) * 0x1p-100 + outer.entry_error;
  if (steps > 0) product.log2_error = log2_sum(product.log2_error, std::log2(steps) + product.log2_magnitudes);
  product.log2_error = log2_sum(product.log2_error, outer.log2_lost);
  shift(product, outer.exponent);
  return product;
}

// The product of row sums, where a method gives no better bound of the magnitudes' permanent.
template <class V, class Entry>
void bound_magnitudes(V& value, const Block<Entry>& block) {
  double log2_rows = 0;
  for (Vertex r = 0; r < block.pattern.num_rows(); ++r) {
    double sum = 0;
    for (std::size_t i = 0; i < block.pattern.row(r).size(); ++i)
      sum += block.entries[block.pattern.row_begin(r) + i].magnitude;
    log2_rows += std::log2(sum) + 1e-9;
  }
  value.log2_magnitudes = std::min(value.log2_magnitudes, log2_rows);
}
void bound_magnitudes(Integer&, const Block<std::int64_t>&) {}

// ---- All of it.

std::optional<HallViolator> why_zero(const BipartiteGraph& graph, const Matching& matching) {
  if (matching.is_perfect()) return std::nullopt;
  return hall_violator(graph, matching, matching.size < graph.num_rows());
}

// Adds a block with the forecast that is followed, or that would be.
void add_block(Plan& plan, BlockPlan block, const Forecast& followed) {
  plan.seconds += followed.applies ? followed.seconds : std::numeric_limits<double>::infinity();
  plan.memory_bytes = std::max(plan.memory_bytes, followed.memory_bytes);
  plan.blocks.push_back(std::move(block));
}

// Everything up to the blocks. Returns false where the answer is 0 for want of a perfect matching.
template <class Number>
struct Structure {
  Plan plan;
  Scaled scaled;
  Reduced<typename Number::Entry> reduced;
  std::vector<Scaled> block_scaled;
  std::vector<Check> checks;

  Structure(const BipartiteGraph& graph, const CountOptions& options, Watch& watch) {
    plan.rows = graph.num_rows();
    plan.columns = graph.num_columns();
    plan.edges = graph.num_edges();
    const Matching matching = maximum_matching(graph);
    plan.maximum_matching = matching.size;
    plan.hall_violator = why_zero(graph, matching);
    watch.check();
    if (plan.hall_violator) {
      checks.push_back({"hall_violator", is_hall_violator(graph, *plan.hall_violator),
                        "fewer neighbours than members: no perfect matching"});
      return;
    }
    checks.push_back({"matching", is_matching(graph, matching), "a perfect matching exists"});
    auto entries = entries_of(graph, Number{});
    const double entry_error = graph.num_rows() * input_error(entries);
    scaled = scale(graph, entries);
    scaled.entry_error = entry_error;
    ReduceOptions reduce_options;
    reduce_options.decompose = options.prune;
    reduce_options.degree1 = reduce_options.degree2 = options.reduce;
    reduced = reduce(graph, entries, matching, reduce_options);
    watch.check();
    for (auto& block : reduced.blocks) block_scaled.push_back(scale(block.pattern, block.entries));
    plan.reductions = reduced.counts;
  }
};

// The precision that a block is counted in, when the caller leaves it open.
template <class Entry>
Precision choose_precision(const PreparedBlock& prepared, const Forecast& chosen, const Block<Entry>& block,
                           const CountOptions& options) {
  if (options.precision != Precision::automatic) return options.precision;
  if (chosen.method == Method::expansion) return Precision::double_double;
  const double seconds =
      predicted_seconds(prepared, block.pattern, chosen, number_type(block, Precision::double_double), options);
  return seconds <= cheap_s ? Precision::double_double : Precision::float64;
}

template <class Number>
Result compute(const BipartiteGraph& graph, const CountOptions& options) {
  Watch watch(options.run);
  // A device that can't be had is refused even where nothing is left to count on it.
  if (options.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.device);
  Stopwatch stopwatch;
  Structure<Number> structure(graph, options, watch);
  Result result;
  result.seed = options.run.seed;
  result.method = "structure";
  result.plan = std::move(structure.plan);
  result.checks = std::move(structure.checks);
  result.time_s.structure = stopwatch.lap();
  if (result.plan.hall_violator) {
    result.value = typename Number::BlockValue{};
    result.time_s.total = watch.elapsed_s();
    return result;
  }

  const bool is_exact = Number::kind == WeightKind::integer;
  const Precision planned_precision =
      options.precision == Precision::automatic ? Precision::float64 : options.precision;
  std::vector<PreparedBlock> prepared;
  for (const auto& block : structure.reduced.blocks) {
    // What is cheap is planned for one method only, unless two are needed.
    CountOptions plan_options = options;
    if (options.verify) plan_options.method = Method::automatic;
    prepared.push_back(plan_block(block.pattern, number_type(block, planned_precision), plan_options, !options.verify,
                                  watch, find_twins(block)));
  }
  result.time_s.order = stopwatch.lap();

  // Every choice is made before any block is run, so that what can't be done is refused at once.
  std::vector<Forecast> chosen;
  double predicted = 0;
  for (const PreparedBlock& block : prepared) {
    BlockPlan candidates = block.plan;
    for (Forecast& forecast : candidates.forecasts)
      forecast.applies = forecast.applies && allowed(forecast, candidates.size, options);
    chosen.push_back(choose(candidates, options, watch.seconds_left() - predicted));
    predicted += chosen.back().seconds / 2;
    if (options.verify) second_method(chosen.back(), block.plan, options, watch.seconds_left());
  }
  if (options.on_forecast && !chosen.empty()) {
    const auto cheaper = [](const Forecast& a, const Forecast& b) { return a.seconds < b.seconds; };
    double seconds = 0;
    for (const Forecast& forecast : chosen) seconds += forecast.seconds;
    options.on_forecast(*std::max_element(chosen.begin(), chosen.end(), cheaper), seconds);
  }

  std::vector<typename Number::BlockValue> values;
  double dearest = -1;
  bool verified = true;
  std::string verified_by;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    const auto& block = structure.reduced.blocks[i];
    const Method method = chosen[i].method;
    const Precision precision = choose_precision(prepared[i], chosen[i], block, options);
    auto value = run_method(block, prepared[i], chosen[i], precision, options, watch);
    if constexpr (!is_exact) {
      const bool again = options.precision == Precision::automatic && precision == Precision::float64 &&
                         relative_error(Value(value)) > poor_relative_error;
      if (again &&
          predicted_seconds(prepared[i], block.pattern, chosen[i], number_type(block, Precision::double_double),
                            options) <= std::min(affordable_s, watch.seconds_left())) {
        value = run_method(block, prepared[i], chosen[i], Precision::double_double, options, watch);
      }
    }
    bound_magnitudes(value, block);
    if (options.verify) {
      const Forecast second = second_method(chosen[i], prepared[i].plan, options, watch.seconds_left());
      const auto other = run_method(block, prepared[i], second, precision, options, watch);
      verified = verified && agree(value, other);
      if (verified_by.find(to_string(second.method)) == std::string::npos) {
        verified_by += (verified_by.empty() ? "" : ", ") + std::string(to_string(second.method));
      }
    }
    values.push_back(std::move(value));
    result.block_methods.emplace_back(to_string(method));
    if (chosen[i].seconds > dearest) {
      dearest = chosen[i].seconds;
      result.method = to_string(method);
    }
    if (chosen[i].on_gpu) result.gpus = prepared[i].gpus;
    add_block(result.plan, std::move(prepared[i].plan), chosen[i]);
  }
  auto total = combine(structure.reduced, std::move(values), structure.block_scaled, structure.scaled);
  if constexpr (is_exact) {
    if (graph.num_rows() <= max_parity_size) {
      const bool odd = permanent_is_odd(graph);
      result.checks.push_back({"parity", odd == ((total & 1) != 0), "the determinant modulo 2"});
    }
  }
  if (options.verify) {
    result.checks.push_back(
        {"verify", verified, verified_by.empty() ? "nothing was left to count" : "by " + verified_by});
  }
  result.value = std::move(total);
  result.time_s.count = stopwatch.lap();
  result.time_s.total = watch.elapsed_s();
  for (const Check& check : result.checks) {
    if (!check.passed)
      throw Error("the check \"" + check.name + "\" failed (" + check.detail + "); please report this matrix");
  }
  return result;
}

template <class Number>
Plan plan_only(const BipartiteGraph& graph, const CountOptions& options) {
  RunOptions unlimited = options.run;
  unlimited.time_limit_s = std::numeric_limits<double>::infinity();
  Watch watch(unlimited);
  Structure<Number> structure(graph, options, watch);
  Plan plan = std::move(structure.plan);
  for (const auto& block : structure.reduced.blocks) {
    const Precision precision = options.precision == Precision::automatic ? Precision::float64 : options.precision;
    BlockPlan planned =
        plan_block(block.pattern, number_type(block, precision), options, false, watch, find_twins(block)).plan;
    const Forecast first = planned.forecasts.front();
    add_block(plan, std::move(planned), first);
  }
  return plan;
}

// Calls body with the graph, zeros dropped, and its number type.
template <class Body>
auto by_number(const BipartiteGraph& matrix, Body&& body) {
  switch (matrix.weight_kind()) {
    case WeightKind::real:
      return body(matrix.drop_zeros(), Real{});
    case WeightKind::complex:
      return body(matrix.drop_zeros(), Complex{});
    case WeightKind::integer:
      return body(matrix.drop_zeros(), Exact{});
    default:
      return body(matrix, Exact{});
  }
}

}  // namespace

std::string_view to_string(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::frontier:
      return "frontier";
    case Method::planar:
      return "planar";
    case Method::ryser:
      return "ryser";
    case Method::sparyser:
      return "sparyser";
    case Method::skipper:
      return "skipper";
    case Method::staged:
      return "staged";
    case Method::expansion:
      return "expansion";
  }
  return "";
}

Method method_from_string(std::string_view name) {
  for (const Method method : {Method::automatic, Method::frontier, Method::planar, Method::ryser, Method::sparyser,
                              Method::skipper, Method::staged, Method::expansion}) {
    if (to_string(method) == name) return method;
  }
  throw InputError("method \"" + std::string(name) + "\"",
                   "auto, frontier, planar, staged, skipper, sparyser, ryser or expansion");
}

Result permanent(const Matrix& matrix, const CountOptions& options) {
  return by_number(matrix,
                   [&](const BipartiteGraph& graph, auto number) { return compute<decltype(number)>(graph, options); });
}

Result count_perfect_matchings(const BipartiteGraph& graph, const CountOptions& options) {
  return compute<Exact>(graph.pattern(), options);
}

Result count_cycle_covers(const Digraph& digraph, const CountOptions& options) {
  return compute<Exact>(digraph.bipartite().pattern(), options);
}

Plan plan_permanent(const Matrix& matrix, const CountOptions& options) {
  return by_number(
      matrix, [&](const BipartiteGraph& graph, auto number) { return plan_only<decltype(number)>(graph, options); });
}

}  // namespace matchcount
