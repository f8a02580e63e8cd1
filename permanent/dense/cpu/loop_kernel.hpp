#pragma once
// Multiplies a matrix by several vectors side by side: the inner loop of many loop hafnians.

namespace matchcount::loop_kernel {

constexpr int num_lanes = 8, rows_at_once = 4;

// Adds up out[row][component][lane] = sum over columns of matrix[column][row][component] times
// vectors[column][component][lane], for rows_at_once rows; one sum after another in each lane.
using Multiply = void (*)(const double* matrix, int columns, const double* vectors, double* out);

struct Kernels {
  Multiply real, complex;
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::loop_kernel
