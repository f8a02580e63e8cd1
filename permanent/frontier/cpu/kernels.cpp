#include "permanent/frontier/cpu/kernels.hpp"

#include "core/run.hpp"

namespace matchcount {

namespace frontier_isa {
namespace baseline {
extern const FrontierKernels kernels;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const FrontierKernels kernels;
}
namespace avx512 {
extern const FrontierKernels kernels;
}
#endif
}  // namespace frontier_isa

const FrontierKernels& frontier_kernels([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return frontier_isa::avx512::kernels;
  if (isa == Isa::avx2) return frontier_isa::avx2::kernels;
#endif
  return frontier_isa::baseline::kernels;
}

}  // namespace matchcount
