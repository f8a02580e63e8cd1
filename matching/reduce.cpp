#include "matching/reduce.hpp"

// A merge keeps total support: an edge of the merged graph lies in a perfect matching exactly when the edges that it
// came from did. So one decomposition is enough until entries cancel, after which what is left is decomposed again.
//
// Degree reductions need a graph that changes: every edge is a node of two circular doubly linked lists, its row's and
// its column's, so that an edge is removed or moved to another column in O(1). Whether the merged column already has an
// edge to a row is found by walking the row's and the column's list side by side, at the cost of the shorter one; an
// edge once found becomes the head of its lists, and is found at once when many merges meet in the same two vertices.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/step_check.hpp"
#include "matching/reduction/entry_arithmetic.hpp"

namespace matchcount {
namespace {

using namespace reduction;

// One list for the rows, one for the columns.
using PerSide = std::array<std::vector<Vertex>, 2>;

template <class Entry>
struct WeightedGraph {
  BipartiteGraph graph;
  std::vector<Entry> entries;
};

// ---- the graph that changes ----
template <class Entry>
class DegreeReducer {
 public:
  // Reduces the rows and columns with active[side][vertex] only; no edge joins one of them to another vertex.
  DegreeReducer(const BipartiteGraph& graph, const std::vector<Entry>& entries, std::array<std::vector<bool>, 2> active,
                const ReduceOptions& options, const RunContext& run)
      : options_(options), steps_(run), alive_(std::move(active)) {
    constexpr EdgeId max_edges = std::numeric_limits<Index>::max() - 1;
    if (graph.num_edges() > max_edges) throw Unable("reducing more than 2^32 - 2 edges by degrees");
    head_[0].assign(graph.num_rows(), none);
    head_[1].assign(graph.num_columns(), none);
    degree_[0].assign(graph.num_rows(), 0);
    degree_[1].assign(graph.num_columns(), 0);
    waiting_[0].assign(graph.num_rows(), false);
    waiting_[1].assign(graph.num_columns(), false);
    // Nodes have the numbers of their edges, inactive ones included, so that lists are linked without a search.
    edges_.resize(graph.num_edges());
    for (Vertex row = 0; row < graph.num_rows(); ++row) {
      if (!alive_[0][row]) continue;
      const auto columns = graph.row(row);
      const auto begin = static_cast<Index>(graph.row_begin(row));
      const auto last = static_cast<Index>(begin + columns.size() - 1);
      for (Index edge = begin; edge <= last; ++edge) {
        edges_[edge].end = {row, columns[edge - begin]};
        edges_[edge].link[0] = {edge == last ? begin : edge + 1, edge == begin ? last : edge - 1};
        edges_[edge].entry = entries[edge];
      }
      head_[0][row] = begin;
      degree_[0][row] = static_cast<Vertex>(columns.size());
    }
    for (Vertex column = 0; column < graph.num_columns(); ++column) {
      if (!alive_[1][column]) continue;
      const auto ids = graph.column_edges(column);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const EdgeId next = ids[i + 1 == ids.size() ? 0 : i + 1];
        const EdgeId previous = ids[i == 0 ? ids.size() - 1 : i - 1];
        edges_[ids[i]].link[1] = {static_cast<Index>(next), static_cast<Index>(previous)};
      }
      head_[1][column] = static_cast<Index>(ids.front());
      degree_[1][column] = static_cast<Vertex>(ids.size());
    }
    for (const int side : {0, 1}) {
      for (Vertex vertex = 0; vertex < alive_[side].size(); ++vertex) enqueue(side, vertex);
    }
  }

  // Reduces; false if no perfect matching is left.
  bool run() {
    while (!queue_.empty()) {
      steps_.step();
      const auto [side, vertex] = queue_.front();
      queue_.pop_front();
      waiting_[side][vertex] = false;
      if (!alive_[side][vertex]) continue;
      const Vertex degree = degree_[side][vertex];
      if (degree == 0) return false;
      if (degree == 1 && options_.degree1) {
        force(side, vertex);
      } else if (degree == 2 && options_.degree2) {
        merge_neighbours(side, vertex);
      }
    }
    if (negative_) factors_.push_back(minus_one());
    return true;
  }

