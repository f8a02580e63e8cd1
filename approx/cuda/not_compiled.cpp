// A build without CUDA: no kernels are compiled.

#include "approx/cuda/gpu_sampler.hpp"
#include "core/error.hpp"

namespace matchcount::gpu {

std::span<const std::byte> sampler_image() { throw NotCompiled("this build has no CUDA"); }
bool samplers_run_on(const DeviceInfo&) { return false; }

}  // namespace matchcount::gpu
