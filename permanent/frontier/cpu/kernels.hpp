#pragma once
// Adds up many short blocks, each a weighted sum of runs of the layer before: the inner loop of the dense engine.

#include <cstddef>
#include <cstdint>

namespace matchcount {

enum class Isa;

// Elements [target, target + length) of the new layer are the sum over the block's sources of weight[choice] times
// elements of the old layer; 0 where there is no source. A block's sources follow those of the block before.
struct FrontierBlock {
  std::uint64_t target;
  std::uint32_t length;
  std::uint32_t num_sources;
};
struct FrontierSource {
  std::uint64_t offset;  // of the old layer's run
  std::uint32_t choice;
  std::uint32_t num_pairs;
  const std::uint16_t* pairs;  // (element of the block, element of the run), num_pairs times; null: all in parallel
};

// Plane k of element i of a layer stands at base[k * stride + i].
struct FrontierBatch {
  const FrontierBlock* blocks;
  std::size_t num_blocks;
  const FrontierSource* sources;
  std::size_t num_sources;
  std::size_t target_stride;
  std::size_t source_stride;
  bool adds = false;  // to what the target holds, instead of replacing it
};

// A weight modulo a prime below 2^31.
struct ResidueWeight {
  std::uint32_t factor;    // below the prime
  std::uint32_t quotient;  // floor(factor * 2^32 / prime), with which a product needs no division
};

// Changes every place x of a tile whose bits `test` are `expect`: from value[x] to that, or to 0, plus weight * value[x
// ^ flip], or by exchange with value[x ^ flip]. Is left out where the bits `outer_test` of the tile itself are not
// `outer_expect`. Bits of `flip` are bits of `test`, so that no value is both read and written, but for flip 0.
struct TileOperation {
  enum Kind : std::uint32_t { add, set, swap };
  std::uint64_t outer_test, outer_expect;
  std::uint32_t test, expect, flip, weight;
  Kind kind;
  std::uint32_t padding = 0;
};

// A tile of 2^bits values modulo a prime, and what is done to it.
template <class Slot>
struct TileWork {
  const TileOperation* operations;
  std::size_t num_operations;
  const ResidueWeight* weights;  // quotients are floor(factor * 2^(bits of Slot) / prime)
  std::uint32_t prime, bits;
};

struct FrontierKernels {
  // Integers modulo 2^64 to the power of the planes; one weight a choice.
  void (*words)(const FrontierBatch&, std::uint64_t* target, int target_planes, const std::uint64_t* source,
                int source_planes, const std::int64_t* weights);
  // A value has as many planes as its number type has doubles, and a weight as many doubles.
  using Float = void (*)(const FrontierBatch&, double* target, const double* source, const double* weights);
  Float real, double_double, complex, complex_double_double;
  // Integers modulo a prime below 2^31, all in [0, prime); one plane, one weight a choice.
  void (*residues)(const FrontierBatch&, std::uint32_t* target, const std::uint32_t* source,
                   const ResidueWeight* weights, std::uint32_t prime);
  // A step backwards in doubles, of the sources with this choice, or all of them: for the pairs (t, s) of elements of
  // each, before[s] += weight[choice] after[t], and products[its place among the sources] = the sum of
  // forward[s] after[t], the same by every instruction set.
  static constexpr std::uint32_t all_choices = 0xffffffff;
  void (*backward)(const FrontierBatch&, std::uint32_t choice, const double* forward, double* before,
                   const double* after, const double* weights, double* products);
  // Makes the operations on one tile, the bits of which outside of it are `outer`. Primes are below half of 2^(bits of
  // Slot).
  void (*tile32)(const TileWork<std::uint32_t>&, std::uint64_t outer, std::uint32_t* tile);
  void (*tile16)(const TileWork<std::uint16_t>&, std::uint64_t outer, std::uint16_t* tile);
  static const FrontierKernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

const FrontierKernels& frontier_kernels(Isa isa);

}  // namespace matchcount
