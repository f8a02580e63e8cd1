#pragma once
// Makes instances that cancel, and says how far an answer is from the truth; for the tests of inclusion-exclusion.

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/numbers/value.hpp"
#include "permanent/ryser/ryser.hpp"
#include "support/blocks.hpp"
#include "support/instances.hpp"
#include "support/truth.hpp"

namespace matchcount::test {

inline constexpr std::array all_ryser_variants{Method::staged, Method::skipper, Method::sparyser, Method::ryser};
inline constexpr std::array all_precisions{Precision::float64, Precision::compensated, Precision::double_double};

// Makes a direct sum of [a b; c -d], with all four near 1, and a full matrix. Row sums a - b and c + d, or a + b and c
// - d, are so small together that double arithmetic has 0 for the product at every leaf; what is left, b c - a d, is
// below the grid of the row sums. A bound that looks at computed magnitudes alone calls that exact.
inline Instance<DoubleDouble> cancelling_instance(std::size_t n, std::uint64_t seed) {
  Random random(seed, 4'000'000 + n);
  const auto size = static_cast<Vertex>(n);
  Instance<DoubleDouble> instance{"cancelling/n=" + std::to_string(n), seed, size, size, {}};
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::size_t row = i / n, column = i % n;
    DoubleDouble entry(0);
    if (row < 2 && column < 2)
      entry = two_sum(1, (random.uniform() - 0.5) * 0x1p-56);
    else if (row >= 2 && column >= 2)
      entry = random.uniform() - 0.5;
    instance.entries.push_back(row == 1 && column == 1 ? -entry : entry);
  }
  return instance;
}
inline Instance<ComplexDoubleDouble> complex_of(const Instance<DoubleDouble>& real) {
  Instance<ComplexDoubleDouble> instance{real.name + "/complex", real.seed, real.rows, real.columns, {}};
  for (const DoubleDouble& entry : real.entries) instance.entries.push_back({entry, DoubleDouble(0)});
  return instance;
}

// Returns log2 of the distance from the truth, at most half a bit more for complex numbers.
inline double log2_distance(const RealValue& value, const Dyadic& truth) {
  return log2_abs(dyadic(value.value) - truth);
}
inline double log2_distance(const ComplexValue& value, const ComplexDyadic& truth) {
  return std::max(log2_abs(dyadic(value.value.re) - truth.re), log2_abs(dyadic(value.value.im) - truth.im));
}

}  // namespace matchcount::test
