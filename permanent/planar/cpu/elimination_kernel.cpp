#include "permanent/planar/cpu/elimination_kernel.hpp"

#include "core/run.hpp"

namespace matchcount {

namespace elimination_isa {
namespace baseline {
extern const EliminationKernel kernel;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const EliminationKernel kernel;
}
namespace avx512 {
extern const EliminationKernel kernel;
}
#endif
}  // namespace elimination_isa

const EliminationKernel& elimination_kernel([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return elimination_isa::avx512::kernel;
  if (isa == Isa::avx2) return elimination_isa::avx2::kernel;
#endif
  return elimination_isa::baseline::kernel;
}

}  // namespace matchcount
