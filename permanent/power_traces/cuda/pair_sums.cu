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

#include "core/numbers/lanes.hpp"
#include "permanent/power_traces/cuda/held_plan.hpp"
//
#include "permanent/power_traces/cuda/pair_kernels.cuh"

// Blocks take the tasks in turn; each has scratch memory of its own.
#define MC_KERNEL(name, Number, has_loops, count)                                                                   \
  extern "C" __global__ void __launch_bounds__(pair_threads, 3)                                                     \
      name(const __grid_constant__ PairFrame frame, const double* matrices, const PairModulus* __restrict__ moduli, \
           u64 first_task, unsigned num_tasks, unsigned* next, double* __restrict__ out, double* scratch) {         \
    using Walk = PairWalk<Number, has_loops, count>;                                                                \
    __shared__ unsigned task;                                                                                       \
    const u64 own = static_cast<u64>(blockIdx.x) * frame.series_before[frame.num_pairs];                            \
    for (;;) {                                                                                                      \
      if (threadIdx.x == 0) task = atomicAdd(next, 1u);                                                             \
      __syncthreads();                                                                                              \
      if (task >= num_tasks) return;                                                                                \
      sum_pairs<Number, has_loops, count>(frame, matrices, moduli, first_task + task,                               \
                                          scratch + own * static_cast<u64>(frame.stride * Walk::parts),             \
                                          out + task * (Walk::parts + (Number::is_rounded ? 1 : 0)));               \
    }                                                                                                               \
  }
#define MC_KERNELS(name, Number, count)           \
  MC_KERNEL(name##_##count, Number, false, count) \
  MC_KERNEL(name##_loops_##count, Number, true, count)

using Doubles = matchcount::lane::Pair<double>;
template <class Part>
using Complex = matchcount::lane::Complex<Part>;

MC_KERNELS(sum_residues, Residue, 7)
MC_KERNELS(sum_residues, Residue, 8)
MC_KERNELS(sum_real, Rounded<double>, 7)
MC_KERNELS(sum_real, Rounded<double>, 8)
MC_KERNELS(sum_double_double, Rounded<Doubles>, 4)
MC_KERNELS(sum_complex, Rounded<Complex<double>>, 4)
MC_KERNELS(sum_complex_double, Rounded<Complex<Doubles>>, 4)
