#include "linear/bits/matrix.hpp"

#include <vector>

#include "core/error.hpp"
#include "core/run.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261122;
constexpr std::size_t edge_sizes[] = {0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1000};

}  // namespace

TEST_CASE("a new matrix is zero, rows begin at lines of 64 bytes and take whole strips") {
  for (const std::size_t n : edge_sizes) {
    const BitMatrix matrix(3, n);
    CHECK(matrix.num_rows() == 3);
    CHECK(matrix.num_columns() == n);
    CHECK(matrix.stride() == (n + 511) / 512 * 8);
    CHECK(BitMatrix::bytes(3, n) == 3.0 * 8 * static_cast<double>(matrix.stride()));
    for (std::size_t r = 0; r < 3 && n != 0; ++r) {
      CHECK(reinterpret_cast<std::uintptr_t>(matrix.row(r)) % 64 == 0);
      for (std::size_t w = 0; w < matrix.stride(); ++w) REQUIRE(matrix.row(r)[w] == 0);
    }
  }
}

TEST_CASE("a bit that is set is read back, and no other changes") {
  BitMatrix matrix(5, 600);
  matrix.set(2, 130, true);
  matrix.set(2, 131, true);
  matrix.set(2, 130, false);
  for (std::size_t r = 0; r < 5; ++r) {
    for (std::size_t c = 0; c < 600; ++c) REQUIRE(matrix.get(r, c) == (r == 2 && c == 131));
  }
}

TEST_CASE("a block is the matrix's own rows and columns") {
  Random random(seed, 1);
  BitMatrix matrix = random_bits(20, 1500, 0.5, random);
  const ConstBitView block = matrix.view().block(3, 7, 512, 988);
  CHECK(block.num_rows == 7);
  CHECK(block.num_columns == 988);
  for (std::size_t r = 0; r < 7; ++r) {
    for (std::size_t c = 0; c < 988; ++c) REQUIRE(block.get(r, c) == matrix.get(3 + r, 512 + c));
  }
  CHECK(BitMatrix(block) == block);
  matrix.set(3, 512, !matrix.get(3, 512));
  CHECK(block.get(0, 0) == matrix.get(3, 512));
}

TEST_CASE("matrices are equal where their sizes and bits are") {
  Random random(seed, 2);
  const BitMatrix matrix = random_bits(65, 129, 0.5, random);
  BitMatrix other(matrix);
  CHECK(matrix == other);
  other.set(64, 128, !other.get(64, 128));
  CHECK_FALSE(matrix == other);
  CHECK_FALSE(BitMatrix(2, 3) == BitMatrix(3, 2));
  CHECK_FALSE(BitMatrix(2, 3) == BitMatrix(2, 4));
}

TEST_CASE("transposing exchanges rows and columns, bit by bit") {
  Random random(seed, 3);
  for (const std::size_t rows : edge_sizes) {
    for (const std::size_t columns : {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{128}, rows}) {
      INFO(rows << " x " << columns << ", seed " << seed);
      const BitMatrix matrix = random_bits(rows, columns, 0.5, random);
      const BitMatrix result = transposed(matrix);
      REQUIRE(result.num_rows() == columns);
      REQUIRE(result.num_columns() == rows);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) REQUIRE(result.get(c, r) == matrix.get(r, c));
      }
      CHECK(test::is_padded_with_zeros(result));
      CHECK(transposed(result) == matrix);
    }
  }
}

TEST_CASE("a matrix transposed on several threads is that of one, and ends when it is cancelled") {
  Random random(seed, 4);
  const BitMatrix matrix = random_bits(5000, 4097, 0.5, random);
  RunOptions options{.num_threads = 1};
  const BitMatrix alone = transposed(matrix, RunContext(options));
  options.num_threads = 3;
  CHECK(transposed(matrix, RunContext(options)) == alone);
  options.stop = test::raised_stop();
  CHECK_THROWS_AS(transposed(matrix, RunContext(options)), Cancelled);
}

TEST_CASE("entries modulo 2 are those of the sparse matrix, signs apart") {
  const auto matrix = BipartiteGraph::from_edges(2, 3, {{0, 0}, {0, 2}, {1, 0}, {1, 1}},
                                                 std::vector<std::int64_t>{-3, 2, INT64_MIN, INT64_MAX});
  BitMatrix expected(2, 3);
  expected.set(0, 0, true);
  expected.set(1, 1, true);
  CHECK(BitMatrix::modulo_two(matrix) == expected);
  expected.set(0, 2, true);
  expected.set(1, 0, true);
  CHECK(BitMatrix::modulo_two(matrix.pattern()) == expected);
  CHECK_THROWS_AS(BitMatrix::modulo_two(BipartiteGraph::from_dense(1, 1, std::vector<double>{1})), InputError);
  CHECK_THROWS_AS(BitMatrix::modulo_two(matrix, RunContext({.time_limit_s = 1e-9})), OverLimit);
}
