#pragma once
// Graphs embedded in the torus, the Klein bottle and the projective plane by coordinates with periods.

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "graph/surface.hpp"
#include "graph/undirected_graph.hpp"

namespace matchcount::test {

struct EmbeddedGraph {
  UndirectedGraph graph;
  SurfaceEmbedding embedding;
};

// A height x width grid with a diagonal in some of its squares, of which each edge is kept with probability density. An
// end of a line is joined to the start of the next turn of it, or of its mirror image, and so it is with columns.
// Edges that would join what is joined already are left out.
inline EmbeddedGraph random_on_surface(int height, int width, bool mirrors_lines, bool mirrors_columns, double density,
                                       Random& random) {
  struct End {
    double angle;
    Edge edge;
  };
  std::vector<std::vector<End>> ends(static_cast<std::size_t>(height * width));
  std::map<Edge, bool> twisted;
  const auto number = [&](int i, int j) { return static_cast<Vertex>(i * width + j); };
  const auto join = [&](int i, int j, int down, int right) {
    int to_i = i + down, to_j = j + right, back_down = -down, back_right = -right;
    bool turns = false;
    if (to_j == width) {
      to_j = 0;
      if (mirrors_lines) to_i = height - 1 - to_i, back_down = -back_down, turns = !turns;
    }
    if (to_i == height || to_i < 0) {
      to_i = to_i < 0 ? height - 1 : 0;
      if (mirrors_columns) to_j = width - 1 - to_j, back_right = -back_right, turns = !turns;
    }
    const Vertex u = number(i, j), v = number(to_i, to_j);
    const Edge edge{std::min(u, v), std::max(u, v)};
    if (u == v || twisted.contains(edge) || random.uniform() >= density) return;
    twisted[edge] = turns;
    ends[u].push_back({std::atan2(down, right), edge});
    ends[v].push_back({std::atan2(back_down, back_right), edge});
  };
  for (int i = 0; i < height; ++i) {
    for (int j = 0; j < width; ++j) {
      join(i, j, 0, 1);
      join(i, j, 1, 0);
      if (random.below(2) == 0) join(i, j, 1, 1);
    }
  }
  EmbeddedGraph result;
  std::vector<Edge> edges;
  std::map<Edge, EdgeId> id;
  for (const auto& [edge, turns] : twisted) {
    id[edge] = edges.size();
    edges.push_back(edge);
    result.embedding.twisted.push_back(turns);
  }
  result.graph = UndirectedGraph::from_edges(static_cast<Vertex>(height * width), edges);
  for (auto& around : ends) {
    std::ranges::sort(around, {}, &End::angle);
    result.embedding.rotation.rotation_begin.push_back(result.embedding.rotation.rotation.size());
    for (const End& end : around) result.embedding.rotation.rotation.push_back(id[end.edge]);
  }
  result.embedding.rotation.rotation_begin.push_back(result.embedding.rotation.rotation.size());
  return result;
}

}  // namespace matchcount::test
