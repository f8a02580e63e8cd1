// Merging is right in any graph. Let v have the neighbours a and b and no others. A perfect matching has va or vb.
// If va, then b is matched to some y other than v and a: the term has A[v][a] A[b][y]; if vb, a is matched to some such
// y: A[v][b] A[a][y]. Both are the perfect matchings of the graph without v in which one vertex x stands for a and b,
// with entries A[v][a] A[b][y] + A[v][b] A[a][y] at each y. An edge ab is in no perfect matching, since v would be
// left; it would be a loop at x, and is dropped. Paths through x are paths through a, v and b, longer by 2: the merged
// graph has an odd cycle exactly where the graph had one. And an edge of it is in some perfect matching exactly where
// one of those that it came from was, so that one search for useless edges is enough until entries cancel.

#include "matching/reduce_graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "matching/reduction/entry_arithmetic.hpp"

namespace matchcount {
namespace {

using namespace reduction;

// Useless edges are looked for where vertices times edges are at most this: below a second.
constexpr double max_search = 0x1p21;

template <class Entry>
GraphBlock<Entry> filtered(const GraphBlock<Entry>& block, const std::vector<bool>& keep) {
  GraphBlock<Entry> result{block.pattern.filtered(keep), {}};
  for (EdgeId id = 0; id < keep.size(); ++id) {
    if (keep[id]) result.entries.push_back(block.entries[id]);
  }
  return result;
}

// A graph that changes: every vertex has the entries of its edges by neighbour.
template <class Entry>
class DegreeReducer {
 public:
  DegreeReducer(const GraphBlock<Entry>& block, const ReduceOptions& options, const RunContext& run)
      : options_(options), run_(run), edges_(block.pattern.num_vertices()), alive_(block.pattern.num_vertices(), true) {
    // Lists of a dense graph's edges are not made where there is nothing to reduce.
    const auto is_small = [&](Vertex v) { return block.pattern.neighbours(v).size() <= 2; };
    if (std::ranges::none_of(std::views::iota(Vertex{0}, block.pattern.num_vertices()), is_small)) return;
    for (EdgeId id = 0; id < block.pattern.num_edges(); ++id) {
      const auto [u, v] = block.pattern.edges()[id];
      edges_[u].emplace_hint(edges_[u].end(), v, block.entries[id]);
      edges_[v].emplace_hint(edges_[v].end(), u, block.entries[id]);
    }
    for (Vertex v = 0; v < edges_.size(); ++v) enqueue(v);
  }

  // Reduces; false if no perfect matching is left.
  bool run() {
    for (std::size_t steps = 0; !queue_.empty(); ++steps) {
      if (steps % 4096 == 0) run_.check();
      const Vertex v = queue_.front();
      queue_.pop_front();
      if (!alive_[v]) continue;
      if (edges_[v].empty()) return false;
      if (edges_[v].size() == 1 && options_.degree1) {
        force(v);
      } else if (edges_[v].size() == 2 && options_.degree2) {
        merge_neighbours(v);
      }
    }
    return true;
  }

  bool cancelled() const { return cancelled_; }
  Vertex num_forced() const { return num_forced_; }
  Vertex num_merges() const { return num_merges_; }
  const std::vector<Entry>& factors() const { return factors_; }

  GraphBlock<Entry> remaining() const {
    std::vector<Vertex> number(edges_.size());
    Vertex count = 0;
    for (Vertex v = 0; v < edges_.size(); ++v) {
      if (alive_[v]) number[v] = count++;
    }
    GraphBlock<Entry> result;
    std::vector<Edge> list;
    for (Vertex v = 0; v < edges_.size(); ++v) {
      for (const auto& [u, entry] : edges_[v]) {
        if (u < v) continue;
        list.push_back({number[v], number[u]});
        result.entries.push_back(entry);
      }
    }
    result.pattern = UndirectedGraph::from_edges(count, std::move(list));
    return result;
  }

 private:
  static constexpr std::size_t hub_degree = 64;  // above it, a merge should not visit every edge

  void enqueue(Vertex v) {
    if (alive_[v] && edges_[v].size() <= 2) queue_.push_back(v);
  }
  void add_factor(const Entry& factor) {
    if (!is_one(factor)) factors_.push_back(factor);
  }
  // Takes a vertex out of its neighbours' lists.
  void isolate(Vertex v) {
    for (const auto& [u, entry] : edges_[v]) edges_[u].erase(v);
    alive_[v] = false;
  }

  void force(Vertex v) {
    const auto [u, entry] = *edges_[v].begin();
    add_factor(entry);
    ++num_forced_;
    const std::map<Vertex, Entry> others = edges_[u];
    isolate(v);
    isolate(u);
    edges_[v].clear();
    edges_[u].clear();
    for (const auto& [y, unused] : others) enqueue(y);
  }

