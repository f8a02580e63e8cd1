#include "graph/boost_adapter.hpp"

#include <algorithm>

#include "graph/two_colouring.hpp"
#include "graph/vertices.hpp"
#include "graph/weights.hpp"

namespace matchcount::boost_adapter {

namespace {

std::vector<bool> colour_in_two(Vertex num_vertices, const std::vector<Edge>& edges) {
  for (const Edge& edge : edges) {
    if (edge.row == edge.column) {
      throw InputError("a self-loop at vertex " + std::to_string(edge.row) + " (counted from 0)",
                       "a bipartite graph, which has no odd cycle");
    }
  }
  TwoColouring colouring = two_colour(num_vertices, edges);
  if (colouring.odd_cycle.empty()) return std::move(colouring.is_column);
  constexpr std::size_t most_named = 100;
  const std::vector<Vertex>& cycle = colouring.odd_cycle;
  std::string found = "an odd cycle of " + std::to_string(cycle.size()) + " vertices (counted from 0): ";
  for (std::size_t i = 0; i < std::min(cycle.size(), most_named); ++i) found += std::to_string(cycle[i]) + " - ";
  found += cycle.size() > most_named ? "..." : std::to_string(cycle[0]);
  throw InputError(found, "a bipartite graph, which has no odd cycle");
}

}  // namespace

Split split(Vertex num_vertices, std::optional<std::vector<bool>> told, std::vector<Edge> edges, Weights weights,
            Duplicates duplicates) {
  const std::vector<bool> is_column = told ? *std::move(told) : colour_in_two(num_vertices, edges);
  Split parts;
  std::vector<Vertex> place(is_column.size());
  for (std::size_t v = 0; v < is_column.size(); ++v) {
    place[v] = appended(is_column[v] ? parts.columns : parts.rows, static_cast<Vertex>(v));
  }
  for (Edge& edge : edges) {
    if (is_column[edge.row] == is_column[edge.column]) {
      throw InputError("an edge between the vertices " + std::to_string(edge.row) + " and " +
                           std::to_string(edge.column) + " (counted from 0), both " +
                           (is_column[edge.row] ? "columns" : "rows"),
                       "edges between a row and a column");
    }
    if (is_column[edge.row]) std::swap(edge.row, edge.column);
    edge = {place[edge.row], place[edge.column]};
  }
  parts.graph =
      BipartiteGraph::from_edges(static_cast<Vertex>(parts.rows.size()), static_cast<Vertex>(parts.columns.size()),
                                 std::move(edges), std::move(weights), duplicates);
  return parts;
}

void add_opposites(std::vector<Edge>& edges, Weights& weights) { append_mirrored(edges, weights); }

}  // namespace matchcount::boost_adapter
