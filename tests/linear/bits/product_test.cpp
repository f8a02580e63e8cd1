#include "linear/bits/product.hpp"

#include <tuple>

#include "core/error.hpp"
#include "linear/bits/cpu/bit_kernels.hpp"
#include "support/bits.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

using namespace matchcount;
using test::random_bits;

namespace {

constexpr std::uint64_t seed = 20261123;

RunContext run_with(Isa isa, int threads) { return RunContext({.num_threads = threads, .max_isa = isa}); }
const Isa all_isas[] = {Isa::baseline, Isa::avx2, Isa::avx512};

// Every entry, or every entry of `sample` rows.
void check_products(std::size_t m, std::size_t k, std::size_t n, double density, Random& random, Isa isa, int threads,
                    std::size_t sample = 0) {
  INFO(m << " x " << k << " x " << n << ", density " << density << ", " << to_string(isa) << ", " << threads
         << " threads, seed " << seed);
  const BitMatrix a = random_bits(m, k, density, random), b = random_bits(k, n, density, random);
  const RunContext run = run_with(isa, threads);
  const BitMatrix boolean = boolean_product(a, b, run), binary = binary_product(a, b, run);
  REQUIRE(boolean.num_rows() == m);
  REQUIRE(boolean.num_columns() == n);
  REQUIRE(binary.num_rows() == m);
  REQUIRE(binary.num_columns() == n);
  CHECK(test::is_padded_with_zeros(boolean));
  CHECK(test::is_padded_with_zeros(binary));
  for (std::size_t i = 0; i < (sample == 0 ? m : sample); ++i) {
    const std::size_t row = sample == 0 ? i : i + 1 == sample ? m - 1 : random.below(m);
    for (std::size_t column = 0; column < n; ++column) {
      const std::size_t terms = test::terms_of_entry(a, b, row, column);
      REQUIRE(boolean.get(row, column) == (terms != 0));
      REQUIRE(binary.get(row, column) == (terms % 2 == 1));
    }
  }
}

}  // namespace

TEST_CASE("both products agree with those bit by bit at sizes around words and strips") {
  Random random(seed, 1);
  for (const Isa isa : all_isas) {
    for (const std::size_t n : {0, 1, 2, 3, 63, 64, 65, 127, 128, 129}) {
      for (const double density : {0.05, 0.5}) check_products(n, n, n, density, random, isa, 1);
    }
  }
}

TEST_CASE("both products of rectangular matrices agree with those bit by bit") {
  Random random(seed, 2);
  const std::tuple<std::size_t, std::size_t, std::size_t> sizes[] = {{1, 1000, 1}, {1000, 1, 65},   {3, 64, 513},
                                                                     {0, 5, 7},    {5, 0, 7},       {5, 7, 0},
                                                                     {65, 513, 1}, {200, 129, 511}, {17, 600, 1025}};
  for (const auto& [m, k, n] : sizes) {
    for (const Isa isa : all_isas) check_products(m, k, n, 0.3, random, isa, 2);
  }
}

TEST_CASE("both products agree bit by bit with sampled rows where blocks of rows and threads share them") {
  Random random(seed, 3);
  check_products(1000, 1000, 1000, 1.0 / 64, random, Isa::avx512, 2, 20);
  check_products(4097, 4097, 4097, 1.0 / 128, random, Isa::avx512, 2, 2);
  check_products(4097, 300, 2049, 1.0 / 64, random, Isa::avx512, 3, 8);
}

TEST_CASE("a sum of all sixty-four rows of a word, and of each alone, comes from the tables of every instruction set") {
  Random random(seed, 4);
  const BitMatrix b = random_bits(64, 512, 0.5, random);
  BitMatrix a(66, 64);
  for (std::size_t i = 0; i < 64; ++i) a.set(i, i, true), a.set(64, i, true);
  for (const Isa isa : all_isas) {
    const BitMatrix binary = binary_product(a, b, run_with(isa, 1)), boolean = boolean_product(a, b, run_with(isa, 1));
    for (std::size_t c = 0; c < 512; ++c) {
      std::size_t ones = 0;
      for (std::size_t i = 0; i < 64; ++i) {
        REQUIRE(binary.get(i, c) == b.get(i, c));
        REQUIRE(boolean.get(i, c) == b.get(i, c));
        ones += b.get(i, c) ? 1 : 0;
      }
      REQUIRE(binary.get(64, c) == (ones % 2 == 1));
      REQUIRE(boolean.get(64, c) == (ones != 0));
      REQUIRE_FALSE(binary.get(65, c));
      REQUIRE_FALSE(boolean.get(65, c));
    }
  }
}

TEST_CASE("Strassen's product of matrices that do not divide evenly passes Freivalds' check and is that of blocks") {
  Random random(seed, 5);
  const std::size_t m = 16385, k = 16384 + 700, n = 16384 + 513;
  const BitMatrix a = random_bits(m, k, 0.5, random), b = random_bits(k, n, 0.5, random);
  const RunContext run = run_with(Isa::avx512, 2);
  BitMatrix product = binary_product(a, b, run);
  CHECK(test::is_binary_product(product, a, b, random));
  CHECK(test::is_padded_with_zeros(product));
  // A block of rows is too low for Strassen's method.
  const ConstBitView rows = ConstBitView(a).block(8000, 300, 0, k);
  CHECK(binary_product(rows, b, run) == ConstBitView(product).block(8000, 300, 0, n));
  product.set(m - 1, n - 1, !product.get(m - 1, n - 1));
  CHECK_FALSE(test::is_binary_product(product, a, b, random));
}

TEST_CASE("factors that do not fit are refused, and products past the memory limit before they begin") {
  CHECK_THROWS_AS(binary_product(BitMatrix(2, 3), BitMatrix(4, 2)), InputError);
  CHECK_THROWS_AS(boolean_product(BitMatrix(2, 3), BitMatrix(4, 2)), InputError);
  const RunOptions options{.memory_limit_bytes = 1 << 20};
  const BitMatrix wide(1, 8192), high(8192, 2048);
  CHECK_NOTHROW(boolean_product(wide, high, RunContext(options)));
  try {
    binary_product(high, BitMatrix(2048, 8192), RunContext(options));
    FAIL("nothing was refused");
  } catch (const OverLimit& error) {
    CHECK(error.is_forecast());
    CHECK(error.memory_bytes() == product_bytes(8192, 2048, 8192));
  }
}

TEST_CASE("a product ends when it is cancelled") {
  const RunOptions options{.stop = test::raised_stop()};
  const BitMatrix ones = BitMatrix::identity(100);
  CHECK_THROWS_AS(boolean_product(ones, ones, RunContext(options)), Cancelled);
  CHECK_THROWS_AS(binary_product(ones, ones, RunContext(options)), Cancelled);
}
