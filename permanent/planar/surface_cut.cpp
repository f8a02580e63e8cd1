// The matrices of all terms are those of orientations that suit every face of the surface, and so all faces within a
// disc: there they differ by changes of sign, or by powers of i, of whole rows and columns.

#include "permanent/planar/surface_cut.hpp"

#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "graph/two_colouring.hpp"

namespace matchcount {
namespace {

constexpr Vertex none = ~Vertex{0};

std::uint32_t place_in(const SurfaceCut& cut, Vertex v) {
  return static_cast<std::uint32_t>(std::ranges::lower_bound(cut.cut, v) - cut.cut.begin());
}

// Makes the graph of the cut, its vertices and edges.
void add_graph(const UndirectedGraph& graph, const PlanarEmbedding& embedding, SurfaceCut& cut) {
  std::vector<Vertex> place(graph.num_vertices(), none);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    if (std::ranges::binary_search(cut.cut, v)) continue;
    place[v] = static_cast<Vertex>(cut.vertex.size());
    cut.vertex.push_back(v);
  }
  struct Named {
    Edge edge;
    EdgeId id;
  };
  std::vector<Named> named;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto [u, v] = graph.edges()[id];
    if (place[u] != none && place[v] != none) named.push_back({{place[u], place[v]}, id});
    if (place[u] == none && place[v] == none) cut.cut_edges.push_back({id, place_in(cut, u), place_in(cut, v)});
  }
  for (const Vertex v : cut.cut) {
    const std::size_t begin = embedding.rotation_begin[v],
                      degree = embedding.rotation_begin[v + std::size_t{1}] - begin;
    const auto place_at = [&](std::size_t i) {
      return place[other_end(graph.edges()[embedding.rotation[begin + i % degree]], v)];
    };
    std::size_t first = 0;
    while (first < degree && place_at(first) != none) ++first;
    bool is_new = true;
    for (std::size_t i = first; i < first + degree; ++i) {
      if (place_at(i) == none) {
        is_new = true;
        continue;
      }
      if (is_new) cut.vertex.push_back(v);
      is_new = false;
      named.push_back(
          {{place_at(i), static_cast<Vertex>(cut.vertex.size() - 1)}, embedding.rotation[begin + i % degree]});
    }
  }
  std::ranges::sort(named, {}, &Named::edge);
  std::vector<Edge> edges;
  for (const Named& each : named) {
    edges.push_back(each.edge);
    cut.edges.push_back(each.id);
  }
  cut.graph = UndirectedGraph::from_edges(static_cast<Vertex>(cut.vertex.size()), std::move(edges));
}

// Directs the edges as the first term does, but for powers of i, and finds those of all terms.
void add_powers(const UndirectedGraph& graph, const SurfacePfaffians& surface, SurfaceCut& cut) {
  const std::vector<Edge>& edges = cut.graph.edges();
  std::vector<unsigned> base(edges.size());
  const auto power = [&](const SurfacePfaffians::Term& term, EdgeId id) {
    const bool turned = graph.edges()[cut.edges[id]].row != cut.vertex[edges[id].row];
    return power_of_edge(surface, term, cut.edges[id]) + (turned ? 2 : 0);
  };
  for (const SurfacePfaffians::Term& term : surface.terms) {
    const bool is_first = cut.powers.empty();
    std::vector<std::uint8_t>& powers = cut.powers.emplace_back(cut.graph.num_vertices(), 0);
    for_each_tree_edge(cut.graph, 0, [&](Vertex u, Vertex w, EdgeId id) {
      const unsigned left = (power(term, id) - powers[u] - base[id]) & 3;
      powers[w] = static_cast<std::uint8_t>(is_first ? left & 1 : left);
    });
    for (EdgeId id = 0; id < edges.size(); ++id) {
      const unsigned left = (power(term, id) - powers[edges[id].row] - powers[edges[id].column] - base[id]) & 3;
      if (is_first) base[id] = left;
      if (left != 0 && !(is_first && left == 2)) throw Error("a cut that leaves no discs; please report this graph");
    }
  }
  for (const unsigned power_of_base : base) cut.plan.orientation.push_back(power_of_base == 0 ? 1 : -1);
}

}  // namespace

CutFront::CutFront(const SurfaceCut& cut, const std::vector<Vertex>& rows, const std::vector<Vertex>& columns)
    : vertices(cut.cut) {
  const std::size_t first_copy = cut.plan.dissection.begin[cut.plan.dissection.num_nodes() - 1];
  const auto list = [&](const std::vector<Vertex>& lines, std::vector<std::uint32_t>& places) {
    for (const Vertex line : lines) {
      const Vertex v = cut.vertex[line];
      places.push_back(line < first_copy ? static_cast<std::uint32_t>(vertices.size()) : place_in(cut, v));
      if (line < first_copy) vertices.push_back(v);
    }
  };
  list(rows, of_row);
  list(columns, of_column);
}

unsigned power_of_edge(const SurfacePfaffians& surface, const SurfacePfaffians::Term& term, EdgeId id) {
  return (term.orientation[id] < 0 ? 2 : 0) + (!surface.twisted.empty() && surface.twisted[id] ? 1 : 0);
}

SurfaceCut cut_surface(const UndirectedGraph& graph, const KasteleynPlan& plan, std::uint64_t seed,
                       const RunContext& run) {
  const SurfacePfaffians& surface = *plan.surface;
  SurfaceCut result;
  result.cut = cutting_vertices(graph, surface.embedding);
  run.check();
  add_graph(graph, surface.embedding.rotation, result);
  add_powers(graph, surface, result);
  TwoColouring colouring = two_colour(result.graph.num_vertices(), result.graph.edges());
  if (colouring.odd_cycle.empty()) result.plan.is_column = std::move(colouring.is_column);
  // Below the copies a node without vertices keeps the pieces of the rest together.
  const std::size_t rest = graph.num_vertices() - result.cut.size();
  const std::vector<Vertex> beside(result.vertex.begin(), result.vertex.begin() + static_cast<std::ptrdiff_t>(rest));
  Dissection& dissection = result.plan.dissection = nested_dissection(graph.induced(beside).pattern(), seed, run);
  const std::uint32_t joint = dissection.num_nodes();
  std::ranges::replace(dissection.parent, Dissection::no_parent, joint);
  dissection.parent.insert(dissection.parent.end(), {joint + 1, Dissection::no_parent});
  for (auto v = static_cast<Vertex>(rest); v < result.vertex.size(); ++v) dissection.vertices.push_back(v);
  dissection.begin.insert(dissection.begin.end(), {rest, result.vertex.size()});
  result.plan.structure = analyse_elimination(result.graph, result.plan.is_column, dissection);
  return result;
}

}  // namespace matchcount
