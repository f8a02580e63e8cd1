#pragma once
// Sums rows of bits by tables of all sums of six (the method of four Russians), in loops for every instruction set.

#include <cstddef>
#include <cstdint>

namespace matchcount {

// Names how bits are summed: OR, of Boolean products, or XOR, of binary ones.
enum class BitSum { boolean, binary };

// A word selects among 64 rows by 10 tables of 6 of them and one of 4, each with a line of 64 bytes for every sum: of
// 4 to 8 rows a table 6 are the fastest, 1.07e13 pairs of bits a second on one core with AVX-512 and 7.3e12 with AVX2
// (5: 9.8e12 and 6.2e12; 8: 8.2e12 and 6.3e12).
constexpr std::size_t bits_per_table = 6, tables_per_word = (64 + bits_per_table - 1) / bits_per_table;
// Words that the tables of a word take, 44 KiB.
constexpr std::size_t table_words = tables_per_word << (bits_per_table + 3);

struct BitKernels {
  struct Sums {
    // Fills the tables from the lines (8 words) of 64 rows; null: a row of zeros. Tables are aligned to 64 bytes.
    void (*tabulate)(const std::uint64_t* const* lines, std::uint64_t* tables);
    // Adds to each of `count` lines, which lie together, the rows that its selector has bits for.
    void (*add)(const std::uint64_t* selectors, std::size_t count, const std::uint64_t* tables, std::uint64_t* lines);
    // to = a + b over so many words, a multiple of 8; to may be a.
    void (*combine)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* to, std::size_t words);
  } sums[2];  // by BitSum
  // words[i] ^= pivot where bit `column` of it is set.
  void (*eliminate)(std::uint64_t* words, std::size_t count, unsigned column, std::uint64_t pivot);

  const Sums& of(BitSum sum) const { return sums[static_cast<int>(sum)]; }
  static const BitKernels baseline, avx2, avx512;  // core/cpu/dispatch.hpp
};

}  // namespace matchcount
