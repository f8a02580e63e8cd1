// From a graph to an answer: matching, scaling, reductions, a plan for every block, the cheapest method on each, the
// product. What has no odd cycles is one bipartite graph, all of it or a part; blocks with odd cycles stand beside its
// blocks from the reductions to the product.

#include "permanent/permanent.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/work.hpp"
#include "linear/parity.hpp"
#include "matching/identity.hpp"
#include "permanent/bound.hpp"
#include "permanent/engine/planner.hpp"
#include "permanent/engine/resume.hpp"
#include "permanent/reference/oracles.hpp"
#include "permanent/ryser/ryser_gpu.hpp"

namespace matchcount {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double minus_infinity = -infinity;
// A check must stay cheap beside the count: elimination on bits takes 0.1 s at this size.
constexpr Vertex max_parity_size = 2048;
// Double-doubles are taken where they cost no more than this,
constexpr double cheap_s = 1;
// or, where doubles left fewer than six digits, than that, beside what was spent.
constexpr double affordable_s = 60;
constexpr double poor_relative_error = 0x1p-20;
// --verify must not turn a second into a day.
constexpr double affordable_check_s = 600;
// A method that shares no code is preferred to another order up to here.
constexpr double preferred_check_s = 10;
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

// Of a BipartiteGraph or an UndirectedGraph.
template <class Graph>
std::vector<std::int64_t> entries_of(const Graph& graph, Exact) {
  if (const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights())) return *weights;
  return std::vector<std::int64_t>(graph.num_edges(), 1);
}
template <class Graph>
std::vector<RealEntry> entries_of(const Graph& graph, Real) {
  std::vector<RealEntry> entries;
  for (const DoubleDouble& w : std::get<std::vector<DoubleDouble>>(graph.weights()))
    entries.push_back({w, magnitude_bound(w)});
  return entries;
}
template <class Graph>
std::vector<ComplexEntry> entries_of(const Graph& graph, Complex) {
  std::vector<ComplexEntry> entries;
  for (const ComplexDoubleDouble& w : std::get<std::vector<ComplexDoubleDouble>>(graph.weights())) {
    entries.push_back({w, magnitude_bound(w)});
  }
  return entries;
}

// How much an entry of a file may differ from its text beyond what every method counts, relatively.
double input_error(const std::vector<std::int64_t>&) { return 0; }
template <class Entry>
double input_error(const std::vector<Entry>& entries) {
  double worst = 0;
  for (const Entry& entry : entries) worst = std::max(worst, subnormal_error(entry.magnitude));
  return worst;
}

// What scaling did: the permanent was multiplied by 2^-exponent, and entries were lifted that make up at most
// 2^log2_lost of the scaled permanent.
struct Scaled {
  std::int64_t exponent = 0;
  double log2_lost = minus_infinity;
  double entry_error = 0;  // what the entries' own relative errors add up to, beyond the methods' account
  bool exact = false;      // entries count as they are held
};

template <class Entry>
std::vector<double> log2_magnitudes_of(const std::vector<Entry>& entries) {
  std::vector<double> result;
  result.reserve(entries.size());
  for (const Entry& entry : entries) result.push_back(std::log2(entry.magnitude));
  return result;
}

// Multiplies an entry of this magnitude by 2^shift, or lifts it: true.
template <class Entry>
bool scale_entry(Entry& entry, double log2_magnitude, int shift) {
  if (log2_magnitude + shift < log2_least_entry) {
    entry.value = std::exp2(log2_least_entry);
    entry.magnitude = std::exp2(log2_least_entry);
    return true;
  }
  entry.value = ldexp(entry.value, shift);
  entry.magnitude = std::ldexp(entry.magnitude, shift);
  return false;
}

// log2_sums: of the product of the sums that bound whatever stands beside a lifted entry.
double log2_lost_by(double num_lifted, double log2_sums) {
  return num_lifted == 0 ? minus_infinity : std::log2(2 * num_lifted) + log2_least_entry + log2_sums;
}

