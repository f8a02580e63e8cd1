#pragma once
// Holds a device's primary context, and makes it current on the thread that calls the driver. Private to this folder.

#include <string>

#include "core/cuda/driver.hpp"
#include "core/device.hpp"

namespace matchcount {

struct DeviceContext::State {
  explicit State(const DeviceInfo& device_info) : info(device_info) {
    cuda::check(cuda::driver().cuDeviceGet(&device, info.index), "cuDeviceGet");
    cuda::check(cuda::driver().cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  }
  ~State() { cuda::driver().cuDevicePrimaryCtxRelease_v2(device); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Returns the driver's functions, working on this device.
  const cuda::Driver& current() const {
    cuda::check(cuda::driver().cuCtxSetCurrent(context), "cuCtxSetCurrent");
    return cuda::driver();
  }
  // Makes the context current in destructors, where nothing may throw.
  const cuda::Driver& try_current() const noexcept {
    cuda::driver().cuCtxSetCurrent(context);
    return cuda::driver();
  }
  std::string name() const { return "cuda:" + std::to_string(info.index) + " (" + info.name + ")"; }

  DeviceInfo info;
  CUdevice device = 0;
  CUcontext context = nullptr;
};

}  // namespace matchcount
