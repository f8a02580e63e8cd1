// Entry k of a directed edge is its sign, times i where it is twisted. Edges are directed so that along every face, in
// its own sense of rotation, minus the product of all k is 1, but for a change of sign at each vertex whose sense is
// the other: turning the sense of a vertex, which turns its edges into twisted ones or back, multiplies all terms by i
// and changes nothing else. A matching's term against that of a first matching then has the phase i^q, q a quadratic
// form modulo 4 of the class h of their union in the homology of the surface modulo 2: q(h + h') = q(h) + q(h') + 2
// h.h'. Of a simple cycle C, walked in a sense that is carried along, i^q(C) is minus the product of k, times -1 for
// each vertex of the other sense and for each edge of the first matching that leaves C on the side on which faces lie;
// where the sense comes back as the other one, also if the edge where it changes is in the first matching. The same
// number, for the edges of another cycle, is C.C'.
//
// A spanning tree and a spanning tree of the faces leave as many edges as the Euler genus b. Each closes a cycle with
// the tree, and they are a basis; each closes a walk over faces, whose edges are crossed by the cycle of this edge
// alone an odd number of times. Turning these for a set s of the edges gives Pf(s) = sum over h of i^q(h) (-1)^(s.h)
// N(h), which Fourier's transform turns into the sum of all N(h).

#include "permanent/planar/surface.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "core/error.hpp"
#include "matching/graph_matching.hpp"
#include "permanent/planar/kasteleyn.hpp"

namespace matchcount {
namespace {

constexpr EdgeId no_edge = ~EdgeId{0};

class Surface {
 public:
  Surface(const UndirectedGraph& graph, const SurfaceEmbedding& embedding)
      : graph_(graph), embedding_(embedding), faces_(faces_of(graph, embedding)), orientation_(graph.num_edges(), 1) {}

  // Grows the trees from a vertex. That of the faces takes edges first whose cycles with the other would be long.
  // Returns false where the graph is not connected.
  bool add_trees(Vertex root = 0) {
    is_in_tree_.assign(graph_.num_edges(), false);
    parent_.assign(graph_.num_vertices(), no_edge);
    depth_.assign(graph_.num_vertices(), 0);
    Vertex num_reached = 1;
    for_each_tree_edge(graph_, root, [&](Vertex u, Vertex w, EdgeId id) {
      parent_[w] = id;
      depth_[w] = depth_[u] + 1;
      is_in_tree_[id] = true;
      ++num_reached;
    });
    if (num_reached != graph_.num_vertices()) return false;
    std::vector<std::vector<EdgeId>> edges_of_face(faces_.walks.size());
    for (EdgeId id = 0; id < graph_.num_edges(); ++id) {
      for (const std::uint32_t face : {side(id, 0), side(id, 1)})
        if (!is_in_tree_[id]) edges_of_face[face].push_back(id);
    }
    face_parent_.assign(faces_.walks.size(), no_edge);
    face_depth_.assign(faces_.walks.size(), 0);
    order_.clear();
    extra_.clear();
    std::vector<bool> face_reached(faces_.walks.size(), false), used = is_in_tree_;
    struct Next {
      std::uint32_t length;
      EdgeId id;
      std::uint32_t from, face;
      bool operator<(const Next& other) const { return std::pair(length, id) < std::pair(other.length, other.id); }
    };
    std::priority_queue<Next> next({}, {Next{0, no_edge, 0, 0}});
    while (!next.empty()) {
      const Next step = next.top();
      next.pop();
      if (face_reached[step.face]) continue;
      face_reached[step.face] = true;
      face_parent_[step.face] = step.id;
      if (step.id != no_edge) {
        face_depth_[step.face] = face_depth_[step.from] + 1;
        used[step.id] = true;
      }
      order_.push_back(step.face);
      for (const EdgeId id : edges_of_face[step.face]) {
        const std::uint32_t length = depth_[graph_.edges()[id].row] + depth_[graph_.edges()[id].column];
        next.push({length, id, step.face, across(id, step.face)});
      }
    }
    for (EdgeId id = 0; id < graph_.num_edges(); ++id)
      if (!used[id]) extra_.push_back(id);
    return true;
  }

  // Directs the edges, those to a face's parent last.
  void direct() {
    for (std::size_t i = order_.size(); i-- > 1;)
      if (power_of_i(faces_.walks[order_[i]]) != 0) orientation_[face_parent_[order_[i]]] = -1;
    if (power_of_i(faces_.walks[order_[0]]) != 0) throw Error("a surface with one even face; please report this graph");
  }

