// The image that matchcount_fatbin puts into the library, and which devices it is for.

#include "core/kernel_image.hpp"
#include "permanent/cuda/precompiled.hpp"

extern "C" {
extern const unsigned char precompiled_kernels_begin[];
extern const std::size_t precompiled_kernels_size;
}

namespace matchcount::gpu {

std::span<const std::byte> precompiled_image() {
  return std::as_bytes(std::span(precompiled_kernels_begin, precompiled_kernels_size));
}

bool precompiled_for(const DeviceInfo& device) { return image_is_for(MATCHCOUNT_CUDA_ARCHITECTURES, device); }

}  // namespace matchcount::gpu