template <class Entry>
Scaled scale(const BipartiteGraph& pattern, std::vector<Entry>& entries, const RunContext& run) {
  const std::vector<double> log2_magnitude = log2_magnitudes_of(entries);
  const Scaling scaling = maximum_product_scaling(pattern, log2_magnitude, run);
  Scaled result;
  double log2_rows = 0;
  double num_lifted = 0;
  for (Vertex r = 0; r < pattern.num_rows(); ++r) {
    result.exponent -= scaling.row_exponent[r];
    double row_sum = 0;
    EdgeId edge = pattern.row_begin(r);
    for (const Vertex c : pattern.row(r)) {
      num_lifted +=
          scale_entry(entries[edge], log2_magnitude[edge], scaling.row_exponent[r] + scaling.column_exponent[c]);
      row_sum += entries[edge].magnitude;
      ++edge;
    }
    log2_rows += std::max(0.0, std::log2(row_sum)) + 1e-9;
  }
  for (const int exponent : scaling.column_exponent) result.exponent -= exponent;
  result.log2_lost = log2_lost_by(num_lifted, log2_rows);
  return result;
}
Scaled scale(const BipartiteGraph&, std::vector<std::int64_t>&, const RunContext&) { return {}; }

// With r and c the exponents of the symmetric matrix, m 2^(r_u + c_v) and m 2^(r_v + c_u) are below 2, and so is their
// geometric mean m 2^(s_u + s_v), s = (r + c) / 2, rounded down to an integer. Unlike a permanent, a hafnian of scaled
// magnitudes may be small, where permutations with odd cycles outweigh matchings; what underflow loses is counted.
template <class Entry>
Scaled scale(const UndirectedGraph& pattern, std::vector<Entry>& entries, const RunContext& run) {
  const std::vector<double> log2_magnitude = log2_magnitudes_of(entries);
  std::vector<double> log2_of_matrix;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    for (const EdgeId edge : pattern.incident_edges(v)) log2_of_matrix.push_back(log2_magnitude[edge]);
  }
  const Scaling scaling = maximum_product_scaling(pattern.pattern().symmetric_matrix(), log2_of_matrix, run);
  std::vector<std::int64_t> exponent(pattern.num_vertices());
  Scaled result;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    exponent[v] = (std::int64_t{scaling.row_exponent[v]} + scaling.column_exponent[v]) >> 1;
    result.exponent -= exponent[v];
  }
  double num_lifted = 0;
  for (EdgeId edge = 0; edge < pattern.num_edges(); ++edge) {
    const auto [u, v] = pattern.edges()[edge];
    num_lifted += scale_entry(entries[edge], log2_magnitude[edge], static_cast<int>(exponent[u] + exponent[v]));
  }
  double log2_sums = 0;
  for (Vertex v = 0; v < pattern.num_vertices(); ++v) {
    double sum = 0;
    for (const EdgeId edge : pattern.incident_edges(v)) sum += entries[edge].magnitude;
    log2_sums += std::max(0.0, std::log2(sum)) + 1e-9;
  }
  result.log2_lost = log2_lost_by(num_lifted, log2_sums);
  return result;
}
Scaled scale(const UndirectedGraph&, std::vector<std::int64_t>&, const RunContext&) { return {}; }

// ---- One block.

template <class AnyBlock>
bool nonnegative(const AnyBlock& block) {
  return std::all_of(block.entries.begin(), block.entries.end(),
                     [](const RealEntry& entry) { return entry.value.hi >= 0; });
}

double log2_bound(const Block<std::int64_t>& block) { return log2_permanent_bound(block); }
double log2_bound(const GraphBlock<std::int64_t>& block) { return log2_hafnian_bound(block); }

template <class Entry>
GraphBlock<Entry> as_graph(const Block<Entry>& block) {
  return {UndirectedGraph::from_bipartite(block.pattern), block.entries};
}
template <class Entry>
const GraphBlock<Entry>& as_graph(const GraphBlock<Entry>& block) {
  return block;
}

