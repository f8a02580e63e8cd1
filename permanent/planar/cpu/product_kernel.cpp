#include "permanent/planar/cpu/product_kernel.hpp"

#include "core/run.hpp"

namespace matchcount {

namespace product_isa {
namespace baseline {
extern const ProductKernel kernel;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const ProductKernel kernel;
}
namespace avx512 {
extern const ProductKernel kernel;
}
#endif
}  // namespace product_isa

const ProductKernel& product_kernel([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return product_isa::avx512::kernel;
  if (isa == Isa::avx2) return product_isa::avx2::kernel;
#endif
  return product_isa::baseline::kernel;
}

}  // namespace matchcount
