#pragma once
// Describes what is launched, with what its sums mean, and the arithmetics of kernels.

#include <cstdint>

#include "core/tasks.hpp"
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
  // Reals without floors: pairs are kept by their values at t = 1 and -1 (kernel_library.cuh).
  bool ends = false;

  bool exact() const { return arithmetic == Arithmetic::exact; }
  bool has_pairs() const { return arithmetic != Arithmetic::complex && arithmetic != Arithmetic::complex_double; }
  bool is_doubled() const {
    return arithmetic == Arithmetic::double_double || arithmetic == Arithmetic::complex_double;
  }
  int components() const { return (has_pairs() ? 1 : 2) * (is_doubled() ? 2 : 1); }
  double unit_roundoff() const { return (is_doubled() ? 0x1p-101 : 0x1p-53) * (has_pairs() ? 1 : 4); }
};

// A kernel with source of its own. Its tasks are chunks of subsets, one for each thread of a block.
struct Kernel : TaskKernel {
  static constexpr unsigned most_threads = 128;

  std::uint64_t num_chunks = 0;
  bool negated = false;        // the permanent's sign is the opposite of the sum's
  bool doubled = false;        // sum and magnitudes are twice what they stand for
  double log2_size_scale = 0;  // fields: magnitudes are to be multiplied by 2^this
  double error_per_size = 0;   // fields: the bound of kernel_source.hpp
};

}  // namespace matchcount::gpu