  // Returns the vertices of the cycles that the edges in neither tree close, and of the ways between them.
  std::vector<Vertex> cut() const {
    std::vector<std::uint32_t> degree(graph_.num_vertices(), 0);
    const auto add = [&](EdgeId id) { ++degree[graph_.edges()[id].row], ++degree[graph_.edges()[id].column]; };
    std::vector<Vertex> waiting;
    for (const EdgeId id : extra_) {
      add(id);
      for (Vertex v : {graph_.edges()[id].row, graph_.edges()[id].column})
        for (waiting.push_back(v); parent_[v] != no_edge; v = above(v)) waiting.push_back(above(v));
    }
    std::ranges::sort(waiting, std::ranges::greater(), [&](Vertex v) { return std::pair(depth_[v], v); });
    waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
    for (const Vertex v : waiting)
      if (parent_[v] != no_edge) add(parent_[v]);
    // From the root down, a way that does not part ends in no cycle.
    while (!waiting.empty() && degree[waiting.back()] == 1) {
      waiting.pop_back();
      --degree[waiting.back()];
    }
    std::ranges::sort(waiting);
    return waiting;
  }

  SurfacePfaffians pfaffians(const std::vector<Vertex>& partner) const {
    const std::size_t b = extra_.size(), classes = std::size_t{1} << b;
    std::vector<bool> first(graph_.num_edges());
    for (EdgeId id = 0; id < first.size(); ++id)
      first[id] = partner[graph_.edges()[id].row] == graph_.edges()[id].column;
    std::vector<std::vector<SurfaceStep>> cycles;
    std::vector<std::vector<EdgeId>> crossed;
    std::vector<int> powers;
    std::size_t first_class = 0, twisted_class = 0;  // by bits: of the first matching, and cycles that turn the sense
    for (std::size_t x = 0; x < b; ++x) {
      cycles.push_back(cycle_of(extra_[x]));
      crossed.push_back(walk_over_faces(extra_[x]));
      powers.push_back(power_of_i(cycles[x]) + 2 * left(cycles[x], first));
      bool odd = false;
      for (const EdgeId id : crossed[x]) odd = odd != first[id];
      first_class |= std::size_t{odd} << x;
      twisted_class |= std::size_t{is_one_sided(cycles[x])} << x;
    }
    std::vector<std::vector<int>> meet(b, std::vector<int>(b, 0));
    for (std::size_t x = 0; x < b; ++x) {
      for (std::size_t y = 0; y < b; ++y) {
        std::vector<bool> other(graph_.num_edges(), false);
        for (const SurfaceStep step : cycles[y]) other[step / 4] = true;
        if (x != y) meet[x][y] = left(cycles[x], other);
      }
    }
    // The first matching's own phase.
    int phase = term_is_negative(graph_, orientation_, partner) ? 2 : 0;
    for (EdgeId id = 0; id < first.size(); ++id) phase += first[id] && embedding_.twisted[id] ? 1 : 0;

    SurfacePfaffians result;
    result.embedding = embedding_;
    if (std::find(embedding_.twisted.begin(), embedding_.twisted.end(), true) != embedding_.twisted.end())
      result.twisted = embedding_.twisted;
    result.log2_divisor = static_cast<int>(b);
    for (std::size_t s = 0; s < classes; ++s) {
      SurfacePfaffians::Term term;
      for (std::size_t h = 0; h < classes; ++h) {
        int power = phase;
        for (std::size_t x = 0; x < b; ++x) {
          if (h >> x & 1) power += powers[x];
          for (std::size_t y = 0; y < x; ++y) power += (h >> x & 1) && (h >> y & 1) ? 2 * meet[x][y] : 0;
          if ((s >> x & 1) && (((h ^ first_class) >> x) & 1)) power += 2;
        }
        power = -power & 3;
        (power % 2 == 0 ? term.re : term.im) += power < 2 ? 1 : -1;
      }
      term.orientation = orientation_;
      for (std::size_t x = 0; x < b; ++x) {
        if (!(s >> x & 1)) continue;
        for (const EdgeId id : crossed[x]) term.orientation[id] = static_cast<std::int8_t>(-term.orientation[id]);
      }
      term.first_half = s <= (s ^ twisted_class);
      result.terms.push_back(std::move(term));
    }
    return result;
  }

 private:
  Vertex above(Vertex v) const { return other_end(graph_.edges()[parent_[v]], v); }
  std::uint32_t side(EdgeId id, std::size_t number) const { return faces_.of_step[4 * id + number]; }
  std::uint32_t across(EdgeId id, std::uint32_t face) const { return side(id, 0) == face ? side(id, 1) : side(id, 0); }
  Vertex start_of(SurfaceStep step) const {
    return step & 2 ? graph_.edges()[step / 4].column : graph_.edges()[step / 4].row;
  }

