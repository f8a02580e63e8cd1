#pragma once
// Graphs embedded in the torus, the Klein bottle and the projective plane by coordinates with periods.

#include <cmath>
#include <map>
#include <stdexcept>
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

// Keeps the edges between vertices of a chessboard's two colours, on a board that is `width` wide.
inline EmbeddedGraph two_coloured(const EmbeddedGraph& given, int width) {
  const auto is_black = [&](Vertex v) { return (static_cast<int>(v) / width + static_cast<int>(v) % width) % 2 != 0; };
  std::vector<bool> keep;
  std::vector<EdgeId> new_id;
  EmbeddedGraph result;
  for (EdgeId id = 0, next = 0; id < given.graph.num_edges(); ++id) {
    const auto& [u, v] = given.graph.edges()[id];
    keep.push_back(is_black(u) != is_black(v));
    new_id.push_back(next);
    if (!keep.back()) continue;
    ++next;
    result.embedding.twisted.push_back(given.embedding.twisted[id]);
  }
  result.graph = given.graph.filtered(keep);
  const auto& [rotation, begin] = given.embedding.rotation;
  for (Vertex v = 0; v < given.graph.num_vertices(); ++v) {
    result.embedding.rotation.rotation_begin.push_back(result.embedding.rotation.rotation.size());
    for (std::size_t i = begin[v]; i < begin[v + std::size_t{1}]; ++i) {
      if (keep[rotation[i]]) result.embedding.rotation.rotation.push_back(new_id[rotation[i]]);
    }
  }
  result.embedding.rotation.rotation_begin.push_back(result.embedding.rotation.rotation.size());
  return result;
}

// Joins two graphs by an edge between the last vertex of the first and the first vertex of the other, along a tube
// between two of their faces: Euler genera add up.
inline EmbeddedGraph joined(const EmbeddedGraph& first, const EmbeddedGraph& second) {
  const Vertex shift = first.graph.num_vertices();
  const EdgeId bridge = first.graph.num_edges();
  EmbeddedGraph result = first;
  std::vector<Edge> edges = first.graph.edges();
  // The bridge is the last edge of the first graph's last vertex, and so of all before those of the second.
  edges.push_back({shift - 1, shift});
  for (const auto& [u, v] : second.graph.edges()) edges.push_back({u + shift, v + shift});
  result.graph = UndirectedGraph::from_edges(shift + second.graph.num_vertices(), std::move(edges));
  for (EdgeId id = 0; id < bridge; ++id) {
    if (result.graph.edges()[id] != first.graph.edges()[id]) throw std::logic_error("edges that do not ascend");
  }
  auto& [rotation, begin] = result.embedding.rotation;
  rotation.push_back(bridge);
  begin.back() = rotation.size();
  rotation.push_back(bridge);
  for (Vertex v = 0; v < second.graph.num_vertices(); ++v) {
    for (std::size_t i = second.embedding.rotation.rotation_begin[v];
         i < second.embedding.rotation.rotation_begin[v + std::size_t{1}]; ++i)
      rotation.push_back(second.embedding.rotation.rotation[i] + bridge + 1);
    begin.push_back(rotation.size());
  }
  result.embedding.twisted.push_back(false);
  result.embedding.twisted.insert(result.embedding.twisted.end(), second.embedding.twisted.begin(),
                                  second.embedding.twisted.end());
  return result;
}

}  // namespace matchcount::test
