// Boost's Boyer and Myrvold answers in linear time. Nothing here rests on its being right: an embedding is checked by
// counting faces, a Kuratowski subgraph by contracting its paths, and that it says "not planar" costs a method, not an
// answer. Its Kuratowski edges have been seen to hold more than the subdivision, so every edge is tried for removal.

#include "graph/planar.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boyer_myrvold_planar_test.hpp>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/step_check.hpp"
#include "graph/two_colouring.hpp"

namespace matchcount {
namespace {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                         boost::property<boost::edge_index_t, EdgeId>>;
using BoostEdge = boost::graph_traits<BoostGraph>::edge_descriptor;

// The numbers of vertices, which Boost's algorithm asks for at every step: the one place where it can be ended.
struct CheckedIndex {
  using key_type = Vertex;
  using value_type = Vertex;
  using reference = Vertex;
  using category = boost::readable_property_map_tag;

  StepCheck* steps = nullptr;

  friend Vertex get(const CheckedIndex& index, std::size_t vertex) {
    index.steps->step();
    return static_cast<Vertex>(vertex);
  }
};

// `ids` name the edges that are in; an edge's index there is its place among them.
BoostGraph boost_graph(const UndirectedGraph& graph, const std::vector<EdgeId>& ids) {
  BoostGraph result(graph.num_vertices());
  for (EdgeId place = 0; place < ids.size(); ++place) {
    const Edge& edge = graph.edges()[ids[place]];
    boost::add_edge(edge.row, edge.column, place, result);
  }
  return result;
}

std::vector<EdgeId> all_edges(const UndirectedGraph& graph) {
  std::vector<EdgeId> ids(graph.num_edges());
  for (EdgeId id = 0; id < ids.size(); ++id) ids[id] = id;
  return ids;
}

bool is_planar(const UndirectedGraph& graph, const std::vector<EdgeId>& ids) {
  return boost::boyer_myrvold_planarity_test(boost_graph(graph, ids));
}

// Edges of an obstacle among these, or nothing where they are planar. The order of edges decides which one.
std::optional<std::vector<EdgeId>> obstacle(const UndirectedGraph& graph, const std::vector<EdgeId>& ids,
                                            StepCheck& steps) {
  const BoostGraph boosted = boost_graph(graph, ids);
  std::vector<BoostEdge> found;
  const bool planar =
      boost::boyer_myrvold_planarity_test(boost::boyer_myrvold_params::graph = boosted,
                                          boost::boyer_myrvold_params::kuratowski_subgraph = std::back_inserter(found),
                                          boost::boyer_myrvold_params::vertex_index_map = CheckedIndex{&steps});
  if (planar) return std::nullopt;
  std::vector<EdgeId> edges;
  for (const BoostEdge& edge : found) edges.push_back(ids[get(boost::edge_index, boosted, edge)]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<EdgeId> without(const std::vector<EdgeId>& ids, const std::vector<EdgeId>& taken) {
  std::vector<EdgeId> left;
  std::set_difference(ids.begin(), ids.end(), taken.begin(), taken.end(), std::back_inserter(left));
  return left;
}

// Finds how long the shortest cycle through an edge is, or a number that it is not shorter than.
class ShortestCycles {
 public:
  explicit ShortestCycles(const UndirectedGraph& graph) : graph_(graph), seen_(graph.num_vertices(), 0) {}
  // `beyond_triangles`: without the vertices that both ends have beside them.
  Vertex through(EdgeId id, bool beyond_triangles = false) {
    constexpr std::size_t most_vertices = 200;
    const Edge& edge = graph_.edges()[id];
    ++time_;
    if (beyond_triangles) {
      const auto row = graph_.neighbours(edge.row), column = graph_.neighbours(edge.column);
      std::vector<Vertex> common;
      std::ranges::set_intersection(row, column, std::back_inserter(common));
      for (const Vertex v : common) seen_[v] = time_;
    }
    queue_.assign(1, edge.row);
    seen_[edge.row] = time_;
    Vertex length = 2;
    for (std::size_t at = 0, end = 1; at < queue_.size() && queue_.size() < most_vertices; ++at) {
      if (at == end) end = queue_.size(), ++length;
      for (const Vertex w : graph_.neighbours(queue_[at])) {
        if (w == edge.column && at > 0) return length;
        if (w == edge.column || seen_[w] == time_) continue;
        seen_[w] = time_;
        queue_.push_back(w);
      }
    }
    return length;
  }

 private:
  const UndirectedGraph& graph_;
  EdgeId time_ = 0;
  std::vector<EdgeId> seen_;
  std::vector<Vertex> queue_;
};

// From so far on, the ends of an edge are joined a long way around without it.
constexpr std::size_t long_way = 8;
// Leave out at most this many such edges together.
constexpr std::size_t most_far = 64;
// Parts that are not planar are looked for among so many vertices.
constexpr std::size_t vertices_of_part = 64;

// Finds edges to leave out, one after the other. Such an edge is in many obstacles, which Boost finds along other trees
// when edges change places, or it is a long way around: so that an edge between places far apart goes before those that
// it crosses. Where no edge of an obstacle is a long way around, it lies in a small part of the graph that is not
// planar itself, or so it is hoped: there obstacles are short, and have little in common but the edge.
class OffPlaneSearch {
 public:
  OffPlaneSearch(const UndirectedGraph& graph, std::uint64_t seed, StepCheck& steps)
      : graph_(graph),
        random_(seed),
        steps_(steps),
        is_left_(graph.num_edges(), true),
        is_flat_(graph.num_vertices(), false) {}

  // Nothing where the rest is planar.
  std::optional<EdgeId> next() {
    std::erase_if(part_, [&](EdgeId id) { return !is_left_[id]; });
    std::vector<EdgeId> left;
    if (part_.empty() || is_planar_part(part_)) {
      left = edges_left();
      const auto found = obstacle(graph_, left, steps_);
      if (!found) return std::nullopt;
      if (found->empty())
        throw Error("a graph that is not planar without a Kuratowski subgraph; please report this graph");
      part_ = part_off_plane(*found);
    }
    const EdgeId edge = part_.empty() ? voted(left) : of_part(part_);
    is_left_[edge] = false;
    return edge;
  }
  void leave_out(const std::vector<EdgeId>& edges) {
    for (const EdgeId edge : edges) is_left_[edge] = false;
  }
  // Takes an edge back in where the rest stays planar.
  bool take_back(EdgeId edge) {
    is_left_[edge] = true;
    constexpr std::size_t nearby = 128;
    return is_left_[edge] = is_planar_part(near(graph_.edges()[edge].row, nearby)) && is_planar(graph_, edges_left());
  }

 private:
  std::vector<EdgeId> edges_left() const {
    std::vector<EdgeId> left = all_edges(graph_);
    std::erase_if(left, [&](EdgeId id) { return !is_left_[id]; });
    return left;
  }

  // The distance of an edge's ends without it.
  std::size_t detour(EdgeId id) {
    const auto [place, is_new] = detours_.try_emplace(id, 2);  // a bridge is in no obstacle
    if (!is_new) return place->second;
    const Edge& edge = graph_.edges()[id];
    std::map<Vertex, std::size_t> distance{{edge.row, 0}};
    std::vector<Vertex> queue{edge.row};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const std::size_t next = distance[queue[at]] + 1;
      for (const Vertex w : graph_.neighbours(queue[at])) {
        if (w == edge.column && next > 1) return place->second = next;
        if (w != edge.column && distance.emplace(w, next).second) queue.push_back(w);
      }
    }
    return place->second;
  }

  // Returns the edges that are left among the vertices near one, so many at most.
  std::vector<EdgeId> near(Vertex start, std::size_t most_vertices) {
    std::set<Vertex> ball{start};
    std::vector<Vertex> queue{start};
    std::set<EdgeId> edges;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (std::size_t i = 0; i < graph_.neighbours(queue[at]).size(); ++i) {
        const Vertex w = graph_.neighbours(queue[at])[i];
        const EdgeId id = graph_.incident_edges(queue[at])[i];
        if (!is_left_[id]) continue;
        if (ball.size() < most_vertices && ball.insert(w).second) queue.push_back(w);
        if (ball.contains(w)) edges.insert(id);
      }
    }
    steps_.check();
    return {edges.begin(), edges.end()};
  }
  bool is_planar_part(const std::vector<EdgeId>& part) const {
    const UndirectedGraph small = subgraph(part);
    return is_planar(small, all_edges(small));
  }

  // Edges of a small part around a vertex of the obstacle that is not planar; empty where there is none.
  std::vector<EdgeId> part_off_plane(const std::vector<EdgeId>& found) {
    std::set<Vertex> vertices;
    for (const EdgeId id : found) {
      if (detour(id) >= long_way) return {};
      vertices.insert({graph_.edges()[id].row, graph_.edges()[id].column});
    }
    // Starts that were planar stay so, but for what comes near as edges go.
    for (const Vertex start : vertices) {
      if (is_flat_[start]) continue;
      std::vector<EdgeId> part = near(start, vertices_of_part);
      if (!is_planar_part(part)) return part;
      is_flat_[start] = true;
    }
    return {};
  }

  // The edge of a part that alone keeps the widest surroundings of it off the plane, then of the most obstacles: at the
  // rim of the part there may be others without which the part itself is planar.
  EdgeId of_part(const std::vector<EdgeId>& part) {
    constexpr std::size_t narrowest = 16, widest = 512;
    const UndirectedGraph small = subgraph(part);
    struct Around {
      std::vector<EdgeId> edges;
      bool is_planar;
    };
    std::map<std::pair<Vertex, std::size_t>, Around> known;
    const auto found_votes = votes(small, all_edges(small), 12);
    std::vector<std::pair<EdgeId, std::size_t>> by_votes(found_votes.begin(), found_votes.end());
    std::ranges::stable_sort(by_votes, std::ranges::greater(), [](const auto& vote) { return vote.second; });
    std::size_t most = 0;
    EdgeId best = part[by_votes.front().first];
    for (const auto& [place, count] : by_votes) {
      std::size_t reach = 0;
      const Vertex start = graph_.edges()[part[place]].row;
      for (std::size_t width = narrowest; width <= widest; width *= 2) {
        const auto [found, is_new] = known.try_emplace({start, width});
        auto& [around, is_planar] = found->second;
        if (is_new) {
          around = near(start, width);
          is_planar = is_planar_part(around);
        }
        if (is_planar) continue;
        if (!is_planar_part(without(around, {part[place]}))) break;
        reach = width;
      }
      if (reach > most) most = reach, best = part[place];
      if (most == widest) break;
    }
    return best;
  }

  // Makes the graph of these edges, ascending, with vertices numbered anew: edge i is that of ids[i].
  UndirectedGraph subgraph(const std::vector<EdgeId>& ids) const {
    std::map<Vertex, Vertex> number;
    for (const EdgeId id : ids) number[graph_.edges()[id].row] = number[graph_.edges()[id].column] = 0;
    Vertex next = 0;
    for (auto& [vertex, place] : number) place = next++;
    std::vector<Edge> edges;
    for (const EdgeId id : ids) edges.push_back({number[graph_.edges()[id].row], number[graph_.edges()[id].column]});
    return UndirectedGraph::from_edges(next, std::move(edges));
  }

  // Counts in how many obstacles edges are.
  std::map<EdgeId, std::size_t> votes(const UndirectedGraph& graph, std::vector<EdgeId> order, int looks) {
    std::map<EdgeId, std::size_t> votes;
    for (int look = 0; look < looks; ++look) {
      for (const EdgeId id : obstacle(graph, order, steps_).value_or(order)) ++votes[id];
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    }
    return votes;
  }

  // The edge of the most obstacles, long ways around counted more.
  EdgeId voted(const std::vector<EdgeId>& left) {
    auto found = votes(graph_, left, 4);
    for (auto& [id, count] : found) count *= detour(id);
    return std::ranges::max_element(found, {}, [](const auto& vote) { return vote.second; })->first;
  }

  const UndirectedGraph& graph_;
  Random random_;
  StepCheck& steps_;
  std::vector<bool> is_left_, is_flat_;
  std::vector<EdgeId> part_;  // of the last edge, if that was of a small part: there may be more
  std::map<EdgeId, std::size_t> detours_;
};

}  // namespace

double most_faces(const UndirectedGraph& graph, const RunContext& run) {
  StepCheck steps(run);
  ShortestCycles cycles(graph);
  double faces = 0;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    steps.step();
    faces += 2.0 / cycles.through(id);
  }
  return faces;
}

