#include "permanent/as_held.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "core/entry_error.hpp"
#include "core/error.hpp"
#include "permanent/fixed_point.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

// More than two doubles can have.
constexpr int bits_of_all = 1 << 16;

// Turns sums over matchings of a block's integers into reals with their bounds.
class AsReal {
 public:
  template <class BlockOfReals>
  AsReal(const BlockOfReals& block, std::int64_t exponent) : exponent_(exponent) {
    pairs_ = size_of(&block) / (std::is_same_v<BlockOfReals, Block<RealEntry>> ? 1.0 : 2.0);
    are_values_ = std::ranges::all_of(
        block.entries, [](const RealEntry& entry) { return entry.magnitude <= entry.value.hi * (1 + 0x1p-40); });
    if (!are_values_) log2_bound_ = log2_sum_bound(block);
  }
  RealValue operator()(const Integer& value) const {
    ScaledReal real = nearest_real(value);
    if (!real.is_zero()) real.exponent -= exponent_;
    const double log2_magnitudes = are_values_ ? real.log2_abs() + pairs_ * 0x1p-38 : log2_bound_;
    return {real, log2_magnitudes + std::log2(entry_roundoff * (pairs_ + 2)) + 1e-9, log2_magnitudes};
  }

 private:
  std::int64_t exponent_;
  double pairs_ = 0, log2_bound_ = 0;
  bool are_values_ = true;  // none is below 0, nor less than its magnitude
};

}  // namespace

std::optional<EntriesAsHeld> entries_as_held(const AnyBlock& block) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> std::optional<EntriesAsHeld> {
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return EntriesAsHeld{{given->entries.begin(), given->entries.end()}, 0};
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

std::optional<WordsAsHeld> words_as_held(const AnyBlock& block) {
  const auto held = entries_as_held(block);
  if (!held) return std::nullopt;
  WordsAsHeld result{{}, held->exponent};
  std::vector<double> magnitudes;
  for (const Integer& entry : held->entries) {
    if (log2_abs(entry) > 62.5) return std::nullopt;
    result.entries.push_back(static_cast<std::int64_t>(entry));
    magnitudes.push_back(std::fabs(static_cast<double>(result.entries.back())) * (1 + 0x1p-52));
  }
  const BlockPattern pattern = pattern_of(block);
  result.log2_bound = std::max(0.0, pattern.bipartite ? log2_sum_bound(*pattern.bipartite, magnitudes)
                                                      : log2_sum_bound(*pattern.general, magnitudes));
  return result;
}

Value value_as_held(const Integer& value, std::int64_t exponent, const AnyBlock& block) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> Value {
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          return value;
        } else if constexpr (std::is_same_v<Entry, RealEntry>) {
          return AsReal(*given, exponent)(value);
        } else {
          throw Error("complex numbers taken for integers");
        }
      },
      block);
}

AnyMarginals marginals_as_held(BlockMarginals<Integer> sums, std::int64_t exponent, const AnyBlock& block) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) -> AnyMarginals {
        if constexpr (std::is_same_v<Entry, RealEntry>) {
          const AsReal as_real(*given, exponent);
          BlockMarginals<RealValue> result{as_real(sums.total), {}};
          for (const Integer& sum : sums.of_edge) result.of_edge.push_back(as_real(sum));
          return result;
        } else {
          return std::move(sums);
        }
      },
      block);
}

}  // namespace matchcount
