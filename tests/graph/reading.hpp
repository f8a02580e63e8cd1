#pragma once
// Text read as an input, and what came of it.

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/input.hpp"
#include "support/catch.hpp"

namespace matchcount::test::reading {

using NameList = std::vector<std::string>;
using NamedEdges = std::set<std::pair<std::string, std::string>>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<DoubleDouble>;
using Complexes = std::vector<ComplexDoubleDouble>;

inline Input read(const std::string& text, InputKind kind = InputKind::bipartite, InputOptions options = {}) {
  options.kind = kind;
  return read_input_text(text, "test", options);
}

inline Input read_metis(const std::string& text, InputKind kind = InputKind::bipartite, InputOptions options = {}) {
  options.format = InputFormat::metis;
  return read(text, kind, options);
}

inline NameList row_names(const Input& input) {
  NameList names;
  for (Vertex row = 0; row < input.graph.num_rows(); ++row) names.push_back(input.row_label(row));
  return names;
}

inline NameList column_names(const Input& input) {
  NameList names;
  for (Vertex column = 0; column < input.graph.num_columns(); ++column) names.push_back(input.column_label(column));
  return names;
}

inline NamedEdges named_edges(const Input& input) {
  NamedEdges edges;
  for (const Edge& edge : input.graph.edges()) {
    edges.insert({input.row_label(edge.row), input.column_label(edge.column)});
  }
  REQUIRE(edges.size() == input.graph.num_edges());
  return edges;
}

// The dense matrix, rows behind one another.
template <class T>
std::vector<T> dense(const Input& input) {
  const BipartiteGraph& graph = input.graph;
  const auto& values = std::get<std::vector<T>>(graph.weights());
  std::vector<T> entries(std::size_t{graph.num_rows()} * graph.num_columns());
  const std::vector<Edge> edges = graph.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    entries[std::size_t{edges[i].row} * graph.num_columns() + edges[i].column] = values[i];
  }
  return entries;
}

inline const std::string banner = "%%MatrixMarket matrix ";

}  // namespace matchcount::test::reading
