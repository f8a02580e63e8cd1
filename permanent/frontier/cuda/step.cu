// Kernels of the frontier method's steps, compiled with the library.

typedef unsigned int u32;
typedef unsigned long long u64;

#define SHARED(type, name, size) __shared__ type name[size]
#define UNROLL _Pragma("unroll")

inline __device__ u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
inline __device__ u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }
inline __device__ u32 count_ones(u64 mask) { return static_cast<u32>(__popcll(mask)); }
inline __device__ u32 lowest_one(u64 mask) { return static_cast<u32>(__ffsll(static_cast<long long>(mask)) - 1); }
inline __device__ u64 bits_of(double value) { return static_cast<u64>(__double_as_longlong(value)); }
inline __device__ void* dynamic_shared() {
  extern __shared__ u64 memory[];
  return memory;
}

namespace matchcount::gpu {}
using namespace matchcount::gpu;
#include "permanent/frontier/cuda/step_kernels.cuh"

#define MC_STEP(name, Number, gathered, blocks)                                                             \
  extern "C" __global__ void __launch_bounds__(frontier_threads, blocks) name(const FrontierGpuStep step) { \
    make_states<Number, gathered>(step);                                                                    \
  }
#define MC_STEPS(name, Number, blocks) \
  MC_STEP(name, Number, false, blocks) \
  MC_STEP(name##_gathered, Number, true, blocks)
using Adding = FrontierResidues<false, u32>;
using Weighing = FrontierResidues<true, u32>;
using SmallAdding = FrontierResidues<false, unsigned short>;
using SmallWeighing = FrontierResidues<true, unsigned short>;
MC_STEPS(frontier_add, Adding, 5)
MC_STEPS(frontier_weigh, Weighing, 5)
MC_STEPS(frontier_add_2, SmallAdding, 5)
MC_STEPS(frontier_weigh_2, SmallWeighing, 5)
MC_STEPS(frontier_real, FrontierReals, 4)
MC_STEPS(frontier_double_double, FrontierDoubleDoubles, 4)
MC_STEPS(frontier_complex, FrontierComplexes, 4)
MC_STEPS(frontier_complex_double_double, FrontierComplexDoubleDoubles, 4)

extern "C" __global__ void __launch_bounds__(frontier_threads) frontier_largest(u64 values, u64 count, u64 largest) {
  find_largest(reinterpret_cast<const double*>(values), count, reinterpret_cast<u64*>(largest));
}
extern "C" __global__ void __launch_bounds__(frontier_threads)
    frontier_scale(u64 values, u64 count, double a, double b) {
  scale_values(reinterpret_cast<double*>(values), count, a, b);
}
