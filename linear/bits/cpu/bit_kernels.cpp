#include "linear/bits/cpu/bit_kernels.hpp"

#include "core/run.hpp"

namespace matchcount {

namespace bits_isa {
namespace baseline {
extern const BitKernels kernels;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const BitKernels kernels;
}
namespace avx512 {
extern const BitKernels kernels;
}
#endif
}  // namespace bits_isa

const BitKernels& bit_kernels([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return bits_isa::avx512::kernels;
  if (isa == Isa::avx2) return bits_isa::avx2::kernels;
#endif
  return bits_isa::baseline::kernels;
}

}  // namespace matchcount
