#pragma once
// Goes back through the subsets of pairs below a piece, for a hafnian's derivatives, in eight lanes: the inner loops.

#include "permanent/power_traces/cpu/pairs_kernel.hpp"

namespace matchcount::pairs_back_kernel {

using pairs_kernel::Piece;
using pairs_kernel::Problem;

// Writes the sum of each lane as pairs_kernel does, and what it changes by with every number of `entries`, and behind
// these of `loops`, [number][component][lane]. Works in twice as many doubles.
using Kernel = void (*)(const Problem& problem, const Piece& piece, double* scratch, double* sum, double* derivatives);

struct Kernels {
  Kernel real, double_double, complex, complex_double, magnitude;
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::pairs_back_kernel