// The faces of a planar graph are m - n + 2, or more in several parts: so many edges as are missing have to go.
std::optional<std::vector<EdgeId>> edges_off_the_plane(const UndirectedGraph& graph, std::size_t most,
                                                       std::uint64_t seed, const RunContext& run) {
  const double n = graph.num_vertices(), m = static_cast<double>(graph.num_edges());
  if (n > 2 && m > 3 * n - 6 + static_cast<double>(most)) return std::nullopt;
  StepCheck steps(run);
  ShortestCycles cycles(graph);
  std::vector<EdgeId> taken, kept_out;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    steps.step();
    if (cycles.through(id, true) > long_way) taken.push_back(id);
  }
  OffPlaneSearch search(graph, seed, steps);
  const bool are_far = !taken.empty() && taken.size() <= most_far;
  if (!are_far) taken.clear();
  search.leave_out(taken);
  const auto num_far = taken.size();
  if (m - n + 2 - most_faces(graph, run) > static_cast<double>(most + num_far) + 1e-6 * m) return std::nullopt;
  while (const auto edge = search.next()) {
    taken.push_back(*edge);
    if (taken.size() > num_far + most + most / 4) return std::nullopt;
  }
  // If many would stay out it does not matter which.
  std::ranges::copy_if(taken, std::back_inserter(kept_out),
                       [&](EdgeId edge) { return kept_out.size() > most || !search.take_back(edge); });
  if (kept_out.size() > most && !are_far) return std::nullopt;
  std::sort(kept_out.begin(), kept_out.end());
  return kept_out;
}

