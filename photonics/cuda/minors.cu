// Kernels of sums of all minors, compiled with the library.

#include "photonics/cuda/device_text.cuh"
//
#include "photonics/derivatives/minors_scaling.hpp"
//
#include "photonics/cuda/minors_kernels.cuh"

#define MC_KERNEL(size, lanes, rows, blocks)                                                             \
  extern "C" __global__ void __launch_bounds__(minors_threads, blocks)                                   \
      find_minors_##size(const __grid_constant__ MinorsFrame frame, const double* __restrict__ matrices, \
                         const double* __restrict__ floors, u64 first_task, double* __restrict__ out) {  \
    find_minors<lanes, rows>(frame, matrices, floors, first_task + blockIdx.x, out);                     \
  }

// Each takes its size, lanes, rows of a lane, and blocks a multiprocessor, few enough to leave registers for all
// numbers.
MC_KERNEL(12, 4, 3, 3)
MC_KERNEL(16, 4, 4, 2)
MC_KERNEL(20, 4, 5, 2)
MC_KERNEL(24, 8, 3, 3)
MC_KERNEL(32, 8, 4, 2)

extern "C" __global__ void __launch_bounds__(minors_threads)
    scale_matrices(const __grid_constant__ MinorsFrame frame, const double* __restrict__ given, double* matrices,
                   double* floors, MinorsScaling* scalings, double* failed) {
  scale_minors(frame, given, matrices, floors, scalings, failed);
}

extern "C" __global__ void put_answers(const __grid_constant__ MinorsFrame frame, u64 numbers,
                                       const double* __restrict__ sums, const MinorsScaling* __restrict__ scalings,
                                       const __grid_constant__ MinorsAnswers out, double* failed) {
  put_minors(frame, numbers, sums, scalings, out, failed);
}

extern "C" __global__ void add_parts_of_minors(const __grid_constant__ MinorsFrame frame, u64 numbers,
                                               const double* __restrict__ given, double* __restrict__ out) {
  add_parts(frame, numbers, given, out);
}
