#pragma once
// Sums up what the subsets of modes below a piece give to a torontonian, with what the sum changes by with every entry
// too, in eight lanes: the inner loops.

#include <cstddef>
#include <cstdint>

namespace matchcount::torontonian_kernel {

constexpr int num_lanes = 8;
constexpr int log2_lanes = 3;
constexpr int max_modes = 60;
constexpr int max_parts = 2;

// A positive definite real matrix A with so many neighbouring rows a mode, and a real vector v.
struct Problem {
  int num_modes = 0;
  int rows = 2;                     // of a mode, 2 or 4; a term is det(A_S)^(-1/rows)
  const double* entries = nullptr;  // of the matrix up to its diagonal, row by row, by part: high, or high and low
  const double* loops = nullptr;    // v by row and part; null: there is none
  double factor = 0;                // a term is multiplied by exp(factor v_S^T A_S^-1 v_S)
  int squarings = 0;                // an exponent divided by 2 to this is at most 1/4
};

// Names the subsets of a piece: bit b of `path` says whether the mode num_modes - 1 - b is in them, and of the
// lane_bits modes before those the bits of a lane's number.
struct Piece {
  std::uint64_t path = 0;
  int path_bits = 0;
  int lane_bits = 0;
};

// Returns how many doubles a kernel works in, at a multiple of 64 bytes.
constexpr std::size_t scratch_size(std::size_t num_modes, std::size_t rows, std::size_t parts) {
  std::size_t values = 2 * rows * rows * num_modes;
  for (std::size_t n = 0; n <= num_modes; ++n) values += (rows * n) * (rows * n + 3) / 2;
  return values * parts * num_lanes;
}

// Writes the sum of each lane, [part][lane], and that of the terms' magnitudes, [lane].
using Kernel = void (*)(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* magnitudes);

// Eliminates the columns of a symmetric matrix A, of which what stands up to the diagonal is read, from the last on.
// Its `size` rows have `stride` doubles, a multiple of num_lanes, at a multiple of 64 bytes, and hold more columns v
// behind its own: adds v^T A^-1 v to the square of each; those of A itself are of no use. As many columns as A has,
// from the next multiple of num_lanes on, are the unit vectors'. Returns whether every pivot is above 0.
using Eliminate = bool (*)(double* rows, int size, int stride, double* squares);

struct Kernels {
  Kernel real[2];           // 1 part; of 2 and of 4 rows a mode
  Kernel double_double[2];  // 2 parts: high and low
  Eliminate eliminate;
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

// Writes the sum of each lane, [part][lane], and its derivatives by the entries of the matrix up to its diagonal, and
// behind these by the loops, [number][part][lane]. One beside the diagonal is shared by its two entries, half each.
// With two parts all numbers are pairs, of themselves and of what they change by along a direction. Works in
// gradient_scratch_size doubles, at a multiple of 64 bytes.
using GradientKernel = void (*)(const Problem& problem, const Piece& piece, double* scratch, double* sum,
                                double* derivatives);

constexpr std::size_t gradient_scratch_size(std::size_t num_modes, std::size_t rows, std::size_t parts) {
  return 2 * scratch_size(num_modes, rows, parts);
}

struct GradientKernels {
  GradientKernel real[2];                               // 1 part; of 2 and of 4 rows a mode
  GradientKernel dual[2];                               // 2 parts
  static const GradientKernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::torontonian_kernel
