#pragma once
// Keeps what is done of a sum over numbered pieces: disjoint ranges of pieces with the sum of each.
//
// Ranges are merged as a binary tree over the numbers merges its leaves: two ranges of the same power of two, the first
// of which starts at an even multiple of it, become one. So the bits of the total are a function of the pieces alone,
// not of who did what and in which order, and a range that is handed in twice is an error.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/api.hpp"
#include "core/bytes.hpp"

namespace MATCHCOUNT_API matchcount {

class CompletedRanges {
 public:
  // The record of two neighbouring ranges, from theirs.
  using Merge = std::function<Bytes(const Bytes& earlier, const Bytes& later)>;

  struct Range {
    std::uint64_t first = 0;
    std::uint64_t size = 1;  // a power of two that divides first
    Bytes record;
  };
  struct Span {
    std::uint64_t first, end;

    // Takes away its first `most` pieces, or all.
    Span cut(std::uint64_t most) {
      const Span front{first, first + std::min(most, end - first)};
      first = front.end;
      return front;
    }
    // The same, of a number and place that a Range may have.
    Span cut_range() {
      const std::uint64_t most = std::bit_floor(end - first);
      return cut(first == 0 ? most : std::min(most, first & -first));
    }
  };

  CompletedRanges(std::uint64_t num_pieces, Merge merge);

  // O(log num_ranges) and a merge for each level. Throws Error for pieces that are in already or do not exist.
  void add(Range range);

  std::uint64_t num_pieces() const { return num_pieces_; }
  std::uint64_t num_done() const { return num_done_; }
  bool complete() const { return num_done_ == num_pieces_; }
  std::vector<Span> missing() const;

  // The sum of the pieces before the first that is missing; no record where that is the very first.
  struct Prefix {
    std::uint64_t num_pieces = 0;
    Bytes record;
  };
  Prefix prefix() const;

  Bytes serialize() const;
  // Adds the ranges of serialized completed ranges. Throws Error where add does and where the bytes are none.
  void add_serialized(std::span<const std::byte> bytes);
  void clear();

 private:
  struct Node {
    std::uint64_t size;
    Bytes record;
  };
  std::uint64_t num_pieces_;
  Merge merge_;
  std::map<std::uint64_t, Node> nodes_;  // by first piece
  std::uint64_t num_done_ = 0;
};

}  // namespace matchcount