  bool cancelled() const { return cancelled_; }
  Vertex num_forced() const { return num_forced_; }
  Vertex num_merges() const { return num_merges_; }
  std::vector<Entry>& factors() { return factors_; }

  // Returns the vertices that are left, ascending, and the graph on them.
  PerSide kept() const {
    PerSide kept;
    for (const int side : {0, 1}) {
      for (Vertex vertex = 0; vertex < alive_[side].size(); ++vertex) {
        if (alive_[side][vertex]) kept[side].push_back(vertex);
      }
    }
    return kept;
  }
  WeightedGraph<Entry> remaining(const PerSide& kept) const {
    PerSide number;
    for (const int side : {0, 1}) {
      number[side].assign(alive_[side].size(), 0);
      for (std::size_t i = 0; i < kept[side].size(); ++i) number[side][kept[side][i]] = static_cast<Vertex>(i);
    }
    WeightedGraph<Entry> result;
    std::vector<Edge> list;
    std::vector<Index> of_row;
    for (const Vertex row : kept[0]) {
      of_row.clear();
      for_each_edge(0, row, [&](Index edge) { of_row.push_back(edge); });
      std::sort(of_row.begin(), of_row.end(), [&](Index a, Index b) { return edges_[a].end[1] < edges_[b].end[1]; });
      for (const Index edge : of_row) {
        list.push_back({number[0][row], number[1][edges_[edge].end[1]]});
        result.entries.push_back(edges_[edge].entry);
      }
    }
    result.graph = BipartiteGraph::from_edges(static_cast<Vertex>(kept[0].size()), static_cast<Vertex>(kept[1].size()),
                                              std::move(list));
    return result;
  }

 private:
  using Index = std::uint32_t;
  static constexpr Vertex hub_degree = 64;  // above it, a merge should not visit every edge
  static constexpr Index none = std::numeric_limits<Index>::max();
  struct Link {
    Index next, previous;
  };
  struct EdgeNode {
    std::array<Vertex, 2> end;  // row, column
    std::array<Link, 2> link;   // in the list of the row, of the column
    Entry entry;
  };
  struct SideVertex {
    int side;
    Vertex vertex;
  };

  static Entry minus_one() {
    if constexpr (Inexact<Entry>) {
      return {-1.0, 1};
    } else {
      return -1;
    }
  }

  void enqueue(int side, Vertex vertex) {
    if (!alive_[side][vertex] || waiting_[side][vertex] || degree_[side][vertex] > 2) return;
    waiting_[side][vertex] = true;
    queue_.push_back({side, vertex});
  }

  // Puts the edge at the front of the list of its end on this side.
  void link(Index edge, int side) {
    const Vertex vertex = edges_[edge].end[side];
    Index& head = head_[side][vertex];
    if (head == none) {
      edges_[edge].link[side] = {edge, edge};
    } else {
      const Index last = edges_[head].link[side].previous;
      edges_[edge].link[side] = {head, last};
      edges_[last].link[side].next = edge;
      edges_[head].link[side].previous = edge;
    }
    head = edge;
    ++degree_[side][vertex];
  }

  void unlink(Index edge, int side) {
    const Vertex vertex = edges_[edge].end[side];
    const auto [next, previous] = edges_[edge].link[side];
    edges_[previous].link[side].next = next;
    edges_[next].link[side].previous = previous;
    Index& head = head_[side][vertex];
    if (head == edge) head = next == edge ? none : next;
    --degree_[side][vertex];
  }

  template <class Body>
  void for_each_edge(int side, Vertex vertex, Body&& body) const {
    const Index head = head_[side][vertex];
    if (head == none) return;
    Index edge = head;
    do {
      const Index next = edges_[edge].link[side].next;
      body(edge);
      edge = next;
    } while (edge != head);
  }

