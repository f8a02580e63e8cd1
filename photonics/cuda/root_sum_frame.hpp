#pragma once
// Says how the host describes sums over roots of unity to the kernels. Plain, so that both compilers lay it out alike.

namespace matchcount::gpu {

constexpr unsigned root_threads = 128;  // of a block, at most
constexpr int most_root_rows = 32;

// RootFrame places the points. Permanents: row i stands for x_i = w^k, w = exp(2 pi i / (times + 1)), k = 0 ... times;
// the last row for 1. A chunk is all values of the first low_rows, in the order of `steps`; chunk h has the digits of
// h, in the mixed radix of the times, in the others. Of hafnians: x_i = 1 or -1 of vertex i, in the same way.
struct RootFrame {
  int rows, columns;  // of the matrix
  int low_rows, steps;
  int grid_bits;                      // numbers are split at 2^-grid_bits
  int table_rows;                     // of all rows, times + 1, and 1 of the last
  unsigned chunks, chunks_of_thread;  // of as many as a thread walks side by side
  unsigned parts;                     // blocks of a matrix
  int first_table_row[most_root_rows];
  unsigned char order[most_root_rows];  // by row here that of the matrix
  unsigned char row_times[most_root_rows], column_times[most_root_rows];
};

// The product of the low rows' roots at a point, and the way to the next: `sign` times a row of differences.
struct RootStep {
  double re, im, sign;
  int table_row, padding;
};
// A root of unity, in twice the digits of a double.
struct Root {
  double re, im, re_low, im_low;
};
// 2^exponent times a block's sum, and a sum that bounds that of magnitudes. A matrix with a row or column of zeros has
// zero_exponent.
struct RootSum {
  double re, im, size, exponent;
};

constexpr double zero_exponent = -0x1p40;

// Margins are added to magnitudes: see root_sum_plan.cpp.
constexpr double real_margin = 0x1p-20, complex_margin = 0x1p-20, power_margin = 0x1p-8, form_margin = 0x1p-20;
constexpr double complex_stretch = 0x1p-10, power_stretch = 0x1p-7;

}  // namespace matchcount::gpu
