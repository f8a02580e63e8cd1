#include "core/cuda/driver.hpp"

#include <array>

#include "core/amounts.hpp"
#include "core/cuda/library.hpp"
#include "core/error.hpp"

namespace matchcount::cuda {
namespace {

constexpr const char* driver_library = "libcuda.so.1";

struct Loaded {
  Driver functions;
  std::string reason;  // why it can't be used
};

// Returns the driver's words for a code: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
std::string words(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* description = nullptr;
  if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return "error " + std::to_string(static_cast<int>(result));
  }
  std::string text = name;
  if (driver.cuGetErrorString(result, &description) == CUDA_SUCCESS && description != nullptr) {
    text += std::string(" (") + description + ")";
  }
  return text;
}

Loaded load() {
  Loaded loaded;
  const std::array<std::string, 1> names{driver_library};
  const Library library(names);
  if (!library.found()) {
    loaded.reason = std::string("no driver (") + driver_library + ")";
    return loaded;
  }
  Driver& driver = loaded.functions;
  const char* missing = nullptr;
  const auto take = [&](const char* name, auto& function) {
    if (!library.take(name, function)) missing = name;
  };
  take("cuInit", driver.cuInit);
  take("cuDriverGetVersion", driver.cuDriverGetVersion);
  take("cuGetErrorName", driver.cuGetErrorName);
  take("cuGetErrorString", driver.cuGetErrorString);
  take("cuDeviceGetCount", driver.cuDeviceGetCount);
  take("cuDeviceGet", driver.cuDeviceGet);
  take("cuDeviceGetName", driver.cuDeviceGetName);
  take("cuDeviceGetAttribute", driver.cuDeviceGetAttribute);
  take("cuDeviceTotalMem_v2", driver.cuDeviceTotalMem_v2);
  take("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain);
  take("cuDevicePrimaryCtxRelease_v2", driver.cuDevicePrimaryCtxRelease_v2);
  take("cuCtxSetCurrent", driver.cuCtxSetCurrent);
  take("cuCtxSynchronize", driver.cuCtxSynchronize);
  take("cuMemGetInfo_v2", driver.cuMemGetInfo_v2);
  take("cuMemAlloc_v2", driver.cuMemAlloc_v2);
  take("cuMemFree_v2", driver.cuMemFree_v2);
  take("cuMemAllocHost_v2", driver.cuMemAllocHost_v2);
  take("cuMemFreeHost", driver.cuMemFreeHost);
  take("cuDeviceCanAccessPeer", driver.cuDeviceCanAccessPeer);
  take("cuMemGetAllocationGranularity", driver.cuMemGetAllocationGranularity);
  take("cuMemAddressReserve", driver.cuMemAddressReserve);
  take("cuMemAddressFree", driver.cuMemAddressFree);
  take("cuMemCreate", driver.cuMemCreate);
  take("cuMemRelease", driver.cuMemRelease);
  take("cuMemMap", driver.cuMemMap);
  take("cuMemUnmap", driver.cuMemUnmap);
  take("cuMemSetAccess", driver.cuMemSetAccess);
  take("cuMemcpyHtoD_v2", driver.cuMemcpyHtoD_v2);
  take("cuMemcpyDtoH_v2", driver.cuMemcpyDtoH_v2);
  take("cuMemcpyHtoDAsync_v2", driver.cuMemcpyHtoDAsync_v2);
  take("cuMemcpyDtoHAsync_v2", driver.cuMemcpyDtoHAsync_v2);
  take("cuMemsetD8_v2", driver.cuMemsetD8_v2);
  take("cuStreamCreate", driver.cuStreamCreate);
  take("cuStreamDestroy_v2", driver.cuStreamDestroy_v2);
  take("cuStreamSynchronize", driver.cuStreamSynchronize);
  take("cuStreamQuery", driver.cuStreamQuery);
  take("cuStreamWaitEvent", driver.cuStreamWaitEvent);
  take("cuEventCreate", driver.cuEventCreate);
  take("cuEventDestroy_v2", driver.cuEventDestroy_v2);
  take("cuEventRecord", driver.cuEventRecord);
  take("cuEventQuery", driver.cuEventQuery);
  take("cuEventElapsedTime", driver.elapsed_time);
  take("cuModuleLoadDataEx", driver.cuModuleLoadDataEx);
  take("cuModuleUnload", driver.cuModuleUnload);
  take("cuModuleGetFunction", driver.cuModuleGetFunction);
  take("cuFuncGetAttribute", driver.cuFuncGetAttribute);
  take("cuFuncSetAttribute", driver.cuFuncSetAttribute);
  take("cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  take("cuLaunchKernel", driver.cuLaunchKernel);
  library.take("cuFuncGetParamInfo", driver.parameter_info);
  library.take("cuTensorMapEncodeTiled", driver.encode_tiled);
  if (missing != nullptr) {
    loaded.reason = std::string("the driver (") + driver_library + ") is too old: it lacks " + missing;
    return loaded;
  }
  const CUresult result = driver.cuInit(0);
  if (result != CUDA_SUCCESS) loaded.reason = "the driver does not start: " + words(driver, result);
  return loaded;
}

const Loaded& loaded_driver() {
  static const Loaded loaded = load();
  return loaded;
}

}  // namespace

const Driver& driver() {
  const Loaded& loaded = loaded_driver();
  if (!loaded.reason.empty()) throw Unable(loaded.reason);
  return loaded.functions;
}

void fail(CUresult result, const std::string& what) {
  const Driver& driver = cuda::driver();
  if (result == CUDA_ERROR_OUT_OF_MEMORY) {
    std::string text = what + ": out of device memory";
    std::size_t free = 0, total = 0;
    if (driver.cuMemGetInfo_v2(&free, &total) == CUDA_SUCCESS) {
      text += "; " + memory_amount(static_cast<double>(free)) + " of " + memory_amount(static_cast<double>(total)) +
              " are free";
    }
    throw Unable(text);
  }
  throw DeviceError(what + ": " + words(driver, result));
}

}  // namespace matchcount::cuda