  // Returns the edge between two vertices, the first of this side, or none.
  Index find(int side, Vertex vertex, Vertex other) {
    const Index head = head_[side][vertex];
    const Index other_head = head_[1 - side][other];
    if (head == none || other_head == none) return none;
    Index edge = head;
    Index other_edge = other_head;
    for (;;) {
      if (edges_[edge].end[1 - side] == other) break;
      if (edges_[other_edge].end[side] == vertex) {
        edge = other_edge;
        break;
      }
      edge = edges_[edge].link[side].next;
      other_edge = edges_[other_edge].link[1 - side].next;
      if (edge == head || other_edge == other_head) return none;
    }
    head_[side][vertex] = edge;
    head_[1 - side][other] = edge;
    return edge;
  }

  void add_factor(const Entry& factor) {
    if (is_one(factor)) return;
    if constexpr (Inexact<Entry>) {
      factors_.push_back(factor);
    } else if (factor == -1) {
      negative_ = !negative_;
    } else {
      factors_.push_back(factor);
    }
  }

  // The only edge of the vertex is in every perfect matching.
  void force(int side, Vertex vertex) {
    const Index forced = head_[side][vertex];
    const Vertex partner = edges_[forced].end[1 - side];
    add_factor(edges_[forced].entry);
    ++num_forced_;
    alive_[side][vertex] = false;
    alive_[1 - side][partner] = false;
    for_each_edge(1 - side, partner, [&](Index edge) {
      unlink(edge, side);
      enqueue(side, edges_[edge].end[side]);
    });
  }

  // The vertex has two neighbours: `kept`, of larger degree, takes up `gone`. With w the entry at `gone` and v that at
  // `kept`, the new entries are w * (entry of kept) + v * (entry of gone). Changes nothing where one would not fit.
  void merge_neighbours(int side, Vertex vertex) {
    const int across = 1 - side;
    Index kept_edge = head_[side][vertex];
    Index gone_edge = edges_[kept_edge].link[side].next;
    const auto rank = [&](Index edge) {
      const Vertex neighbour = edges_[edge].end[across];
      return std::pair(degree_[across][neighbour], ~neighbour);
    };
    if (rank(kept_edge) < rank(gone_edge)) std::swap(kept_edge, gone_edge);
    const Vertex kept = edges_[kept_edge].end[across];
    const Vertex gone = edges_[gone_edge].end[across];
    Entry w = edges_[gone_edge].entry;
    Entry v = edges_[kept_edge].entry;
    const Entry factor = take_factor(w, v, degree_[across][kept] > hub_degree);
    const bool scales_kept = !is_one(w);

    bool fits = true;
    if (scales_kept) {
      const Index head = head_[across][kept];
      Index edge = head;
      do {
        if (edge != kept_edge && !scale(w, edges_[edge].entry)) {
          head_[across][kept] = edge;  // the next merge that fails here fails at once
          fits = false;
          break;
        }
        edge = edges_[edge].link[across].next;
      } while (edge != head);
    }
    merged_.clear();
    for (Index edge = edges_[gone_edge].link[across].next; fits && edge != gone_edge;
         edge = edges_[edge].link[across].next) {
      const Index partner = find(side, edges_[edge].end[side], kept);
      const auto entry =
          partner == none ? scale(v, edges_[edge].entry) : combine(w, edges_[partner].entry, v, edges_[edge].entry);
      fits = entry.has_value();
      if (fits) merged_.push_back({edge, partner, *entry});
    }
    if (!fits) return;

    add_factor(factor);
    ++num_merges_;
    alive_[side][vertex] = false;
    alive_[across][gone] = false;
    unlink(kept_edge, across);
    if (scales_kept) {
      for_each_edge(across, kept, [&](Index edge) { edges_[edge].entry = *scale(w, edges_[edge].entry); });
    }
    for (const auto& [edge, partner, entry] : merged_) {
      const Vertex other = edges_[edge].end[side];
      if (partner == none) {
        edges_[edge].end[across] = kept;
        edges_[edge].entry = entry;
        link(edge, across);
      } else {
        unlink(edge, side);
        edges_[partner].entry = entry;
        if (is_zero(entry)) {
          unlink(partner, side);
          unlink(partner, across);
          cancelled_ = true;
        }
      }
      enqueue(side, other);
    }
    enqueue(across, kept);
  }

