#pragma once
// Draws random bit matrices, and multiplies them bit by bit.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "linear/bits/matrix.hpp"

namespace matchcount::test {

// Each bit is set with the probability `density`; 1/2, 1/4, 1/8 ... take 64 at once.
inline BitMatrix random_bits(std::size_t rows, std::size_t columns, double density, Random& random) {
  BitMatrix matrix(rows, columns);
  int exponent = 0;
  const bool by_words = std::frexp(density, &exponent) == 0.5 && density < 1;
  for (std::size_t r = 0; r < rows; ++r) {
    if (!by_words) {
      for (std::size_t c = 0; c < columns; ++c) matrix.set(r, c, random.uniform() < density);
      continue;
    }
    for (std::size_t w = 0; w < columns / 64; ++w) {
      std::uint64_t word = random();
      for (int halvings = exponent; halvings < 0; ++halvings) word &= random();
      matrix.row(r)[w] = word;
    }
    for (std::size_t c = columns / 64 * 64; c < columns; ++c)
      matrix.set(r, c, random.below(std::uint64_t{2} << -exponent) == 1);
  }
  return matrix;
}

// Entry (row, column) of the product: how many terms are 1.
inline std::size_t terms_of_entry(ConstBitView a, ConstBitView b, std::size_t row, std::size_t column) {
  std::size_t terms = 0;
  for (std::size_t k = 0; k < a.num_columns; ++k) terms += a.get(row, k) && b.get(k, column) ? 1 : 0;
  return terms;
}

// The bits of a row behind the last column, which no operation may set.
inline bool is_padded_with_zeros(ConstBitView matrix) {
  for (std::size_t r = 0; r < matrix.num_rows; ++r) {
    for (std::size_t c = matrix.num_columns; c < 64 * matrix.stride; ++c) {
      if (matrix.get(r, c)) return false;
    }
  }
  return true;
}

// Freivalds' check (1977): (a b) x against a (b x), over GF(2), for 64 random vectors at once, which are the
// bits of a word for every column. A product that is wrong anywhere passes with probability 2^-64.
inline bool is_binary_product(ConstBitView product, ConstBitView a, ConstBitView b, Random& random) {
  const auto times = [](ConstBitView matrix, const std::vector<std::uint64_t>& vectors) {
    std::vector<std::uint64_t> result(matrix.num_rows, 0);
    for (std::size_t r = 0; r < matrix.num_rows; ++r) {
      for (std::size_t w = 0; w < (matrix.num_columns + 63) / 64; ++w) {
        for (std::uint64_t bits = matrix.row(r)[w]; bits != 0; bits &= bits - 1)
          result[r] ^= vectors[64 * w + static_cast<std::size_t>(__builtin_ctzll(bits))];
      }
    }
    return result;
  };
  std::vector<std::uint64_t> vectors(b.num_columns);
  for (std::uint64_t& bits : vectors) bits = random();
  return times(product, vectors) == times(a, times(b, vectors));
}

}  // namespace matchcount::test
