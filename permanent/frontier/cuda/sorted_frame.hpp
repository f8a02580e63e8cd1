#pragma once
// Says how the kernels of sorted.cu find what they work on. Included by them too.

#include <cstdint>

namespace matchcount::gpu {

constexpr unsigned sorted_threads = 256, split_threads = 32;
constexpr unsigned sorted_tile = 2048;  // transitions that a block sorts at the most, a power of two

// A move: states s with (s & test) == expect become (s & keep) | set. Two words each, the most significant first.
struct SortedMove {
  std::uint64_t test[2], expect[2], keep[2], set[2];
  std::uint64_t weight;
};

// A step from sorted states. Addresses are of the device. Keys are in ascending order, each of one word or two, the
// most significant first; a state's values modulo all primes stand side by side. Tile b makes the new states from
// splitter b on to the one before splitter b + 1.
struct SortedStep {
  std::uint64_t keys, values, new_keys, new_values;
  std::uint64_t moves, weights, primes;  // a ResidueWeight for each weight of each prime
  std::uint64_t splitters;               // keys, one more than tiles
  std::uint64_t places;  // for each splitter and move the old state that leads to it or beyond, and the one beyond it
  std::uint64_t counts;  // for each tile its new states, then those of all before it
  std::uint64_t num_states, num_tiles;
  std::uint32_t num_moves, num_weights, num_primes, bits;  // of the keys
  std::uint32_t tile, share;                               // sorted_tile; old states of all moves for each tile
};

}  // namespace matchcount::gpu
