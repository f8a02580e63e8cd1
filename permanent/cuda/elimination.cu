// Kernels that replay elimination programs, compiled with the library.

#include "permanent/cuda/elimination_frame.hpp"

typedef unsigned int u32;
typedef unsigned long long u64;

#define SHARED(type, name, size) __shared__ type name[size]
#define UNROLL _Pragma("unroll")

static __device__ __forceinline__ void* dynamic_shared() {
  extern __shared__ uint4 memory[];
  return memory;
}
// 16 bytes from global to shared memory; then that those so far belong together; then until all but the last `left`
// such lots have come.
static __device__ __forceinline__ void copy_ahead(u32* to, const u32* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from)
               : "memory");
}
static __device__ __forceinline__ void copies_end() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left>
static __device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

using namespace matchcount;
using namespace matchcount::gpu;
#include "permanent/cuda/elimination_kernels.cuh"

constexpr int most_threads = most_elimination_warps * elimination_lanes;

#define MC_FRONTS(name, skew)                                                                                        \
  extern "C" __global__ void __launch_bounds__(most_threads)                                                         \
      name(const GpuFront* fronts, unsigned first, unsigned groups, const GpuChild* children, const u32* maps,       \
           const EliminationEntry* sparse_entries, const u32* values, unsigned num_values,                           \
           const EliminationModulus* moduli, u32* arenas, u64 arena_entries) {                                       \
    eliminate_front<skew>(fronts, first, groups, children, maps, sparse_entries, values, num_values, moduli, arenas, \
                          arena_entries);                                                                            \
  }
MC_FRONTS(eliminate_fronts, false)
MC_FRONTS(eliminate_skew_fronts, true)

extern "C" __global__ void reduce_values(const EliminationPart* parts, unsigned parts_of_value, const u32* words,
                                         unsigned num_values, const EliminationModulus* moduli, u32* residues) {
  reduce_elimination_values(parts, parts_of_value, words, num_values, moduli, residues);
}

extern "C" __global__ void root_products(const GpuFront* fronts, unsigned first, unsigned count,
                                         const EliminationModulus* moduli, const u32* arenas, u64 arena_entries,
                                         u32* results) {
  multiply_roots(fronts, first, count, moduli, arenas, arena_entries, results);
}
