#include "apps/edge_names.hpp"

#include <algorithm>
#include <numeric>

#include "apps/text.hpp"
#include "core/error.hpp"

namespace matchcount::app {

std::vector<Edge> edges_in_file_order(const Input& input) {
  if (!input.is_bipartite()) return input.undirected.edges();
  std::vector<Vertex> rows, columns;
  for (Vertex v = 0; v < input.is_column.size(); ++v) (input.is_column[v] ? columns : rows).push_back(v);
  std::vector<Edge> edges = input.graph.edges();
  for (Edge& edge : edges) {
    const Vertex row = rows[edge.row], column = columns[edge.column];
    edge = {std::min(row, column), std::max(row, column)};
  }
  return edges;
}

std::vector<Vertex> vertices_in_file_order(const Input& input) {
  const Vertex rows = input.is_bipartite() ? input.graph.num_rows() : input.undirected.num_vertices();
  std::vector<Vertex> vertices;
  Vertex row = 0, column = rows;
  for (const bool is_column : input.is_column) vertices.push_back(is_column ? column++ : row++);
  if (!vertices.empty()) return vertices;
  vertices.resize(rows + (input.is_bipartite() ? input.graph.num_columns() : 0));
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  return vertices;
}

EdgeNames::EdgeNames(const Input& input, bool as_text)
    : edges_(input.kind == InputKind::undirected ? edges_in_file_order(input) : input.graph.edges()) {
  const auto named = [&](std::string name) { return as_text ? quoted_name(name) : std::move(name); };
  const bool one_set = input.kind == InputKind::undirected;
  for (const Vertex v : vertices_in_file_order(input))
    (one_set || v < input.graph.num_rows() ? rows_ : columns_).push_back(named(name_of(input, v)));
}

EdgesByName::EdgesByName(const Input& input) {
  const EdgeNames names(input, false);
  for (EdgeId edge = 0; edge < names.count(); ++edge) {
    const std::string &u = names.first(edge), &v = names.second(edge);
    edges_.emplace(u + "-" + v, edge);
    if (input.kind == InputKind::undirected && u + "-" + v != v + "-" + u) edges_.emplace(v + "-" + u, edge);
  }
}

EdgeId EdgesByName::find(const std::string& what, const std::string& ends) const {
  const auto found = edges_.count(ends);
  if (found != 1)
    throw InputError(what + ends + ", which is " + (found == 0 ? "no edge" : "more than one edge"),
                     "an edge of the graph by its ends, U-V");
  return edges_.find(ends)->second;
}

}  // namespace matchcount::app
