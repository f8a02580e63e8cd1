#pragma once
// Bit masks with a fixed number of ones: how many there are, which comes next, and which place each has among them.

#include <cstdint>
#include <vector>

namespace matchcount {

using Word = std::uint64_t;

constexpr std::uint32_t max_ranked_width = 62;

// C(n, k) for n <= 64, saturating at 2^64 - 1; 0 for k > n.
Word binomial(std::uint32_t n, std::uint32_t k);
// The same for any n, to a few units in the last place; infinity beyond the range of doubles.
double binomial_as_double(std::uint32_t n, std::uint32_t k);

// Ones of a word, without the instruction that not every x86-64 has.
inline std::uint32_t count_ones(Word x) {
  x -= (x >> 1) & 0x5555555555555555;
  x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333);
  return static_cast<std::uint32_t>((((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56);
}

// The least mask >= x with between low and high ones; all ones where there is none.
Word next_mask(Word x, std::uint32_t low, std::uint32_t high);

// Rank of a mask among those with as many ones, in ascending order: the sum over its ones, the i-th from below at
// position q, of C(q, i). Looked up a byte at a time.
class RankTables {
 public:
  // For masks below 2^max_width, max_width <= 64.
  explicit RankTables(std::uint32_t max_width);

  // The part of the rank that the ones of `mask` make up when `below` more ones stand under its lowest.
  Word operator()(Word mask, std::uint32_t below) const {
    Word rank = 0;
    for (std::uint32_t byte = 0; mask != 0; ++byte, mask >>= 8) {
      const auto value = static_cast<std::uint32_t>(mask & 255);
      rank += table_[(byte * (max_ones_ + 1) + below) * 256 + value];
      below += ones_of_byte_[value];
    }
    return rank;
  }

 private:
  std::size_t num_bytes_;
  std::size_t max_ones_;
  std::vector<Word> table_;
  unsigned char ones_of_byte_[256];
};

}  // namespace matchcount
