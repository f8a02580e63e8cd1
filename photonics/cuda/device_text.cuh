// Says in CUDA what the texts of the wing's kernels take from who includes them.

typedef unsigned long long u64;

#define MC_DEVICE __device__ __forceinline__
#define MC_UNROLL _Pragma("unroll")
#define MC_ROLLED _Pragma("unroll 1")

MC_DEVICE void* dynamic_shared() {
  extern __shared__ double2 memory[];
  return memory;
}
// Returns the value of the thread at this distance within a warp.
MC_DEVICE double partner(double value, int distance) { return __shfl_xor_sync(~0u, value, distance); }
MC_DEVICE int lowest_one(unsigned mask) { return __ffs(static_cast<int>(mask)) - 1; }
MC_DEVICE int count_ones(unsigned mask) { return __popc(mask); }
