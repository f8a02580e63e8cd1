#pragma once
// Holds sets of vertices by degree, of one side, in memory that somebody else keeps: sets of bits, and for each a set
// of its words that are not 0. Of several vertices the lowest number is given, so that choices do not depend on how a
// state was reached.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "approx/walk.hpp"

namespace matchcount {

// DegreeSetsSize is the space that a side's sets need. Degrees from degrees - 1 on count as equal.
struct DegreeSetsSize {
  std::uint32_t degrees = 0, words = 0, summaries = 0;

  // Degrees are told apart as long as their sets take no more than 64 MB.
  static DegreeSetsSize of(std::uint32_t num_vertices, std::uint32_t largest_degree) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20;
    DegreeSetsSize size;
    size.words = (num_vertices + 63) / 64;
    size.summaries = (size.words + 63) / 64;
    const std::size_t affordable = most_bytes / (8 * std::size_t{std::max(size.words, 1u)});
    size.degrees =
        std::min(std::max(largest_degree, 1u) + 1, static_cast<std::uint32_t>(std::max<std::size_t>(affordable, 3)));
    return size;
  }
  // Words of 64 bits, of the memory; all 0 are empty sets.
  MATCHCOUNT_ANYWHERE std::size_t length() const { return std::size_t{degrees} * (words + summaries) + 1; }
};

class DegreeSets {
 public:
  DegreeSets() = default;
  MATCHCOUNT_ANYWHERE DegreeSets(const DegreeSetsSize& size, std::uint64_t* memory)
      : size_(&size),
        lowest_(memory),
        summary_(memory + 1),
        words_(summary_ + std::size_t{size.degrees} * size.summaries) {}

  MATCHCOUNT_ANYWHERE void insert(std::uint32_t vertex, std::uint32_t degree) {
    degree = clamp(degree);
    words_[std::size_t{degree} * size_->words + vertex / 64] |= std::uint64_t{1} << vertex % 64;
    summary_[std::size_t{degree} * size_->summaries + vertex / 4096] |= std::uint64_t{1} << vertex / 64 % 64;
    if (degree < *lowest_) *lowest_ = degree;
  }
  MATCHCOUNT_ANYWHERE void erase(std::uint32_t vertex, std::uint32_t degree) {
    degree = clamp(degree);
    std::uint64_t& word = words_[std::size_t{degree} * size_->words + vertex / 64];
    word &= ~(std::uint64_t{1} << vertex % 64);
    if (word == 0)
      summary_[std::size_t{degree} * size_->summaries + vertex / 4096] &= ~(std::uint64_t{1} << vertex / 64 % 64);
  }
  MATCHCOUNT_ANYWHERE void lower(std::uint32_t vertex, std::uint32_t from) {
    erase(vertex, from);
    insert(vertex, from - 1);
  }
  // Requires that some vertex is in a set.
  MATCHCOUNT_ANYWHERE std::uint32_t least_degree() {
    auto degree = static_cast<std::uint32_t>(*lowest_);
    while (!any(degree)) ++degree;
    *lowest_ = degree;
    return degree;
  }
  MATCHCOUNT_ANYWHERE bool any(std::uint32_t degree) const {
    for (std::uint32_t i = 0; i < size_->summaries; ++i) {
      if (summary_[std::size_t{degree} * size_->summaries + i] != 0) return true;
    }
    return false;
  }
  // Requires any(degree).
  MATCHCOUNT_ANYWHERE std::uint32_t first(std::uint32_t degree) const {
    const std::uint64_t* summary = summary_ + std::size_t{degree} * size_->summaries;
    std::uint32_t i = 0;
    while (summary[i] == 0) ++i;
    const std::uint32_t word = 64 * i + static_cast<std::uint32_t>(lowest_bit(summary[i]));
    return 64 * word + static_cast<std::uint32_t>(lowest_bit(words_[std::size_t{degree} * size_->words + word]));
  }

 private:
  MATCHCOUNT_ANYWHERE std::uint32_t clamp(std::uint32_t degree) const {
    return degree < size_->degrees ? degree : size_->degrees - 1;
  }

  const DegreeSetsSize* size_ = nullptr;
  std::uint64_t* lowest_ = nullptr;   // no degree below it has a vertex
  std::uint64_t* summary_ = nullptr;  // by degree
  std::uint64_t* words_ = nullptr;    // by degree
};

}  // namespace matchcount
