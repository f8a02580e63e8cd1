#pragma once
// Gives the kernels of bit matrices what they take on the host besides support/host_gpu.hpp. Copies of tiles come when
// they are started or as late as their waits allow, and products of warp groups as late as that, so that a stage which
// is read too early or overwritten too soon shows.

#include "support/host_gpu.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace host_gpu {

inline unsigned num_blocks = 0;
#define gridDim (host_gpu::Index{host_gpu::num_blocks})

inline unsigned char* shared() { return static_cast<unsigned char*>(dynamic_shared()); }
inline unsigned lane() { return Launch::current_launch->fiber().thread.x % 32; }
inline unsigned block() { return Launch::current_launch->fiber().block.x; }

// Threads that wait for each other.
struct Meeting {
  unsigned waiting = 0, round = 0;
  void wait(unsigned threads) {
    const unsigned mine = round;
    if (++waiting == threads) {
      waiting = 0;
      ++round;
    }
    while (round == mine) relax();
  }
};

// Returns the values of all threads of this one's warp, by lane; all of the warp must call it.
template <class T>
std::array<T, 32> told_by_warp(T value) {
  static std::map<std::pair<unsigned, unsigned>, std::pair<Meeting, std::array<T, 32>>> warps;
  auto& [meeting, said] = warps[{block(), Launch::current_launch->fiber().thread.x / 32}];
  said[lane()] = value;
  meeting.wait(32);
  const std::array<T, 32> all = said;
  meeting.wait(32);
  return all;
}
inline u32 shuffle_xor(u32 value, u32 lanes) { return told_by_warp(value)[lane() ^ lanes]; }
inline u32 ballot(u32 value) {
  const auto all = told_by_warp(value);
  u32 bits = 0;
  for (unsigned i = 0; i < 32; ++i) bits |= (all[i] != 0 ? 1u : 0u) << i;
  return bits;
}
inline void await_warp() { told_by_warp(0); }
inline u32 count_bits(u64 bits) { return static_cast<u32>(__builtin_popcountll(bits)); }
inline u32 lowest_bit(u64 bits) { return static_cast<u32>(__builtin_ctzll(bits)); }
inline void atomic_or(u32* place, u32 bits) { *place |= bits; }
inline void offer_least(u32* place, u32 value) { *place = std::min(*place, value); }

// Blocks one after the other, or, in clusters, so many at the same time.
inline void launch(unsigned blocks, unsigned threads, unsigned shared_bytes, const std::function<void()>& kernel,
                   unsigned cluster = 1) {
  num_blocks = blocks;
  for (unsigned first = 0; first < blocks; first += cluster)
    Launch(cluster, threads, shared_bytes, kernel, first).run();
}

}  // namespace host_gpu