  // `kept`, of larger degree, takes up `gone`: with w the entry at `gone` and x that at `kept`, the new entries are
  // w * (entry of kept) + x * (entry of gone). Changes nothing where one would not fit.
  void merge_neighbours(Vertex v) {
    Vertex kept = edges_[v].begin()->first;
    Vertex gone = edges_[v].rbegin()->first;
    if (edges_[kept].size() < edges_[gone].size()) std::swap(kept, gone);
    Entry w = edges_[v].at(gone);
    Entry x = edges_[v].at(kept);
    const Entry factor = take_factor(w, x, edges_[kept].size() > hub_degree);
    const auto stays = [&](Vertex y) { return y != v && y != kept && y != gone; };

    std::vector<std::pair<Vertex, Entry>> merged;
    if (!is_one(w)) {
      for (const auto& [y, entry] : edges_[kept]) {
        if (!stays(y) || edges_[gone].count(y) != 0) continue;
        const auto scaled = scale(w, entry);
        if (!scaled) return;
        merged.emplace_back(y, *scaled);
      }
    }
    for (const auto& [y, entry] : edges_[gone]) {
      if (!stays(y)) continue;
      const auto of_kept = edges_[kept].find(y);
      const auto sum = of_kept == edges_[kept].end() ? scale(x, entry) : combine(w, of_kept->second, x, entry);
      if (!sum) return;
      merged.emplace_back(y, *sum);
    }

    add_factor(factor);
    ++num_merges_;
    std::vector<Vertex> others;
    for (const auto& [y, entry] : edges_[gone]) {
      if (stays(y)) others.push_back(y);
    }
    isolate(v);
    isolate(gone);
    edges_[v].clear();
    edges_[gone].clear();
    for (const auto& [y, entry] : merged) {
      if (is_zero(entry)) {
        edges_[kept].erase(y);
        edges_[y].erase(kept);
        cancelled_ = true;
      } else {
        edges_[kept].insert_or_assign(y, entry);
        edges_[y].insert_or_assign(kept, entry);
      }
    }
    for (const Vertex y : others) enqueue(y);
    enqueue(kept);
  }

  const ReduceOptions& options_;
  const RunContext& run_;
  std::vector<std::map<Vertex, Entry>> edges_;
  std::vector<bool> alive_;
  std::deque<Vertex> queue_;
  std::vector<Entry> factors_;
  bool cancelled_ = false;
  Vertex num_forced_ = 0;
  Vertex num_merges_ = 0;
};

// Rows, columns and entries of all bipartite parts.
template <class Entry>
class BipartiteUnion {
 public:
  // Takes the components without odd cycles out of the graph.
  GraphBlock<Entry> take_from(const GraphBlock<Entry>& block, const ColouredComponents& components) {
    std::vector<Vertex> place(block.pattern.num_vertices());
    std::vector<Vertex> rest;
    for (Vertex v = 0; v < place.size(); ++v) {
      if (components.has_odd_cycle[components.component[v]]) {
        place[v] = static_cast<Vertex>(rest.size());
        rest.push_back(v);
      } else {
        place[v] = components.is_column[v] ? num_columns_++ : num_rows_++;
      }
    }
    GraphBlock<Entry> remaining;
    std::vector<Edge> edges;
    for (EdgeId id = 0; id < block.pattern.num_edges(); ++id) {
      const auto [u, v] = block.pattern.edges()[id];
      if (components.has_odd_cycle[components.component[u]]) {
        edges.push_back({place[u], place[v]});
        remaining.entries.push_back(block.entries[id]);
      } else {
        edges_.push_back(components.is_column[u] ? Edge{place[v], place[u]} : Edge{place[u], place[v]});
        entries_.push_back(block.entries[id]);
      }
    }
    remaining.pattern = UndirectedGraph::from_edges(static_cast<Vertex>(rest.size()), std::move(edges));
    return remaining;
  }

  void put_into(ReducedGraph<Entry>& result) {
    std::vector<std::size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return edges_[a] < edges_[b]; });
    result.bipartite_entries.reserve(order.size());
    for (const std::size_t i : order) result.bipartite_entries.push_back(entries_[i]);
    result.bipartite = BipartiteGraph::from_edges(num_rows_, num_columns_, std::move(edges_));
  }

 private:
  std::vector<Edge> edges_;
  std::vector<Entry> entries_;
  Vertex num_rows_ = 0, num_columns_ = 0;
};

