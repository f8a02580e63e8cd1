#pragma once
// Goes back through the levels of an expanded hafnian, for its derivatives, eight states side by side: the inner loops.

#include "permanent/dense/cpu/expansion_kernel.hpp"

namespace matchcount::expansion_back_kernel {

using expansion_kernel::max_digits;
using expansion_kernel::num_lanes;
using expansion_kernel::Vertex;

// The way back: h(x) is the sum for the vertices up to v without those in x. It is the sum over j not in x of a_vj
// times what it is for the vertices before v without x and j, plus what leaves x as it is. The derivative by a_vj is
// the sum over x of g(x), from before v was matched, times the same.
struct Returning {
  Vertex vertex;
  const double *same = nullptr, *more = nullptr;  // blocks of h for the vertices before v
  const double* met = nullptr;                    // those of g
  double* derivatives = nullptr;                  // [what comes in, place][component][lane], which is added to
};

// Blocks [first, first + count). Reads up to four doubles behind blocks, finite ones; may write where it reads `met`,
// block by block.
using GiveBack = void (*)(const Returning& returning, double* to, std::uint64_t first, std::uint64_t count);

struct Kernels {
  GiveBack real, complex;
  static const Kernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount::expansion_back_kernel
