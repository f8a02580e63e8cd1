#pragma once
// Scales a matrix by powers of two, and rounds it so that signed sums of each row are exact: a text for the host and
// for devices, which take a row or a column a thread. Says how the host describes sums of all minors to the kernels.
// Plain, so that both compilers lay it out alike.

#ifdef __CUDACC__
#define MATCHCOUNT_SCALING __device__ inline
#else
#include <cmath>

#include "photonics/gradient_view.hpp"
#define MATCHCOUNT_SCALING inline
#endif

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

namespace matchcount {

namespace {

// MinorsScaling holds what a matrix was scaled by: entry (i, j) is 2^(row_shift[i] + column_shift[j]) times what it
// became, and all rows' roundings together change products by so much, relative to the floors'.
struct MinorsScaling {
  long long exponent;  // all shifts together
  double perturbation;
  int row_shift[gpu::most_scaled_rows], column_shift[gpu::most_scaled_rows];
};

#ifdef __CUDACC__
MATCHCOUNT_SCALING double times_power_of_2(double a, int exponent) { return ldexp(a, exponent); }
#endif

MATCHCOUNT_SCALING int shift_of(double largest) { return largest > 0 ? ilogb(largest) : 0; }

// Returns the shift of a column of an n x n matrix, row-major, of `width` doubles an entry.
MATCHCOUNT_SCALING int column_shift_of(const double* parts, int n, int width, int column) {
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < width; ++c) {
      const double size = fabs(parts[(i * n + column) * width + c]);
      largest = largest < size ? size : largest;
    }
  }
  return shift_of(largest);
}

// Returns the shift of a row, after those of the columns. Writes its entries, `step` doubles apart and 0 behind their
// parts, and its floor; and the logarithm of what it multiplies 1 + perturbation by.
MATCHCOUNT_SCALING int scale_row(const double* parts, int n, int width, int row, const int* column_shift, double* to,
                                 int step, double* floor, double* log_perturbation) {
  parts += row * n * width;
  to += row * n * step;
  double largest = 0, error = 0, squares = 0;
  for (int j = 0; j < n; ++j) {
    for (int c = 0; c < width; ++c) {
      const double size = fabs(times_power_of_2(parts[j * width + c], -column_shift[j]));
      largest = largest < size ? size : largest;
    }
  }
  const int shift = shift_of(largest);
  // Parts are below 2, and row sums below 2^bits.
  int bits = 1;
  for (int left = n; left > 0; left /= 2) ++bits;
  const double to_grid = 1.5 * static_cast<double>(1 << bits);
  for (int j = 0; j < n; ++j) {
    for (int c = 0; c < step; ++c) {
      const double scaled = c < width ? times_power_of_2(parts[j * width + c], -shift - column_shift[j]) : 0;
      const double rounded = (scaled + to_grid) - to_grid;
      to[j * step + c] = rounded;
      error += fabs(scaled - rounded);
      squares += scaled * scaled;
    }
  }
  *floor = squares > 0 ? sqrt(squares) / 4 : 0x1p-6;
  *log_perturbation = log1p(error / *floor);
  return shift;
}

// Joins what rows and columns have, of which all shifts are known.
MATCHCOUNT_SCALING void join_rows(MinorsScaling& scaling, int n, const double* log_perturbations) {
  double sum = 0;
  scaling.exponent = 0;
  for (int i = 0; i < n; ++i) {
    scaling.exponent += scaling.row_shift[i] + scaling.column_shift[i];
    sum += log_perturbations[i];
  }
  scaling.perturbation = expm1(sum) * (1 + 0x1p-30);
}

}  // namespace

}  // namespace matchcount
