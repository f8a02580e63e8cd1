#pragma once
// Holds what methods say of a block's edges, and what draws its matchings. Private to permanent/.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Holds a block's permanent or hafnian and, by EdgeId of its pattern, the part of it that matchings with this edge make
// up.
template <class V>
struct BlockMarginals {
  V total;
  std::vector<V> of_edge;
};

// Returns the number in [0, 1) by which step `step` of sample i chooses.
inline double uniform_of_sample(std::uint64_t seed, std::uint32_t stream, std::uint64_t i, std::uint32_t step) {
  const auto bits = philox4x32({step, stream, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32)},
                               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const std::uint64_t word = (std::uint64_t{bits[1]} << 32) | bits[0];
  return static_cast<double>(word >> 11) * 0x1p-53;
}

// Draws perfect matchings of one block with probabilities proportional to the products of their entries.
class PartSampler {
 public:
  virtual ~PartSampler() = default;
  // Edges of every matching.
  virtual std::size_t matching_size() const = 0;
  // Samples first, ..., first + count - 1, matching_size() edges each, one sample after the other. Sample i is a
  // function of (seed, stream, i) alone.
  virtual std::vector<EdgeId> draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                   std::size_t count) = 0;
};

}  // namespace matchcount