// Of a Block or a GraphBlock, which it refers to.
template <template <class> class AnyBlock, class Entry>
NumberType number_type(const AnyBlock<Entry>& block, Precision precision) {
  NumberType number;
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    number.log2_bound = std::max(0.0, log2_bound(block));
    number.all_ones = std::ranges::all_of(block.entries, [](std::int64_t entry) { return entry == 1; });
  } else {
    number.kind = std::is_same_v<Entry, RealEntry> ? WeightKind::real : WeightKind::complex;
    number.precision = precision == Precision::exact ? Precision::double_double : precision;
    number.nonnegative = false;
    if constexpr (std::is_same_v<Entry, RealEntry>) number.nonnegative = nonnegative(block);
    number.planar_sizes = [&block, precision](const KasteleynPlan& plan) {
      return kasteleyn_sizes(as_graph(block), plan, precision);
    };
  }
  return number;
}

template <class T, class Entry, class Get>
T expand(const GraphBlock<Entry>& block, const RunContext& run, Get&& get) {
  const auto n = static_cast<std::size_t>(block.pattern.num_vertices());
  std::vector<T> dense(n * n, T(0));
  for (EdgeId id = 0; id < block.pattern.num_edges(); ++id) {
    const Edge edge = block.pattern.edges()[id];
    dense[edge.row * n + edge.column] = get(block.entries[id]);
  }
  return reference::hafnian_by_expansion(dense, n, [&] { run.check(); });
}
template <class T, class Entry, class Get>
T expand(const Block<Entry>& block, const RunContext& run, Get&& get) {
  const auto n = static_cast<std::size_t>(block.pattern.num_rows());
  std::vector<T> dense(n * n, T(0));
  for (Vertex r = 0; r < n; ++r) {
    EdgeId edge = block.pattern.row_begin(r);
    for (const Vertex c : block.pattern.row(r)) dense[r * n + c] = get(block.entries[edge++]);
  }
  return reference::permanent_by_expansion(dense, static_cast<int>(n), [&] { run.check(); });
}

// Entries in a term.
template <class Entry>
Vertex term_size(const Block<Entry>& block) {
  return block.pattern.num_rows();
}
template <class Entry>
Vertex term_size(const GraphBlock<Entry>& block) {
  return block.pattern.num_vertices() / 2;
}

// n products and a sum for each permutation or matching, at most n! or (2 n - 1)!! <= 2^30 of them, in double-doubles.
double expansion_log2_error(Vertex n, double log2_magnitudes) {
  return log2_magnitudes + std::log2((2.0 * n + 30) * 0x1p-99);
}

template <template <class> class AnyBlock>
Integer run_expansion(const AnyBlock<std::int64_t>& block, const RunContext& run) {
  return expand<Integer>(block, run, [](std::int64_t entry) { return Integer(entry); });
}
template <template <class> class AnyBlock>
RealValue run_expansion(const AnyBlock<RealEntry>& block, const RunContext& run) {
  const double log2_magnitudes =
      std::log2(expand<double>(block, run, [](const RealEntry& e) { return e.magnitude; })) + 1e-9;
  return {expand<DoubleDouble>(block, run, [](const RealEntry& e) { return e.value; }),
          expansion_log2_error(term_size(block), log2_magnitudes), log2_magnitudes};
}
template <template <class> class AnyBlock>
ComplexValue run_expansion(const AnyBlock<ComplexEntry>& block, const RunContext& run) {
  const double log2_magnitudes =
      std::log2(expand<double>(block, run, [](const ComplexEntry& e) { return e.magnitude; })) + 1e-9;
  const auto value = expand<ComplexDoubleDouble>(block, run, [](const ComplexEntry& e) { return e.value; });
  return {{value.re, value.im}, expansion_log2_error(term_size(block), log2_magnitudes) + 2, log2_magnitudes};
}

std::vector<DeviceInfo> gpus_for(const Forecast& chosen, const PreparedBlock& prepared) {
  return chosen.on_gpu ? prepared.gpus : std::vector<DeviceInfo>();
}

