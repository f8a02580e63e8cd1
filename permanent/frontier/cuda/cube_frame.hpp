#pragma once
// Says how the kernels of cube.cu find what they work on. Included by them too.

#include <cstdint>

#include "permanent/frontier/cpu/kernels.hpp"

namespace matchcount::gpu {

constexpr unsigned cube_threads = 256;

// Addresses are of the device: of the array's place 0, which may be another member's, so that the member's own are
// where they say. The lowest run_bits places of a tile stand side by side.
struct CubeLaunch {
  std::uint64_t array, operations, weights;
  std::uint64_t local, outer, fixed, num_tiles;
  std::uint32_t num_operations, prime, tile_bits, run_bits;
};

// A slot that leads and another change places: from the array where the one that leads is 0, the places with bit
// `other`, and from that where it is 1, those without. They have the bits of `fixed` and those that are no `gaps`; of
// the words of 16 bytes there are those from `first` to `end`.
struct CubeExchange {
  std::uint64_t without, with, other, fixed, gaps;
  std::uint64_t first, end;
};

// `arrays` are those of all members, by the bits from `leading` on; `own` is what they are in the member's own places.
// `gaps` are the bits that no place has, below the highest that one has; mirror: 64 words, by bit; sum: a word, to
// which each thread adds a residue.
struct CubeProduct {
  std::uint64_t arrays, mirror, sum;
  std::uint64_t count, gaps, own, last, mirrored_last, sign;
  std::uint32_t prime, leading;
};

}  // namespace matchcount::gpu
