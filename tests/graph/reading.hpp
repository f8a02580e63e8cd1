#pragma once
// Reads text as an input, and says what came of it.

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"

namespace matchcount::test::reading {

using NameList = std::vector<std::string>;
using NamedEdges = std::set<std::pair<std::string, std::string>>;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<DoubleDouble>;
using Complexes = std::vector<ComplexDoubleDouble>;

constexpr InputKind bipartite = InputKind::bipartite, undirected = InputKind::undirected,
                    directed = InputKind::directed, matrix = InputKind::matrix;

inline Input read(const std::string& text, InputKind kind = InputKind::bipartite, InputOptions options = {}) {
  options.kind = kind;
  options.of_perfect_matchings = true;
  return read_input_text(text, "test", options);
}

// Makes a question about this kind, where nobody gives one.
inline InputOptions usual(InputKind kind = InputKind::bipartite, InputOptions options = {}) {
  options.usual_kind = kind;
  options.of_perfect_matchings = true;
  return options;
}

inline Input read_usual(const std::string& text, InputKind kind = InputKind::bipartite, InputOptions options = {}) {
  return read_input_text(text, "test", usual(kind, std::move(options)));
}

// Requires a refusal at this line with these pieces of text in the two halves of the message.
inline void check_refused(const std::string& text, const InputOptions& options, std::uint64_t line,
                          const std::string& found, const std::vector<std::string>& expected) {
  INFO("the text: " << text.substr(0, 300));
  try {
    read_input_text(text, "test", options);
    FAIL("it was accepted");
  } catch (const InputError& error) {
    INFO("the message: " << error.what());
    CHECK(error.file() == "test");
    CHECK(error.line() == line);
    CHECK_THAT(error.found(), ContainsSubstring(found));
    for (const std::string& part : expected) CHECK_THAT(error.expected(), ContainsSubstring(part));
  }
}

template <class... Parts>
void check_refused(const std::string& text, const InputOptions& options, std::uint64_t line, const std::string& found,
                   const Parts&... expected) {
  check_refused(text, options, line, found, std::vector<std::string>{expected...});
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

// Returns the dense matrix, rows behind one another.
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
