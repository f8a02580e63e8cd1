#pragma once
// BipartiteGraph is a bipartite graph, weighted or not: equally, a sparse matrix whose rows and columns are its sides.
// Its permanent is the sum over perfect matchings of the product of their weights.

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "core/api.hpp"
#include "core/names.hpp"
#include "core/numbers/pair.hpp"

namespace MATCHCOUNT_API matchcount {

using Vertex = std::uint32_t;  // row or column, from 0
using EdgeId = std::uint64_t;  // edges are numbered row by row, columns ascending

struct Edge {
  Vertex row;
  Vertex column;
  friend bool operator==(const Edge&, const Edge&) = default;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

// One weight per edge in order of EdgeId; monostate: no weights, every edge counts 1.
// Reals are double-doubles so that a decimal text keeps 31 digits; a double converts exactly.
using Weights = std::variant<std::monostate, std::vector<std::int64_t>, std::vector<DoubleDouble>,
                             std::vector<ComplexDoubleDouble>>;

enum class WeightKind { none, integer, real, complex };

// Says how an edge that is given twice is treated.
enum class Duplicates {
  refuse,  // throw InputError
  sum,     // add the weights; edges without weights get their multiplicity as an integer weight
  one      // keep the first
};
template <>
struct Names<Duplicates> {
  static constexpr std::string_view what = "duplicates";
  static constexpr Named<Duplicates> all[] = {
      {Duplicates::refuse, "refuse"}, {Duplicates::sum, "sum"}, {Duplicates::one, "one"}};
};

// Compressed by rows and by columns: 8 bytes an edge for the ids, 8 more for the way from columns to edge ids, plus
// weights. Immutable once built; both neighbour lists ascend.
class BipartiteGraph {
 public:
  // The graph with no vertices; it has one perfect matching.
  BipartiteGraph() : BipartiteGraph(from_edges(0, 0, {})) {}

  // Edges in any order; weights (if any) parallel to edges. Zero weights are kept: drop_zeros removes them.
  // Throws InputError for a vertex out of range, a weight count that differs, a weight that is not finite, a repeated
  // edge under Duplicates::refuse, or a sum that is out of range or of reals that cancel. O(edges + rows + columns).
  static BipartiteGraph from_edges(Vertex num_rows, Vertex num_columns, std::vector<Edge> edges, Weights weights = {},
                                   Duplicates duplicates = Duplicates::refuse);

  // Makes a graph of a dense row-major array of num_rows * num_columns entries; zeros are no edges.
  static BipartiteGraph from_dense(Vertex num_rows, Vertex num_columns, std::span<const std::int64_t> entries);
  static BipartiteGraph from_dense(Vertex num_rows, Vertex num_columns, std::span<const double> entries);
  static BipartiteGraph from_dense(Vertex num_rows, Vertex num_columns, std::span<const ComplexDoubleDouble> entries);

  Vertex num_rows() const { return num_rows_; }
  Vertex num_columns() const { return num_columns_; }
  EdgeId num_edges() const { return row_columns_.size(); }

  // Columns adjacent to a row; the i-th of them is edge row_begin(row) + i.
  std::span<const Vertex> row(Vertex row) const {
    return {row_columns_.data() + row_offsets_[row], row_columns_.data() + row_offsets_[row + 1]};
  }
  EdgeId row_begin(Vertex row) const { return row_offsets_[row]; }
  // Rows adjacent to a column, and in parallel the ids of those edges.
  std::span<const Vertex> column(Vertex column) const {
    return {column_rows_.data() + column_offsets_[column], column_rows_.data() + column_offsets_[column + 1]};
  }
  std::span<const EdgeId> column_edges(Vertex column) const {
    return {column_edges_.data() + column_offsets_[column], column_edges_.data() + column_offsets_[column + 1]};
  }
  // Returns all edges in order of EdgeId.
  std::vector<Edge> edges() const;

  const Weights& weights() const { return weights_; }
  WeightKind weight_kind() const { return static_cast<WeightKind>(weights_.index()); }

  // The same edges without, or with other, weights (one per edge, in order of EdgeId).
  BipartiteGraph pattern() const;
  BipartiteGraph with_weights(Weights weights) const;
  // Returns the graph without the edges of weight 0.
  BipartiteGraph drop_zeros() const;
  // Returns the graph with rows and columns swapped.
  BipartiteGraph transposed() const;
  // Returns the subgraph on these rows and columns (each distinct), renumbered in the order given.
  BipartiteGraph induced(std::span<const Vertex> rows, std::span<const Vertex> columns) const;
  // The same vertices and only the edges with keep[id] true; weights follow.
  BipartiteGraph filtered(const std::vector<bool>& keep) const;

 private:
  struct Empty {};
  explicit BipartiteGraph(Empty) {}

  Vertex num_rows_ = 0;
  Vertex num_columns_ = 0;
  std::vector<EdgeId> row_offsets_;     // num_rows + 1
  std::vector<Vertex> row_columns_;     // by EdgeId
  std::vector<EdgeId> column_offsets_;  // num_columns + 1
  std::vector<Vertex> column_rows_;
  std::vector<EdgeId> column_edges_;
  Weights weights_;
};

// Matrix is the name that questions about permanents use.
using Matrix = BipartiteGraph;

}  // namespace matchcount
