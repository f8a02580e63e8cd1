#pragma once
// Says how the kernels of cube.cu find what they work on. Included by them too.

#include <cstdint>

#include "permanent/frontier/cpu/kernels.hpp"

namespace matchcount::gpu {

constexpr unsigned cube_threads = 256;

// Addresses are of the device. The lowest run_bits places of a tile stand side by side.
struct CubeLaunch {
  std::uint64_t array, operations, weights;
  std::uint64_t local, outer, fixed, num_tiles;
  std::uint32_t num_operations, prime, tile_bits, run_bits;
};

// `gaps` are the bits that no place has, below the highest that one has; mirror: 64 words, by bit; sum: a word, to
// which each thread adds a residue.
struct CubeProduct {
  std::uint64_t array, mirror, sum;
  std::uint64_t count, gaps, last, mirrored_last, sign;
  std::uint32_t prime, padding;
};

}  // namespace matchcount::gpu
