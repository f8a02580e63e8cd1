#pragma once
// Draws small graphs for the tests of this folder, by seed, and finds slow answers about them
// that share no code with the library.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "graph/bipartite_graph.hpp"
#include "support/graphs.hpp"
#include "support/permutations.hpp"

namespace matchcount::test {

inline BipartiteGraph graph_of(Vertex num_rows, Vertex num_columns, std::vector<Edge> edges) {
  return BipartiteGraph::from_edges(num_rows, num_columns, std::move(edges));
}

inline std::string to_text(const BipartiteGraph& graph) {
  std::ostringstream out;
  out << graph.num_rows() << " x " << graph.num_columns() << ":";
  for (const Edge& edge : graph.edges()) out << " (" << edge.row << "," << edge.column << ")";
  return out.str();
}

// Draws every edge with the same probability, itself random; about one in four has all of a planted perfect matching.
inline BipartiteGraph random_small_graph(Random& random, Vertex max_size, bool square) {
  const auto num_rows = static_cast<Vertex>(random.below(max_size + 1));
  const auto num_columns = square ? num_rows : static_cast<Vertex>(random.below(max_size + 1));
  const double density = random.uniform() * (random.below(3) == 0 ? 1 : 0.5);
  const bool planted = random.below(4) == 0;
  return bipartite_where(num_rows, num_columns, [&](Vertex row, Vertex column) {
    return random.uniform() < density || (planted && column == num_rows - 1 - row);
  });
}

inline BipartiteGraph shuffled(const BipartiteGraph& graph, Random& random) {
  const auto rows = random_permutation<Vertex>(graph.num_rows(), random);
  const auto columns = random_permutation<Vertex>(graph.num_columns(), random);
  std::vector<Edge> edges = graph.edges();
  for (Edge& edge : edges) edge = {rows[edge.row], columns[edge.column]};
  return graph_of(graph.num_rows(), graph.num_columns(), std::move(edges));
}

// Row i joined to columns i and i - 1: one perfect matching. Closed, to a cycle of 2 * size vertices: two.
inline BipartiteGraph path_graph(Vertex size, bool closed = false) {
  std::vector<Edge> edges;
  for (Vertex i = 0; i < size; ++i) {
    edges.push_back({i, i});
    if (i > 0) edges.push_back({i, i - 1});
  }
  if (closed) edges.push_back({0, size - 1});
  return graph_of(size, size, std::move(edges));
}

// Finds the size of a maximum matching without the vertices of two sets, by the sets of columns that the rows so far
// can cover.
inline Vertex brute_force_matching_size(const BipartiteGraph& graph, std::uint32_t removed_columns = 0,
                                        std::uint32_t removed_rows = 0) {
  std::vector<bool> coverable(std::size_t{1} << graph.num_columns(), false);
  coverable[0] = true;
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    if ((removed_rows >> row & 1) != 0) continue;
    for (std::uint32_t set = static_cast<std::uint32_t>(coverable.size()); set-- > 0;) {  // larger sets are of this row
      for (const Vertex column : graph.row(row)) {
        if (coverable[set] && ((set | removed_columns) >> column & 1) == 0) coverable[set | 1u << column] = true;
      }
    }
  }
  int best = 0;
  for (std::uint32_t set = 0; set < coverable.size(); ++set) {
    if (coverable[set]) best = std::max(best, std::popcount(set));
  }
  return static_cast<Vertex>(best);
}

// A set of rows (or columns) with fewer neighbours than members exists: Hall's condition, by all subsets.
inline bool brute_force_violator_exists(const BipartiteGraph& graph, bool of_rows) {
  const Vertex size = of_rows ? graph.num_rows() : graph.num_columns();
  for (std::uint64_t set = 0; set >> size == 0; ++set) {
    std::uint64_t neighbours = 0;
    for (Vertex member = 0; member < size; ++member) {
      if ((set >> member & 1) == 0) continue;
      for (const Vertex other : of_rows ? graph.row(member) : graph.column(member)) {
        neighbours |= std::uint64_t{1} << other;
      }
    }
    if (std::popcount(neighbours) < std::popcount(set)) return true;
  }
  return false;
}

}  // namespace matchcount::test
