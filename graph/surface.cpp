// Patches. In a patch that is planar the rotation at a vertex is that of the surface, or its mirror image, where the
// graph around it is rigid; at the rim it need not be. So only vertices some levels below the rim are believed, and
// only those a level deeper get their rotation there: the neighbours of these are believed in the patch too. Where two
// neighbours have theirs from different patches, a vertex nearby that is believed in both says whether the patches are
// mirror images of each other there. Mistakes make faces fewer and the genus larger, never the answer wrong.

#include "graph/surface.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "graph/rotation.hpp"

namespace matchcount {

namespace {

// A product of two cycles of 5 or more vertices is known by its squares: the neighbours of v on one line have v alone
// in common, any other two of its neighbours the corner of their square too. So lines can be followed, and squares
// closed one after the other.

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

constexpr std::size_t most_of_patch = 1024, least_of_patch = 12;
// A graph on a surface has patches of many vertices each: so many in all for each vertex, or at first, are enough.
constexpr std::size_t embedded_for_vertex = 24, embedded_at_first = std::size_t{1} << 15;

Vertex start_of(const UndirectedGraph& graph, SurfaceStep step) {
  const Edge& edge = graph.edges()[step / 4];
  return step & 2 ? edge.column : edge.row;
}

std::optional<SurfaceEmbedding> on_torus(const UndirectedGraph& graph) {
  const std::optional<TorusGrid> torus = torus_grid(graph);
  if (!torus) return std::nullopt;
  RotationSystem around(graph.num_vertices());
  for (Vertex i = 0; i < torus->height; ++i) {
    for (Vertex j = 0; j < torus->width; ++j) {
      around[torus->at(i, j)] = {torus->at(i, j + 1), torus->at(i + 1, j), torus->at(i, j + torus->width - 1),
                                 torus->at(i + torus->height - 1, j)};
    }
  }
  return embedding_of(graph, around);
}

class Patches {
 public:
  Patches(const UndirectedGraph& graph, std::size_t margin, const RunContext& run)
      : graph_(graph),
        margin_(margin),
        run_(run),
        patch_of_(graph.num_vertices(), none),
        seen_(graph.num_vertices()),
        place_(graph.num_vertices()) {
    said_.resize(graph.num_vertices());
  }

  std::optional<SurfaceEmbedding> embedding() {
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      if (patch_of_[v] == none && !add_patch(v)) return std::nullopt;
    }
    SurfaceEmbedding result;
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      result.rotation.rotation_begin.push_back(result.rotation.rotation.size());
      const std::vector<EdgeId>& around = *rotation_in(v, patch_of_[v]);
      result.rotation.rotation.insert(result.rotation.rotation.end(), around.begin(), around.end());
    }
    result.rotation.rotation_begin.push_back(result.rotation.rotation.size());
    for (const auto& [u, v] : graph_.edges()) {
      const std::optional<bool> mirrored = are_mirrored(u, v);
      if (!mirrored) return std::nullopt;
      result.twisted.push_back(*mirrored);
    }
    return result;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // The vertices within so many edges, by distance, as many whole levels as there may be vertices.
  struct Ball {
    std::vector<Vertex> vertices;
    std::vector<std::size_t> level_end;
    bool is_all = false;
  };
  Ball ball_around(Vertex start, std::size_t most) {
    ++time_;
    Ball ball;
    ball.vertices.push_back(start);
    seen_[start] = time_;
    for (std::size_t begin = 0; begin < ball.vertices.size();) {
      const std::size_t end = ball.vertices.size();
      ball.level_end.push_back(end);
      for (std::size_t at = begin; at < end; ++at) {
        for (const Vertex w : graph_.neighbours(ball.vertices[at])) {
          if (seen_[w] == time_) continue;
          seen_[w] = time_;
          ball.vertices.push_back(w);
        }
      }
      if (ball.vertices.size() > most) {
        ball.vertices.resize(end);
        return ball;
      }
      begin = end;
    }
    ball.is_all = true;
    return ball;
  }

