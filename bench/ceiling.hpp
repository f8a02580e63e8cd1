#pragma once
// Measures what a device can do at most.

#include "core/device.hpp"

namespace matchcount::bench {

// Measures the fused multiply-adds a second in double precision, each counted as one operation: a kernel of nothing
// else, eight independent chains a thread and 8 x 256 threads a multiprocessor, for about 0.2 s. Throws as
// compile_kernel and the device do.
double measured_fma_per_s(const DeviceInfo& device);

}  // namespace matchcount::bench