std::optional<PlanarEmbedding> planar_embedding(const UndirectedGraph& graph, const RunContext& run) {
  const std::size_t n = graph.num_vertices();
  if (n > 2 && graph.num_edges() > 3 * n - 6) return std::nullopt;
  PlanarEmbedding embedding;
  embedding.rotation_begin.assign(n + 1, 0);
  if (n == 0) return embedding;
  const BoostGraph boosted = boost_graph(graph, all_edges(graph));
  std::vector<std::vector<BoostEdge>> order(n);
  StepCheck steps(run);
  if (!boost::boyer_myrvold_planarity_test(boost::boyer_myrvold_params::graph = boosted,
                                           boost::boyer_myrvold_params::embedding = order.data(),
                                           boost::boyer_myrvold_params::vertex_index_map = CheckedIndex{&steps})) {
    return std::nullopt;
  }
  embedding.rotation.reserve(2 * graph.num_edges());
  for (std::size_t v = 0; v < n; ++v) {
    for (const BoostEdge& edge : order[v]) embedding.rotation.push_back(get(boost::edge_index, boosted, edge));
    embedding.rotation_begin[v + 1] = embedding.rotation.size();
  }
  // Euler's formula for each component in its own plane: only an embedding of genus 0 has so many faces. An isolated
  // vertex has none.
  const Faces faces = faces_of(graph, embedding);
  std::size_t num_isolated = 0;
  for (std::size_t v = 0; v < n; ++v) num_isolated += order[v].empty();
  if (n + num_isolated + faces.count != graph.num_edges() + 2 * std::size_t{coloured_components(graph).count()}) {
    throw Error("an embedding of " + std::to_string(n) + " vertices with " + std::to_string(faces.count) +
                " faces is not planar; please report this graph");
  }
  return embedding;
}

