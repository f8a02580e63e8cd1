#pragma once
// Holds an order of vertices with what each of its steps costs.

#include <cstdint>
#include <span>
#include <vector>

#include "permanent/frontier/order/graph.hpp"
#include "permanent/frontier/order/layer_costs.hpp"

namespace matchcount {

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