  bool add_patch(Vertex start) {
    for (std::size_t most = most_of_patch; most >= least_of_patch; most /= 2) {
      run_.check();
      const Ball ball = ball_around(start, most);
      if (ball.is_all || ball.level_end.size() < margin_ + 2) continue;
      std::vector<Vertex> vertices = ball.vertices;
      std::sort(vertices.begin(), vertices.end());
      embedded_ += vertices.size();
      if (embedded_ > embedded_at_first + embedded_for_vertex * taken_) return false;
      const UndirectedGraph part = induced(vertices);
      const std::optional<PlanarEmbedding> plane = planar_embedding(part, run_);
      if (!plane) continue;
      const std::size_t believed = ball.level_end[ball.level_end.size() - 1 - margin_],
                        taken = ball.level_end[ball.level_end.size() - 2 - margin_];
      for (std::size_t i = 0; i < believed; ++i) {
        const Vertex v = ball.vertices[i];
        const Vertex place = place_[v];
        std::vector<EdgeId> around;
        for (std::size_t e = plane->rotation_begin[place]; e < plane->rotation_begin[place + std::size_t{1}]; ++e) {
          const Edge& edge = part.edges()[plane->rotation[e]];
          const Vertex w = vertices[edge.row == place ? edge.column : edge.row];
          const auto neighbours = graph_.neighbours(v);
          const auto at = std::lower_bound(neighbours.begin(), neighbours.end(), w) - neighbours.begin();
          around.push_back(graph_.incident_edges(v)[static_cast<std::size_t>(at)]);
        }
        said_[v].push_back({num_patches_, std::move(around)});
        if (i >= taken || patch_of_[v] != none) continue;
        patch_of_[v] = num_patches_;
        ++taken_;
      }
      ++num_patches_;
      return true;
    }
    return false;
  }

  // Ascending vertices, numbered anew: in O(their edges).
  UndirectedGraph induced(const std::vector<Vertex>& vertices) {
    std::vector<Edge> edges;
    for (Vertex i = 0; i < vertices.size(); ++i) place_[vertices[i]] = i;
    const auto is_in = [&](Vertex w) { return place_[w] < vertices.size() && vertices[place_[w]] == w; };
    for (Vertex i = 0; i < vertices.size(); ++i) {
      for (const Vertex w : graph_.neighbours(vertices[i])) {
        if (w > vertices[i] && is_in(w)) edges.push_back({i, place_[w]});
      }
    }
    return UndirectedGraph::from_edges(static_cast<Vertex>(vertices.size()), std::move(edges));
  }

  const std::vector<EdgeId>* rotation_in(Vertex v, std::uint32_t patch) const {
    for (const auto& [name, around] : said_[v]) {
      if (name == patch) return &around;
    }
    return nullptr;
  }

  // Says whether the patches of two neighbours are mirror images of each other there. Nothing where they are neither.
  std::optional<bool> are_mirrored(Vertex u, Vertex v) const {
    const std::uint32_t a = patch_of_[u], b = patch_of_[v];
    if (a == b) return false;
    std::vector<Vertex> near{u, v};
    for (const Vertex w : {u, v}) near.insert(near.end(), graph_.neighbours(w).begin(), graph_.neighbours(w).end());
    for (const Vertex w : near) {
      const std::vector<EdgeId>*here = rotation_in(w, a), *there = rotation_in(w, b);
      if (!here || !there || here->size() < 3) continue;
      std::vector<EdgeId> turned = *there;
      const auto bring_up = [&] {
        std::rotate(turned.begin(), std::find(turned.begin(), turned.end(), here->front()), turned.end());
      };
      bring_up();
      if (turned == *here) return false;
      std::reverse(turned.begin(), turned.end());
      bring_up();
      if (turned == *here) return true;
      return std::nullopt;
    }
    return std::nullopt;
  }

