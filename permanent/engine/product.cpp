#include "permanent/engine/product.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include "core/numbers/infinity.hpp"
#include "graph/vertices.hpp"

namespace matchcount {
namespace {

// |ab - AB| <= |a| |b - B| + |b| |a - A| + |a - A| |b - B|, and a product's own rounding.
template <class V>
V bounded_product(const V& a, const V& b) {
  const double log2_a = log2_of(a), log2_b = log2_of(b);
  V result;
  result.value = a.value * b.value;
  result.log2_error = log2_sum(log2_sum(log2_a + b.log2_error, log2_b + a.log2_error),
                               log2_sum(a.log2_error + b.log2_error, log2_a + log2_b - 98));
  result.log2_magnitudes = a.log2_magnitudes + b.log2_magnitudes;
  return result;
}
void shift(ScaledReal& value, std::int64_t exponent) {
  if (!value.is_zero()) value.exponent += exponent;
}
void shift(ScaledComplex& value, std::int64_t exponent) {
  shift(value.re, exponent);
  shift(value.im, exponent);
}
template <class V>
void shift_all(V& value, std::int64_t exponent) {
  shift(value.value, exponent);
  value.log2_error += static_cast<double>(exponent);
  value.log2_magnitudes += static_cast<double>(exponent);
}

void count_as_lost(Integer&, double) {}
template <class V>
void count_as_lost(V& value, double log2_lost) {
  value.log2_error = log2_sum(value.log2_error, log2_lost);
}

// Holds what a reduction with so many merged vertices left.
template <class Entry>
struct Parts {
  const std::vector<Entry>& factors;
  Vertex degree2 = 0;
  std::vector<BlockValue<Entry>> blocks;
  const std::vector<EntryScaling>& block_scaling;
  const EntryScaling& scaling;  // before it
  bool exact = false;
  double entry_error = 0;
};

Integer combine(Parts<std::int64_t> parts) {
  for (const std::int64_t factor : parts.factors) parts.blocks.push_back(factor);
  return product_of(std::move(parts.blocks), Integer(1), [](const Integer& a, const Integer& b) { return a * b; });
}
template <class Entry>
BlockValue<Entry> combine(Parts<Entry> parts) {
  BlockValue<Entry> product = number_of(Entry{1.0, 1.0});
  for (const Entry& factor : parts.factors) product = times(product, number_of(factor));
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    count_as_lost(parts.blocks[i], parts.block_scaling[i].log2_lost);
    shift(parts.blocks[i], parts.block_scaling[i].exponent);
    product = times(product, parts.blocks[i]);
  }
  // The merges' own rounding (matching/reduce.hpp) and one of 2^-100 for every factor that the input gave.
  const double steps =
      parts.exact ? 0
                  : parts.degree2 * 0x1p-99 + static_cast<double>(parts.factors.size()) * 0x1p-100 + parts.entry_error;
  if (steps > 0) count_as_lost(product, std::log2(steps) + product.log2_magnitudes);
  count_as_lost(product, parts.scaling.log2_lost);
  shift(product, parts.scaling.exponent);
  return product;
}

// Returns log2 of the product of row sums or, in any graph, of the root of that of all vertices' sums.
template <class Graph, class Entry>
double log2_sums(const BlockOf<Graph, Entry>& block) {
  constexpr bool has_sides = std::is_same_v<Graph, BipartiteGraph>;
  double sums = 0;
  for (Vertex v = 0; v < (has_sides ? num_vertices(block.pattern) / 2 : num_vertices(block.pattern)); ++v) {
    double sum = 0;
    for_each_neighbour(block.pattern, v, [&](Vertex, EdgeId edge) { sum += block.entries[edge].magnitude; });
    sums += std::log2(sum) + 1e-9;
  }
  return has_sides ? sums : sums / 2;
}

bool are_equal(const Integer& a, const Integer& b) { return a == b; }
bool are_equal(const RealValue& a, const RealValue& b) {
  return (a.value + -b.value).log2_abs() <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}
bool are_equal(const ComplexValue& a, const ComplexValue& b) {
  const ScaledComplex difference{a.value.re + -b.value.re, a.value.im + -b.value.im};
  return log2_abs(difference) <= log2_sum(a.log2_error, b.log2_error) + 1e-6;
}

}  // namespace

Integer number_of(std::int64_t entry) { return entry; }
RealValue number_of(const RealEntry& entry) { return {entry.value, minus_infinity, std::log2(entry.magnitude) + 1e-9}; }
ComplexValue number_of(const ComplexEntry& entry) {
  return {{entry.value.re, entry.value.im}, minus_infinity, std::log2(entry.magnitude) + 1e-9};
}

void shift(Integer&, std::int64_t) {}
void shift(RealValue& value, std::int64_t exponent) { shift_all(value, exponent); }
void shift(ComplexValue& value, std::int64_t exponent) { shift_all(value, exponent); }

Integer times(const Integer& a, const Integer& b) { return a * b; }
RealValue times(const RealValue& a, const RealValue& b) { return bounded_product(a, b); }
ComplexValue times(const ComplexValue& a, const ComplexValue& b) { return bounded_product(a, b); }

template <class Entry>
Value product_of_blocks(const Structure<Entry>& structure, std::vector<Value> values) {
  std::vector<BlockValue<Entry>> blocks, rest;
  for (Value& value : values) {
    auto& part = blocks.size() < structure.reduced.blocks.size() ? blocks : rest;
    part.push_back(std::get<BlockValue<Entry>>(std::move(value)));
  }
  const bool is_bipartite = structure.plan.vertices == 0;
  auto total = combine(Parts<Entry>{structure.reduced.factors, structure.reduced.counts.degree2, std::move(blocks),
                                    structure.block_scaling, structure.scaling, structure.exact,
                                    is_bipartite ? structure.entry_error : 0});
  if (is_bipartite) return total;
  rest.push_back(std::move(total));
  std::vector<EntryScaling> scaling = structure.graph_block_scaling;
  scaling.emplace_back();
  return combine(Parts<Entry>{structure.rest.factors, structure.rest.counts.degree2, std::move(rest), scaling,
                              structure.graph_scaling, structure.exact, structure.entry_error});
}

template Value product_of_blocks(const Structure<std::int64_t>&, std::vector<Value>);
template Value product_of_blocks(const Structure<RealEntry>&, std::vector<Value>);
template Value product_of_blocks(const Structure<ComplexEntry>&, std::vector<Value>);

void undo_scaling(Value& value, const EntryScaling& scaling) {
  std::visit(
      [&](auto& v) {
        count_as_lost(v, scaling.log2_lost);
        shift(v, scaling.exponent);
      },
      value);
}

void bound_magnitudes(Value& value, const AnyBlock& block) {
  std::visit(
      [&]<class Graph, class Entry>(const BlockOf<Graph, Entry>* given) {
        if constexpr (!std::is_same_v<Entry, std::int64_t>) {
          double& magnitudes = std::get<BlockValue<Entry>>(value).log2_magnitudes;
          magnitudes = std::min(magnitudes, log2_sums(*given));
        }
      },
      block);
}

bool agree(const Value& a, const Value& b) {
  return std::visit([&](const auto& mine) { return are_equal(mine, std::get<std::decay_t<decltype(mine)>>(b)); }, a);
}

}  // namespace matchcount