Faces faces_of(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::size_t num_sides = 2 * graph.num_edges();
  // Side 2 * id leaves the lower end, side 2 * id + 1 the upper.
  const auto side_from = [&](Vertex v, EdgeId id) { return 2 * id + (graph.edges()[id].row == v ? 0 : 1); };
  if (embedding.rotation.size() != num_sides ||
      embedding.rotation_begin.size() != graph.num_vertices() + std::size_t{1}) {
    throw InputError("a rotation of " + std::to_string(embedding.rotation.size()) + " edge ends",
                     std::to_string(num_sides) + ", each edge at both of its ends");
  }
  std::vector<EdgeId> next(num_sides);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const std::size_t begin = embedding.rotation_begin[v], end = embedding.rotation_begin[v + 1];
    for (std::size_t i = begin; i < end; ++i) {
      // Arriving by this edge, leave by the one after it.
      const EdgeId after = embedding.rotation[i + 1 == end ? begin : i + 1];
      next[side_from(v, embedding.rotation[i]) ^ 1] = side_from(v, after);
    }
  }
  Faces faces;
  faces.of_side.assign(num_sides, none);
  for (EdgeId start = 0; start < num_sides; ++start) {
    if (faces.of_side[start] != none) continue;
    for (EdgeId side = start; faces.of_side[side] == none; side = next[side]) faces.of_side[side] = faces.count;
    ++faces.count;
  }
  return faces;
}

