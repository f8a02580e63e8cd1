#include "permanent/planar/cpu/bounded_matrix.hpp"

#include <cmath>
#include <vector>

#include "core/cpu/dispatch.hpp"
#include "core/random.hpp"
#include "core/run.hpp"
#include "support/catch.hpp"
#include "support/exact.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Bounded = BoundedMatrix<DoubleDouble>;

// Reads the bits of a number from the top. Differences of a number and its leading bits are exact, or this is none of
// its numbers.
template <std::size_t size>
Rational exact(WideReal<size> value) {
  Rational result;
  for (std::size_t i = 0; i < 64 * size && !value.is_zero(); ++i) {
    const double part = static_cast<double>(value);
    result += test::exact(part);
    value = value - WideReal<size>(part);
  }
  REQUIRE(value.is_zero());
  return result;
}

// Draws numbers of all signs and sizes, with few bits or many, near each other or not.
template <std::size_t size>
WideReal<size> random_number(Random& random) {
  WideReal<size> value = 0.0;
  const std::uint64_t parts = random.below(size + 3);
  for (std::uint64_t i = 0; i < parts; ++i) {
    const int exponent = static_cast<int>(random.below(3)) * 64 - static_cast<int>(i) * 53 - 1;
    value = value + WideReal<size>(std::ldexp(random.uniform() - 0.5, exponent));
  }
  if (random.below(4) == 0) value = value + WideReal<size>(1.0);
  return value;
}

template <std::size_t size>
void require_arithmetic(std::uint64_t seed) {
  Random random(seed);
  const Rational unit = test::exact(WideReal<size>::unit_roundoff());
  for (int round = 0; round < 1500; ++round) {
    const WideReal<size> a = random_number<size>(random);
    WideReal<size> b = random_number<size>(random);
    if (random.below(5) == 0) b = a + WideReal<size>(std::ldexp(1, -static_cast<int>(random.below(64 * size))));
    const Rational x = exact(a), y = exact(b);
    REQUIRE(within_relative(exact(a + b), x + y, unit));
    REQUIRE(within_relative(exact(a - b), x - y, unit));
    REQUIRE(within_relative(exact(a * b), x * y, unit));
    REQUIRE(within_relative(exact(-a), -x, Rational(0)));
    REQUIRE(within_relative(test::exact(static_cast<double>(a)), x, power_of_two(-52)));
    if (!b.is_zero()) REQUIRE(within_relative(exact(a / b), x / y, 16 * unit));
  }
}

}  // namespace

TEST_CASE("sums, products and quotients of wide reals err by no more than they say") {
  require_arithmetic<2>(1361);
  require_arithmetic<4>(1362);
  require_arithmetic<10>(1363);
}

TEST_CASE("wide reals take double-doubles as they are, and end at the doubles' ends") {
  const DoubleDouble third = DoubleDouble(1) / DoubleDouble(3);
  REQUIRE(exact(WideReal<4>(third)) == test::exact(third));
  REQUIRE(exact(WideReal<4>(DoubleDouble(-0x1p60, 0x1p-20))) == test::exact(DoubleDouble(-0x1p60, 0x1p-20)));
  const WideReal<4> large = WideReal<4>(0x1p1000) * WideReal<4>(0x1p1000);
  REQUIRE(std::isinf(static_cast<double>(large)));
  REQUIRE(static_cast<double>(large * (WideReal<4>(0x1p-1000) * WideReal<4>(0x1p-999))) == 2);
  REQUIRE(static_cast<double>(WideReal<4>(1.0) / large / large) == 0);
  REQUIRE_FALSE((WideReal<4>(1.0) / large / large).is_zero());
}

TEST_CASE("products of double-doubles and of bounds err by no more than they say, by every instruction set") {
  Random random(1351);
  for (int round = 0; round < 12; ++round) {
    const std::size_t rows = random.below(10), inner = random.below(50), columns = random.below(40);
    const auto matrix = [&](std::size_t height, std::size_t width) {
      Bounded result(height, width);
      for (std::size_t i = 0; i < result.error.size(); ++i) {
        const double value = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(40)));
        result.set(i, two_sum(value, value * (random.uniform() - 0.5) * 0x1p-53));
      }
      return result;
    };
    const Bounded a = matrix(rows, inner), b = matrix(inner, columns), c = matrix(rows, columns);
    const auto size_of_a = a.magnitudes(), size_of_b = b.magnitudes(), size_of_c = c.magnitudes();
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
      if (isa > detected_isa()) continue;
      Bounded result = c;
      subtract_product(kernels_for<ProductKernel>(isa), result, a, b);
      std::vector<double> bound = size_of_c;
      kernels_for<ProductKernel>(isa).add({bound.data(), columns}, {size_of_a.data(), inner},
                                          {size_of_b.data(), columns}, rows, inner, columns);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const std::size_t at = c.at(i, j);
          Rational truth = exact(c.value(at)), magnitudes = exact(size_of_c[at]);
          for (std::size_t k = 0; k < inner; ++k) {
            truth -= exact(a.value(a.at(i, k))) * exact(b.value(b.at(k, j)));
            magnitudes += exact(size_of_a[a.at(i, k)]) * exact(size_of_b[b.at(k, j)]);
          }
          REQUIRE(abs(exact(result.value(at)) - truth) <= exact(doubled_product_error(inner)) * magnitudes);
          REQUIRE(within_relative(exact(bound[at]), magnitudes, exact((static_cast<double>(inner) + 1) * 0x1p-52)));
        }
      }
    }
  }
}
