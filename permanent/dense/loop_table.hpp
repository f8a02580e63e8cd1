#pragma once
// Holds the hafnians of all sets of vertices of one matrix, from which its loop hafnians for many loops follow.

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "permanent/dense/cpu/loop_kernel.hpp"
#include "permanent/dense/one_matrix.hpp"

namespace matchcount::dense {

// T: double or std::complex<double>.
template <class T>
class LoopTable {
 public:
  static constexpr std::size_t least_vertices = 6, most_vertices = 22, lanes = loop_kernel::num_lanes;
  static double memory_bytes(std::size_t n);

  // Takes a symmetric matrix, row-major, n x n, no part above 2^300; the diagonal is not read.
  LoopTable(std::span<const T> entries, std::size_t n, const RunContext& run, int num_threads);

  // Writes the loop hafnians for count vectors of n loops each; nothing where doubles leave too few digits.
  void values(const T* loops, std::size_t count, const RunContext& run, std::optional<AnswerOf<T>>* found) const;

 private:
  template <class Number>
  std::vector<Number> hafnians(const std::vector<Number>& entries, const RunContext& run, int num_threads) const;
  double error(const T* loops) const;

  std::size_t n_, bits_, row_bits_;  // of a set of columns, which the lowest vertices make, and of one of rows
  int exponent_ = 0;                 // entries are divided by its square as a power of 2, loops by itself
  // Sets of rows and of columns, those of an even number first; and the hafnians of both together where the numbers
  // have one parity, [parity][group of rows][column][row].
  std::vector<std::uint32_t> rows_, columns_;
  std::vector<T> table_;
  std::vector<double> norms_;  // by size of a set: of the hafnians of the entries' magnitudes, the 2-norm
};

}  // namespace matchcount::dense
