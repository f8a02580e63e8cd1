#pragma once
// Names the arithmetics of the GPU kernels, as far as the generator of their source needs to know them.

#include <cstdint>

#include "permanent/ryser/cpu/ryser_kernel.hpp"

namespace matchcount::gpu {

// Exact: integers as wide as their bounds ask for, modulo 2^(32 words) at the widest.
using ryser_kernel::Arithmetic;

struct Numbers {
  Arithmetic arithmetic = Arithmetic::real;
  bool unit_special = true;  // entries of the special column are all 1
  int words = 0;             // exact: of 32 bits, in the sums
  // Fields: whether magnitudes need floors (kernel_source.hpp), and the most common rows in a product that shares one;
  // the fewer, the sharper the bound.
  bool floors = true;
  int floor_rows = 4;
  // Reals without floors, of generated kernels: pairs are kept by their values at t = 1 and -1 (kernel_library.cuh).
  bool ends = false;

  bool exact() const { return arithmetic == Arithmetic::exact; }
  bool has_pairs() const { return arithmetic != Arithmetic::complex && arithmetic != Arithmetic::complex_double; }
  int components() const {
    switch (arithmetic) {
      case Arithmetic::double_double:
      case Arithmetic::complex:
        return 2;
      case Arithmetic::complex_double:
        return 4;
      default:
        return 1;
    }
  }
};

}  // namespace matchcount::gpu
