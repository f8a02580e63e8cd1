// Compiled once per instruction set, with MATCHCOUNT_ISA naming it; see cmake/MatchcountModule.cmake. Everything but
// the table of kernels has internal linkage, and nothing of the standard library is called.
//
// The method of four Russians (Arlazarov, Dinic, Kronrod and Faradzhev 1970), arranged for the first-level cache: a
// strip of a line is as wide as a line of the cache, so that eleven tables of it, which cover a word of selectors, stay
// there, and each sum is read and written once for 64 rows. The published arrangements (Albrecht, Bard and Hart 2010,
// doi:10.1145/1644001.1644010: eight tables of whole rows) read their tables from the second level.

#include "core/cpu/simd.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"

namespace matchcount {
namespace {

using namespace simd;
using u64 = std::uint64_t;

constexpr int line_vectors = 8 / width;

template <BitSum sum>
MATCHCOUNT_INLINE Words plus(Words a, Words b) {
  return sum == BitSum::boolean ? a | b : a ^ b;
}

template <BitSum sum>
void tabulate(const u64* const* lines, u64* tables) {
  for (std::size_t first = 0; first < 64; first += bits_per_table) {
    u64* const table = tables + first / bits_per_table * (std::size_t{8} << bits_per_table);
    for (int v = 0; v < line_vectors; ++v) store(table + v * width, Words{});
    for (std::size_t bit = 0; bit < bits_per_table && first + bit < 64; ++bit) {
      const u64* const line = lines[first + bit];
      Words row[line_vectors] = {};
      for (int v = 0; v < line_vectors && line != nullptr; ++v) row[v] = load<Words>(line + v * width);
      const std::size_t half = std::size_t{8} << bit;
      for (std::size_t at = 0; at < half; at += 8) {
        for (int v = 0; v < line_vectors; ++v) {
          store(table + half + at + v * width, plus<sum>(load<Words>(table + at + v * width), row[v]));
        }
      }
    }
  }
}

template <BitSum sum>
void add(const u64* selectors, std::size_t count, const u64* tables, u64* lines) {
  constexpr int bits = bits_per_table, shift_to_line = 3;  // a sum takes 2^3 words
  constexpr u64 mask = ((u64{1} << bits) - 1) << shift_to_line;
  for (std::size_t i = 0; i < count; ++i) {
    const u64 selector = selectors[i];
    u64* const line = lines + 8 * i;
    Words total[line_vectors];
    for (int v = 0; v < line_vectors; ++v) total[v] = load<Words>(line + v * width);
#pragma GCC unroll 16
    for (int table = 0; table < static_cast<int>(tables_per_word); ++table) {
      const int shift = table * bits - shift_to_line;
      const u64 place = (shift < 0 ? selector << -shift : selector >> shift) & mask;
      const u64* const row = tables + (static_cast<std::size_t>(table) << (bits + shift_to_line)) + place;
#pragma GCC unroll 4
      for (int v = 0; v < line_vectors; ++v) total[v] = plus<sum>(total[v], load<Words>(row + v * width));
    }
    for (int v = 0; v < line_vectors; ++v) store(line + v * width, total[v]);
  }
}

template <BitSum sum>
void combine(const u64* a, const u64* b, u64* to, std::size_t words) {
  for (std::size_t w = 0; w < words; w += width) store(to + w, plus<sum>(load<Words>(a + w), load<Words>(b + w)));
}

void eliminate(u64* words, std::size_t count, unsigned column, u64 pivot) {
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    const Words word = load<Words>(words + i);
    store(words + i, word ^ ((0 - ((word >> column) & 1)) & pivot));
  }
  for (; i < count; ++i) words[i] ^= (0 - ((words[i] >> column) & 1)) & pivot;
}

}  // namespace

const BitKernels BitKernels::MATCHCOUNT_ISA = {
    {{tabulate<BitSum::boolean>, add<BitSum::boolean>, combine<BitSum::boolean>},
     {tabulate<BitSum::binary>, add<BitSum::binary>, combine<BitSum::binary>}},
    matchcount::eliminate};

}  // namespace matchcount