Integer run_method(const Block<std::int64_t>& block, const PreparedBlock& prepared, const Forecast& chosen, Precision,
                   const CountOptions& options, const RunContext& run) {
  const Method method = chosen.method;
  if (method == Method::planar) {
    return hafnian_kasteleyn(as_graph(block), *prepared.planar, run, gpus_for(chosen, prepared));
  }
  if (chosen.on_gpu) return permanent_ryser(block, prepared.subsets(method), prepared.gpus, run);
  if (method == Method::expansion) return run_expansion(block, run);
  if (method == Method::frontier) {
    return permanent_frontier(block, prepared.order, options.frontier_engine, run);
  }
  return permanent_ryser(block, prepared.subsets(method), run);
}
template <class Entry>
auto run_method(const Block<Entry>& block, const PreparedBlock& prepared, const Forecast& chosen, Precision precision,
                const CountOptions& options, const RunContext& run) {
  const Method method = chosen.method;
  if (method == Method::planar) {
    return hafnian_kasteleyn(as_graph(block), *prepared.planar, precision, run, gpus_for(chosen, prepared));
  }
  if (chosen.on_gpu) return permanent_ryser(block, prepared.subsets(method), precision, prepared.gpus, run);
  if (method == Method::expansion) return run_expansion(block, run);
  if (method == Method::frontier) {
    return permanent_frontier(block, prepared.order, options.frontier_engine, precision, run);
  }
  return permanent_ryser(block, prepared.subsets(method), precision, run);
}

Integer run_method(const GraphBlock<std::int64_t>& block, const PreparedBlock& prepared, const Forecast& chosen,
                   Precision, const CountOptions& options, const RunContext& run) {
  if (chosen.method == Method::expansion) return run_expansion(block, run);
  if (chosen.method == Method::planar) {
    return hafnian_kasteleyn(block, *prepared.planar, run, gpus_for(chosen, prepared));
  }
  return hafnian_frontier(block, chosen.other_order ? prepared.other_order : prepared.order,
                          chosen.other_order ? prepared.other_engine : options.frontier_engine, run);
}
template <class Entry>
auto run_method(const GraphBlock<Entry>& block, const PreparedBlock& prepared, const Forecast& chosen,
                Precision precision, const CountOptions& options, const RunContext& run) {
  if (chosen.method == Method::expansion) return run_expansion(block, run);
  if (chosen.method == Method::planar) {
    return hafnian_kasteleyn(block, *prepared.planar, precision, run, gpus_for(chosen, prepared));
  }
  return hafnian_frontier(block, chosen.other_order ? prepared.other_order : prepared.order,
                          chosen.other_order ? prepared.other_engine : options.frontier_engine, precision, run);
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

// Another method, sharing no code with the one that ran; where that is dear, the same along another order, if the plan
// has one; or Unable.
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
    if (is_subset_method(forecast.method) && is_subset_method(first.method)) continue;
    if (!cheapest) cheapest = &forecast;
    if (affordable && (forecast.seconds <= preferred_check_s || !other_order)) return forecast;
  }
  if (other_order) return *other_order;
  const std::string block = "a block of " + std::to_string(plan.size) + (plan.bipartite ? " rows" : " vertices");
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

// Factors and blocks are what a reduction with so many merged vertices left.
Integer combine(const std::vector<std::int64_t>& factors, Vertex, std::vector<Integer> blocks,
                const std::vector<Scaled>&, const Scaled&) {
  for (const std::int64_t factor : factors) blocks.push_back(factor);
  return product_of(std::move(blocks));
}
template <class Entry, class V>
V combine(const std::vector<Entry>& factors, Vertex degree2, std::vector<V> blocks, const std::vector<Scaled>& scaled,
          const Scaled& outer) {
  V product = as_value(Entry{1.0, 1.0});
  for (const Entry& factor : factors) product = product * as_value(factor);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].log2_error = log2_sum(blocks[i].log2_error, scaled[i].log2_lost);
    shift(blocks[i], scaled[i].exponent);
    product = product * blocks[i];
  }
  // The merges' own rounding (matching/reduce.hpp) and one of 2^-100 for every factor that the input gave.
  const double steps =
      outer.exact ? 0 : degree2 * 0x1p-99 + static_cast<double>(factors.size()) * 0x1p-100 + outer.entry_error;
  if (steps > 0) product.log2_error = log2_sum(product.log2_error, std::log2(steps) + product.log2_magnitudes);
  product.log2_error = log2_sum(product.log2_error, outer.log2_lost);
  shift(product, outer.exponent);
  return product;
}

