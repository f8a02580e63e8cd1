#pragma once
// Makes graphs, bipartite or not, and finds their hafnians by the oracle.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/random.hpp"
#include "graph/undirected_graph.hpp"
#include "support/oracles.hpp"
#include "support/permutations.hpp"

namespace matchcount::test {

// Joins the vertices u < v of whom `joined` says so, asked in lexicographic order.
template <class Joined>
UndirectedGraph graph_where(Vertex n, Joined&& joined) {
  std::vector<Edge> edges;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = u + 1; v < n; ++v) {
      if (joined(u, v)) edges.push_back({u, v});
    }
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}
// Joins rows and columns in the same way.
template <class Joined>
BipartiteGraph bipartite_where(Vertex rows, Vertex columns, Joined&& joined) {
  std::vector<Edge> edges;
  for (Vertex r = 0; r < rows; ++r) {
    for (Vertex c = 0; c < columns; ++c) {
      if (joined(r, c)) edges.push_back({r, c});
    }
  }
  return BipartiteGraph::from_edges(rows, columns, std::move(edges));
}

inline UndirectedGraph complete(Vertex n) {
  return graph_where(n, [](Vertex, Vertex) { return true; });
}

inline UndirectedGraph path(Vertex n) {
  return graph_where(n, [](Vertex u, Vertex v) { return v == u + 1; });
}

inline UndirectedGraph cycle(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) edges.push_back({v, (v + 1) % n});
  return UndirectedGraph::from_edges(n, std::move(edges));
}

// Makes a cycle and a hub joined to all of it: n - 1 perfect matchings for an even n, for the rest of the cycle is a
// path.
inline UndirectedGraph wheel(Vertex n) {
  std::vector<Edge> edges;
  for (Vertex v = 1; v < n; ++v) {
    edges.push_back({0, v});
    edges.push_back({v, v + 1 < n ? v + 1 : 1});
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

inline UndirectedGraph petersen() {
  std::vector<Edge> edges;
  for (Vertex v = 0; v < 5; ++v) {
    edges.push_back({v, (v + 1) % 5});
    edges.push_back({v, v + 5});
    edges.push_back({v + 5, (v + 2) % 5 + 5});
  }
  return UndirectedGraph::from_edges(10, std::move(edges));
}

// Rungs {i, n + i}; the last rung is joined to the first: straight (a prism) or crosswise (a Moebius ladder).
inline UndirectedGraph closed_ladder(Vertex n, bool crosswise) {
  std::vector<Edge> edges;
  for (Vertex i = 0; i < n; ++i) {
    edges.push_back({i, n + i});
    const bool last = i + 1 == n;
    for (const Vertex side : {0u, 1u}) {
      const Vertex to = last ? (crosswise ? 1 - side : side) * n : side * n + i + 1;
      edges.push_back({side * n + i, to});
    }
  }
  return UndirectedGraph::from_edges(2 * n, std::move(edges));
}

// Counts the perfect matchings of a closed ladder of n >= 3 rungs, by hand. Cut between the last rung and the first. No
// edge across: a ladder, F(n + 1). One edge across, out of the last rung's side s to the first rung's side t: the other
// end of the last rung must be matched to its predecessor, and so on: each step changes the side, so that n - 1 steps
// lead from side 1 - s of the last rung, by horizontal edges on alternate sides, to the first rung, whose free end must
// be 1 - t. Two edges across: what is left is a ladder of n - 2 rungs, F(n - 1), once.
inline Integer closed_ladder_count(Vertex n, bool crosswise) {
  const auto ladder = [](Vertex rungs) {
    Integer a = 1, b = 1;  // F(k), F(k + 1)
    for (Vertex i = 1; i < rungs; ++i) b = std::exchange(a, b) + b;
    return b;
  };
  Integer total = (n == 1 ? Integer(1) : ladder(n)) + (n == 2 ? Integer(1) : ladder(n - 2));
  const bool closes = crosswise ? n % 2 == 1 : n % 2 == 0;
  return closes ? total + 2 : total;
}

// n rows and columns; the diagonal, and each other edge with probability `density`.
inline BipartiteGraph random_bipartite(Vertex n, double density, Random& random) {
  return bipartite_where(n, n, [&](Vertex r, Vertex c) { return r == c || random.uniform() < density; });
}

inline UndirectedGraph random_graph(Vertex n, double density, Random& random) {
  return graph_where(n, [&](Vertex, Vertex) { return random.uniform() < density; });
}

// The same graph with its vertices renumbered at random.
inline UndirectedGraph shuffled(const UndirectedGraph& graph, Random& random) {
  return graph.induced(random_permutation<Vertex>(graph.num_vertices(), random));
}

inline UndirectedGraph with_integers(const UndirectedGraph& graph, std::int64_t least, std::uint64_t count,
                                     Random& random) {
  std::vector<std::int64_t> weights;
  while (weights.size() < graph.num_edges()) {
    const std::int64_t weight = least + static_cast<std::int64_t>(random.below(count));
    if (weight != 0) weights.push_back(weight);
  }
  return graph.with_weights(std::move(weights));
}

// Finds the hafnian of a graph without weights, or with integers.
inline Integer hafnian_by_oracle(const UndirectedGraph& graph) {
  const std::size_t n = graph.num_vertices();
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  std::vector<Integer> matrix(n * n, 0);
  for (std::size_t id = 0; id < graph.num_edges(); ++id) {
    const Edge edge = graph.edges()[id];
    matrix[edge.row * n + edge.column] = weights ? Integer((*weights)[id]) : Integer(1);
  }
  return reference::hafnian_by_expansion(matrix, n);
}

inline std::string to_string(const UndirectedGraph& graph) {
  std::string text = std::to_string(graph.num_vertices()) + " vertices:";
  const auto* weights = std::get_if<std::vector<std::int64_t>>(&graph.weights());
  for (std::size_t id = 0; id < graph.num_edges(); ++id) {
    text += " " + std::to_string(graph.edges()[id].row) + "-" + std::to_string(graph.edges()[id].column);
    if (weights) text += "*" + std::to_string((*weights)[id]);
  }
  return text;
}

}  // namespace matchcount::test