  // Returns minus the product of all k, -1 for each vertex of the other sense: as a power of i, modulo 4.
  int power_of_i(const std::vector<SurfaceStep>& walk) const {
    int power = 2;
    for (const SurfaceStep step : walk) {
      const bool against = (orientation_[step / 4] > 0) == ((step & 2) != 0);
      power += (against ? 2 : 0) + (embedding_.twisted[step / 4] ? 1 : 0) + (step & 1 ? 2 : 0);
    }
    return power & 3;
  }

  // Returns the cycle that an edge closes with the tree, in the sense of the edge's row.
  std::vector<SurfaceStep> cycle_of(EdgeId extra) const {
    std::vector<EdgeId> there, back;
    Vertex u = graph_.edges()[extra].column, v = graph_.edges()[extra].row;
    const auto up = [&](Vertex& w, std::vector<EdgeId>& path) {
      path.push_back(parent_[w]);
      w = above(w);
    };
    while (u != v)
      if (depth_[u] >= depth_[v])
        up(u, there);
      else
        up(v, back);
    there.insert(there.end(), back.rbegin(), back.rend());
    std::vector<SurfaceStep> cycle{4 * extra};
    for (const EdgeId id : there) cycle.push_back(step_along(graph_, embedding_, cycle.back(), id));
    return cycle;
  }
  bool is_one_sided(const std::vector<SurfaceStep>& cycle) const {
    return ((cycle.back() & 1) != 0) != embedding_.twisted[cycle.back() / 4];
  }

  std::vector<EdgeId> walk_over_faces(EdgeId extra) const {
    std::vector<EdgeId> walk{extra};
    std::uint32_t a = side(extra, 0), b = side(extra, 1);
    while (a != b) {
      std::uint32_t& deeper = face_depth_[a] >= face_depth_[b] ? a : b;
      walk.push_back(face_parent_[deeper]);
      deeper = across(face_parent_[deeper], deeper);
    }
    return walk;
  }

  // Counts, modulo 2, how many of these edges leave a cycle on the side of the faces that are walked in its sense.
  int left(const std::vector<SurfaceStep>& cycle, const std::vector<bool>& edges) const {
    int count = is_one_sided(cycle) && edges[cycle.back() / 4] ? 1 : 0;
    const auto& [rotation, begin] = embedding_.rotation;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const EdgeId in = cycle[i == 0 ? cycle.size() - 1 : i - 1] / 4, out = cycle[i] / 4;
      const Vertex v = start_of(cycle[i]);
      const std::size_t size = begin[v + std::size_t{1}] - begin[v];
      const EdgeId* around = rotation.data() + begin[v];
      auto at = static_cast<std::size_t>(std::find(around, around + size, in) - around);
      for (;;) {
        at = (cycle[i] & 1 ? at + size - 1 : at + 1) % size;
        if (around[at] == out) break;
        count += edges[around[at]] ? 1 : 0;
      }
    }
    return count % 2;
  }

  const UndirectedGraph& graph_;
  const SurfaceEmbedding& embedding_;
  SurfaceFaces faces_;
  std::vector<std::int8_t> orientation_;
  std::vector<bool> is_in_tree_;
  std::vector<EdgeId> parent_;  // by vertex
  std::vector<std::uint32_t> depth_;
  std::vector<EdgeId> face_parent_;
  std::vector<std::uint32_t> face_depth_;
  std::vector<std::uint32_t> order_;  // of faces, from the root
  std::vector<EdgeId> extra_;         // in neither tree
};

}  // namespace

std::optional<SurfacePfaffians> surface_pfaffians(const UndirectedGraph& graph, const SurfaceEmbedding& embedding,
                                                  const RunContext& run) {
  const GraphMatching matching = maximum_matching(graph, run);
  Surface surface(graph, embedding);
  if (!matching.is_perfect() || graph.num_vertices() == 0 || !surface.add_trees()) return std::nullopt;
  surface.direct();
  return surface.pfaffians(matching.partner);
}

std::vector<Vertex> cutting_vertices(const UndirectedGraph& graph, const SurfaceEmbedding& embedding) {
  constexpr Vertex most_roots = 4;
  Surface surface(graph, embedding);
  std::vector<Vertex> best;
  const Vertex roots = std::min(most_roots, graph.num_vertices());
  for (Vertex i = 0; i < roots; ++i) {
    surface.add_trees(static_cast<Vertex>(std::uint64_t{i} * graph.num_vertices() / roots));
    std::vector<Vertex> cut = surface.cut();
    if (i == 0 || cut.size() < best.size()) best = std::move(cut);
  }
  return best;
}

}  // namespace matchcount