// The root of the product of all vertices' sums (haf^2 <= per), where a method gives no better bound of the magnitudes'
// hafnian.
template <class V, class Entry>
void bound_magnitudes(V& value, const GraphBlock<Entry>& block) {
  double log2_sums = 0;
  for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) {
    double sum = 0;
    for (const EdgeId edge : block.pattern.incident_edges(v)) sum += block.entries[edge].magnitude;
    log2_sums += std::log2(sum) + 1e-9;
  }
  value.log2_magnitudes = std::min(value.log2_magnitudes, log2_sums / 2);
}
void bound_magnitudes(Integer&, const GraphBlock<std::int64_t>&) {}
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

// Everything up to the blocks, of which there are none where the plan says that there is no perfect matching.
template <class Number>
struct Structure {
  using Entry = typename Number::Entry;

  Plan plan;
  // What has no odd cycles.
  Scaled scaled;
  Reduced<Entry> reduced;
  std::vector<Scaled> block_scaled;
  // Of an UndirectedGraph: the rest, and what was scaled before it was split.
  Scaled graph_scaled;
  std::vector<Entry> graph_factors;
  Vertex graph_degree2 = 0;
  std::vector<GraphBlock<Entry>> graph_blocks;
  std::vector<Scaled> graph_block_scaled;
  std::vector<Check> checks;

  Structure(const UndirectedGraph& graph, const CountOptions& options, const RunContext& run) {
    plan.vertices = graph.num_vertices();
    plan.edges = graph.num_edges();
    const GraphMatching matching = maximum_matching(graph, run);
    plan.maximum_matching = matching.size;
    run.check();
    if (!matching.is_perfect()) {
      plan.tutte_set = tutte_set(graph, matching);
      checks.push_back({"tutte_set", is_tutte_set(graph, *plan.tutte_set),
                        "more odd components than vertices removed: no perfect matching"});
      return;
    }
    checks.push_back({"matching", is_matching(graph, matching), "a perfect matching exists"});
    auto entries = entries_of(graph, Number{});
    const double entry_error = graph.num_vertices() / 2.0 * input_error(entries);
    graph_scaled = scale_all(graph, entries, options, run);
    graph_scaled.entry_error = entry_error;
    ReducedGraph<Entry> parts = matchcount::reduce(graph, entries, matching, reduce_options(options), run);
    graph_factors = std::move(parts.factors);
    graph_degree2 = parts.counts.degree2;
    graph_blocks = std::move(parts.blocks);
    for (auto& block : graph_blocks)
      graph_block_scaled.push_back(scale_all(block.pattern, block.entries, options, run));
    reduce_bipartite(parts.bipartite, std::move(parts.bipartite_entries), maximum_matching(parts.bipartite, run),
                     options, run);
    plan.reductions.useless_edges += parts.counts.useless_edges;
    plan.reductions.fine_blocks += parts.counts.fine_blocks;
    plan.reductions.degree1 += parts.counts.degree1;
    plan.reductions.degree2 += parts.counts.degree2;
    plan.reductions.refused_merges += parts.counts.refused_merges;
  }

  Structure(const BipartiteGraph& graph, const CountOptions& options, const RunContext& run) {
    plan.rows = graph.num_rows();
    plan.columns = graph.num_columns();
    plan.edges = graph.num_edges();
    const Matching matching = maximum_matching(graph, run);
    plan.maximum_matching = matching.size;
    plan.hall_violator = why_zero(graph, matching);
    run.check();
    if (plan.hall_violator) {
      checks.push_back({"hall_violator", is_hall_violator(graph, *plan.hall_violator),
                        "fewer neighbours than members: no perfect matching"});
      return;
    }
    checks.push_back({"matching", is_matching(graph, matching), "a perfect matching exists"});
    auto entries = entries_of(graph, Number{});
    const double entry_error = graph.num_rows() * input_error(entries);
    reduce_bipartite(graph, std::move(entries), matching, options, run);
    scaled.entry_error = entry_error;
  }

 private:
  static ReduceOptions reduce_options(const CountOptions& options) {
    ReduceOptions result;
    result.decompose = options.prune;
    // Merging rounds.
    result.degree1 = options.reduce;
    result.degree2 = options.reduce && options.precision != Precision::exact;
    return result;
  }

