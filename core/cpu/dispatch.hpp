#pragma once
// Chooses among the tables of kernels that a source makes for every instruction set (matchcount_isa_sources). The type
// of such a table has a member for each: static const Kernels baseline, avx2, avx512.

#include <algorithm>

#include "core/run.hpp"

namespace matchcount {

// Returns the table of the widest instructions that `most`, this processor and the build have.
template <class Kernels>
const Kernels& kernels_for([[maybe_unused]] Isa most) {
#ifdef MATCHCOUNT_ISA_X86
  static const Isa widest = detected_isa();
  const Isa isa = std::min(most, widest);
  if (isa == Isa::avx512) return Kernels::avx512;
  if (isa == Isa::avx2) return Kernels::avx2;
#endif
  return Kernels::baseline;
}

}  // namespace matchcount
