#include "permanent/frontier/order/costed_order.hpp"

#include "permanent/frontier/order/walk.hpp"

namespace matchcount {

std::vector<Vertex> CostedOrder::sequence() const {
  std::vector<Vertex> result;
  result.reserve(steps.size());
  for (const OrderStep& step : steps) result.push_back(step.vertex);
  return result;
}

CostedOrder costed_order(const OrderGraph& graph, std::span<const Vertex> sequence, LayerCosts& costs) {
  CostedOrder order;
  order.steps.reserve(graph.size());
  std::vector<WalkVertex> vertices = start_of_walk(graph);
  OrderLayer layer;
  for (const Vertex v : sequence) {
    if (vertices[v].is_processed) continue;
    const std::int32_t choices = vertices[v].unprocessed;
    const std::size_t at = order.steps.size();
    order.steps.push_back({v, false, choices, {}, 0});
    process(
        graph, vertices, v, layer,
        [&](Vertex u) {
          order.steps.push_back({u, true, 0, {}, 0});
        },
        [](Vertex) {});
    for (std::size_t t = at; t < order.steps.size(); ++t) order.steps[t].layer = layer;
    order.steps[at].cost = costs.cost(layer, choices);
    order.total += order.steps[at].cost;
  }
  return order;
}

}  // namespace matchcount