  // Where nothing may be rounded, nothing is lifted, and the method takes numbers of any size.
  template <class Graph>
  static Scaled scale_all(const Graph& pattern, std::vector<Entry>& entries, const CountOptions& options,
                          const RunContext& run) {
    if (options.precision != Precision::exact) return scale(pattern, entries, run);
    Scaled none;
    none.exact = true;
    return none;
  }

  void reduce_bipartite(const BipartiteGraph& graph, std::vector<Entry> entries, const Matching& matching,
                        const CountOptions& options, const RunContext& run) {
    scaled = scale_all(graph, entries, options, run);
    reduced = matchcount::reduce(graph, entries, matching, reduce_options(options), run);
    run.check();
    for (auto& block : reduced.blocks) block_scaled.push_back(scale_all(block.pattern, block.entries, options, run));
    plan.reductions = reduced.counts;
  }
};

// Calls body(block) for every block, those without odd cycles first, and body's results are in that order.
template <class Number, class Body>
void for_each_block(const Structure<Number>& structure, Body&& body) {
  for (const auto& block : structure.reduced.blocks) body(block);
  for (const auto& block : structure.graph_blocks) body(block);
}

template <class Entry>
PreparedBlock prepare(const Block<Entry>& block, Precision precision, const CountOptions& options, bool only_if_needed,
                      const RunContext& run) {
  return plan_block(block.pattern, number_type(block, precision), options, only_if_needed, run, find_twins(block));
}
template <class Entry>
PreparedBlock prepare(const GraphBlock<Entry>& block, Precision precision, const CountOptions& options,
                      bool only_if_needed, const RunContext& run) {
  return plan_block(block.pattern, number_type(block, precision), options, only_if_needed, run);
}

bool is_odd(const BipartiteGraph& graph) { return permanent_is_odd(graph); }
// Modulo 2 the hafnian is the Pfaffian, and its square, the determinant, is the permanent.
bool is_odd(const UndirectedGraph& graph) { return permanent_is_odd(graph.symmetric_matrix()); }
Vertex order_of(const BipartiteGraph& graph) { return graph.num_rows(); }
Vertex order_of(const UndirectedGraph& graph) { return graph.num_vertices(); }

// Of the values of all blocks, in the order of for_each_block.
template <class Number>
typename Number::BlockValue product_of_blocks(const Structure<Number>& structure,
                                              std::vector<typename Number::BlockValue> values) {
  const auto num_bipartite = static_cast<std::ptrdiff_t>(structure.reduced.blocks.size());
  std::vector<typename Number::BlockValue> rest(std::make_move_iterator(values.begin() + num_bipartite),
                                                std::make_move_iterator(values.end()));
  values.resize(structure.reduced.blocks.size());
  auto total = combine(structure.reduced.factors, structure.reduced.counts.degree2, std::move(values),
                       structure.block_scaled, structure.scaled);
  if (structure.plan.vertices == 0) return total;
  rest.push_back(std::move(total));
  std::vector<Scaled> scaled = structure.graph_block_scaled;
  scaled.emplace_back();
  return combine(structure.graph_factors, structure.graph_degree2, std::move(rest), scaled, structure.graph_scaled);
}

// The precision that a block is counted in, when the caller leaves it open.
template <class AnyBlock>
Precision choose_precision(const PreparedBlock& prepared, const Forecast& chosen, const AnyBlock& block,
                           const CountOptions& options) {
  if (options.precision != Precision::automatic) return options.precision;
  if (chosen.method == Method::expansion) return Precision::double_double;
  const double seconds =
      predicted_seconds(prepared, block.pattern, chosen, number_type(block, Precision::double_double), options);
  return seconds <= cheap_s ? Precision::double_double : Precision::float64;
}

// The options with what they mean for such numbers.
template <class Number>
CountOptions options_for(CountOptions options) {
  if (Number::kind == WeightKind::integer) {
    options.precision = Precision::automatic;
  } else if (options.precision == Precision::exact) {
    if (options.method != Method::automatic && options.method != Method::planar) {
      throw Unable("exact arithmetic of reals and complex numbers is the planar method's, not that of " +
                   std::string(to_string(options.method)));
    }
    options.method = Method::planar;
  }
  return options;
}