std::vector<EdgeId> kuratowski_subgraph(const UndirectedGraph& graph) {
  if (graph.num_vertices() == 0) return {};
  const RunContext without_limits;
  StepCheck steps(without_limits);
  std::optional<std::vector<EdgeId>> found = obstacle(graph, all_edges(graph), steps);
  if (!found) return {};
  std::vector<EdgeId> ids = *std::move(found);
  if (kuratowski_kind(graph, ids) != KuratowskiKind::none) return ids;
  if (is_planar(graph, ids)) ids = all_edges(graph);
  // By Kuratowski's theorem the edges left when none can go form a subdivision.
  for (std::size_t i = 0; i < ids.size();) {
    std::vector<EdgeId> without = ids;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (is_planar(graph, without)) {
      ++i;
    } else {
      ids = std::move(without);
    }
  }
  return ids;
}

KuratowskiKind kuratowski_kind(const UndirectedGraph& graph, const std::vector<EdgeId>& edges) {
  std::map<Vertex, std::set<Vertex>> joined;
  for (const EdgeId id : edges) {
    joined[graph.edges()[id].row].insert(graph.edges()[id].column);
    joined[graph.edges()[id].column].insert(graph.edges()[id].row);
  }
  // A vertex of two neighbours is on a path, of which an edge is left: no two paths join the same vertices.
  for (auto at = joined.begin(); at != joined.end();) {
    const auto& [v, around] = *at;
    if (around.size() != 2) {
      ++at;
      continue;
    }
    const Vertex ends[] = {*around.begin(), *around.rbegin()};
    if (joined[ends[0]].contains(ends[1])) return KuratowskiKind::none;
    for (const int end : {0, 1}) {
      joined[ends[end]].erase(v);
      joined[ends[end]].insert(ends[1 - end]);
    }
    at = joined.erase(at);
  }
  const bool is_k5 = joined.size() == 5, is_k33 = joined.size() == 6;
  if (!is_k5 && !is_k33) return KuratowskiKind::none;
  // Five vertices joined to all others, or six of three neighbours each, which are the same for those of one vertex.
  for (const auto& [v, around] : joined)
    if (around.size() != (is_k5 ? 4 : 3)) return KuratowskiKind::none;
  const std::set<Vertex>& side = joined.begin()->second;
  for (const Vertex v : side)
    if (is_k33 && joined[v] != joined[*side.begin()]) return KuratowskiKind::none;
  return is_k5 ? KuratowskiKind::k5 : KuratowskiKind::k33;
}

}  // namespace matchcount
