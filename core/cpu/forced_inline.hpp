#pragma once
// Names the attribute by which a function is inlined even where nothing is optimised, so that no copy of it is left for
// the linker to choose. What a source compiled once per instruction set calls of others must have it; see
// cmake/MatchcountModule.cmake.

#ifdef __CUDACC__
#define MATCHCOUNT_INLINE __host__ __device__ __forceinline__
#else
#define MATCHCOUNT_INLINE inline __attribute__((always_inline))
#endif
