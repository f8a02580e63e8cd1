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

std::vector<Vertex> CostedOrder::sequence() const {
  std::vector<Vertex> result;
  result.reserve(steps.size());
  for (const OrderStep& step : steps) result.push_back(step.vertex);
  return result;
}

double append_step(const OrderGraph& graph, std::span<WalkVertex> vertices, Vertex v, OrderLayer& layer,
                   LayerCosts& costs, std::vector<OrderStep>& steps) {
  const std::int32_t choices = vertices[v].unprocessed;
  const std::size_t at = steps.size();
  steps.push_back({v, false, choices, {}, 0});
  process(
      graph, vertices, v, layer,
      [&](Vertex u) {
        steps.push_back({u, true, 0, {}, 0});
      },
      [](Vertex) {});
  for (std::size_t t = at; t < steps.size(); ++t) steps[t].layer = layer;
  return steps[at].cost = costs.cost(layer, choices);
}

CostedOrder costed_order(const OrderGraph& graph, std::span<const Vertex> sequence, LayerCosts& costs) {
  CostedOrder order;
  order.steps.reserve(graph.size());
  std::vector<WalkVertex> vertices = start_of_walk(graph);
  OrderLayer layer;
  for (const Vertex v : sequence) {
    if (!vertices[v].is_processed) order.total += append_step(graph, vertices, v, layer, costs, order.steps);
  }
  return order;
}

}  // namespace matchcount
