#include "permanent/dense/cpu/point_kernel.hpp"

#include "core/run.hpp"

namespace matchcount::point_kernel {

namespace baseline {
extern const Kernels table;
}
#ifdef MATCHCOUNT_ISA_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

const Kernels& kernels([[maybe_unused]] Isa isa) {
#ifdef MATCHCOUNT_ISA_X86
  if (isa == Isa::avx512) return avx512::table;
  if (isa == Isa::avx2) return avx2::table;
#endif
  return baseline::table;
}

}  // namespace matchcount::point_kernel
