// All that has no odd cycles is one bipartite graph, the whole or a part; blocks with odd cycles stand beside its
// blocks from the reductions to the product.

#include "permanent/engine/structure.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "permanent/engine/methods.hpp"

namespace matchcount {

namespace {

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

template <class Entry, class Number, class Graph>
std::vector<Entry> with_magnitudes(const Graph& graph) {
  std::vector<Entry> entries;
  for (const Number& w : std::get<std::vector<Number>>(graph.weights())) entries.push_back({w, magnitude_bound(w)});
  return entries;
}

bool is_uneven(const std::vector<std::int64_t>&) { return false; }
template <class Entry>
bool is_uneven(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.magnitude > 0x1p100 || entry.magnitude < 0x1p-100; });
}

template <class Graph, class Entry>
EntryScaling scale_whole(const Graph& graph, std::vector<Entry>& entries, const StructureOptions& options,
                         const RunContext& run) {
  using Scaling = StructureOptions::Scaling;
  const bool scales =
      options.scaling == Scaling::always || (options.scaling == Scaling::if_uneven && is_uneven(entries));
  return scales ? scale_entries(graph, entries, run) : EntryScaling{};
}

template <class AnyBlock>
std::vector<EntryScaling> scale_blocks(std::vector<AnyBlock>& blocks, const StructureOptions& options,
                                       const RunContext& run) {
  std::vector<EntryScaling> result;
  for (AnyBlock& block : blocks) {
    result.push_back(options.scaling == StructureOptions::Scaling::always
                         ? scale_entries(block.pattern, block.entries, run)
                         : EntryScaling{});
  }
  return result;
}

// ---- What tells problems apart.

void add(Hash& hash, std::int64_t entry) { hash.add(entry); }
void add(Hash& hash, DoubleDouble value) {
  hash.add(value.hi);
  hash.add(value.lo);
}
void add(Hash& hash, const RealEntry& entry) { add(hash, entry.value); }
void add(Hash& hash, const ComplexEntry& entry) {
  add(hash, entry.value.re);
  add(hash, entry.value.im);
}

template <class Entry>
void add_all(Hash& hash, const std::vector<Entry>& entries) {
  hash.add(static_cast<std::uint64_t>(entries.size()));
  for (const Entry& entry : entries) add(hash, entry);
}

template <class Entry>
void add(Hash& hash, const Reduced<Entry>& reduced) {
  add_all(hash, reduced.factors);
  for (const Block<Entry>& block : reduced.blocks) {
    hash.add(block.pattern.num_rows());
    hash.add(block.pattern.num_columns());
    hash.add_all(block.pattern.edges());
    add_all(hash, block.entries);
  }
}

// ----

// Checks a perfect matching, or the reason why there is none.
Check check(const BipartiteGraph& graph, const Matching& matching, const Plan& plan) {
  if (!plan.hall_violator) return {Check::Kind::matching, is_matching(graph, matching), "a perfect matching exists"};
  return {Check::Kind::hall_violator, is_hall_violator(graph, *plan.hall_violator),
          "fewer neighbours than members: no perfect matching"};
}
Check check(const UndirectedGraph& graph, const GraphMatching& matching, const Plan& plan) {
  if (!plan.tutte_set) return {Check::Kind::matching, is_matching(graph, matching), "a perfect matching exists"};
  return {Check::Kind::tutte_set, is_tutte_set(graph, *plan.tutte_set),
          "more odd components than vertices removed: no perfect matching"};
}

}  // namespace

void require_order_of(const CountOptions& options, std::size_t num_vertices) {
  const auto has_orders = [](const MethodEntry& entry) { return entry.order != nullptr; };
  const bool is_along = options.order || options.wants_order;
  if (is_along && options.method != Method::automatic && !has_orders(entry_of(options.method)))
    throw InputError("an order of vertices for the method " + std::string(to_string(options.method)),
                     listed(names_with(has_orders)) + ", which have one");
  if (!options.order) return;
  std::vector<bool> is_there(num_vertices, false);
  bool fits = options.order->size() == num_vertices;
  for (const Vertex v : *options.order) {
    fits = fits && v < num_vertices && !is_there[v];
    if (fits) is_there[v] = true;
  }
  if (!fits)
    throw InputError("an order of other vertices", "each of " + std::to_string(num_vertices) + " vertices once");
}

std::vector<Vertex> places_in(const std::vector<Vertex>& order) {
  std::vector<Vertex> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<Vertex>(i);
  return places;
}

std::shared_ptr<const std::vector<Vertex>> order_among(const std::vector<Vertex>& places,
                                                       const std::vector<Vertex>& names) {
  std::vector<Vertex> order(names.size());
  std::iota(order.begin(), order.end(), Vertex{0});
  std::ranges::sort(order, {}, [&](Vertex v) { return places[names[v]]; });
  return std::make_shared<const std::vector<Vertex>>(std::move(order));
}

void put_others_first(std::vector<Vertex>& order, std::size_t num_vertices) {
  std::vector<bool> is_there(num_vertices, false);
  for (const Vertex v : order) is_there[v] = true;
  std::vector<Vertex> all;
  for (std::size_t v = 0; v < num_vertices; ++v)
    if (!is_there[v]) all.push_back(static_cast<Vertex>(v));
  all.insert(all.end(), order.begin(), order.end());
  order = std::move(all);
}

