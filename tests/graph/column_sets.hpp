#pragma once
// Counts perfect matchings in a way that shares no code with the library's: for lattices and other narrow graphs.

#include <bitset>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/numbers/integer.hpp"
#include "graph/bipartite_graph.hpp"

namespace matchcount {

// Counts row by row, the number of ways to have covered exactly a set of columns; a set that leaves out a column
// without later rows is dropped. Simple, and quick enough for lattices in reading order.
inline Integer count_by_column_sets(const BipartiteGraph& graph) {
  constexpr std::size_t max_columns = 128;
  if (graph.num_columns() > max_columns) throw std::invalid_argument("more than 128 columns");
  using Set = std::bitset<max_columns>;
  std::unordered_map<Set, Integer> ways{{Set{}, 1}};
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    Set finished;
    for (Vertex column = 0; column < graph.num_columns(); ++column) {
      finished[column] = graph.column(column).empty() || graph.column(column).back() <= row;
    }
    std::unordered_map<Set, Integer> next;
    for (const auto& [set, number] : ways) {
      for (const Vertex column : graph.row(row)) {
        Set with = set;
        with.set(column);
        if (!set[column] && (with & finished) == finished) next[with] += number;
      }
    }
    ways = std::move(next);
  }
  Integer sum = 0;
  for (const auto& [set, number] : ways) {
    if (set.count() == graph.num_columns()) sum += number;
  }
  return sum;
}

}  // namespace matchcount
