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
#include "core/step_check.hpp"

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

// `ids` name the edges that are in.
BoostGraph boost_graph(const UndirectedGraph& graph, const std::vector<EdgeId>& ids) {
  BoostGraph result(graph.num_vertices());
  for (const EdgeId id : ids) {
    const Edge& edge = graph.edges()[id];
    boost::add_edge(edge.row, edge.column, id, result);
  }
  return result;
}

std::vector<EdgeId> all_edges(const UndirectedGraph& graph) {
  std::vector<EdgeId> ids(graph.num_edges());
  for (EdgeId id = 0; id < ids.size(); ++id) ids[id] = id;
  return ids;
}

// Counts the components that have an edge, and the vertices in them.
struct Parts {
  std::size_t components = 0, vertices = 0;
};
Parts parts_of(const UndirectedGraph& graph) {
  Parts parts;
  std::vector<bool> seen(graph.num_vertices(), false);
  std::vector<Vertex> stack;
  for (Vertex start = 0; start < graph.num_vertices(); ++start) {
    if (seen[start] || graph.neighbours(start).empty()) continue;
    ++parts.components;
    seen[start] = true;
    stack.push_back(start);
    while (!stack.empty()) {
      const Vertex v = stack.back();
      stack.pop_back();
      ++parts.vertices;
      for (const Vertex w : graph.neighbours(v)) {
        if (!seen[w]) {
          seen[w] = true;
          stack.push_back(w);
        }
      }
    }
  }
  return parts;
}

bool is_planar(const UndirectedGraph& graph, const std::vector<EdgeId>& ids) {
  return boost::boyer_myrvold_planarity_test(boost_graph(graph, ids));
}

}  // namespace

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
  // Euler's formula for each component in its own plane: only an embedding of genus 0 has so many faces.
  const Parts parts = parts_of(graph);
  const Faces faces = faces_of(graph, embedding);
  if (parts.vertices + faces.count != graph.num_edges() + 2 * parts.components) {
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
  const BoostGraph boosted = boost_graph(graph, all_edges(graph));
  std::vector<BoostEdge> found;
  if (boost::boyer_myrvold_planarity_test(
          boost::boyer_myrvold_params::graph = boosted,
          boost::boyer_myrvold_params::kuratowski_subgraph = std::back_inserter(found))) {
    return {};
  }
  std::vector<EdgeId> ids;
  for (const BoostEdge& edge : found) ids.push_back(get(boost::edge_index, boosted, edge));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
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
  std::map<Vertex, std::vector<Vertex>> neighbours;
  for (const EdgeId id : edges) {
    neighbours[graph.edges()[id].row].push_back(graph.edges()[id].column);
    neighbours[graph.edges()[id].column].push_back(graph.edges()[id].row);
  }
  std::set<Vertex> branches;
  for (const auto& [v, around] : neighbours) {
    if (around.size() != 2) branches.insert(v);
  }
  // The paths from branch vertex to branch vertex, each found from both of its ends.
  std::set<Edge> paths;
  std::size_t num_ends = 0, num_inner = 0;
  for (const Vertex start : branches) {
    for (Vertex at : neighbours[start]) {
      Vertex before = start;
      while (neighbours[at].size() == 2) {
        const Vertex next = neighbours[at][neighbours[at][0] == before ? 1 : 0];
        before = at;
        at = next;
        ++num_inner;
      }
      if (at == start) return KuratowskiKind::none;
      paths.insert({std::min(start, at), std::max(start, at)});
      ++num_ends;
    }
  }
  // No two paths join the same vertices, and no cycle lies beside them.
  if (num_ends != 2 * paths.size() || branches.size() + num_inner / 2 != neighbours.size()) return KuratowskiKind::none;
  if (branches.size() == 5 && paths.size() == 10) return KuratowskiKind::k5;
  if (branches.size() != 6 || paths.size() != 9) return KuratowskiKind::none;
  std::map<Vertex, std::set<Vertex>> joined;
  for (const Edge& path : paths) {
    joined[path.row].insert(path.column);
    joined[path.column].insert(path.row);
  }
  // Nine edges on six vertices, three at each: K3,3 where all neighbours of one vertex have the same neighbours.
  for (const auto& [v, around] : joined) {
    if (around.size() != 3) return KuratowskiKind::none;
  }
  const std::set<Vertex>& side = joined.begin()->second;
  for (const Vertex v : side) {
    if (joined[v] != joined[*side.begin()]) return KuratowskiKind::none;
  }
  return KuratowskiKind::k33;
}

}  // namespace matchcount
