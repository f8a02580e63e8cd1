#pragma once
// Finds the CUDA driver's functions at run time, and is the one place that turns its codes into exceptions.

#include <cuda.h>

#include <cstddef>
#include <string>

namespace matchcount::cuda {

// Named as in cuda.h, version suffixes included: those fix the meaning of the arguments whatever header this is built
// with.
struct Driver {
  decltype(&::cuInit) cuInit = nullptr;
  decltype(&::cuDriverGetVersion) cuDriverGetVersion = nullptr;
  decltype(&::cuGetErrorName) cuGetErrorName = nullptr;
  decltype(&::cuGetErrorString) cuGetErrorString = nullptr;
  decltype(&::cuDeviceGetCount) cuDeviceGetCount = nullptr;
  decltype(&::cuDeviceGet) cuDeviceGet = nullptr;
  decltype(&::cuDeviceGetName) cuDeviceGetName = nullptr;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute = nullptr;
  decltype(&::cuDeviceTotalMem_v2) cuDeviceTotalMem_v2 = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) cuDevicePrimaryCtxRetain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease_v2) cuDevicePrimaryCtxRelease_v2 = nullptr;
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent = nullptr;
  decltype(&::cuCtxSynchronize) cuCtxSynchronize = nullptr;
  decltype(&::cuMemGetInfo_v2) cuMemGetInfo_v2 = nullptr;
  decltype(&::cuMemAlloc_v2) cuMemAlloc_v2 = nullptr;
  decltype(&::cuMemFree_v2) cuMemFree_v2 = nullptr;
  decltype(&::cuMemAllocHost_v2) cuMemAllocHost_v2 = nullptr;
  decltype(&::cuMemFreeHost) cuMemFreeHost = nullptr;
  decltype(&::cuDeviceCanAccessPeer) cuDeviceCanAccessPeer = nullptr;
  decltype(&::cuMemGetAllocationGranularity) cuMemGetAllocationGranularity = nullptr;
  decltype(&::cuMemAddressReserve) cuMemAddressReserve = nullptr;
  decltype(&::cuMemAddressFree) cuMemAddressFree = nullptr;
  decltype(&::cuMemCreate) cuMemCreate = nullptr;
  decltype(&::cuMemRelease) cuMemRelease = nullptr;
  decltype(&::cuMemMap) cuMemMap = nullptr;
  decltype(&::cuMemUnmap) cuMemUnmap = nullptr;
  decltype(&::cuMemSetAccess) cuMemSetAccess = nullptr;
  decltype(&::cuMemcpyHtoD_v2) cuMemcpyHtoD_v2 = nullptr;
  decltype(&::cuMemcpyDtoH_v2) cuMemcpyDtoH_v2 = nullptr;
  decltype(&::cuMemcpyHtoDAsync_v2) cuMemcpyHtoDAsync_v2 = nullptr;
  decltype(&::cuMemcpyDtoHAsync_v2) cuMemcpyDtoHAsync_v2 = nullptr;
  decltype(&::cuMemsetD8_v2) cuMemsetD8_v2 = nullptr;
  decltype(&::cuStreamCreate) cuStreamCreate = nullptr;
  decltype(&::cuStreamDestroy_v2) cuStreamDestroy_v2 = nullptr;
  decltype(&::cuStreamSynchronize) cuStreamSynchronize = nullptr;
  decltype(&::cuStreamQuery) cuStreamQuery = nullptr;
  decltype(&::cuStreamWaitEvent) cuStreamWaitEvent = nullptr;
  decltype(&::cuEventCreate) cuEventCreate = nullptr;
  decltype(&::cuEventDestroy_v2) cuEventDestroy_v2 = nullptr;
  decltype(&::cuEventRecord) cuEventRecord = nullptr;
  decltype(&::cuEventQuery) cuEventQuery = nullptr;
  // Named without suffix: the second version came with CUDA 12.8 and takes the same.
  CUresult(CUDAAPI* elapsed_time)(float*, CUevent, CUevent) = nullptr;
  decltype(&::cuModuleLoadDataEx) cuModuleLoadDataEx = nullptr;
  decltype(&::cuModuleUnload) cuModuleUnload = nullptr;
  decltype(&::cuModuleGetFunction) cuModuleGetFunction = nullptr;
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute = nullptr;
  decltype(&::cuFuncSetAttribute) cuFuncSetAttribute = nullptr;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) cuOccupancyMaxActiveBlocksPerMultiprocessor = nullptr;
  decltype(&::cuLaunchKernel) cuLaunchKernel = nullptr;
  // Offset and size of a kernel's parameter; null before CUDA 12.4.
  CUresult(CUDAAPI* parameter_info)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  // cuTensorMapEncodeTiled, whose types older headers lack; null before CUDA 12.
  CUresult(CUDAAPI* encode_tiled)(void* map, int type, cuuint32_t rank, void* address, const cuuint64_t* sizes,
                                  const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                                  int interleave, int swizzle, int promotion, int fill) = nullptr;
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
