// Merging is right in any graph. Let v have the neighbours a and b and no others. A perfect matching has va or vb.
// If va, then b is matched to some y other than v and a: the term has A[v][a] A[b][y]; if vb, a is matched to some such
// y: A[v][b] A[a][y]. Both are the perfect matchings of the graph without v in which one vertex x stands for a and b,
// with entries A[v][a] A[b][y] + A[v][b] A[a][y] at each y. An edge ab is in no perfect matching, since v would be
// left; it would be a loop at x, and is dropped. Paths through x are paths through a, v and b, longer by 2: the merged
// graph has an odd cycle exactly where the graph had one. And an edge of it is in some perfect matching exactly where
// one of those that it came from was, so that one search for useless edges is enough until entries cancel.

#include "matching/reduce_graph.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "matching/reduction/degree_reducer.hpp"

namespace matchcount {
namespace {

using namespace reduction;

// Useless edges are looked for where vertices times edges are at most this: below a second.
constexpr double max_search = 0x1p21;

template <class Entry>
GraphBlock<Entry> filtered(const GraphBlock<Entry>& block, const std::vector<bool>& keep) {
  GraphBlock<Entry> result{block.pattern.filtered(keep), {}, block.rows};
  for (EdgeId id = 0; id < keep.size(); ++id) {
    if (keep[id]) result.entries.push_back(block.entries[id]);
  }
  return result;
}

// Rows, columns and entries of all bipartite parts.
template <class Entry>
class BipartiteUnion {
 public:
  // Takes the components without odd cycles out of the graph.
  GraphBlock<Entry> take_from(const GraphBlock<Entry>& block, const ColouredComponents& components) {
    std::vector<Vertex> place(block.pattern.num_vertices());
    GraphBlock<Entry> remaining;
    for (Vertex v = 0; v < place.size(); ++v) {
      std::vector<Vertex>& names = components.has_odd_cycle[components.component[v]] ? remaining.rows
                                   : components.is_column[v]                         ? columns_
                                                                                     : rows_;
      place[v] = static_cast<Vertex>(names.size());
      names.push_back(block.rows[v]);
    }
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
    remaining.pattern = UndirectedGraph::from_edges(static_cast<Vertex>(remaining.rows.size()), std::move(edges));
    return remaining;
  }

  void put_into(ReducedGraph<Entry>& result) {
    std::vector<std::size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return edges_[a] < edges_[b]; });
    result.bipartite_entries.reserve(order.size());
    for (const std::size_t i : order) result.bipartite_entries.push_back(entries_[i]);
    result.bipartite = BipartiteGraph::from_edges(static_cast<Vertex>(rows_.size()),
                                                  static_cast<Vertex>(columns_.size()), std::move(edges_));
    result.bipartite_rows = std::move(rows_);
    result.bipartite_columns = std::move(columns_);
  }

 private:
  std::vector<Edge> edges_;
  std::vector<Entry> entries_;
  std::vector<Vertex> rows_, columns_;  // names
};

template <class Entry>
std::vector<GraphBlock<Entry>> split(const GraphBlock<Entry>& block) {
  const ColouredComponents components = coloured_components(block.pattern);
  std::vector<GraphBlock<Entry>> blocks(components.count());
  std::vector<std::vector<Edge>> edges(components.count());
  std::vector<Vertex> place(block.pattern.num_vertices());
  for (Vertex v = 0; v < place.size(); ++v) {
    std::vector<Vertex>& names = blocks[components.component[v]].rows;
    place[v] = static_cast<Vertex>(names.size());
    names.push_back(block.rows[v]);
  }
  for (EdgeId id = 0; id < block.pattern.num_edges(); ++id) {
    const auto [u, v] = block.pattern.edges()[id];
    const Vertex component = components.component[u];
    edges[component].push_back({place[u], place[v]});
    blocks[component].entries.push_back(block.entries[id]);
  }
  for (Vertex i = 0; i < components.count(); ++i) {
    blocks[i].pattern = UndirectedGraph::from_edges(static_cast<Vertex>(blocks[i].rows.size()), std::move(edges[i]));
  }
  sort_by_size(blocks);
  return blocks;
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
  GraphBlock<Entry> block{graph.pattern(), entries, std::vector<Vertex>(graph.num_vertices())};
  std::iota(block.rows.begin(), block.rows.end(), Vertex{0});
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

    // Lists of a dense graph's edges are not made where there is nothing to reduce.
    const auto vertices = std::views::iota(Vertex{0}, block.pattern.num_vertices());
    if (std::ranges::none_of(vertices, [&](Vertex v) { return block.pattern.neighbours(v).size() <= 2; })) break;
    DegreeReducer<Entry> reducer(block.pattern.edges(), block.entries, std::vector<bool>(vertices.size(), true),
                                 options, run);
    bool possible = reducer.run(result.counts, result.factors);
    if (possible && reducer.changed()) {
      auto left = reducer.left();
      for (Vertex& v : left.vertices) v = block.rows[v];
      block = {UndirectedGraph::from_edges(static_cast<Vertex>(left.vertices.size()), std::move(left.edges)),
               std::move(left.entries), std::move(left.vertices)};
    }
    // Entries that cancelled may have left useless edges, or no perfect matching; and a graph that was too large to be
    // searched may no longer be.
    if (possible && reducer.cancelled()) possible = maximum_matching(block.pattern, run).is_perfect();
    if (!possible) {
      ReducedGraph<Entry> zero;
      zero.factors = {Entry{}};
      zero.counts = result.counts;
      return zero;
    }
    if (reducer.changed()) take_bipartite();
    if (!reducer.cancelled() && (prune || !reducer.changed())) break;
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
