#pragma once
// Processes the vertices of a graph one after another and keeps for each of the others what processing it next would
// do to the frontier. Every edge is looked at a constant number of times in a whole walk. A walk along an order tells
// what each of its steps costs.

#include <cstdint>
#include <span>
#include <vector>

#include "permanent/frontier/order/graph.hpp"
#include "permanent/frontier/order/layer_costs.hpp"

namespace matchcount {

// Says what a vertex would change if it were processed next. Fields hold for vertices that are not processed, unless
// they say otherwise.
struct WalkVertex {
  std::int32_t unprocessed = 0;   // neighbours; those that are beyond a piece of a graph count as one
  std::int32_t width_change = 0;  // of the layer, were it processed next
  std::int32_t ones_change = 0;
  std::int32_t closings = 0;  // neighbours that it would close
  bool is_processed = false;  // or closed
  bool is_on_frontier = false;
  bool is_near = false;  // it or a neighbour is on the frontier, or was
};

// Returns the change of `ones` when a vertex closes: a matched row takes its bit along.
inline std::int32_t ones_of_closed(const OrderGraph& graph, Vertex v) {
  if (graph.by_parity) return 1;
  return graph.is_row[v] ? -1 : 0;
}

// Sets the changes and is_near of all vertices from the other fields.
void start_walk(const OrderGraph& graph, std::span<WalkVertex> vertices);
// Returns the vertices before any is processed.
std::vector<WalkVertex> start_of_walk(const OrderGraph& graph);

// Processes v, and changes `layer` accordingly. Calls on_close(u) for every neighbour that closes, and on_near(u) for
// every vertex that becomes near.
template <class OnClose, class OnNear>
void process(const OrderGraph& graph, std::span<WalkVertex> vertices, Vertex v, OrderLayer& layer, OnClose&& on_close,
             OnNear&& on_near) {
  WalkVertex& of_v = vertices[v];
  layer.width += of_v.width_change;
  layer.ones += of_v.ones_change;
  of_v.is_processed = true;
  const auto come_near = [&](Vertex u) {
    if (vertices[u].is_near) return;
    vertices[u].is_near = true;
    on_near(u);
  };
  const auto enter = [&](Vertex u) {
    WalkVertex& of_u = vertices[u];
    of_u.is_on_frontier = true;
    const std::int32_t column = graph.is_row[u] ? 0 : 1;
    --of_u.width_change;
    of_u.ones_change -= column;
    come_near(u);
    for (const Vertex x : graph.of(u)) {
      WalkVertex& of_x = vertices[x];
      if (of_x.is_processed) continue;
      --of_x.width_change;
      of_x.ones_change -= column;
      come_near(x);
    }
  };
  const auto leave_to_last_neighbour = [&](Vertex u) {
    for (const Vertex x : graph.of(u)) {
      WalkVertex& of_x = vertices[x];
      if (of_x.is_processed) continue;
      --of_x.width_change;
      of_x.ones_change += ones_of_closed(graph, u);
      ++of_x.closings;
    }
  };
  const bool would_have_entered = !of_v.is_on_frontier;
  const bool would_have_closed = of_v.unprocessed == 1;
  for (const Vertex u : graph.of(v)) {
    WalkVertex& of_u = vertices[u];
    if (of_u.is_processed) continue;
    if (would_have_entered) {
      --of_u.width_change;
      if (!graph.is_row[v]) --of_u.ones_change;
    }
    if (would_have_closed) {
      ++of_u.width_change;
      of_u.ones_change -= ones_of_closed(graph, v);
      --of_u.closings;
    }
    if (!of_u.is_on_frontier) enter(u);
    --of_u.unprocessed;
    if (of_u.unprocessed == 1) leave_to_last_neighbour(u);
    if (of_u.unprocessed == 0) {
      of_u.is_processed = true;
      on_close(u);
    }
  }
}

// A step of an order, with what it costs.
struct OrderStep {
  Vertex vertex = 0;
  bool is_closed = false;    // before its turn: it costs nothing
  std::int32_t choices = 0;  // unprocessed neighbours
  OrderLayer layer;          // after the step
  double cost = 0;
};

// Every closed vertex stands behind the one that closed it: what an order costs depends on the others alone. What
// stands before a position that is not closed is then a set of processed vertices, whatever their order.
struct CostedOrder {
  std::vector<OrderStep> steps;
  double total = 0;

  std::vector<Vertex> sequence() const;
};

// Brings a sequence of all vertices into that form.
CostedOrder costed_order(const OrderGraph& graph, std::span<const Vertex> sequence, LayerCosts& costs);

}  // namespace matchcount
