// Kernels of torontonians, compiled with the library.

#define MC_STEP __device__ __noinline__

#include "photonics/cuda/device_text.cuh"
//
#include "photonics/torontonian/cuda/torontonian_frame.hpp"
#include "photonics/torontonian/torontonian_walk.hpp"
//
#include "photonics/torontonian/cuda/torontonian_kernels.cuh"

// Each takes its name, numbers, and blocks a multiprocessor, few enough to leave registers for matrices of a few modes.
#define MC_KERNEL(name, Number, blocks)                                                                                \
  extern "C" __global__ void __launch_bounds__(torontonian_threads, blocks)                                            \
      name(const __grid_constant__ TorontonianFrame frame, const double* __restrict__ given, unsigned long long first, \
           unsigned num_tasks, unsigned*, TorontonianSum* __restrict__ out) {                                          \
    sum_torontonian<Number>(frame, given, first, num_tasks, out);                                                      \
  }

MC_KERNEL(sum_torontonian_real, walk_text::Real<Doubles>, 3)
MC_KERNEL(sum_torontonian_pair, walk_text::DoubleDouble<Doubles>, 2)
