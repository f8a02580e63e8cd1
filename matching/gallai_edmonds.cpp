// The decomposition is read off the alternating forest of a maximum matching, grown from all vertices that are left
// out: even vertices are D, the odd ones A, and what is not reached is C.

#include "matching/gallai_edmonds.hpp"

#include "core/error.hpp"
#include "graph/vertices.hpp"
#include "matching/alternating_forest.hpp"

namespace matchcount {

std::vector<GallaiEdmondsPart> gallai_edmonds(const UndirectedGraph& graph, const GraphMatching& maximum) {
  if (!is_matching(graph, maximum)) throw InputError("pairs that are no matching", "a maximum matching of the graph");
  AlternatingForest forest(graph, maximum.partner);
  if (!forest.grow()) throw InputError("a matching that can be augmented", "a maximum matching");
  std::vector<GallaiEdmondsPart> parts(graph.num_vertices());
  for (Vertex v = 0; v < parts.size(); ++v) {
    const ForestState state = forest.state(v);
    parts[v] = state == ForestState::even  ? GallaiEdmondsPart::d
               : state == ForestState::odd ? GallaiEdmondsPart::a
                                           : GallaiEdmondsPart::c;
  }
  return parts;
}

TutteSet tutte_berge_barrier(const GraphMatching& maximum, const std::vector<GallaiEdmondsPart>& parts) {
  TutteSet barrier;
  for (Vertex v = 0; v < parts.size(); ++v) {
    if (parts[v] == GallaiEdmondsPart::a) barrier.removed.push_back(v);
  }
  const std::size_t left_out = parts.size() - 2 * std::size_t{maximum.size};
  barrier.odd_components = static_cast<Vertex>(barrier.removed.size() + left_out);
  return barrier;
}

std::vector<bool> edges_in_maximum_matchings(const UndirectedGraph& graph, const GraphMatching& maximum,
                                             const std::vector<GallaiEdmondsPart>& parts, const RunContext& run) {
  std::vector<bool> useful(graph.num_edges(), false);
  std::vector<EdgeId> within_c;
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto [u, v] = graph.edges()[id];
    useful[id] = parts[u] == GallaiEdmondsPart::d || parts[v] == GallaiEdmondsPart::d;
    if (parts[u] == GallaiEdmondsPart::c && parts[v] == GallaiEdmondsPart::c) within_c.push_back(id);
  }
  std::vector<Vertex> vertices, place(graph.num_vertices());
  for (Vertex v = 0; v < parts.size(); ++v) {
    if (parts[v] == GallaiEdmondsPart::c) place[v] = appended(vertices, v);
  }
  GraphMatching perfect;
  for (const Vertex v : vertices) perfect.partner.push_back(place[maximum.partner[v]]);
  perfect.size = static_cast<Vertex>(vertices.size() / 2);
  // Edges of the induced graph are those within C, in the same order.
  const std::vector<bool> of_c = edges_in_perfect_matchings(graph.pattern().induced(vertices), perfect, run);
  for (std::size_t i = 0; i < within_c.size(); ++i) useful[within_c[i]] = of_c[i];
  return useful;
}

}  // namespace matchcount
