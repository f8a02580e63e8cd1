#pragma once
// Names the attribute by which a function is inlined even where nothing is optimised, so that no copy of it is left for
// the linker to choose. What a source compiled once per instruction set calls of others must have it; see
// cmake/MatchcountModule.cmake.

#define MATCHCOUNT_INLINE inline __attribute__((always_inline))
