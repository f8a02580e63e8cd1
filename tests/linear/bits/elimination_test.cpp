#include "linear/bits/elimination.hpp"

#include <bitset>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "linear/bits/product.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/permutations.hpp"

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261124;

// Finds the rank by the book, of at most 1100 columns.
std::size_t rank_by_oracle(ConstBitView matrix) {
  std::vector<std::bitset<1100>> rows(matrix.num_rows);
  for (std::size_t r = 0; r < matrix.num_rows; ++r) {
    for (std::size_t c = 0; c < matrix.num_columns; ++c) rows[r][c] = matrix.get(r, c);
  }
  std::size_t rank = 0;
  for (std::size_t c = 0; c < matrix.num_columns; ++c) {
    std::size_t found = rank;
    while (found < rows.size() && !rows[found][c]) ++found;
    if (found == rows.size()) continue;
    std::swap(rows[found], rows[rank]);
    for (std::size_t r = rank + 1; r < rows.size(); ++r) {
      if (rows[r][c]) rows[r] ^= rows[rank];
    }
    ++rank;
  }
  return rank;
}

// Returns a matrix that is certain to have that rank: the first `rank` rows and columns are those of a unit triangular
// matrix, the others sums of them, and all are shuffled.
BitMatrix of_rank(std::size_t rows, std::size_t columns, std::size_t rank, Random& random) {
  BitMatrix left = random_bits(rows, rank, 0.5, random), right = random_bits(rank, columns, 0.5, random);
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = i; j < rank; ++j) left.set(i, j, i == j), right.set(j, i, i == j);
  }
  const BitMatrix product = binary_product(left, right);
  BitMatrix shuffled(rows, columns);
  const auto row_order = test::random_permutation(rows, random),
             column_order = test::random_permutation(columns, random);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) shuffled.set(r, c, product.get(row_order[r], column_order[c]));
  }
  return shuffled;
}

RunContext on_threads(int threads) { return RunContext({.num_threads = threads}); }

}  // namespace

TEST_CASE("rank and determinant of random matrices agree with elimination by the book, dense and sparse") {
  Random random(seed, 1);
  for (const std::size_t n : {0, 1, 2, 3, 4, 31, 63, 64, 65, 127, 128, 129, 330}) {
    for (const double density : {0.5, 3.0 / static_cast<double>(n + 3)}) {
      for (int repeat = 0; repeat < (n < 70 ? 8 : 1); ++repeat) {
        INFO("n = " << n << ", density " << density << ", seed " << seed);
        const BitMatrix matrix = random_bits(n, n, density, random);
        const std::size_t rank = rank_by_oracle(matrix);
        CHECK(binary_rank(matrix) == rank);
        CHECK(binary_rank(transposed(matrix)) == rank);
        CHECK(binary_determinant(matrix) == (rank == n));
        CHECK(binary_inverse(matrix).has_value() == (rank == n));
      }
    }
  }
}

TEST_CASE("the rank of rectangular matrices agrees with elimination by the book") {
  Random random(seed, 2);
  const std::pair<std::size_t, std::size_t> sizes[] = {{1, 700},  {700, 1},  {65, 1030}, {530, 514},
                                                       {520, 63}, {63, 520}, {0, 5},     {5, 0}};
  for (const auto& [rows, columns] : sizes) {
    for (const double density : {0.5, 0.01}) {
      INFO(rows << " x " << columns << ", density " << density << ", seed " << seed);
      const BitMatrix matrix = random_bits(rows, columns, density, random);
      CHECK(binary_rank(matrix) == rank_by_oracle(matrix));
    }
  }
}

TEST_CASE("a matrix that was made of some rank has it, whatever the number of threads") {
  Random random(seed, 3);
  for (const auto& [n, rank] :
       {std::pair<std::size_t, std::size_t>{100, 1}, {700, 0}, {700, 699}, {1100, 700}, {2100, 1537}, {2100, 2100}}) {
    INFO("n = " << n << ", rank " << rank << ", seed " << seed);
    const BitMatrix matrix = of_rank(n, n, rank, random);
    CHECK(binary_rank(matrix, on_threads(1)) == rank);
    CHECK(binary_rank(matrix, on_threads(3)) == rank);
    CHECK(binary_determinant(matrix, on_threads(2)) == (rank == n));
  }
  CHECK(binary_rank(of_rank(1500, 2600, 1200, random)) == 1200);
  CHECK(binary_rank(of_rank(2600, 1500, 1200, random)) == 1200);
}

TEST_CASE("columns of zeros and columns that repeat others are passed over") {
  Random random(seed, 4);
  BitMatrix matrix = of_rank(1600, 1600, 1600, random);
  std::size_t rank = 1600;
  // A word, a strip, and columns here and there.
  for (std::size_t c = 0; c < 1600; ++c) {
    const bool cleared = (c >= 64 && c < 128) || (c >= 512 && c < 1024) || c % 97 == 5;
    if (!cleared) continue;
    for (std::size_t r = 0; r < 1600; ++r) matrix.set(r, c, c % 2 == 1 && matrix.get(r, 1200));
    --rank;
  }
  CHECK(binary_rank(matrix) == rank);
  CHECK_FALSE(binary_determinant(matrix));
  CHECK_FALSE(binary_inverse(matrix).has_value());
}

TEST_CASE("a matrix times its inverse is the unit matrix, from either side") {
  Random random(seed, 5);
  for (const std::size_t n : {1, 2, 63, 64, 65, 129, 512, 513, 1100, 2049}) {
    INFO("n = " << n << ", seed " << seed);
    const BitMatrix matrix = of_rank(n, n, n, random);
    const auto inverse = binary_inverse(matrix, on_threads(2));
    REQUIRE(inverse.has_value());
    CHECK(test::is_padded_with_zeros(*inverse));
    CHECK(test::is_binary_product(BitMatrix::identity(n), matrix, *inverse, random));
    CHECK(test::is_binary_product(BitMatrix::identity(n), *inverse, matrix, random));
  }
  const auto none = binary_inverse(BitMatrix(0, 0));
  REQUIRE(none.has_value());
  CHECK(none->num_rows() == 0);
}

TEST_CASE("matrices that are not square have no determinant and no inverse") {
  CHECK_THROWS_AS(binary_determinant(BitMatrix(2, 3)), InputError);
  CHECK_THROWS_AS(binary_inverse(BitMatrix(3, 2)), InputError);
}

TEST_CASE("elimination past the memory limit is refused with the size that would fit, and ends when it is cancelled") {
  const RunOptions options{.memory_limit_bytes = 1 << 20};
  try {
    binary_determinant(BitMatrix(4096, 4096), RunContext(options));
    FAIL("nothing was refused");
  } catch (const OverLimit& error) {
    CHECK(error.is_forecast());
    CHECK(error.memory_bytes() > 4e6);
    // 1 MiB: 2 * 8 bytes for every 64 columns of a whole strip, and 72 bytes a row.
    CHECK_THAT(error.what(), ContainsSubstring("1795 rows would fit"));
    CHECK_NOTHROW(binary_determinant(BitMatrix(1795, 1795), RunContext(options)));
  }
  const RunOptions stopped{.stop = test::raised_stop()};
  CHECK_THROWS_AS(binary_rank(BitMatrix::identity(700), RunContext(stopped)), Cancelled);
  CHECK_THROWS_AS(binary_inverse(BitMatrix::identity(70), RunContext(stopped)), Cancelled);
}
