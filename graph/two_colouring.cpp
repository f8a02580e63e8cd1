// Breadth-first search gives each vertex a parent and the parity of its depth. An edge between two vertices of equal
// depth closes an odd cycle with the paths from both up to where they meet; edges of a breadth-first search never skip
// a level, so an improper edge joins equal depths.

#include "graph/two_colouring.hpp"

namespace matchcount {
namespace {

constexpr Vertex unreached = 0xFFFFFFFF;

std::vector<Vertex> close_cycle(const std::vector<Vertex>& parent, Vertex u, Vertex v) {
  std::vector<Vertex> from_u{u};
  std::vector<Vertex> from_v{v};
  while (from_u.back() != from_v.back()) {
    from_u.push_back(parent[from_u.back()]);
    from_v.push_back(parent[from_v.back()]);
  }
  from_v.pop_back();
  from_u.insert(from_u.end(), from_v.rbegin(), from_v.rend());
  return from_u;
}

}  // namespace

TwoColouring two_colour(Vertex num_vertices, std::span<const Edge> edges) {
  TwoColouring result;
  result.is_column.resize(num_vertices);

  std::vector<EdgeId> offsets(std::size_t{num_vertices} + 2);
  for (const Edge& edge : edges) {
    ++offsets[std::size_t{edge.row} + 2];
    ++offsets[std::size_t{edge.column} + 2];
  }
  for (std::size_t v = 2; v < offsets.size(); ++v) offsets[v] += offsets[v - 1];
  std::vector<Vertex> neighbours(2 * edges.size());
  for (const Edge& edge : edges) {
    neighbours[offsets[std::size_t{edge.row} + 1]++] = edge.column;
    neighbours[offsets[std::size_t{edge.column} + 1]++] = edge.row;
  }

  std::vector<Vertex> parent(num_vertices, unreached);
  std::vector<Vertex> queue;
  for (Vertex root = 0; root < num_vertices; ++root) {
    if (parent[root] != unreached) continue;
    parent[root] = root;
    queue.assign(1, root);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Vertex u = queue[head];
      const bool colour = !result.is_column[u];
      for (EdgeId i = offsets[u]; i < offsets[std::size_t{u} + 1]; ++i) {
        const Vertex v = neighbours[i];
        if (parent[v] == unreached) {
          parent[v] = u;
          result.is_column[v] = colour;
          queue.push_back(v);
        } else if (result.is_column[v] != colour) {
          result.odd_cycle = close_cycle(parent, u, v);
          return result;
        }
      }
    }
  }
  return result;
}

ColouredComponents coloured_components(const UndirectedGraph& graph) {
  ColouredComponents result;
  result.component.assign(graph.num_vertices(), unreached);
  result.is_column.resize(graph.num_vertices());
  std::vector<Vertex> queue;
  for (Vertex root = 0; root < graph.num_vertices(); ++root) {
    if (result.component[root] != unreached) continue;
    const Vertex component = result.count();
    result.has_odd_cycle.push_back(false);
    result.component[root] = component;
    queue.assign(1, root);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Vertex u = queue[head];
      for (const Vertex v : graph.neighbours(u)) {
        if (result.component[v] == unreached) {
          result.component[v] = component;
          result.is_column[v] = !result.is_column[u];
          queue.push_back(v);
        } else if (result.is_column[v] == result.is_column[u]) {
          result.has_odd_cycle[component] = true;
        }
      }
    }
  }
  return result;
}

}  // namespace matchcount
