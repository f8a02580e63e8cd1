// Kernels of steps of the frontier method from sorted states, compiled with the library.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

#define SHARED(type, name, size) __shared__ type name[size]

inline __device__ u32 high_product(u32 a, u32 b) { return __umulhi(a, b); }
inline __device__ u32 fetch_add(u32* place, u32 value) { return atomicAdd(place, value); }
inline __device__ u64 fetch_add(u64* place, u64 value) { return atomicAdd(place, value); }
inline __device__ void* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char memory[];
  return memory;
}

namespace matchcount::gpu {}
using namespace matchcount;
using namespace matchcount::gpu;
#include "permanent/frontier/cuda/sorted_kernels.cuh"

#define MC_SORTED(Key, suffix)                                                                            \
  extern "C" __global__ void __launch_bounds__(split_threads) sorted_split##suffix(const SortedStep s) {  \
    find_splitter<Key>(s);                                                                                \
  }                                                                                                       \
  extern "C" __global__ void __launch_bounds__(sorted_threads) sorted_count##suffix(const SortedStep s) { \
    make_tile<Key, false>(s);                                                                             \
  }                                                                                                       \
  extern "C" __global__ void __launch_bounds__(sorted_threads) sorted_make##suffix(const SortedStep s) {  \
    make_tile<Key, true>(s);                                                                              \
  }
MC_SORTED(u64, _64)
MC_SORTED(u128, _128)
