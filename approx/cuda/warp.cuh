#pragma once
// Provides a warp, whose lanes work on one sample together. As host code it is a warp of one lane.

#include "approx/walk.hpp"

namespace matchcount::gpu {

struct Warp {
  static MATCHCOUNT_ANYWHERE std::uint32_t lane() {
#ifdef __CUDA_ARCH__
    return threadIdx.x % 32;
#else
    return 0;
#endif
  }
  static MATCHCOUNT_ANYWHERE std::uint32_t width() {
#ifdef __CUDA_ARCH__
    return 32;
#else
    return 1;
#endif
  }
  // Makes all writes before it visible to all lanes behind it.
  static MATCHCOUNT_ANYWHERE void sync() {
#ifdef __CUDA_ARCH__
    __syncwarp();
#endif
  }
  // Returns a bit for each lane.
  static MATCHCOUNT_ANYWHERE std::uint32_t ballot(bool mine) {
#ifdef __CUDA_ARCH__
    return __ballot_sync(~0u, mine);
#else
    return mine;
#endif
  }
  // Returns how many of these lanes stand before this one.
  static MATCHCOUNT_ANYWHERE std::uint32_t place(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(count_bits(lanes & ((std::uint32_t{1} << lane()) - 1)));
  }
  static MATCHCOUNT_ANYWHERE std::uint32_t count(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(count_bits(lanes));
  }
  // Returns the last of these lanes; requires one.
  static MATCHCOUNT_ANYWHERE std::uint32_t last(std::uint32_t lanes) {
#ifdef __CUDA_ARCH__
    return 31 - static_cast<std::uint32_t>(__clz(static_cast<int>(lanes)));
#else
    return 31 - static_cast<std::uint32_t>(__builtin_clz(lanes));
#endif
  }
  static MATCHCOUNT_ANYWHERE std::uint32_t least(std::uint32_t mine) {
#ifdef __CUDA_ARCH__
    return __reduce_min_sync(~0u, mine);
#else
    return mine;
#endif
  }
  // Returns the value of one lane.
  template <class T>
  static MATCHCOUNT_ANYWHERE T from_lane(std::uint32_t lane_number, T mine) {
#ifdef __CUDA_ARCH__
    return __shfl_sync(~0u, mine, static_cast<int>(lane_number));
#else
    return lane_number == 0 ? mine : T{};
#endif
  }
  static MATCHCOUNT_ANYWHERE void set_bit(std::uint32_t& word, std::uint32_t bit) {
#ifdef __CUDA_ARCH__
    atomicOr(&word, bit);
#else
    word |= bit;
#endif
  }
};

}  // namespace matchcount::gpu
