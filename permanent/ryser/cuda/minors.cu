// Kernels of sums of all minors, compiled with the library.

typedef unsigned long long u64;

#define MC_DEVICE __device__ __forceinline__
#define MC_UNROLL _Pragma("unroll")
#define MC_ROLLED _Pragma("unroll 1")

MC_DEVICE void* dynamic_shared() {
  extern __shared__ double2 memory[];
  return memory;
}
MC_DEVICE int lowest_one(unsigned mask) { return __ffs(static_cast<int>(mask)) - 1; }

#include "permanent/ryser/cuda/minors_frame.hpp"
//
#include "permanent/ryser/cuda/minors_kernels.cuh"

#define MC_KERNEL(size)                                                                                  \
  extern "C" __global__ void __launch_bounds__(minors_threads, 4)                                        \
      find_minors_##size(const __grid_constant__ MinorsFrame frame, const double* __restrict__ matrices, \
                         const double* __restrict__ floors, u64 first_task, double* __restrict__ out) {  \
    find_minors<size>(frame, matrices, floors, first_task + blockIdx.x, out);                            \
  }

MC_KERNEL(12)
MC_KERNEL(20)
MC_KERNEL(32)
