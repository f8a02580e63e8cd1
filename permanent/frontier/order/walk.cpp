#include "permanent/frontier/order/walk.hpp"

namespace matchcount {

void start_walk(const OrderGraph& graph, std::span<WalkVertex> vertices) {
  for (Vertex v = 0; v < graph.size(); ++v) {
    WalkVertex& of_v = vertices[v];
    const bool is_row = graph.is_row[v];
    of_v.width_change = of_v.is_on_frontier ? -1 : 0;
    of_v.ones_change = is_row ? -1 : of_v.is_on_frontier ? 0 : 1;
    of_v.closings = 0;
    of_v.is_near = of_v.is_on_frontier;
    for (const Vertex u : graph.of(v)) {
      const WalkVertex& of_u = vertices[u];
      if (of_u.is_processed) continue;
      if (of_u.is_on_frontier) {
        of_v.is_near = true;
      } else {
        ++of_v.width_change;
        if (!graph.is_row[u]) ++of_v.ones_change;
      }
      if (of_u.unprocessed == 1) {
        --of_v.width_change;
        of_v.ones_change += ones_of_closed(graph, u);
        ++of_v.closings;
      }
    }
  }
}

std::vector<WalkVertex> start_of_walk(const OrderGraph& graph) {
  std::vector<WalkVertex> vertices(graph.size());
  for (Vertex v = 0; v < graph.size(); ++v) vertices[v].unprocessed = static_cast<std::int32_t>(graph.of(v).size());
  start_walk(graph, vertices);
  return vertices;
}

}  // namespace matchcount
