// Kernels of sums over subsets of pairs, compiled with the library.

typedef unsigned long long u64;

#define MC_DEVICE __device__ __forceinline__
#define MC_TABLE __device__ const
#define MC_UNROLL _Pragma("unroll")
#define MC_ROLLED _Pragma("unroll 1")

MC_DEVICE void* dynamic_shared() {
  extern __shared__ double2 memory[];
  return memory;
}

#include "permanent/power_traces/cuda/pair_frame.hpp"
//
#include "permanent/power_traces/cuda/pair_kernels.cuh"

// Blocks take the tasks in turn; each has scratch memory of its own.
#define MC_KERNEL(name, count)                                                                                      \
  extern "C" __global__ void __launch_bounds__(pair_threads, 3)                                                     \
      name(const __grid_constant__ PairFrame frame, const double* matrices, const PairModulus* __restrict__ moduli, \
           u64 first_task, unsigned num_tasks, u64, unsigned* next, unsigned* __restrict__ out, double* scratch) {  \
    __shared__ unsigned task;                                                                                       \
    const u64 own = static_cast<u64>(blockIdx.x) * frame.series_before[frame.num_pairs];                            \
    for (;;) {                                                                                                      \
      if (threadIdx.x == 0) task = atomicAdd(next, 1u);                                                             \
      __syncthreads();                                                                                              \
      if (task >= num_tasks) return;                                                                                \
      sum_pairs<count>(frame, matrices, moduli, first_task + task, scratch + own * static_cast<u64>(frame.stride),  \
                       out + task);                                                                                 \
    }                                                                                                               \
  }

MC_KERNEL(sum_pairs_7, 7)
MC_KERNEL(sum_pairs_8, 8)
