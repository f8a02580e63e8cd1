// A build without CUDA: no kernels are compiled.

#include "core/error.hpp"
#include "permanent/cuda/determinant_gpu.hpp"
#include "permanent/cuda/precompiled.hpp"

namespace matchcount::gpu {

std::span<const std::byte> determinant_image() { throw NotCompiled("this build has no CUDA"); }
std::span<const std::byte> precompiled_image() { throw NotCompiled("this build has no CUDA"); }
bool precompiled_for(const DeviceInfo&) { return false; }

}  // namespace matchcount::gpu
