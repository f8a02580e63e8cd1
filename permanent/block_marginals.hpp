#pragma once
// Holds what methods say of a block's edges, and what draws its matchings. Private to permanent/.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/numbers/value.hpp"
#include "core/random.hpp"
#include "graph/bipartite_graph.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

// Holds a block's permanent or hafnian and, by EdgeId of its pattern, the part of it that matchings with this edge make
// up.
template <class V>
struct BlockMarginals {
  V total;
  std::vector<V> of_edge;
};

// The value of a block with such entries.
template <class Entry>
using BlockValue = std::conditional_t<std::is_same_v<Entry, std::int64_t>, Integer,
                                      std::conditional_t<std::is_same_v<Entry, RealEntry>, RealValue, ComplexValue>>;

// A sum with the bound on its error, its own rounding included.
inline Integer plus(const Integer& a, const Integer& b) { return a + b; }
inline double log2_of(const RealValue& value) { return value.value.log2_abs(); }
inline double log2_of(const ComplexValue& value) { return log2_abs(value.value); }
template <class V>
V plus(const V& a, const V& b) {
  const double rounding = std::max(log2_of(a), log2_of(b)) - 98;
  return {a.value + b.value, log2_sum(log2_sum(a.log2_error, b.log2_error), rounding),
          log2_sum(a.log2_magnitudes, b.log2_magnitudes)};
}

// Make sums of no matching, and of the empty one.
template <class V>
V zero() {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<V, Integer>) {
    return 0;
  } else {
    return {{}, nothing, nothing};
  }
}
template <class V>
V one() {
  constexpr double exact = -std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<V, Integer>) {
    return 1;
  } else if constexpr (std::is_same_v<V, RealValue>) {
    return {ScaledReal(1.0), exact, 0};
  } else {
    return {{ScaledReal(1.0), {}}, exact, 0};
  }
}
inline bool is_zero(const Integer& value) { return value.sign() == 0; }
template <class V>
bool is_zero(const V& value) {
  return std::isinf(log2_of(value));
}

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
