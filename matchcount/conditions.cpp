#include "matchcount/conditions.hpp"

#include <string>

#include "core/error.hpp"
#include "graph/vertices.hpp"

namespace matchcount {
namespace {

template <class Graph>
Conditioned<Graph> reduced(const Graph& graph, const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  std::vector<Edge> edges;  // with the ends in one numbering
  for_each_edge(graph, [&](Vertex u, Vertex v, EdgeId) { edges.push_back({u, v}); });
  for (const auto* ids : {&with, &without}) {
    for (const EdgeId id : *ids) {
      if (id >= edges.size())
        throw InputError("the edge " + std::to_string(id), "one of " + std::to_string(edges.size()) + " edges");
    }
  }
  Conditioned<Graph> result;
  constexpr EdgeId none = ~EdgeId{0};
  std::vector<EdgeId> only(num_vertices(graph), none);  // by vertex, the edge that it has to have
  std::vector<bool> keep(edges.size(), true);
  for (const EdgeId id : with) {
    for (const Vertex end : {edges[id].row, edges[id].column}) {
      if (only[end] == none) result.always_matched.push_back(end);
      if (only[end] == none || only[end] == id)
        only[end] = id;
      else
        keep[only[end]] = false;
    }
  }
  for (const EdgeId id : without) keep[id] = false;
  for (EdgeId id = 0; id < edges.size(); ++id) {
    for (const Vertex end : {edges[id].row, edges[id].column})
      if (only[end] != none && only[end] != id) keep[id] = false;
    if (keep[id]) result.edges.push_back(id);
  }
  result.graph = graph.filtered(keep);
  return result;
}

}  // namespace

Conditioned<BipartiteGraph> conditioned(const BipartiteGraph& graph, const std::vector<EdgeId>& with,
                                        const std::vector<EdgeId>& without) {
  return reduced(graph, with, without);
}
Conditioned<UndirectedGraph> conditioned(const UndirectedGraph& graph, const std::vector<EdgeId>& with,
                                         const std::vector<EdgeId>& without) {
  return reduced(graph, with, without);
}

}  // namespace matchcount
