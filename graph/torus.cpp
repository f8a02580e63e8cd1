// A product of two cycles of 5 or more vertices is known by its squares: the neighbours of v on one line have v alone
// in common, any other two of its neighbours the corner of their square too. So lines can be followed, and squares
// closed one after the other.

#include "graph/torus.hpp"

#include <algorithm>

namespace matchcount {
namespace {

constexpr Vertex nothing = ~Vertex{0};

class Recognition {
 public:
  explicit Recognition(const UndirectedGraph& graph) : graph_(graph) {}

  std::optional<TorusGrid> run() const {
    const std::size_t n = graph_.num_vertices();
    if (n < 25 || graph_.num_edges() != 2 * n) return std::nullopt;
    for (Vertex v = 0; v < n; ++v) {
      if (graph_.neighbours(v).size() != 4) return std::nullopt;
    }
    const std::vector<Vertex> line = follow(0, graph_.neighbours(0)[0]);
    if (line.empty()) return std::nullopt;
    Vertex down = nothing;
    for (const Vertex v : graph_.neighbours(0)) {
      if (v != line[1] && v != line.back()) down = v;
    }
    const std::vector<Vertex> column = follow(0, down);
    if (column.empty() || line.size() * column.size() != n) return std::nullopt;
    TorusGrid grid;
    grid.height = static_cast<Vertex>(column.size());
    grid.width = static_cast<Vertex>(line.size());
    grid.vertices = line;
    for (Vertex i = 1; i < grid.height; ++i) {
      grid.vertices.push_back(column[i]);
      for (Vertex j = 1; j < grid.width; ++j) {
        const Vertex corner = common(grid.at(i - 1, j), grid.vertices.back(), grid.at(i - 1, j - 1));
        if (corner == nothing) return std::nullopt;
        grid.vertices.push_back(corner);
      }
    }
    if (!is_right(grid)) return std::nullopt;
    return grid;
  }

 private:
  bool joined(Vertex u, Vertex v) const {
    const auto around = graph_.neighbours(u);
    return std::binary_search(around.begin(), around.end(), v);
  }

  // Returns the one neighbour of u and w besides `known`.
  Vertex common(Vertex u, Vertex w, Vertex known) const {
    Vertex found = nothing;
    for (const Vertex v : graph_.neighbours(u)) {
      if (v == known || !joined(v, w)) continue;
      if (found != nothing) return nothing;
      found = v;
    }
    return found;
  }

  // Follows the line from u by v until it is back at u; empty where it isn't a simple cycle.
  std::vector<Vertex> follow(Vertex u, Vertex v) const {
    std::vector<Vertex> line = {u};
    std::vector<bool> seen(graph_.num_vertices(), false);
    seen[u] = true;
    while (v != line[0]) {
      if (seen[v]) return {};
      seen[v] = true;
      Vertex next = nothing;
      for (const Vertex w : graph_.neighbours(v)) {
        if (w == line.back() || common(line.back(), w, v) != nothing) continue;
        if (next != nothing) return {};
        next = w;
      }
      if (next == nothing) return {};
      line.push_back(v);
      v = next;
    }
    return line;
  }

  bool is_right(const TorusGrid& grid) const {
    std::vector<bool> seen(graph_.num_vertices(), false);
    for (const Vertex v : grid.vertices) {
      if (seen[v]) return false;
      seen[v] = true;
    }
    for (Vertex i = 0; i < grid.height; ++i) {
      for (Vertex j = 0; j < grid.width; ++j) {
        if (!joined(grid.at(i, j), grid.at(i + 1, j)) || !joined(grid.at(i, j), grid.at(i, j + 1))) return false;
      }
    }
    return true;
  }

  const UndirectedGraph& graph_;
};

}  // namespace

std::optional<TorusGrid> torus_grid(const UndirectedGraph& graph) { return Recognition(graph).run(); }

}  // namespace matchcount
