#include "permanent/frontier/cpu/kernels.hpp"

#include "core/cpu/dispatch.hpp"

namespace matchcount {

const FrontierKernels& frontier_kernels(Isa isa) { return kernels_for<FrontierKernels>(isa); }

}  // namespace matchcount
