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

// A weight modulo a prime below 2^31.
struct ResidueWeight {
  std::uint32_t factor;    // below the prime
  std::uint32_t quotient;  // floor(factor * 2^32 / prime), with which a product needs no division
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
  static const FrontierKernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

const FrontierKernels& frontier_kernels(Isa isa);

}  // namespace matchcount
