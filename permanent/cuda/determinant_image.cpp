// The image that matchcount_fatbin puts into the library.

#include "permanent/cuda/determinant_gpu.hpp"

extern "C" {
extern const unsigned char determinant_kernels_begin[];
extern const std::size_t determinant_kernels_size;
}

namespace matchcount::gpu {

std::span<const std::byte> determinant_image() {
  return std::as_bytes(std::span(determinant_kernels_begin, determinant_kernels_size));
}

}  // namespace matchcount::gpu
