#include "permanent/residue_sum.hpp"

#include <cmath>
#include <limits>

#include "support/blocks.hpp"
#include "support/catch.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

test::Instance<std::int64_t> matrix(Vertex n, std::vector<std::int64_t> entries) {
  return {"", 0, n, n, std::move(entries)};
}

}  // namespace

TEST_CASE("the bound is never below the permanent of the magnitudes") {
  for (std::size_t n = 0; n <= 12; ++n) {
    for (const Family family : test::all_families) {
      for (const IntegerWeights weights : test::all_integer_weights) {
        auto instance = test::integer_instance(family, weights, n, 4711);
        INFO(to_string(instance));
        const double bound = log2_sum_bound(block_of(instance));
        for (std::int64_t& entry : instance.entries) entry = entry < 0 ? -entry : entry;
        const double truth = log2_abs(test::exact_permanent(instance));
        CAPTURE(bound, truth);
        REQUIRE(bound >= truth);
      }
    }
  }
}

TEST_CASE("Bregman's bound is met by all ones and by direct sums of them") {
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(4, std::vector<std::int64_t>(16, 1)))) - std::log2(24)) < 1e-9);
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(4, {1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1}))) - 2) < 1e-9);
  // The rows' largest entries stand before it: 3^2 2!.
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(2, {3, -3, 3, 3}))) - std::log2(18)) < 1e-9);
}

TEST_CASE("row or column sums are used where they are less") {
  // Columns: (1 + 1)(100 + 1); rows: (1 + 100)(1 + 1); Bregman: 100 * 1 * 2.
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(2, {1, 100, 1, 1}))) - std::log2(200)) < 1e-9);
  // Columns: 2 * 1001; rows: 1001 * 2; Bregman by rows 1000 * 2, by columns 1000 * 2.
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(3, {1000, 1, 1, 1, 1, 1, 1, 1, 1}))) - std::log2(6000)) < 1e-9);
  CHECK(std::fabs(log2_sum_bound(block_of(matrix(3, {1000, 1, 0, 1, 1000, 0, 0, 0, 7}))) -
                  std::log2(7.0 * 1001 * 1001)) < 1e-9);
}

TEST_CASE("an empty row or column makes the bound zero, no rows at all make it one") {
  CHECK(log2_sum_bound(block_of(matrix(2, {1, 1, 0, 0}))) == -std::numeric_limits<double>::infinity());
  CHECK(log2_sum_bound(block_of(matrix(2, {1, 0, 1, 0}))) == -std::numeric_limits<double>::infinity());
  CHECK(log2_sum_bound(block_of(matrix(0, {}))) == 0);
  CHECK(log2_sum_bound(block_of(matrix(2, {0, 1, 1, 0}))) == 0);
}