// Of a block whose entries were not scaled: by another method, which wants them so.
template <class AnyBlock>
auto verified_exactly(AnyBlock block, const PreparedBlock& prepared, const Forecast& second,
                      const CountOptions& options, const RunContext& run) {
  const Scaled scaled = scale(block.pattern, block.entries, run);
  auto value = run_method(block, prepared, second, Precision::double_double, options, run);
  value.log2_error = log2_sum(value.log2_error, scaled.log2_lost);
  shift(value, scaled.exponent);
  return value;
}

template <class Number, class Graph>
Result compute(const Graph& graph, const CountOptions& given, Work* work) {
  CountOptions options = options_for<Number>(given);
  options.work = work;
  const RunContext run(options.run, options.work);
  // A device that can't be had is refused even where nothing is left to count on it.
  if (options.device.kind == DeviceChoice::Kind::cuda) choose_devices(options.device);
  Stopwatch stopwatch;
  Structure<Number> structure(graph, options, run);
  Result result;
  result.seed = options.run.seed;
  result.method = "structure";
  result.plan = std::move(structure.plan);
  result.checks = std::move(structure.checks);
  result.time_s.structure = stopwatch.lap();
  if (!result.plan.has_perfect_matching()) {
    result.value = typename Number::BlockValue{};
    result.time_s.total = run.elapsed_s();
    return result;
  }

  if (options.work) {
    identify(identity(structure.reduced, structure.graph_factors, structure.graph_blocks), options);
  }
  const auto part = [](std::size_t block) { return "block " + std::to_string(block + 1); };
  const bool is_exact = Number::kind == WeightKind::integer;
  const Precision planned_precision =
      options.precision == Precision::automatic ? Precision::float64 : options.precision;
  std::vector<PreparedBlock> prepared;
  for_each_block(structure, [&](const auto& block) {
    // What is cheap is planned for one method only, unless two are needed.
    CountOptions plan_options = begun_with(options, is_exact, part(prepared.size()));
    if (options.verify) plan_options.method = Method::automatic;
    prepared.push_back(prepare(block, planned_precision, plan_options, !options.verify, run));
  });
  result.time_s.order = stopwatch.lap();

  // Every choice is made before any block is run, so that what can't be done is refused at once.
  std::vector<Forecast> chosen;
  double predicted = 0;
  // A run that can be gone on with need not end in time.
  const bool is_kept = options.work && options.work->keeps();
  for (const PreparedBlock& block : prepared) {
    const CountOptions begun = begun_with(options, is_exact, part(chosen.size()));
    BlockPlan candidates = block.plan;
    for (Forecast& forecast : candidates.forecasts)
      forecast.applies = forecast.applies && allowed(forecast, candidates, begun);
    const double seconds_left = is_kept ? infinity : run.seconds_left() - predicted;
    chosen.push_back(
        agreed(choose(candidates, begun, seconds_left), candidates, options, is_exact, part(chosen.size())));
    predicted += chosen.back().seconds / 2;
    if (options.verify) second_method(chosen.back(), block.plan, options, run.seconds_left());
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
  for_each_block(structure, [&](const auto& block) {
    const std::size_t i = values.size();
    const Method method = chosen[i].method;
    const Precision precision = agreed(choose_precision(prepared[i], chosen[i], block, options), options, part(i));
    auto value = run_method(block, prepared[i], chosen[i], precision, options, run.in_part(part(i)));
    if constexpr (!is_exact) {
      const bool again = options.precision == Precision::automatic && precision == Precision::float64 &&
                         relative_error(Value(value)) > poor_relative_error;
      if (again &&
          agreed(predicted_seconds(prepared[i], block.pattern, chosen[i], number_type(block, Precision::double_double),
                                   options) <= std::min(affordable_s, run.seconds_left()),
                 options, part(i) + ", again")) {
        value = run_method(block, prepared[i], chosen[i], Precision::double_double, options,
                           run.in_part(part(i) + ", again"));
      }
    }
    bound_magnitudes(value, block);
    if (options.verify) {
      const Forecast second = agreed(second_method(chosen[i], prepared[i].plan, options, run.seconds_left()),
                                     prepared[i].plan, options, is_exact, part(i) + ", verified");
      const RunContext verifying = run.in_part(part(i) + ", verified");
      const auto other = [&] {
        if constexpr (!is_exact) {
          if (precision == Precision::exact) return verified_exactly(block, prepared[i], second, options, verifying);
        }
        return run_method(block, prepared[i], second, precision, options, verifying);
      };
      verified = verified && agree(value, other());
      const std::string name =
          std::string(to_string(second.method)) + (second.method == method ? " along another order" : "");
      if (verified_by.find(name) == std::string::npos) verified_by += (verified_by.empty() ? "" : ", ") + name;
    }
    values.push_back(std::move(value));
    result.block_methods.emplace_back(to_string(method));
    if (chosen[i].seconds > dearest) {
      dearest = chosen[i].seconds;
      result.method = to_string(method);
    }
    if (chosen[i].on_gpu) result.gpus = prepared[i].gpus;
    add_block(result.plan, std::move(prepared[i].plan), chosen[i]);
  });
  auto total = product_of_blocks(structure, std::move(values));
  if constexpr (is_exact) {
    if (order_of(graph) <= max_parity_size) {
      const bool odd = is_odd(graph);
      result.checks.push_back({"parity", odd == ((total & 1) != 0), "the determinant modulo 2"});
    }
  }
  if (options.verify) {
    result.checks.push_back(
        {"verify", verified, verified_by.empty() ? "nothing was left to count" : "by " + verified_by});
  }
  result.value = std::move(total);
  result.time_s.count = stopwatch.lap();
  result.time_s.total = run.elapsed_s();
  for (const Check& check : result.checks) {
    if (!check.passed)
      throw Error("the check \"" + check.name + "\" failed (" + check.detail + "); please report this matrix");
  }
  return result;
}

template <class Number, class Graph>
Plan plan_only(const Graph& graph, const CountOptions& given, Work* work) {
  CountOptions options = options_for<Number>(given);
  options.work = work;
  RunOptions unlimited = options.run;
  unlimited.time_limit_s = std::numeric_limits<double>::infinity();
  const RunContext run(unlimited, work);
  Structure<Number> structure(graph, options, run);
  Plan plan = std::move(structure.plan);
  for_each_block(structure, [&](const auto& block) {
    const Precision precision = options.precision == Precision::automatic ? Precision::float64 : options.precision;
    BlockPlan planned = prepare(block, precision, options, false, run).plan;
    const Forecast first = planned.forecasts.front();
    add_block(plan, std::move(planned), first);
  });
  return plan;
}

// Calls body with the graph, zeros dropped, and its number type.
template <class Graph, class Body>
auto by_number(const Graph& matrix, Body&& body) {
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

Result permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return by_number(matrix, [&](const BipartiteGraph& graph, auto number) {
    return compute<decltype(number)>(graph, options, work);
  });
}

Result count_perfect_matchings(const BipartiteGraph& graph, const CountOptions& options, Work* work) {
  return compute<Exact>(graph.pattern(), options, work);
}

Result hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return by_number(graph, [&](const UndirectedGraph& given, auto number) {
    return compute<decltype(number)>(given, options, work);
  });
}

Result count_perfect_matchings(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return compute<Exact>(graph.pattern(), options, work);
}

Plan plan_hafnian(const UndirectedGraph& graph, const CountOptions& options, Work* work) {
  return by_number(graph, [&](const UndirectedGraph& given, auto number) {
    return plan_only<decltype(number)>(given, options, work);
  });
}

Result count_cycle_covers(const Digraph& digraph, const CountOptions& options, Work* work) {
  return compute<Exact>(digraph.bipartite().pattern(), options, work);
}

Plan plan_permanent(const Matrix& matrix, const CountOptions& options, Work* work) {
  return by_number(matrix, [&](const BipartiteGraph& graph, auto number) {
    return plan_only<decltype(number)>(graph, options, work);
  });
}

}  // namespace matchcount
