#pragma once
// Carries out the steps of an elimination program; see permanent/planar/cpu/elimination_program.hpp.

#include <cstdint>

namespace matchcount {

// A front is a dense matrix: the entries of its node's vertices and what its children left over. Its first `pivots`
// rows and columns are eliminated, the rest is left for the parent. Skew fronts have rows equal to columns, pivots come
// in pairs (2k, 2k + 1), and only entries below the diagonal count.
struct EliminationFront {
  std::uint32_t rows, columns, pivots;
  std::uint32_t num_children, num_entries;
};
// EliminationChild places the rest of a child: its row i is the parent's row maps[i], its column j the parent's column
// maps[rows + j]. Skew: maps has rows numbers.
struct EliminationChild {
  std::uint32_t rows, columns;
};
struct EliminationEntry {
  std::uint32_t row, column, value;
};
// The magnitude of an integer: words[begin] to words[end] of 32 bits each, the least first.
struct EliminationPart {
  std::uint32_t begin, end;
  std::uint32_t negative;  // 1: the integer is
};

}  // namespace matchcount