  struct MergedEdge {
    Index edge;     // of `gone`
    Index partner;  // the edge of `kept` to the same vertex, or none
    Entry entry;
  };

  const ReduceOptions& options_;
  StepCheck steps_;
  std::array<std::vector<bool>, 2> alive_;
  std::array<std::vector<bool>, 2> waiting_;  // in the queue
  std::array<std::vector<Index>, 2> head_;
  std::array<std::vector<Vertex>, 2> degree_;
  std::vector<EdgeNode> edges_;
  std::deque<SideVertex> queue_;
  std::vector<MergedEdge> merged_;
  std::vector<Entry> factors_;
  bool negative_ = false;
  bool cancelled_ = false;
  Vertex num_forced_ = 0;
  Vertex num_merges_ = 0;
};

// ---- splitting ----
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
    blocks.back().rows.reserve(size[label[0][row]]);
    blocks.back().columns.reserve(size[label[0][row]]);
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
    return std::pair(a.rows.size(), a.entries.size()) > std::pair(b.rows.size(), b.entries.size());
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

// Says whether a degree reduction applies to a vertex of a part larger than 1 x 1; active: the vertices of such parts.
bool can_reduce(const BipartiteGraph& graph, const std::array<std::vector<bool>, 2>& active,
                const ReduceOptions& options) {
  for (Vertex vertex = 0; vertex < graph.num_rows(); ++vertex) {
    const std::size_t row_degree = graph.row(vertex).size();
    const std::size_t column_degree = graph.column(vertex).size();
    if (active[0][vertex] && ((row_degree == 1 && options.degree1) || (row_degree == 2 && options.degree2)))
      return true;
    if (active[1][vertex] && ((column_degree == 1 && options.degree1) || (column_degree == 2 && options.degree2))) {
      return true;
    }
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
  WeightedGraph<Entry> own;
  const BipartiteGraph* graph;
  const std::vector<Entry>* entries;

  void replace(WeightedGraph<Entry> by) {
    own = std::move(by);
    graph = &own.graph;
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

// Returns the vertices that are not alone with their partner.
std::array<std::vector<bool>, 2> active_vertices(const Labels& labels, Vertex n) {
  std::vector<Vertex> size(labels.num_labels, 0);
  for (const Vertex of_row : labels.of[0]) ++size[of_row];
  std::array<std::vector<bool>, 2> active{std::vector<bool>(n), std::vector<bool>(n)};
  for (const int side : {0, 1}) {
    for (Vertex vertex = 0; vertex < n; ++vertex) active[side][vertex] = size[labels.of[side][vertex]] > 1;
  }
  return active;
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
    std::array<std::vector<bool>, 2> active = active_vertices(labels, n);
    if (!can_reduce(*current.graph, active, options)) {
      split(*current.graph, *current.entries, names, labels.of, labels.num_labels, result);
      break;
    }

    for (Vertex row = 0; row < n; ++row) {
      if (!active[0][row]) add_single((*current.entries)[current.graph->row_begin(row)], result);
    }
    DegreeReducer<Entry> reducer(*current.graph, *current.entries, std::move(active), options, run);
    steps.check();
    const bool possible = reducer.run();
    result.counts.degree1 += 2 * reducer.num_forced();
    result.counts.degree2 += 2 * reducer.num_merges();
    if (!possible) return reduce_to_zero<Entry>(result.counts);
    result.factors.insert(result.factors.end(), reducer.factors().begin(), reducer.factors().end());
    const PerSide kept = reducer.kept();
    steps.check();
    current.replace(reducer.remaining(kept));
    names = picked(names, kept);
    if (!reducer.cancelled() || !options.decompose) {
      split(*current.graph, *current.entries, names, picked(labels.of, kept), labels.num_labels, result);
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