template <class Entry, class Graph>
std::vector<Entry> entries_of(const Graph& graph) {
  if constexpr (std::is_same_v<Entry, std::int64_t>) {
    if (const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights())) return *weights;
    return std::vector<std::int64_t>(graph.num_edges(), 1);
  } else if constexpr (std::is_same_v<Entry, RealEntry>) {
    return with_magnitudes<RealEntry, DoubleDouble>(graph);
  } else {
    return with_magnitudes<ComplexEntry, ComplexDoubleDouble>(graph);
  }
}
template std::vector<std::int64_t> entries_of(const BipartiteGraph&);
template std::vector<RealEntry> entries_of(const BipartiteGraph&);
template std::vector<ComplexEntry> entries_of(const BipartiteGraph&);
template std::vector<std::int64_t> entries_of(const UndirectedGraph&);
template std::vector<RealEntry> entries_of(const UndirectedGraph&);
template std::vector<ComplexEntry> entries_of(const UndirectedGraph&);

void describe(const BipartiteGraph& graph, Plan& plan) {
  plan.rows = graph.num_rows();
  plan.columns = graph.num_columns();
  plan.edges = graph.num_edges();
}
void describe(const UndirectedGraph& graph, Plan& plan) {
  plan.vertices = graph.num_vertices();
  plan.edges = graph.num_edges();
}

Matching find_matching(const BipartiteGraph& graph, Plan& plan, const RunContext& run) {
  Matching matching = maximum_matching(graph, run);
  plan.maximum_matching = matching.size;
  if (!matching.is_perfect()) plan.hall_violator = hall_violator(graph, matching, matching.size < graph.num_rows());
  run.check();
  return matching;
}
GraphMatching find_matching(const UndirectedGraph& graph, Plan& plan, const RunContext& run) {
  GraphMatching matching = maximum_matching(graph, run);
  plan.maximum_matching = matching.size;
  run.check();
  if (!matching.is_perfect()) plan.tutte_set = tutte_set(graph, matching);
  return matching;
}

template <class Entry>
Structure<Entry>::Structure(GraphView view, const Entries& entries, const StructureOptions& options,
                            const RunContext& run)
    : exact(options.scaling == StructureOptions::Scaling::never) {
  std::visit([&](const auto* graph) { take_apart(*graph, entries, options, run); }, view);
}

template <class Entry>
template <class Graph>
void Structure<Entry>::take_apart(const Graph& graph, const Entries& entries_of_graph, const StructureOptions& options,
                                  const RunContext& run) {
  describe(graph, plan);
  const auto matching = find_matching(graph, plan, run);
  checks.push_back(check(graph, matching, plan));
  if (!plan.has_perfect_matching()) return;
  std::vector<Entry> entries = entries_of_graph();
  entry_error = plan.maximum_matching * input_error(entries);
  if constexpr (std::is_same_v<Graph, BipartiteGraph>) {
    reduce_bipartite(graph, std::move(entries), matching, options, run);
  } else {
    graph_scaling = scale_whole(graph, entries, options, run);
    rest = matchcount::reduce(graph, entries, matching, options.reduce, run);
    graph_block_scaling = scale_blocks(rest.blocks, options, run);
    const BipartiteGraph bipartite = std::exchange(rest.bipartite, {});
    reduce_bipartite(bipartite, std::move(rest.bipartite_entries), maximum_matching(bipartite, run), options, run);
    plan.reductions.useless_edges += rest.counts.useless_edges;
    plan.reductions.fine_blocks += rest.counts.fine_blocks;
    plan.reductions.degree1 += rest.counts.degree1;
    plan.reductions.degree2 += rest.counts.degree2;
    plan.reductions.refused_merges += rest.counts.refused_merges;
  }
}

template <class Entry>
void Structure<Entry>::reduce_bipartite(const BipartiteGraph& graph, std::vector<Entry> entries,
                                        const Matching& matching, const StructureOptions& options,
                                        const RunContext& run) {
  scaling = scale_whole(graph, entries, options, run);
  reduced = matchcount::reduce(graph, entries, matching, options.reduce, run);
  run.check();
  // Entries that were scaled and are all there still need not be scaled again.
  const bool is_whole = reduced.blocks.size() == 1 && reduced.blocks.front().entries.size() == graph.num_edges() &&
                        reduced.counts.degree2 == 0;
  block_scaling = is_whole ? std::vector<EntryScaling>(1) : scale_blocks(reduced.blocks, options, run);
  plan.reductions = reduced.counts;
}

template <class Entry>
std::vector<std::vector<Vertex>> Structure<Entry>::names() const {
  std::vector<std::vector<Vertex>> result;
  const bool is_part = plan.vertices > 0;
  for (const Block<Entry>& block : reduced.blocks) {
    std::vector<Vertex>& names = result.emplace_back();
    for (const Vertex r : block.rows) names.push_back(is_part ? rest.bipartite_rows[r] : r);
    for (const Vertex c : block.columns) names.push_back(is_part ? rest.bipartite_columns[c] : plan.rows + c);
  }
  for (const GraphBlock<Entry>& block : rest.blocks) result.push_back(block.rows);
  return result;
}

template <class Entry>
std::string Structure<Entry>::identity() const {
  Hash hash;
  add(hash, reduced);
  add_all(hash, rest.factors);
  for (const GraphBlock<Entry>& block : rest.blocks) {
    hash.add(block.pattern.num_vertices());
    hash.add_all(block.pattern.edges());
    add_all(hash, block.entries);
  }
  return hash.hex();
}

template struct Structure<std::int64_t>;
template struct Structure<RealEntry>;
template struct Structure<ComplexEntry>;

}  // namespace matchcount