  const UndirectedGraph& graph_;
  std::size_t margin_;
  const RunContext& run_;
  std::vector<std::uint32_t> patch_of_;
  std::vector<std::size_t> seen_;
  std::vector<Vertex> place_;  // of a vertex of the patch at hand among its vertices
  std::size_t time_ = 0;
  std::size_t embedded_ = 0, taken_ = 0;  // vertices: in planes, again and again; with a patch
  std::uint32_t num_patches_ = 0;
  std::vector<std::vector<std::pair<std::uint32_t, std::vector<EdgeId>>>> said_;  // by vertex: patch and rotation
};

// Turns the senses of vertices so that no edge of a spanning tree is twisted, and none at all where none need be.
SurfaceEmbedding with_one_sense(const UndirectedGraph& graph, SurfaceEmbedding embedding) {
  std::vector<bool> reached(graph.num_vertices(), false), turned(graph.num_vertices(), false);
  std::vector<Vertex> queue{0};
  reached[0] = true;
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const Vertex v = queue[at];
    for (std::size_t i = 0; i < graph.neighbours(v).size(); ++i) {
      const Vertex w = graph.neighbours(v)[i];
      if (reached[w]) continue;
      reached[w] = true;
      turned[w] = turned[v] != embedding.twisted[graph.incident_edges(v)[i]];
      queue.push_back(w);
    }
    const auto place = [&](Vertex u) {
      return embedding.rotation.rotation.begin() + static_cast<std::ptrdiff_t>(embedding.rotation.rotation_begin[u]);
    };
    if (turned[v]) std::reverse(place(v), place(v + 1));
  }
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto& [u, v] = graph.edges()[id];
    if (turned[u] != turned[v]) embedding.twisted[id] = !embedding.twisted[id];
  }
  return embedding;
}

}  // namespace

std::optional<TorusGrid> torus_grid(const UndirectedGraph& graph) { return Recognition(graph).run(); }

SurfaceStep step_along(const UndirectedGraph& graph, const SurfaceEmbedding& embedding, SurfaceStep before, EdgeId id) {
  const bool mirrored = ((before & 1) != 0) != embedding.twisted[before / 4];
  const bool back = graph.edges()[id].column == start_of(graph, before ^ 2);
  return 4 * id + (back ? 2 : 0) + (mirrored ? 1 : 0);
}

SurfaceFaces faces_of(const UndirectedGraph& graph, const SurfaceEmbedding& embedding) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const auto& [rotation, begin] = embedding.rotation;
  std::vector<std::size_t> place(2 * graph.num_edges());  // in the rotation, of the end at the row and at the column
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    for (std::size_t i = begin[v]; i < begin[v + std::size_t{1}]; ++i)
      place[2 * rotation[i] + (graph.edges()[rotation[i]].row == v ? 0 : 1)] = i;
  }
  SurfaceFaces faces;
  faces.of_step.assign(4 * graph.num_edges(), none);
  for (SurfaceStep start = 0; start < faces.of_step.size(); ++start) {
    if (faces.of_step[start] != none) continue;
    const auto face = static_cast<std::uint32_t>(faces.walks.size());
    faces.walks.emplace_back();
    for (SurfaceStep step = start; faces.of_step[step] == none;) {
      faces.of_step[step] = face;
      faces.walks.back().push_back(step);
      const EdgeId id = step / 4;
      const bool mirrored = ((step & 1) != 0) != embedding.twisted[id];
      // The same side of the edge, seen the other way round.
      faces.of_step[4 * id + ((step & 2) ^ 2) + (mirrored ? 0 : 1)] = face;
      const Vertex v = start_of(graph, step ^ 2);
      const std::size_t at = place[2 * id + (step & 2 ? 0 : 1)], first = begin[v], last = begin[v + std::size_t{1}] - 1;
      const std::size_t next = mirrored ? (at == first ? last : at - 1) : (at == last ? first : at + 1);
      step = step_along(graph, embedding, step, rotation[next]);
    }
  }
  return faces;
}

std::size_t euler_genus(const UndirectedGraph& graph, const SurfaceFaces& faces) {
  return 2 + graph.num_edges() - graph.num_vertices() - faces.walks.size();
}

std::optional<SurfaceEmbedding> surface_embedding(const UndirectedGraph& graph, std::size_t most,
                                                  const RunContext& run) {
  if (graph.num_edges() > 3 * (std::size_t{graph.num_vertices()} + most)) return std::nullopt;
  if (auto torus = on_torus(graph)) return torus;
  const double faces = 2 + static_cast<double>(graph.num_edges()) - graph.num_vertices() - static_cast<double>(most);
  if (faces > most_faces(graph, run) + 1e-6 * static_cast<double>(graph.num_edges())) return std::nullopt;
  for (const std::size_t margin : {4, 2}) {
    auto found = Patches(graph, margin, run).embedding();
    if (found && euler_genus(graph, faces_of(graph, *found)) <= most) return with_one_sense(graph, *std::move(found));
  }
  return std::nullopt;
}

}  // namespace matchcount
