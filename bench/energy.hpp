#pragma once
// Reads what a GPU's board has consumed, where its driver tells it.

#include <optional>

#include "core/device.hpp"

namespace matchcount::bench {

// NVML's counter, which moves every 20 to 100 ms.
class EnergyCounter {
 public:
  explicit EnergyCounter(const DeviceInfo& device);
  // Joules since the driver was loaded; nothing where there is no such counter, or where CUDA_VISIBLE_DEVICES may have
  // given the devices other numbers than NVML's.
  std::optional<double> joules() const;

 private:
  void* device_ = nullptr;  // of NVML
  int (*consumption_)(void*, unsigned long long*) = nullptr;
};

}  // namespace matchcount::bench