template <class Entry>
std::vector<GraphBlock<Entry>> split(const GraphBlock<Entry>& block) {
  const ColouredComponents components = coloured_components(block.pattern);
  std::vector<GraphBlock<Entry>> blocks(components.count());
  std::vector<std::vector<Edge>> edges(components.count());
  std::vector<Vertex> size(components.count(), 0);
  std::vector<Vertex> place(block.pattern.num_vertices());
  for (Vertex v = 0; v < place.size(); ++v) place[v] = size[components.component[v]]++;
  for (EdgeId id = 0; id < block.pattern.num_edges(); ++id) {
    const auto [u, v] = block.pattern.edges()[id];
    const Vertex component = components.component[u];
    edges[component].push_back({place[u], place[v]});
    blocks[component].entries.push_back(block.entries[id]);
  }
  for (Vertex i = 0; i < components.count(); ++i) {
    blocks[i].pattern = UndirectedGraph::from_edges(size[i], std::move(edges[i]));
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const GraphBlock<Entry>& a, const GraphBlock<Entry>& b) {
    return std::pair(a.pattern.num_vertices(), a.pattern.num_edges()) >
           std::pair(b.pattern.num_vertices(), b.pattern.num_edges());
  });
  return blocks;
}

template <class Entry>
Vertex count_refused(const std::vector<GraphBlock<Entry>>& blocks) {
  Vertex refused = 0;
  for (const auto& block : blocks) {
    for (Vertex v = 0; v < block.pattern.num_vertices(); ++v) refused += block.pattern.neighbours(v).size() == 2;
  }
  return refused;
}

template <class Entry>
ReducedGraph<Entry> reduce_to_zero(const ReductionCounts& counts) {
  ReducedGraph<Entry> zero;
  zero.factors = {Entry{}};
  zero.counts = counts;
  return zero;
}

}  // namespace

template <class Entry>
ReducedGraph<Entry> reduce(const UndirectedGraph& graph, const std::vector<Entry>& entries,
                           const GraphMatching& perfect, const ReduceOptions& options, const RunContext& run) {
  if (entries.size() != graph.num_edges()) throw InputError("another number of entries", "one entry per edge");
  if (perfect.partner.size() != graph.num_vertices() || !perfect.is_perfect()) {
    throw InputError("a matching that is not perfect, or of another size", "a perfect matching of the graph");
  }
  ReducedGraph<Entry> result;
  BipartiteUnion<Entry> bipartite;
  GraphBlock<Entry> block{graph.pattern(), entries};
  const auto take_bipartite = [&] {
    if (options.decompose) block = bipartite.take_from(block, coloured_components(block.pattern));
  };
  take_bipartite();
  for (bool first = true;; first = false) {
    const double search =
        static_cast<double>(block.pattern.num_vertices()) * static_cast<double>(block.pattern.num_edges());
    const bool prune = options.decompose && search <= max_search;
    if (prune) {
      const bool is_whole = first && block.pattern.num_vertices() == graph.num_vertices();
      const std::vector<bool> keep =
          edges_in_perfect_matchings(block.pattern, is_whole ? perfect : maximum_matching(block.pattern, run), run);
      const auto useless = static_cast<EdgeId>(std::count(keep.begin(), keep.end(), false));
      if (first) result.counts.useless_edges = useless;
      if (useless > 0) block = filtered(block, keep);
      take_bipartite();
    }
    if (first && options.decompose) result.counts.fine_blocks = coloured_components(block.pattern).count();

    DegreeReducer<Entry> reducer(block, options, run);
    const bool possible = reducer.run();
    result.counts.degree1 += 2 * reducer.num_forced();
    result.counts.degree2 += 2 * reducer.num_merges();
    if (!possible) return reduce_to_zero<Entry>(result.counts);
    result.factors.insert(result.factors.end(), reducer.factors().begin(), reducer.factors().end());
    const bool changed = reducer.num_forced() > 0 || reducer.num_merges() > 0;
    if (changed) block = reducer.remaining();
    // Entries that cancelled may have left useless edges, or no perfect matching; and a graph that was too large to be
    // searched may no longer be.
    if (reducer.cancelled() && !maximum_matching(block.pattern, run).is_perfect()) {
      return reduce_to_zero<Entry>(result.counts);
    }
    if (changed) take_bipartite();
    if (!reducer.cancelled() && (prune || !changed)) break;
  }
  bipartite.put_into(result);
  if (block.pattern.num_vertices() > 0) {
    if (options.decompose) {
      result.blocks = split(block);
    } else {
      result.blocks.push_back(std::move(block));
    }
  }
  if (options.degree2) result.counts.refused_merges = count_refused(result.blocks);
  return result;
}

template ReducedGraph<std::int64_t> reduce(const UndirectedGraph&, const std::vector<std::int64_t>&,
                                           const GraphMatching&, const ReduceOptions&, const RunContext&);
template ReducedGraph<RealEntry> reduce(const UndirectedGraph&, const std::vector<RealEntry>&, const GraphMatching&,
                                        const ReduceOptions&, const RunContext&);
template ReducedGraph<ComplexEntry> reduce(const UndirectedGraph&, const std::vector<ComplexEntry>&,
                                           const GraphMatching&, const ReduceOptions&, const RunContext&);

}  // namespace matchcount
