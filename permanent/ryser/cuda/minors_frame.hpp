#pragma once
// Says how the host describes sums of all minors to the kernels. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

constexpr unsigned minors_threads = 128;
constexpr int low_walk_bits = 5, most_walk_bits = 13;
constexpr int fewest_minor_rows = 12, most_minor_rows = 32;
constexpr int most_scaled_rows = 62;  // of the host, too

// The signs of a matrix's columns but the last, which has +1, are walk_bits that a group of lanes walks through, those
// that tell the groups of a block apart, and those of a part: rows - 1 together.
struct MinorsFrame {
  int rows;
  int walk_bits;  // low_walk_bits to most_walk_bits
  int group_bits;
  unsigned parts;  // blocks of a matrix, a power of 2
  int width;       // doubles of an entry: the matrix may be real
  // Bound the errors of a sum of products without a row, and of that of all, relative to their magnitudes.
  double relative_error, relative_error_of_total;
};

// MinorsAnswers says where a group's answers go, and those behind them.
struct MinorsAnswers {
  double *values, *errors, *derivatives, *derivative_errors;
};

// Names what was wrong with a group: an entry that is not finite, or an answer beyond the range of doubles.
constexpr double not_finite = 2, beyond_range = 1;

// A block gives the minors, row-major, with real and imaginary parts, and behind them the sum of the products of all
// row sums, that of magnitudes, and that of these without the least factor.
constexpr int minors_extra = 4;

}  // namespace matchcount::gpu
