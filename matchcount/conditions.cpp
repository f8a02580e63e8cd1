#include "matchcount/conditions.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"

namespace matchcount {
namespace {

// `edges`: with the ends in one numbering.
template <class Graph>
Conditioned<Graph> reduced(const Graph& graph, const std::vector<Edge>& edges, std::size_t num_vertices,
                           const std::vector<EdgeId>& with, const std::vector<EdgeId>& without) {
  for (const auto* ids : {&with, &without}) {
    for (const EdgeId id : *ids) {
      if (id >= edges.size())
        throw InputError("the edge " + std::to_string(id), "one of " + std::to_string(edges.size()) + " edges");
    }
  }
  Conditioned<Graph> result;
  constexpr EdgeId none = ~EdgeId{0};
  std::vector<EdgeId> only(num_vertices, none);  // by vertex, the edge that it has to have
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
  std::vector<Edge> edges = graph.edges();
  for (Edge& edge : edges) edge.column += graph.num_rows();
  return reduced(graph, edges, std::size_t{graph.num_rows()} + graph.num_columns(), with, without);
}
Conditioned<UndirectedGraph> conditioned(const UndirectedGraph& graph, const std::vector<EdgeId>& with,
                                         const std::vector<EdgeId>& without) {
  return reduced(graph, graph.edges(), graph.num_vertices(), with, without);
}

}  // namespace matchcount
