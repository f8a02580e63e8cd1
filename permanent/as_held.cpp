#include "permanent/as_held.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "permanent/bound.hpp"
#include "permanent/planar/fixed_point.hpp"

namespace matchcount {
namespace {

// More than two doubles can have.
constexpr int bits_of_all = 1 << 16;

template <class BlockOfReals>
RealValue as_real(const Integer& value, std::int64_t exponent, const BlockOfReals& block) {
  constexpr bool is_bipartite = std::is_same_v<BlockOfReals, Block<RealEntry>>;
  const double pairs = size_of(&block) / (is_bipartite ? 1.0 : 2.0);
  ScaledReal real = nearest_real(value);
  if (!real.is_zero()) real.exponent -= exponent;
  std::vector<double> magnitudes;
  bool are_values = true;
  for (const RealEntry& entry : block.entries) {
    magnitudes.push_back(entry.magnitude);
    are_values = are_values && entry.magnitude <= entry.value.hi * (1 + 0x1p-40);
  }
  double log2_magnitudes = std::numeric_limits<double>::infinity();
  if (are_values) {
    log2_magnitudes = real.log2_abs() + pairs * 0x1p-38;
  } else if constexpr (is_bipartite) {
    log2_magnitudes = log2_permanent_bound(block.pattern, magnitudes);
  } else {
    log2_magnitudes = log2_hafnian_bound(block.pattern, magnitudes);
  }
  return {real, log2_magnitudes + std::log2(entry_roundoff * (pairs + 2)) + 1e-9, log2_magnitudes};
}

}  // namespace

std::optional<EntriesAsHeld> entries_as_held(const AnyBlock& block) {
  return std::visit(
      [&](const auto* given) -> std::optional<EntriesAsHeld> {
        const auto& entries = given->entries;
        using Entry = typename std::decay_t<decltype(entries)>::value_type;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return EntriesAsHeld{{entries.begin(), entries.end()}, 0};
        } else if constexpr (std::is_same_v<Entry, RealEntry>) {
          const auto& graph = as_graph(*given);
          FixedPoint integers = fixed_point(graph.pattern, graph.entries, bits_of_all);
          EntriesAsHeld held{{}, integers.exponent};
          for (GaussianInteger& entry : integers.entries) held.entries.push_back(std::move(entry.re));
          return held;
        } else {
          return std::nullopt;
        }
      },
      block);
}

Value value_as_held(const Integer& value, std::int64_t exponent, const AnyBlock& block) {
  return std::visit(
      [&](const auto* given) -> Value {
        using Entry = typename std::decay_t<decltype(given->entries)>::value_type;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return value;
        } else if constexpr (std::is_same_v<Entry, RealEntry>) {
          return as_real(value, exponent, *given);
        } else {
          throw Error("complex numbers taken for integers");
        }
      },
      block);
}

AnyMarginals marginals_as_held(BlockMarginals<Integer> sums, std::int64_t exponent, const AnyBlock& block) {
  if (has_integers(block)) return sums;
  const auto real = [&](const Integer& sum) { return std::get<RealValue>(value_as_held(sum, exponent, block)); };
  BlockMarginals<RealValue> result{real(sums.total), {}};
  for (const Integer& sum : sums.of_edge) result.of_edge.push_back(real(sum));
  return result;
}

}  // namespace matchcount
