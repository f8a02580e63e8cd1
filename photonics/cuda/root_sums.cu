// Kernels of sums over roots of unity, compiled with the library.

#include "photonics/cuda/device_text.cuh"
//
#include "photonics/cuda/root_sum_frame.hpp"
//
#include "photonics/cuda/root_sum_kernels.cuh"
//
#include "photonics/cuda/hafnian_sum_kernels.cuh"

using matchcount::gpu::root_threads;

#define MC_KERNEL(name, blocks, ...)                                                                               \
  extern "C" __global__ void __launch_bounds__(root_threads, blocks) name(                                         \
      const __grid_constant__ RootFrame frame, const double* __restrict__ entries, const Root* __restrict__ roots, \
      const RootStep* __restrict__ steps, u64 first_task, u64 first_matrix, RootSum* __restrict__ out) {           \
    sum_##__VA_ARGS__(frame, entries, roots, steps, first_task, first_matrix, out);                                \
  }

extern "C" __global__ void examine_entries(const double* __restrict__ entries, u64 doubles, unsigned parts,
                                           unsigned rows, double least, double most, double* verdict) {
  examine(entries, doubles, parts, rows, least, most, verdict);
}

// Blocks for each multiprocessor, that the compiler leaves registers to as many threads: it would rather load all of a
// row ahead.
MC_KERNEL(permanent_real_4, 5, permanent<1, 4, 1, 2, 0>)
MC_KERNEL(permanent_real_8, 6, permanent<1, 4, 2, 2, 0>)
MC_KERNEL(permanent_real_12, 4, permanent<1, 6, 2, 2, 0>)
MC_KERNEL(permanent_real_16, 4, permanent<1, 8, 2, 2, 0>)
MC_KERNEL(permanent_real_20, 3, permanent<1, 10, 2, 2, 0>)
MC_KERNEL(permanent_real_24, 3, permanent<1, 12, 2, 2, 0>)
MC_KERNEL(permanent_real_28, 2, permanent<1, 14, 2, 2, 0>)
MC_KERNEL(permanent_real_32, 2, permanent<1, 16, 2, 2, 0>)
MC_KERNEL(permanent_complex_4, 5, permanent<2, 2, 2, 2, 0>)
MC_KERNEL(permanent_complex_8, 4, permanent<2, 4, 2, 2, 0>)
MC_KERNEL(permanent_complex_12, 3, permanent<2, 6, 2, 2, 0>)
MC_KERNEL(permanent_complex_16, 2, permanent<2, 8, 2, 2, 0>)
MC_KERNEL(permanent_complex_24, 3, permanent<2, 6, 4, 2, 0>)
MC_KERNEL(permanent_complex_32, 2, permanent<2, 8, 4, 2, 0>)
MC_KERNEL(permanent_powers_4, 5, permanent<2, 2, 2, 2, 1>)
MC_KERNEL(permanent_powers_8, 4, permanent<2, 4, 2, 2, 1>)
MC_KERNEL(permanent_powers_12, 3, permanent<2, 6, 2, 2, 1>)
MC_KERNEL(permanent_powers_16, 2, permanent<2, 8, 2, 2, 1>)
MC_KERNEL(permanent_powers_24, 3, permanent<2, 6, 4, 2, 1>)
MC_KERNEL(permanent_powers_32, 2, permanent<2, 8, 4, 2, 1>)
MC_KERNEL(hafnian_real, 6, hafnian<1, 0>)
MC_KERNEL(hafnian_complex, 3, hafnian<2, 0>)
MC_KERNEL(loop_hafnian_real, 4, hafnian<1, 1>)
MC_KERNEL(loop_hafnian_complex, 2, hafnian<2, 1>)
