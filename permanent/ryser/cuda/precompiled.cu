// Kernels that take the matrix as data, compiled with the library: for where there is no run-time compiler, or no time
// for it. See precompiled.hpp.

#include "permanent/ryser/cuda/walk_frame.hpp"
//
#include "permanent/ryser/cuda/kernel_library.cuh"
//
#include "permanent/ryser/cuda/precompiled_walk.cuh"

namespace {

template <class Block>
__device__ __forceinline__ void run(const WalkFrame& frame, const void* base, const void* columns, const void* special,
                                    const void* moduli, const void* touched, u64 first_task, unsigned num_tasks,
                                    u64 num_chunks, unsigned* next, void* out) {
  extern __shared__ double2 memory[];
  typedef typename Block::Row Row;
  PrecompiledWork<Block> work{frame,
                              (const Row*)base,
                              (const Row*)columns,
                              (const Row*)special,
                              (const double*)moduli,
                              (const unsigned char*)touched,
                              (Row*)memory,
                              {},
                              0};
  run_all_tasks<typename Block::Sum>(work, first_task, num_tasks, num_chunks, next, (typename Block::Sum::Out*)out);
}

}  // namespace

#define MC_KERNEL(name, ...)                                                                                         \
  extern "C" __global__ void __launch_bounds__(128)                                                                  \
      name(const __grid_constant__ WalkFrame frame, const void* __restrict__ base, const void* __restrict__ columns, \
           const void* __restrict__ special, const void* __restrict__ moduli, const void* __restrict__ touched,      \
           u64 first_task, unsigned num_tasks, u64 num_chunks, unsigned* next, void* __restrict__ out) {             \
    run<__VA_ARGS__>(frame, base, columns, special, moduli, touched, first_task, num_tasks, num_chunks, next, out);  \
  }

MC_KERNEL(sum_real, FieldBlock<double, false>)
MC_KERNEL(sum_compensated, FieldBlock<double, true>)
MC_KERNEL(sum_double_double, FieldBlock<DD, false>)
MC_KERNEL(sum_complex, FieldBlock<Complex<double>, false>)
MC_KERNEL(sum_complex_double, FieldBlock<Complex<DD>, false>)
MC_KERNEL(sum_exact_1, ExactBlock<1, false>)
MC_KERNEL(sum_exact_2, ExactBlock<2, false>)
MC_KERNEL(sum_exact_3, ExactBlock<3, false>)
MC_KERNEL(sum_exact_4, ExactBlock<4, false>)
MC_KERNEL(sum_residues, ExactBlock<1, true>)
