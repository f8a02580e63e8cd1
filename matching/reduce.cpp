#include "matching/reduce.hpp"

// A merge keeps total support: an edge of the merged graph lies in a perfect matching exactly when the edges that it
// came from did. So one decomposition is enough until entries cancel, after which what is left is decomposed again.

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "graph/vertices.hpp"
#include "matching/reduction/degree_reducer.hpp"

namespace matchcount {
namespace {

using namespace reduction;

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
    std::vector<Vertex>& names = v < n ? blocks[block_of[label]].rows : blocks[block_of[label]].columns;
    place[v] = static_cast<Vertex>(names.size());
    names.push_back(current.names[v]);
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
    std::vector<Entry> kept_entries;
    kept_entries.reserve(keep.size() - useless);
    for (EdgeId id = 0; id < keep.size(); ++id) {
      if (keep[id]) kept_entries.push_back((*current.entries)[id]);
    }
    current.replace({current.graph->filtered(keep), std::move(kept_entries)});
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
