#pragma once
// Says in which order a GPU's kernels bring a bit matrix to echelon form: by recursion on columns, as
// linear/bits/elimination.cpp does on a CPU, down to panels of 1024 columns.

#include <cstddef>
#include <vector>

#include "linear/bits/cuda/elimination_frame.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::gpu {

// `Gpu` starts kernels in their order:
//   factor_panel(first, last)  finds the pivots of these columns and takes them from the panel; returns the rank then
//   solve_panel(top, bottom, first, last, begin, end)  makes pivot rows [top, bottom) of a panel rows of U in columns
//       [begin, end)
//   subtract(from, to, first, last, begin, end)  takes what bits in columns [first, last) of rows [from, to) select of
//       the rows with pivots in those columns from their columns [begin, end)
template <class Gpu>
class EliminationQueue {
 public:
  // full: it ends with the first panel that has a column without a pivot.
  EliminationQueue(Gpu& gpu, std::size_t num_rows, std::size_t num_columns, bool full)
      : gpu_(gpu), num_rows_(num_rows), num_columns_(num_columns), full_(full) {}

  // Returns the rank, or, where it ended early, less than it.
  std::size_t run() {
    if (num_rows_ != 0 && num_columns_ != 0) factor(0, num_columns_);
    return rank_;
  }

 private:
  static constexpr std::size_t panel = bit_panel_columns;

  bool is_over() const { return rank_ == num_rows_ || failed_; }
  static std::size_t middle_of(std::size_t first, std::size_t last) {
    return first + ((last - first + panel - 1) / panel + 1) / 2 * panel;
  }
  // Returns the rank before column `first` of a panel.
  std::size_t rank_before(std::size_t first) const { return ranks_[first / panel]; }

  void factor(std::size_t first, std::size_t last) {
    if (is_over()) return;
    if (last - first <= panel) {
      ranks_.push_back(rank_);
      rank_ = gpu_.factor_panel(first, last);
      failed_ = full_ && rank_ != last;
      return;
    }
    const std::size_t middle = middle_of(first, last), top = rank_;
    factor(first, middle);
    if (is_over()) return;
    solve(top, rank_, first, middle, middle, last);
    gpu_.subtract(rank_, num_rows_, first, middle, middle, last);
    factor(middle, last);
  }

  // U = L^-1 U in columns [begin, end) of the pivot rows [top, bottom), whose pivots are in columns [first, last).
  void solve(std::size_t top, std::size_t bottom, std::size_t first, std::size_t last, std::size_t begin,
             std::size_t end) {
    if (top == bottom) return;
    if (last - first <= panel) return gpu_.solve_panel(top, bottom, first, last, begin, end);
    const std::size_t middle = middle_of(first, last), between = rank_before(middle);
    solve(top, between, first, middle, begin, end);
    if (top != between && between != bottom) gpu_.subtract(between, bottom, first, middle, begin, end);
    solve(between, bottom, middle, last, begin, end);
  }

  Gpu& gpu_;
  std::size_t num_rows_, num_columns_;
  bool full_, failed_ = false;
  std::size_t rank_ = 0;
  std::vector<std::size_t> ranks_;  // before each panel
};

}  // namespace matchcount::gpu
