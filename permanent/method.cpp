#include "permanent/method.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>

#include "core/amounts.hpp"
#include "permanent/residue_sum.hpp"

namespace matchcount {
namespace {

BlockPattern pattern_of(const BipartiteGraph& pattern) { return {&pattern, nullptr}; }
BlockPattern pattern_of(const UndirectedGraph& pattern) { return {nullptr, &pattern}; }

}  // namespace

BlockPattern pattern_of(const AnyBlock& block) {
  return std::visit([](const auto* given) { return pattern_of(given->pattern); }, block);
}

Vertex size_of(const AnyBlock& block) {
  const BlockPattern pattern = pattern_of(block);
  return pattern.bipartite ? pattern.bipartite->num_rows() : pattern.general->num_vertices();
}

bool has_integers(const AnyBlock& block) {
  return std::holds_alternative<const Block<std::int64_t>*>(block) ||
         std::holds_alternative<const GraphBlock<std::int64_t>*>(block);
}

NumberType number_type(const AnyBlock& block, Precision precision) {
  return std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        NumberType number;
        if constexpr (std::is_same_v<Entry, std::int64_t>) {
          number.log2_bound = std::max(0.0, log2_sum_bound(*given));
          number.nonnegative = std::ranges::all_of(given->entries, [](std::int64_t entry) { return entry >= 0; });
        } else {
          number.kind = std::is_same_v<Entry, RealEntry> ? WeightKind::real : WeightKind::complex;
          number.exact = precision == Precision::exact;
          number.precision = number.exact ? Precision::double_double : precision;
          number.nonnegative = false;
          if constexpr (std::is_same_v<Entry, RealEntry>) {
            number.nonnegative = std::ranges::all_of(given->entries, [](const Entry& e) { return e.value.hi >= 0; });
          }
        }
        return number;
      },
      block);
}

std::string on_gpus(const Machine& machine) {
  const std::size_t count = machine.gpus.size();
  return "on " + (machine.num_ranks > 1 ? std::to_string(machine.num_ranks) + " ranks of " : "") +
         std::to_string(count) + " GPU" + (count > 1 ? "s" : "") + ", ";
}

std::string per_sample(double seconds) { return time_amount(seconds) + " for each sample"; }

std::string two_to(double log2_value) {
  char text[400];
  std::snprintf(text, sizeof text, "2^%.1f", log2_value);
  return text;
}

}  // namespace matchcount
