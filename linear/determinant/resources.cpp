#include "linear/determinant/resources.hpp"

#include <string>

#include "core/amounts.hpp"
#include "core/cpu/dispatch.hpp"
#include "core/error.hpp"
#include "core/run.hpp"
#include "linear/cuda/determinant_gpu.hpp"

namespace matchcount::dense {

void check_memory(std::size_t n, std::uint64_t needed, std::uint64_t limit) {
  if (needed > limit) {
    throw OverLimit("a determinant of " + std::to_string(n) + " rows needs " +
                    memory_amount(static_cast<double>(needed)) + "; the memory limit is " +
                    memory_amount(static_cast<double>(limit)));
  }
}

const DenseKernels& kernels_of(const RunOptions& run) { return kernels_for<DenseKernels>(run.max_isa); }

std::vector<DeviceInfo> choose_gpu(double work, std::size_t n, std::size_t value_bytes,
                                   const DeterminantOptions& options) {
  // A core's multiplications a second, and the seconds from which on a GPU is worth its start.
  constexpr double rate = 1e10, patience_s = 2;
  const bool automatic = options.run.device.kind == DeviceChoice::Kind::automatic;
  if (automatic && work < patience_s * rate * resolve_num_threads(options.run)) return {};
  std::vector<DeviceInfo> devices = choose_devices(options.run.device);
  if (devices.size() > 1) devices.resize(1);
  if (automatic && !devices.empty()) {
    // The bound takes six matrices; others use the device too.
    constexpr double matrices = 6, share = 0.8;
    const double rows = static_cast<double>(n), needed = matrices * rows * rows * static_cast<double>(value_bytes);
    const bool fits = gpu::elimination_fits(n, value_bytes, devices[0]) &&
                      needed <= share * static_cast<double>(devices[0].memory_bytes);
    if (!fits) return {};
  }
  return devices;
}

}  // namespace matchcount::dense
