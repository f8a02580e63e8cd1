#pragma once
// Holds memory of one device. Private to this folder.

#include <memory>

#include "core/cuda/driver.hpp"

namespace matchcount {

struct DeviceBuffer::State {
  State(std::shared_ptr<DeviceContext::State> device_context, std::size_t size);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  CUdeviceptr at(std::size_t offset, std::size_t count) const;

  std::shared_ptr<DeviceContext::State> context;
  std::size_t bytes;
  CUdeviceptr address = 0;
};

}  // namespace matchcount
