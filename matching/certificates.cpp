// Checkers. They share no code with the search for what they check, and trust none of its claims.

#include <algorithm>
#include <cstddef>

#include "matching/gallai_edmonds.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"

namespace matchcount {
namespace {

bool ascends_below(const std::vector<Vertex>& vertices, std::size_t limit) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i] >= limit || (i > 0 && vertices[i] <= vertices[i - 1])) return false;
  }
  return true;
}

// Checks a set of vertices, and that so many components without it have an odd number of vertices.
bool leaves_odd_components(const UndirectedGraph& graph, const TutteSet& set) {
  if (!ascends_below(set.removed, graph.num_vertices())) return false;
  std::vector<bool> seen(graph.num_vertices(), false);
  for (const Vertex v : set.removed) seen[v] = true;
  std::size_t odd_components = 0;
  std::vector<Vertex> stack;
  for (Vertex start = 0; start < graph.num_vertices(); ++start) {
    if (seen[start]) continue;
    std::size_t size = 0;
    seen[start] = true;
    stack.push_back(start);
    while (!stack.empty()) {
      const Vertex v = stack.back();
      stack.pop_back();
      ++size;
      for (const Vertex u : graph.neighbours(v)) {
        if (seen[u]) continue;
        seen[u] = true;
        stack.push_back(u);
      }
    }
    odd_components += size % 2;
  }
  return odd_components == set.odd_components;
}

}  // namespace

bool is_matching(const BipartiteGraph& graph, const Matching& matching) {
  const auto& column_of_row = matching.column_of_row;
  const auto& row_of_column = matching.row_of_column;
  if (column_of_row.size() != graph.num_rows() || row_of_column.size() != graph.num_columns()) return false;
  std::size_t matched_rows = 0;
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const Vertex column = column_of_row[row];
    if (column == unmatched) continue;
    if (column >= graph.num_columns() || row_of_column[column] != row) return false;
    const auto columns = graph.row(row);
    if (!std::binary_search(columns.begin(), columns.end(), column)) return false;
    ++matched_rows;
  }
  std::size_t matched_columns = 0;
  for (const Vertex row : row_of_column) matched_columns += row != unmatched;
  return matched_rows == matching.size && matched_columns == matching.size;
}

bool is_hall_violator(const BipartiteGraph& graph, const HallViolator& violator) {
  const Vertex num_members = violator.of_rows ? graph.num_rows() : graph.num_columns();
  const Vertex num_neighbours = violator.of_rows ? graph.num_columns() : graph.num_rows();
  if (!ascends_below(violator.members, num_members) || !ascends_below(violator.neighbours, num_neighbours))
    return false;
  if (violator.neighbours.size() >= violator.members.size()) return false;
  std::vector<bool> is_neighbour(num_neighbours, false);
  for (const Vertex member : violator.members) {
    for (const Vertex other : violator.of_rows ? graph.row(member) : graph.column(member)) is_neighbour[other] = true;
  }
  std::vector<Vertex> neighbours;
  for (Vertex other = 0; other < num_neighbours; ++other) {
    if (is_neighbour[other]) neighbours.push_back(other);
  }
  return neighbours == violator.neighbours;
}

bool is_matching(const UndirectedGraph& graph, const GraphMatching& matching) {
  if (matching.partner.size() != graph.num_vertices()) return false;
  std::size_t matched = 0;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const Vertex other = matching.partner[v];
    if (other == unmatched) continue;
    if (other >= graph.num_vertices() || matching.partner[other] != v) return false;
    const auto neighbours = graph.neighbours(v);
    if (!std::binary_search(neighbours.begin(), neighbours.end(), other)) return false;
    ++matched;
  }
  return matched == 2 * std::size_t{matching.size};
}

bool is_tutte_set(const UndirectedGraph& graph, const TutteSet& set) {
  return set.odd_components > set.removed.size() && leaves_odd_components(graph, set);
}

bool is_maximum(const UndirectedGraph& graph, const GraphMatching& matching, const TutteSet& barrier) {
  if (!is_matching(graph, matching) || !leaves_odd_components(graph, barrier)) return false;
  const std::size_t left_out = graph.num_vertices() - 2 * std::size_t{matching.size};
  return barrier.odd_components == barrier.removed.size() + left_out;
}

}  // namespace matchcount
