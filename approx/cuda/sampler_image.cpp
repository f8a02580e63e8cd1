// The image that matchcount_fatbin puts into the library, and which devices it is for.

#include "approx/cuda/gpu_sampler.hpp"
#include "core/kernel_image.hpp"

extern "C" {
extern const unsigned char sampler_kernels_begin[];
extern const std::size_t sampler_kernels_size;
}

namespace matchcount::gpu {

std::span<const std::byte> sampler_image() {
  return std::as_bytes(std::span(sampler_kernels_begin, sampler_kernels_size));
}

bool samplers_run_on(const DeviceInfo& device) { return image_is_for(MATCHCOUNT_CUDA_ARCHITECTURES, device); }

}  // namespace matchcount::gpu
