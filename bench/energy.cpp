#include "bench/energy.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace matchcount::bench {

EnergyCounter::EnergyCounter(const DeviceInfo& device) {
  if (std::getenv("CUDA_VISIBLE_DEVICES") != nullptr) return;
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW);  // never closed
  if (library == nullptr) return;
  auto* const start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  auto* const find = reinterpret_cast<int (*)(unsigned, void**)>(dlsym(library, "nvmlDeviceGetHandleByIndex_v2"));
  auto* const consumption =
      reinterpret_cast<decltype(consumption_)>(dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
  if (start == nullptr || find == nullptr || start() != 0) return;
  if (find(static_cast<unsigned>(device.index), &device_) == 0) consumption_ = consumption;
}

std::optional<double> EnergyCounter::joules() const {
  unsigned long long millijoules = 0;
  if (consumption_ == nullptr || consumption_(device_, &millijoules) != 0) return std::nullopt;
  return static_cast<double>(millijoules) / 1000;
}

}  // namespace matchcount::bench
