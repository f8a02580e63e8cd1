#include "matching/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"
#include "graph/vertices.hpp"
#include "matching/reduction/degree_reducer.hpp"

namespace matchcount {

namespace {

// A merge keeps total support: an edge of the merged graph lies in a perfect matching exactly when the edges that it
// came from did. So one decomposition is enough until entries cancel, after which what is left is decomposed again.

// Merging is right in any graph, with odd cycles too. Let v have the neighbours a and b and no others. A perfect
// matching has va or vb. If va, then b is matched to some y other than v and a: the term has A[v][a] A[b][y]; if vb, a
// is matched to some such y: A[v][b] A[a][y]. Both are the perfect matchings of the graph without v in which one vertex
// x stands for a and b, with entries A[v][a] A[b][y] + A[v][b] A[a][y] at each y. An edge ab is in no perfect matching,
// since v would be left; it would be a loop at x, and is dropped. Paths through x are paths through a, v and b, longer
// by 2: the merged graph has an odd cycle exactly where the graph had one. And an edge of it is in some perfect
// matching exactly where one of those that it came from was, so that one search for useless edges is enough until
// entries cancel.

using namespace reduction;

// Useless edges are looked for where vertices times edges are at most this: below a second.
constexpr double max_search = 0x1p21;

template <class Entry>
std::vector<Entry> filtered(const std::vector<Entry>& entries, const std::vector<bool>& keep) {
  std::vector<Entry> kept;
  for (EdgeId id = 0; id < keep.size(); ++id) {
    if (keep[id]) kept.push_back(entries[id]);
  }
  return kept;
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
      place[v] = appended(names, block.rows[v]);
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
    place[v] = appended(blocks[components.component[v]].rows, block.rows[v]);
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

// A 1 x 1 block.
template <class Entry>
void add_single(const Entry& entry, Reduced<Entry>& result) {
  result.counts.degree1 += 2;
  if (!is_one(entry)) result.factors.push_back(entry);
}

// Labels every vertex, rows before columns, with the one of num_labels square parts that it is in.
struct Labels {
  std::vector<Vertex> of;
  Vertex num_labels = 0;

  // Returns the rows of each part.
  std::vector<Vertex> sizes() const {
    std::vector<Vertex> result(num_labels, 0);
    for (std::size_t row = 0; row < of.size() / 2; ++row) ++result[of[row]];
    return result;
  }
};

// A square graph with its entries, the caller's or one that was made of it, and its vertices' names, rows before
// columns, in the graph that was given.
template <class Entry>
struct CurrentGraph {
  Block<Entry> own;
  const BipartiteGraph* graph;
  const std::vector<Entry>* entries;
  std::vector<Vertex> names;

  void replace(Block<Entry> by) {
    own = std::move(by);
    graph = &own.pattern;
    entries = &own.entries;
  }
};

// Makes the parts, no edge between two of them, factors if they are 1 x 1 and else blocks.
template <class Entry>
void split(const CurrentGraph<Entry>& current, const Labels& labels, Reduced<Entry>& result) {
  const BipartiteGraph& graph = *current.graph;
  const Vertex n = graph.num_rows();
  const auto middle = current.names.begin() + n;
  const auto same_as_first = [&](Vertex label) { return label == labels.of.front(); };
  if (n > 1 && std::all_of(labels.of.begin(), labels.of.begin() + n, same_as_first)) {
    result.blocks.push_back(
        {graph.pattern(), *current.entries, {current.names.begin(), middle}, {middle, current.names.end()}});
    return;
  }
  std::vector<Block<Entry>> blocks;
  const std::vector<Vertex> size = labels.sizes();
  std::vector<Vertex> block_of(labels.num_labels, unmatched), place(current.names.size());
  for (std::size_t v = 0; v < place.size(); ++v) {
    const Vertex label = labels.of[v];
    if (size[label] == 1) continue;
    if (block_of[label] == unmatched) {
      block_of[label] = static_cast<Vertex>(blocks.size());
      blocks.emplace_back();
    }
    Block<Entry>& block = blocks[block_of[label]];
    place[v] = appended(v < n ? block.rows : block.columns, current.names[v]);
  }
  std::vector<std::vector<Edge>> edges(blocks.size());
  for_each_edge(graph, [&](Vertex row, Vertex column, EdgeId id) {
    const Vertex block = block_of[labels.of[row]];
    if (block == unmatched) return add_single((*current.entries)[id], result);
    edges[block].push_back({place[row], place[column]});
    blocks[block].entries.push_back((*current.entries)[id]);
  });
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto block_size = static_cast<Vertex>(blocks[i].rows.size());
    blocks[i].pattern = BipartiteGraph::from_edges(block_size, block_size, std::move(edges[i]));
  }
  sort_by_size(blocks);
  result.blocks = std::move(blocks);
}

std::vector<Vertex> picked(const std::vector<Vertex>& list, const std::vector<Vertex>& positions) {
  std::vector<Vertex> result;
  result.reserve(positions.size());
  for (const Vertex position : positions) result.push_back(list[position]);
  return result;
}

// Says whether a degree reduction applies to a vertex of a part larger than 1 x 1, which these are.
bool can_reduce(const BipartiteGraph& graph, const std::vector<bool>& active, const ReduceOptions& options) {
  for (Vertex v = 0; v < active.size(); ++v) {
    const std::size_t edges = active[v] ? degree(graph, v) : 0;
    if ((edges == 1 && options.degree1) || (edges == 2 && options.degree2)) return true;
  }
  return false;
}

// Takes out the edges that are in no perfect matching; what is connected then is a part.
template <class Entry>
Labels prune(CurrentGraph<Entry>& current, const Matching& matching, bool first, const RunContext& run,
             ReductionCounts& counts) {
  const Vertex n = current.graph->num_rows();
  const CoarseDecomposition all_square{std::vector<CoarsePart>(n, CoarsePart::square),
                                       std::vector<CoarsePart>(n, CoarsePart::square)};
  FineDecomposition fine = fine_decomposition(*current.graph, matching, all_square);
  run.check();
  const std::vector<bool> keep = edges_in_perfect_matchings(*current.graph, fine);
  const auto useless = static_cast<EdgeId>(std::count(keep.begin(), keep.end(), false));
  if (first) {
    counts.useless_edges = useless;
    counts.fine_blocks = fine.num_blocks;
  }
  if (useless > 0) {
    current.replace({current.graph->filtered(keep), filtered(*current.entries, keep)});
    run.check();
  }
  Labels labels{std::move(fine.block_of_row), fine.num_blocks};
  labels.of.insert(labels.of.end(), fine.block_of_column.begin(), fine.block_of_column.end());
  return labels;
}

// Reduces the active vertices of a graph; false where no perfect matching is left.
template <class Entry>
bool reduce_degrees(CurrentGraph<Entry>& current, Labels& labels, std::vector<bool> active,
                    const ReduceOptions& options, const RunContext& run, Reduced<Entry>& result, bool& cancelled) {
  const Vertex n = current.graph->num_rows();
  std::vector<Edge> edges = current.graph->edges();
  for (Edge& edge : edges) edge.column += n;
  DegreeReducer<Entry> reducer(edges, *current.entries, std::move(active), options, run);
  run.check();
  if (!reducer.run(result.counts, result.factors)) return false;
  cancelled = reducer.cancelled();
  auto left = reducer.left();
  current.names = picked(current.names, left.vertices);
  labels.of = picked(labels.of, left.vertices);
  const auto size = static_cast<Vertex>(left.vertices.size() / 2);
  for (Edge& edge : left.edges) edge.column -= size;
  run.check();
  current.replace({BipartiteGraph::from_edges(size, size, std::move(left.edges)), std::move(left.entries)});
  return true;
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
      if (useless > 0) block = {block.pattern.filtered(keep), filtered(block.entries, keep), std::move(block.rows)};
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

template <class Entry>
Reduced<Entry> reduce(const BipartiteGraph& given, const std::vector<Entry>& given_entries, const Matching& perfect,
                      const ReduceOptions& options, const RunContext& run) {
  if (given_entries.size() != given.num_edges()) throw InputError("another number of entries", "one entry per edge");
  if (!perfect.is_perfect() || perfect.column_of_row.size() != given.num_rows() ||
      perfect.row_of_column.size() != given.num_columns()) {
    throw InputError("a matching that is not perfect, or of another size", "a perfect matching of the graph");
  }
  Reduced<Entry> result;
  CurrentGraph<Entry> current{{}, &given, &given_entries, std::vector<Vertex>(num_vertices(given))};
  for (std::size_t v = 0; v < current.names.size(); ++v) current.names[v] = static_cast<Vertex>(v % given.num_rows());
  Matching matching = perfect;

  for (bool first = true;; first = false) {
    const Vertex n = current.graph->num_rows();
    Labels labels = options.decompose ? prune(current, matching, first, run, result.counts)
                                      : Labels{std::vector<Vertex>(2 * std::size_t{n}, 0), std::min<Vertex>(n, 1)};
    const std::vector<Vertex> size = labels.sizes();
    std::vector<bool> active;  // not alone with their partners
    for (const Vertex label : labels.of) active.push_back(size[label] > 1);
    if (!can_reduce(*current.graph, active, options)) {
      split(current, labels, result);
      break;
    }

    for (Vertex row = 0; row < n; ++row) {
      if (!active[row]) add_single((*current.entries)[current.graph->row_begin(row)], result);
    }
    bool cancelled = false;
    bool possible = reduce_degrees(current, labels, std::move(active), options, run, result, cancelled);
    if (possible && (!cancelled || !options.decompose)) {
      split(current, labels, result);
      break;
    }
    if (possible) matching = maximum_matching(*current.graph, run);
    if (!possible || !matching.is_perfect()) return {{Entry{}}, {}, result.counts};
  }
  if (options.degree2) result.counts.refused_merges = count_refused(result.blocks);
  return result;
}

template Reduced<std::int64_t> reduce(const BipartiteGraph&, const std::vector<std::int64_t>&, const Matching&,
                                      const ReduceOptions&, const RunContext&);
template Reduced<RealEntry> reduce(const BipartiteGraph&, const std::vector<RealEntry>&, const Matching&,
                                   const ReduceOptions&, const RunContext&);
template Reduced<ComplexEntry> reduce(const BipartiteGraph&, const std::vector<ComplexEntry>&, const Matching&,
                                      const ReduceOptions&, const RunContext&);

}  // namespace matchcount
