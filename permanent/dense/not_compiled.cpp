// A build without the wing photonics, whose kernels sum batches on GPUs (photonics/cuda/dense_gpu.cpp).

#include <limits>

#include "core/error.hpp"
#include "permanent/dense/dense_gpu.hpp"

namespace matchcount {

bool gpu_sums(const DenseShape&) { return false; }

double dense_gpu_seconds(const DenseShape&, std::uint64_t, const std::vector<DeviceInfo>&) {
  return std::numeric_limits<double>::infinity();
}

std::vector<DenseSum> dense_gpu_sums(const DenseShape&, std::span<const double>, const std::vector<DeviceInfo>&,
                                     const RunContext&, DenseGpuReport*) {
  throw NotCompiled(
      "this build sums no batches on GPUs; one that is configured with -DMATCHCOUNT_WITH_PHOTONICS=ON does");
}

std::optional<std::vector<DenseSum>> dense_gpu_sums(const DenseShape&, std::uint64_t, std::size_t, double, double,
                                                    const DeviceInfo&, const RunContext&) {
  return std::nullopt;
}

}  // namespace matchcount
