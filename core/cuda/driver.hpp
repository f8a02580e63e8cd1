#pragma once
// Finds the CUDA driver's functions at run time, is the one place that turns its codes into exceptions, and holds a
// device's context.

#include <cuda.h>
#include <cstddef>
#include <string>

#include "core/cuda/library.hpp"
#include "core/device.hpp"

namespace matchcount::cuda {

// Named as in cuda.h, version suffixes included: those fix the meaning of the arguments whatever header this is built
// with.
struct Driver {
  Library from;
  decltype(&::cuInit) cuInit = from("cuInit");
  decltype(&::cuDriverGetVersion) cuDriverGetVersion = from("cuDriverGetVersion");
  decltype(&::cuGetErrorName) cuGetErrorName = from("cuGetErrorName");
  decltype(&::cuGetErrorString) cuGetErrorString = from("cuGetErrorString");
  decltype(&::cuDeviceGetCount) cuDeviceGetCount = from("cuDeviceGetCount");
  decltype(&::cuDeviceGet) cuDeviceGet = from("cuDeviceGet");
  decltype(&::cuDeviceGetName) cuDeviceGetName = from("cuDeviceGetName");
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute = from("cuDeviceGetAttribute");
  decltype(&::cuDeviceTotalMem_v2) cuDeviceTotalMem_v2 = from("cuDeviceTotalMem_v2");
  decltype(&::cuDevicePrimaryCtxRetain) cuDevicePrimaryCtxRetain = from("cuDevicePrimaryCtxRetain");
  decltype(&::cuDevicePrimaryCtxRelease_v2) cuDevicePrimaryCtxRelease_v2 = from("cuDevicePrimaryCtxRelease_v2");
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent = from("cuCtxGetCurrent");
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent = from("cuCtxSetCurrent");
  decltype(&::cuCtxSynchronize) cuCtxSynchronize = from("cuCtxSynchronize");
  decltype(&::cuCtxEnablePeerAccess) cuCtxEnablePeerAccess = from("cuCtxEnablePeerAccess");
  decltype(&::cuMemGetInfo_v2) cuMemGetInfo_v2 = from("cuMemGetInfo_v2");
  decltype(&::cuMemAlloc_v2) cuMemAlloc_v2 = from("cuMemAlloc_v2");
  decltype(&::cuMemFree_v2) cuMemFree_v2 = from("cuMemFree_v2");
  decltype(&::cuPointerGetAttribute) cuPointerGetAttribute = from("cuPointerGetAttribute");
  decltype(&::cuMemAllocHost_v2) cuMemAllocHost_v2 = from("cuMemAllocHost_v2");
  decltype(&::cuMemFreeHost) cuMemFreeHost = from("cuMemFreeHost");
  decltype(&::cuDeviceCanAccessPeer) cuDeviceCanAccessPeer = from("cuDeviceCanAccessPeer");
  decltype(&::cuMemcpyHtoD_v2) cuMemcpyHtoD_v2 = from("cuMemcpyHtoD_v2");
  decltype(&::cuMemcpyDtoH_v2) cuMemcpyDtoH_v2 = from("cuMemcpyDtoH_v2");
  decltype(&::cuMemcpyHtoDAsync_v2) cuMemcpyHtoDAsync_v2 = from("cuMemcpyHtoDAsync_v2");
  decltype(&::cuMemcpyDtoHAsync_v2) cuMemcpyDtoHAsync_v2 = from("cuMemcpyDtoHAsync_v2");
  decltype(&::cuMemcpyPeerAsync) cuMemcpyPeerAsync = from("cuMemcpyPeerAsync");
  decltype(&::cuMemsetD8_v2) cuMemsetD8_v2 = from("cuMemsetD8_v2");
  decltype(&::cuStreamCreate) cuStreamCreate = from("cuStreamCreate");
  decltype(&::cuStreamDestroy_v2) cuStreamDestroy_v2 = from("cuStreamDestroy_v2");
  decltype(&::cuStreamSynchronize) cuStreamSynchronize = from("cuStreamSynchronize");
  decltype(&::cuStreamQuery) cuStreamQuery = from("cuStreamQuery");
  decltype(&::cuStreamWaitEvent) cuStreamWaitEvent = from("cuStreamWaitEvent");
  decltype(&::cuEventCreate) cuEventCreate = from("cuEventCreate");
  decltype(&::cuEventDestroy_v2) cuEventDestroy_v2 = from("cuEventDestroy_v2");
  decltype(&::cuEventRecord) cuEventRecord = from("cuEventRecord");
  // Named without suffix: the second version came with CUDA 12.8 and takes the same.
  CUresult(CUDAAPI* elapsed_time)(float*, CUevent, CUevent) = from("cuEventElapsedTime");
  decltype(&::cuModuleLoadDataEx) cuModuleLoadDataEx = from("cuModuleLoadDataEx");
  decltype(&::cuModuleUnload) cuModuleUnload = from("cuModuleUnload");
  decltype(&::cuModuleGetFunction) cuModuleGetFunction = from("cuModuleGetFunction");
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute = from("cuFuncGetAttribute");
  decltype(&::cuFuncSetAttribute) cuFuncSetAttribute = from("cuFuncSetAttribute");
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) cuOccupancyMaxActiveBlocksPerMultiprocessor =
      from("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  decltype(&::cuLaunchKernel) cuLaunchKernel = from("cuLaunchKernel");
  // Offset and size of a kernel's parameter; null before CUDA 12.4.
  CUresult(CUDAAPI* parameter_info)(CUfunction, std::size_t, std::size_t*,
                                    std::size_t*) = from.optional("cuFuncGetParamInfo");
  // cuTensorMapEncodeTiled, whose types older headers lack; null before CUDA 12.
  CUresult(CUDAAPI* encode_tiled)(void* map, int type, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                  const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                                  int interleave, int swizzle, int promotion,
                                  int fill) = from.optional("cuTensorMapEncodeTiled");
};

// Returns the driver, loaded and started by the first call. Throws Unable with the reason where there is none that
// works.
const Driver& driver();

// Throws what a code other than CUDA_SUCCESS means: Unable for memory that can't be had, with what is free where a
// context is current, and DeviceError for the rest. `what` is what was tried.
[[noreturn]] void fail(CUresult result, const std::string& what);
inline void check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) fail(result, what);
}

}  // namespace matchcount::cuda

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
