#pragma once
// Makes planar graphs with known or slowly countable perfect matchings.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/numbers/integer.hpp"
#include "core/random.hpp"
#include "graph/undirected_graph.hpp"
#include "support/permutations.hpp"

namespace matchcount::test {

inline std::vector<std::int64_t> unit_weights(const UndirectedGraph& graph) {
  return std::vector<std::int64_t>(graph.num_edges(), 1);
}

// Hexagons of a honeycomb drawn as a wall of bricks: the hexagon at (x, y), x + y even, has the corners (x..x+2, y) and
// (x..x+2, y+1); its neighbours are at (x+2, y) and (x+-1, y+1).
inline UndirectedGraph benzenoid(const std::vector<std::pair<int, int>>& hexagons) {
  std::map<std::pair<int, int>, Vertex> number;
  std::set<Edge> edges;
  const auto vertex = [&](int x, int y) {
    return number.try_emplace({x, y}, static_cast<Vertex>(number.size())).first->second;
  };
  const auto join = [&](Vertex a, Vertex b) { edges.insert({std::min(a, b), std::max(a, b)}); };
  for (const auto& [x, y] : hexagons) {
    for (const int line : {y, y + 1}) {
      join(vertex(x, line), vertex(x + 1, line));
      join(vertex(x + 1, line), vertex(x + 2, line));
    }
    join(vertex(x, y), vertex(x, y + 1));
    join(vertex(x + 2, y), vertex(x + 2, y + 1));
  }
  return UndirectedGraph::from_edges(static_cast<Vertex>(number.size()), {edges.begin(), edges.end()});
}

inline std::vector<std::pair<Vertex, Vertex>> icosahedron_edges() {
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex i = 0; i < 5; ++i) {
    const Vertex upper = 1 + i, next_upper = 1 + (i + 1) % 5, lower = 6 + i, next_lower = 6 + (i + 1) % 5;
    edges.insert(
        edges.end(),
        {{0, upper}, {upper, next_upper}, {upper, lower}, {upper, next_lower}, {lower, next_lower}, {lower, 11}});
  }
  return edges;
}
// One vertex for each arc of the icosahedron: C60.
inline UndirectedGraph buckminsterfullerene() {
  std::set<std::pair<Vertex, Vertex>> arcs;
  for (const auto& [u, v] : icosahedron_edges()) arcs.insert({{u, v}, {v, u}});
  std::map<std::pair<Vertex, Vertex>, Vertex> number;
  for (const auto& arc : arcs) number.emplace(arc, static_cast<Vertex>(number.size()));
  std::vector<Edge> edges;
  for (const auto& [arc, a] : number) {
    const auto& [u, v] = arc;
    for (const auto& [other, b] : number) {
      const auto& [s, t] = other;
      if (a < b && ((s == v && t == u) || (s == u && arcs.count({v, t}) > 0))) edges.push_back({a, b});
    }
  }
  return UndirectedGraph::from_edges(60, edges);
}
// One vertex for each triangle of the icosahedron: C20.
inline UndirectedGraph dodecahedron() {
  std::set<std::pair<Vertex, Vertex>> arcs;
  for (const auto& [u, v] : icosahedron_edges()) arcs.insert({{u, v}, {v, u}});
  std::vector<std::array<Vertex, 3>> triangles;
  for (Vertex a = 0; a < 12; ++a) {
    for (Vertex b = a + 1; b < 12; ++b) {
      for (Vertex c = b + 1; c < 12; ++c) {
        if (arcs.count({a, b}) && arcs.count({b, c}) && arcs.count({a, c})) triangles.push_back({a, b, c});
      }
    }
  }
  std::vector<Edge> edges;
  for (Vertex i = 0; i < triangles.size(); ++i) {
    for (Vertex j = i + 1; j < triangles.size(); ++j) {
      int shared = 0;
      for (const Vertex v : triangles[i])
        shared += static_cast<int>(std::count(triangles[j].begin(), triangles[j].end(), v));
      if (shared == 2) edges.push_back({i, j});
    }
  }
  return UndirectedGraph::from_edges(static_cast<Vertex>(triangles.size()), edges);
}

// Makes height x width vertices, neighbours joined, and of each square a diagonal.
inline UndirectedGraph triangular_grid(Vertex height, Vertex width) {
  std::vector<Edge> edges;
  for (Vertex i = 0; i < height; ++i) {
    for (Vertex j = 0; j < width; ++j) {
      const Vertex v = i * width + j;
      if (j + 1 < width) edges.push_back({v, v + 1});
      if (i + 1 < height) edges.push_back({v, v + width});
      if (i + 1 < height && j + 1 < width) edges.push_back({v, v + width + 1});
    }
  }
  return UndirectedGraph::from_edges(height * width, edges);
}

// Draws a random planar graph: vertices put one after the other into a random triangle, then edges taken away and names
// shuffled, so that there are holes, bridges, cut vertices, several components and isolated vertices.
inline UndirectedGraph random_planar(Vertex n, double density, Random& random) {
  std::vector<Edge> edges;
  std::vector<std::array<Vertex, 3>> faces;
  for (Vertex v = 0; v < n; ++v) {
    if (v < 3) {
      for (Vertex w = 0; w < v; ++w) edges.push_back({w, v});
      if (v == 2) faces = {{0, 1, 2}, {0, 1, 2}};
      continue;
    }
    const std::size_t f = random.below(faces.size());
    const auto [a, b, c] = faces[f];
    faces[f] = {a, b, v};
    faces.push_back({b, c, v});
    faces.push_back({a, c, v});
    edges.insert(edges.end(), {{a, v}, {b, v}, {c, v}});
  }
  const auto name = random_permutation<Vertex>(n, random);
  std::vector<Edge> kept;
  for (const Edge& edge : edges) {
    if (random.uniform() < density) kept.push_back({name[edge.row], name[edge.column]});
  }
  return UndirectedGraph::from_edges(n, kept);
}

}  // namespace matchcount::test
