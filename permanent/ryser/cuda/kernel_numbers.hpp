#pragma once
// Names the arithmetics of the GPU kernels, as far as the generator of their source needs to know them.

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
  bool is_doubled() const {
    return arithmetic == Arithmetic::double_double || arithmetic == Arithmetic::complex_double;
  }
  int components() const { return (has_pairs() ? 1 : 2) * (is_doubled() ? 2 : 1); }
  double unit_roundoff() const { return (is_doubled() ? 0x1p-101 : 0x1p-53) * (has_pairs() ? 1 : 4); }
};

}  // namespace matchcount::gpu
