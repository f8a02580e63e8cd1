// Kernels of the frontier method's steps, compiled with the library.

typedef unsigned int u32;
typedef unsigned long long u64;

#define SHARED(type, name, size) __shared__ type name[size]
#define UNROLL _Pragma("unroll")

inline __device__ u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
inline __device__ u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }
inline __device__ u32 count_ones(u64 mask) { return static_cast<u32>(__popcll(mask)); }
inline __device__ u32 lowest_one(u64 mask) { return static_cast<u32>(__ffsll(static_cast<long long>(mask)) - 1); }
inline __device__ void* dynamic_shared() {
  extern __shared__ u64 memory[];
  return memory;
}

namespace matchcount::gpu {}
using namespace matchcount::gpu;
#include "permanent/frontier/cuda/step_kernels.cuh"

#define MC_STEP(name, weighted, gathered)                                                              \
  extern "C" __global__ void __launch_bounds__(frontier_threads, 5) name(const FrontierGpuStep step) { \
    make_states<weighted, gathered>(step);                                                             \
  }
MC_STEP(frontier_add, false, false)
MC_STEP(frontier_add_gathered, false, true)
MC_STEP(frontier_weigh, true, false)
MC_STEP(frontier_weigh_gathered, true, true)
