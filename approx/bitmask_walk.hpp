#pragma once
// Draws Rasmussen's samples of a pattern of 0 and 1 with at most 64 * WORDS rows, all in registers: the rows and the
// columns that are left are sets of bits, and so are the binary digits of their degrees, digit k of all rows in one
// set. To lower the degrees of a set of rows is then one subtraction with borrow, digit by digit, for all rows at once,
// and the rows of least degree are found digit by digit from the top.
//
// The choices are those of approx/published_walk.hpp, to the last.

#include "approx/walk.hpp"

namespace matchcount {

template <int WORDS>
struct BitSet {
  std::uint64_t word[WORDS];

  MATCHCOUNT_ANYWHERE bool any() const {
    std::uint64_t all = 0;
    for (int w = 0; w < WORDS; ++w) all |= word[w];
    return all != 0;
  }
  // Requires any().
  MATCHCOUNT_ANYWHERE int first() const {
    int found = 0;
    for (int w = WORDS - 1; w >= 0; --w) found = word[w] != 0 ? 64 * w + lowest_bit(word[w]) : found;
    return found;
  }
  MATCHCOUNT_ANYWHERE int count() const {
    int sum = 0;
    for (int w = 0; w < WORDS; ++w) sum += count_bits(word[w]);
    return sum;
  }
  // Returns the place of the k-th, from 0; requires count() > k.
  MATCHCOUNT_ANYWHERE int select(int k) const {
    int place = -1;
    for (int w = 0; w < WORDS; ++w) {
      const int here = count_bits(word[w]);
      if (place < 0 && k < here) {
        std::uint64_t rest = word[w];
        for (; k > 0; --k) rest &= rest - 1;
        place = 64 * w + lowest_bit(rest);
      }
      k -= here;
    }
    return place;
  }
  MATCHCOUNT_ANYWHERE void erase(int place) {
    for (int w = 0; w < WORDS; ++w) word[w] &= ~(place / 64 == w ? std::uint64_t{1} << place % 64 : 0);
  }
};

template <int WORDS>
MATCHCOUNT_ANYWHERE BitSet<WORDS> operator&(const BitSet<WORDS>& a, const BitSet<WORDS>& b) {
  BitSet<WORDS> both;
  for (int w = 0; w < WORDS; ++w) both.word[w] = a.word[w] & b.word[w];
  return both;
}

// The rows or the columns that are left, with degrees below 2^DIGITS.
template <int WORDS, int DIGITS>
struct BitSide {
  BitSet<WORDS> left;
  BitSet<WORDS> digit[DIGITS];

  // Returns the vertices of degree 0, or 1.
  template <int DEGREE>
  MATCHCOUNT_ANYWHERE BitSet<WORDS> of_degree() const {
    BitSet<WORDS> found;
    for (int w = 0; w < WORDS; ++w) {
      std::uint64_t high = 0;
      for (int k = 1; k < DIGITS; ++k) high |= digit[k].word[w];
      found.word[w] = left.word[w] & ~high & (DEGREE == 1 ? digit[0].word[w] : ~digit[0].word[w]);
    }
    return found;
  }
  // Returns the vertices of least degree.
  MATCHCOUNT_ANYWHERE BitSet<WORDS> of_least_degree() const {
    BitSet<WORDS> found = left;
    for (int k = DIGITS - 1; k >= 0; --k) {
      BitSet<WORDS> low;
      for (int w = 0; w < WORDS; ++w) low.word[w] = found.word[w] & ~digit[k].word[w];
      if (low.any()) found = low;
    }
    return found;
  }
  MATCHCOUNT_ANYWHERE void lower(const BitSet<WORDS>& some) {
    for (int w = 0; w < WORDS; ++w) {
      std::uint64_t borrow = some.word[w];
      for (int k = 0; k < DIGITS; ++k) {
        const std::uint64_t before = digit[k].word[w];
        digit[k].word[w] = before ^ borrow;
        borrow &= ~before;
      }
    }
  }
};

// BitmaskBlock holds what all samples of a block share. size <= 64 * WORDS, degrees < 2^DIGITS.
template <int WORDS, int DIGITS>
struct BitmaskBlock {
  int size;
  BitSide<WORDS, DIGITS> rows, columns;
  BitSet<WORDS> row[64 * WORDS];     // its columns
  BitSet<WORDS> column[64 * WORDS];  // its rows
};

// Draws sample i. FEWEST: the row of fewest choices, else the first.
template <bool FEWEST, int WORDS, int DIGITS>
MATCHCOUNT_ANYWHERE Sample bitmask_sample(const BitmaskBlock<WORDS, DIGITS>& block, std::uint64_t seed,
                                          std::uint64_t i) {
  Uniforms uniforms(seed, i);
  Product value;
  BitSide<WORDS, DIGITS> rows = block.rows, columns = block.columns;
  for (int taken = 0; taken < block.size; ++taken) {
    int row, column;
    const BitSet<WORDS> forced = rows.template of_degree<1>(), forced_columns = columns.template of_degree<1>();
    if (forced.any()) {
      row = forced.first();
      column = (block.row[row] & columns.left).first();
    } else if (forced_columns.any()) {
      column = forced_columns.first();
      row = (block.column[column] & rows.left).first();
    } else {
      row = (FEWEST ? rows.of_least_degree() : rows.left).first();
      const BitSet<WORDS> choices = block.row[row] & columns.left;
      const int degree = choices.count();
      const int k = static_cast<int>(uniforms.next() * degree);
      column = choices.select(k < degree ? k : degree - 1);
      value.multiply(degree);
    }
    rows.left.erase(row);
    columns.left.erase(column);
    rows.lower(block.column[column] & rows.left);
    columns.lower(block.row[row] & columns.left);
    if (rows.template of_degree<0>().any() || columns.template of_degree<0>().any()) return {};
  }
  return value.sample();
}

}  // namespace matchcount
