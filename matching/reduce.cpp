#include "matching/reduce.hpp"

// A merge keeps total support: an edge of the merged graph lies in a perfect matching exactly when the edges that it
// came from did. So one decomposition is enough until entries cancel, after which what is left is decomposed again.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "matching/reduction/degree_reducer.hpp"

namespace matchcount {
namespace {

using namespace reduction;

// One list for the rows, one for the columns.
using PerSide = std::array<std::vector<Vertex>, 2>;

// A 1 x 1 block.
template <class Entry>
void add_single(const Entry& entry, Reduced<Entry>& result) {
  result.counts.degree1 += 2;
  if (!is_one(entry)) result.factors.push_back(entry);
}

// Square parts by label, no edge between two of them: 1 x 1 to factors, the others to blocks.
template <class Entry>
void split(const BipartiteGraph& graph, const std::vector<Entry>& entries, const PerSide& names, const PerSide& label,
           Vertex num_labels, Reduced<Entry>& result) {
  const auto same_as_first = [&](Vertex of_row) { return of_row == label[0].front(); };
  if (graph.num_rows() > 1 && std::all_of(label[0].begin(), label[0].end(), same_as_first)) {
    result.blocks.push_back({graph.pattern(), entries, names[0], names[1]});
    return;
  }
  std::vector<Block<Entry>> blocks;
  std::vector<Vertex> size(num_labels, 0);
  for (const Vertex of_row : label[0]) ++size[of_row];
  std::vector<Vertex> block_of(num_labels, unmatched);
  std::vector<std::vector<Edge>> edges;
  std::vector<Vertex> number_of_column(graph.num_columns());
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    if (size[label[0][row]] == 1 || block_of[label[0][row]] != unmatched) continue;
    block_of[label[0][row]] = static_cast<Vertex>(blocks.size());
    blocks.emplace_back();
  }
  edges.resize(blocks.size());
  for (Vertex column = 0; column < graph.num_columns(); ++column) {
    const Vertex block = block_of[label[1][column]];
    if (block == unmatched) continue;
    number_of_column[column] = static_cast<Vertex>(blocks[block].columns.size());
    blocks[block].columns.push_back(names[1][column]);
  }
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const Vertex block = block_of[label[0][row]];
    EdgeId id = graph.row_begin(row);
    if (block == unmatched) {
      add_single(entries[id], result);
      continue;
    }
    const auto number = static_cast<Vertex>(blocks[block].rows.size());
    blocks[block].rows.push_back(names[0][row]);
    for (const Vertex column : graph.row(row)) {
      edges[block].push_back({number, number_of_column[column]});
      blocks[block].entries.push_back(entries[id++]);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto block_size = static_cast<Vertex>(blocks[i].rows.size());
    blocks[i].pattern = BipartiteGraph::from_edges(block_size, block_size, std::move(edges[i]));
  }
  std::stable_sort(blocks.begin(), blocks.end(), [](const Block<Entry>& a, const Block<Entry>& b) {
    return std::pair(a.pattern.num_rows(), a.entries.size()) > std::pair(b.pattern.num_rows(), b.entries.size());
  });
  result.blocks = std::move(blocks);
}

// Vertices of degree 2 stay for one reason only.
template <class Entry>
Vertex count_refused(const std::vector<Block<Entry>>& blocks) {
  Vertex refused = 0;
  for (const Block<Entry>& block : blocks) {
    for (Vertex vertex = 0; vertex < block.pattern.num_rows(); ++vertex) {
      refused += block.pattern.row(vertex).size() == 2;
      refused += block.pattern.column(vertex).size() == 2;
    }
  }
  return refused;
}

PerSide picked(const PerSide& lists, const PerSide& positions) {
  PerSide result;
  for (const int side : {0, 1}) {
    result[side].reserve(positions[side].size());
    for (const Vertex position : positions[side]) result[side].push_back(lists[side][position]);
  }
  return result;
}

// Says whether a degree reduction applies to a vertex of a part larger than 1 x 1; active: the vertices of such parts,
// rows before columns.
bool can_reduce(const BipartiteGraph& graph, const std::vector<bool>& active, const ReduceOptions& options) {
  const auto is_small = [&](std::size_t degree) {
    return (degree == 1 && options.degree1) || (degree == 2 && options.degree2);
  };
  for (Vertex v = 0; v < graph.num_rows(); ++v) {
    if (active[v] && is_small(graph.row(v).size())) return true;
    if (active[graph.num_rows() + v] && is_small(graph.column(v).size())) return true;
  }
  return false;
}

// Labels every vertex, by side, with the one of num_labels parts that it is in.
struct Labels {
  PerSide of;
  Vertex num_labels;
};

// A graph with its entries: the caller's, or one that was made of it.
template <class Entry>
struct CurrentGraph {
  Block<Entry> own;
  const BipartiteGraph* graph;
  const std::vector<Entry>* entries;

