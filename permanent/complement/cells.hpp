#pragma once
// Cells holds the entries of a matrix that are not 0, and rank_one_part finds u v^T in it, so that the rest is sparse.

#include <cstddef>
#include <optional>
#include <vector>

#include "permanent/method.hpp"

namespace matchcount {

// Row by row; of a symmetric matrix the cells above its diagonal.
struct Cells {
  bool symmetric = false;
  Vertex rows = 0, columns = 0;
  std::vector<std::size_t> begin = {};               // of each row, and the end
  std::vector<Vertex> column = {};                   // ascending in a row
  std::vector<Integer> value = {};                   // none: ones
  std::vector<Integer> of_row = {}, of_column = {};  // a factor for each line that no edge takes; none: ones

  // Columns are numbered after the rows as lines; of a symmetric matrix rows are all lines.
  Vertex first_column() const { return symmetric ? 0 : rows; }
  const Integer& entry(std::size_t cell) const { return value.empty() ? one : value[cell]; }
  const Integer& row_factor(Vertex row) const { return of_row.empty() ? one : of_row[row]; }
  const Integer& column_factor(Vertex c) const {
    return symmetric ? row_factor(c) : of_column.empty() ? one : of_column[c];
  }
  // Cells that are 0 included.
  double total() const { return symmetric ? 0.5 * rows * (rows - 1.0) : 1.0 * rows * columns; }
  // Calls visit(row, column, cell).
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (Vertex row = 0; row < rows; ++row)
      for (std::size_t cell = begin[row]; cell < begin[row + std::size_t{1}]; ++cell) visit(row, column[cell], cell);
  }

  static inline const Integer one = 1;
};

// Brings a matrix near to a constant: with lines scaled, most of its cells are `cell` times the factors of their lines.
struct NearRankOne {
  Cells cells;
  std::size_t cell = 0;
  Integer divisor = 1;        // the permanent or hafnian of the cells is this times that of the block,
  std::int64_t exponent = 0;  // times 2^exponent
};

// Nothing where most cells are no multiple of a matrix of rank one, nor equal; then next to nothing is done. The block
// is of integers or reals, which are taken as they are held.
std::optional<NearRankOne> near_rank_one(const AnyBlock& block, const RunContext& run);

}  // namespace matchcount
