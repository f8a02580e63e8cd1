#pragma once
// Sums up what the subsets of modes below a piece give to a torontonian, with what the sum changes by with every entry,
// in eight lanes: the inner loops.

#include <cstddef>

#include "linear/cpu/torontonian_kernel.hpp"

namespace matchcount::torontonian_kernel {

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
