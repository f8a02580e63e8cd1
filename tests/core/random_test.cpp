#include "core/random.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace matchcount;
using Block4 = std::array<std::uint32_t, 4>;

static_assert(std::uniform_random_bit_generator<Random>);

TEST_CASE("Philox4x32-10 gives the known answers of its authors") {
  // kat_vectors of Random123.
  CHECK((philox4x32({0, 0, 0, 0}, {0, 0}) == Block4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK((philox4x32({ones, ones, ones, ones}, {ones, ones}) == Block4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK((philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
         Block4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST_CASE("a stream is the Philox blocks of its seed and number, low words first") {
  Random random(0x0123456789abcdef, 0xfedcba9876543210);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Block4 words = philox4x32({block, 0, 0x76543210, 0xfedcba98}, {0x89abcdef, 0x01234567});
    CHECK(random() == ((std::uint64_t{words[1]} << 32) | words[0]));
    CHECK(random() == ((std::uint64_t{words[3]} << 32) | words[2]));
  }
}

TEST_CASE("equal seeds and streams repeat, different ones differ") {
  const auto first = [](std::uint64_t seed, std::uint64_t stream) { return Random(seed, stream)(); };
  CHECK(first(1, 0) == first(1, 0));
  const std::set<std::uint64_t> values{first(1, 0), first(2, 0), first(1, 1), first(std::uint64_t{1} << 32, 0),
                                       first(1, std::uint64_t{1} << 32)};
  CHECK(values.size() == 5);
}

TEST_CASE("uniform stays in [0, 1) with the mean and variance of a uniform number") {
  Random random(3);
  constexpr int count = 100000;
  double sum = 0, squares = 0, least = 1, greatest = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform();
    sum += x;
    squares += x * x;
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  CHECK(least >= 0);
  CHECK(greatest < 1);
  // The standard error of the mean is sqrt(1/12 / count) = 0.0009, of the mean square sqrt(4/45 / count) = 0.00094:
  // five of each.
  CHECK(std::abs(sum / count - 0.5) < 0.0046);
  CHECK(std::abs(squares / count - 1.0 / 3) < 0.0047);
}

TEST_CASE("below stays below its bound and reaches every value alike") {
  Random random(4);
  CHECK(random.below(1) == 0);
  for (int i = 0; i < 1000; ++i) REQUIRE(random.below(~std::uint64_t{0}) < ~std::uint64_t{0});
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts.at(random.below(6));
  // The standard deviation of each count is sqrt(60000 * 5/36) = 91: five of it.
  for (const int count : counts) CHECK(std::abs(count - 10000) < 460);
}

TEST_CASE("the generator works with the standard's algorithms") {
  std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  Random random(5);
  std::shuffle(values.begin(), values.end(), random);
  CHECK_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  CHECK(values == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}