  void replace(Block<Entry> by) {
    own = std::move(by);
    graph = &own.pattern;
    entries = &own.entries;
  }
};

// Takes out the edges that are in no perfect matching; what is connected then is a part.
template <class Entry>
Labels prune(CurrentGraph<Entry>& current, const Matching& matching, bool first, const StepCheck& steps,
             ReductionCounts& counts) {
  const Vertex n = current.graph->num_rows();
  const CoarseDecomposition all_square{std::vector<CoarsePart>(n, CoarsePart::square),
                                       std::vector<CoarsePart>(n, CoarsePart::square)};
  FineDecomposition fine = fine_decomposition(*current.graph, matching, all_square);
  steps.check();
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
    steps.check();
  }
  return {{std::move(fine.block_of_row), std::move(fine.block_of_column)}, fine.num_blocks};
}

// Says which vertices are not alone with their partner, rows before columns.
std::vector<bool> active_vertices(const Labels& labels) {
  std::vector<Vertex> size(labels.num_labels, 0);
  for (const Vertex of_row : labels.of[0]) ++size[of_row];
  std::vector<bool> active;
  for (const auto& of_side : labels.of) {
    for (const Vertex label : of_side) active.push_back(size[label] > 1);
  }
  return active;
}

// Reduces the active vertices of a graph. Returns the names of those that are left, by side, or nothing where no
// perfect matching is.
template <class Entry>
std::optional<PerSide> reduce_degrees(CurrentGraph<Entry>& current, std::vector<bool> active,
                                      const ReduceOptions& options, const RunContext& run, Reduced<Entry>& result,
                                      bool& cancelled) {
  const Vertex n = current.graph->num_rows();
  std::vector<Edge> edges = current.graph->edges();
  for (Edge& edge : edges) edge.column += n;
  DegreeReducer<Entry> reducer(edges, *current.entries, std::move(active), options, run);
  run.check();
  const bool possible = reducer.run();
  result.counts.degree1 += 2 * reducer.num_forced();
  result.counts.degree2 += 2 * reducer.num_merges();
  if (!possible) return std::nullopt;
  result.factors.insert(result.factors.end(), reducer.factors().begin(), reducer.factors().end());
  cancelled = reducer.cancelled();
  auto left = reducer.left();
  PerSide kept;
  for (const Vertex v : left.vertices) kept[v < n ? 0 : 1].push_back(v < n ? v : v - n);
  const auto size = static_cast<Vertex>(kept[0].size());
  for (Edge& edge : left.edges) edge.column -= size;
  run.check();
  current.replace({BipartiteGraph::from_edges(size, static_cast<Vertex>(kept[1].size()), std::move(left.edges)),
                   std::move(left.entries)});
  return kept;
}

template <class Entry>
Reduced<Entry> reduce_to_zero(const ReductionCounts& counts) {
  return {{Entry{}}, {}, counts};
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
  const StepCheck steps(run);
  Reduced<Entry> result;
  PerSide names;
  for (auto& of_side : names) {
    of_side.resize(given.num_rows());
    std::iota(of_side.begin(), of_side.end(), Vertex{0});
  }
  CurrentGraph<Entry> current{{}, &given, &given_entries};
  Matching matching = perfect;

  for (bool first = true;; first = false) {
    const Vertex n = current.graph->num_rows();
    const Labels labels = options.decompose
                              ? prune(current, matching, first, steps, result.counts)
                              : Labels{{std::vector<Vertex>(n, 0), std::vector<Vertex>(n, 0)}, std::min<Vertex>(n, 1)};
    std::vector<bool> active = active_vertices(labels);
    if (!can_reduce(*current.graph, active, options)) {
      split(*current.graph, *current.entries, names, labels.of, labels.num_labels, result);
      break;
    }

    for (Vertex row = 0; row < n; ++row) {
      if (!active[row]) add_single((*current.entries)[current.graph->row_begin(row)], result);
    }
    bool cancelled = false;
    const auto kept = reduce_degrees(current, std::move(active), options, run, result, cancelled);
    if (!kept) return reduce_to_zero<Entry>(result.counts);
    names = picked(names, *kept);
    if (!cancelled || !options.decompose) {
      split(*current.graph, *current.entries, names, picked(labels.of, *kept), labels.num_labels, result);
      break;
    }
    matching = maximum_matching(*current.graph, run);
    if (!matching.is_perfect()) return reduce_to_zero<Entry>(result.counts);
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
