#pragma once
// What a device can do at most, measured.

#include "core/device.hpp"

namespace matchcount::bench {

// Double-precision fused multiply-adds a second, each counted as one operation: a kernel of nothing else, eight
// independent chains a thread and 8 x 256 threads a multiprocessor, for about 0.2 s. Throws as compile_kernel and the
// device do.
double measured_fma_per_s(const DeviceInfo& device);

}  // namespace matchcount::bench
