#include "graph/weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.hpp"

namespace matchcount {

bool has_zero(const Weights& weights) {
  bool found = false;
  visit_values(weights, [&](const auto& values) {
    found = std::ranges::any_of(values, [](const auto& value) { return is_zero(value); });
  });
  return found;
}

Rational exactly(double value) {
  // It is an integer of 53 bits times a power of two.
  int exponent = 0;
  const Integer mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const Integer power = Integer(1) << static_cast<std::size_t>(std::abs(exponent));
  return exponent < 0 ? Rational(mantissa, power) : Rational(mantissa * power);
}

std::vector<bool> nonzeros(const Weights& weights) {
  std::vector<bool> result;
  visit_values(weights, [&](const auto& values) {
    result.reserve(values.size());
    for (const auto& value : values) result.push_back(!is_zero(value));
  });
  return result;
}

Weights gather(const Weights& weights, std::span<const EdgeId> ids) {
  Weights result;
  visit_values(weights, [&](const auto& values) {
    std::decay_t<decltype(values)> chosen;
    chosen.reserve(ids.size());
    for (const EdgeId id : ids) chosen.push_back(values[id]);
    result = std::move(chosen);
  });
  return result;
}

Weights choose(const std::vector<bool>& keep, std::vector<Edge>& edges, const Weights& weights) {
  if (keep.size() != edges.size()) {
    throw InputError(std::to_string(keep.size()) + " choices",
                     "one choice for each of " + std::to_string(edges.size()) + " edges");
  }
  std::vector<EdgeId> ids;
  for (EdgeId id = 0; id < keep.size(); ++id) {
    if (!keep[id]) continue;
    edges[ids.size()] = edges[id];
    ids.push_back(id);
  }
  edges.resize(ids.size());
  return gather(weights, ids);
}

void append_mirrored(std::vector<Edge>& edges, Weights& weights) {
  const std::size_t count = edges.size();
  const auto is_mirrored = [&](std::size_t i) { return edges[i].row != edges[i].column; };
  visit_values(weights, [&](auto& values) {
    values.reserve(2 * count);
    for (std::size_t i = 0; i < count; ++i)
      if (is_mirrored(i)) values.push_back(values[i]);
  });
  edges.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i)
    if (is_mirrored(i)) edges.push_back({edges[i].column, edges[i].row});
}

std::optional<Edge> asymmetric_edge(const BipartiteGraph& graph) {
  std::optional<Edge> found;
  for (Vertex v = 0; v < graph.num_rows() && !found; ++v) {
    const std::span<const Vertex> row = graph.row(v), column = graph.column(v);
    const auto [in_row, in_column] = std::mismatch(row.begin(), row.end(), column.begin(), column.end());
    if (in_row != row.end() && (in_column == column.end() || *in_row < *in_column)) return Edge{v, *in_row};
    if (in_column != column.end()) return Edge{*in_column, v};
    visit_values(graph.weights(), [&](const auto& values) {
      const std::span<const EdgeId> back = graph.column_edges(v);
      for (std::size_t i = 0; i < back.size() && !found; ++i)
        if (!(values[graph.row_begin(v) + i] == values[back[i]])) found = Edge{v, row[i]};
    });
  }
  return found;
}

}  // namespace matchcount
