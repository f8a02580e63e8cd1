// Kernels that replay elimination programs, compiled with the library.

#include "permanent/planar/cuda/elimination_frame.hpp"

typedef unsigned int u32;
typedef unsigned long long u64;

#define SHARED(type, name, size) __shared__ type name[size]
#define UNROLL _Pragma("unroll")

using namespace matchcount;
using namespace matchcount::gpu;
#include "permanent/planar/cuda/elimination_kernels.cuh"

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
