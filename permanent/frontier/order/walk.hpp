#pragma once
// Holds a graph for the search for an order, and says what a layer costs there: a bound on its states, and on the
// transitions into it.
//
// Processes the vertices of a graph one after another and keeps for each of the others what processing it next would
// do to the frontier. Every edge is looked at a constant number of times in a whole walk. A walk along an order tells
// what each of its steps costs.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/vertices.hpp"
#include "permanent/frontier/cpu/states.hpp"

namespace matchcount {

struct OrderGraph {
  std::vector<std::size_t> offsets{0};
  std::vector<Vertex> neighbours;
  std::vector<char> is_row;
  bool by_parity = false;  // has odd cycles

  Vertex size() const { return static_cast<Vertex>(is_row.size()); }
  std::span<const Vertex> of(Vertex v) const {
    return {neighbours.data() + offsets[v], neighbours.data() + offsets[v + 1]};
  }
};

// Row r is vertex r, column c vertex num_rows + c.
template <class Graph>
OrderGraph order_graph(const Graph& graph) {
  OrderGraph result;
  result.by_parity = std::is_same_v<Graph, UndirectedGraph>;
  result.is_row.assign(num_vertices(graph), 1);
  if constexpr (!std::is_same_v<Graph, UndirectedGraph>)
    std::fill(result.is_row.begin() + graph.num_rows(), result.is_row.end(), char{0});
  result.offsets.reserve(result.is_row.size() + 1);
  result.neighbours.reserve(2 * graph.num_edges());
  for (Vertex v = 0; v < result.size(); ++v) {
    for_each_neighbour(graph, v, [&](Vertex u, EdgeId) { result.neighbours.push_back(u); });
    result.offsets.push_back(result.neighbours.size());
  }
  return result;
}

// The frontier between two steps: its width, and the ones that all states have. By parity `ones` is minus the number of
// vertices that can be matched there: of those that were processed less those that closed, each of which took one.
struct OrderLayer {
  std::int32_t width = 0, ones = 0;
};

// The quantity that a search makes small: the sum over the steps of transitions, which is time, or of their cubes,
// which lowers the largest layer too (by a bit or so, for a tenth more transitions).
enum class OrderObjective { time, memory };

// Tables that grow as they are asked: one for each thread.
class LayerCosts {
 public:
  LayerCosts(bool by_parity, OrderObjective objective) : by_parity_(by_parity), objective_(objective) {}

  OrderObjective objective() const { return objective_; }

  // Returns C(width, ones), or by parity StatesOfParity(width, -ones); 1e300 where it is more than that.
  double states(OrderLayer layer) {
    const auto width = static_cast<std::size_t>(layer.width);
    if (width >= states_.size()) {
      if (layer.width > max_tabled_width) return hopeless;
      grow(width);
    }
    std::int32_t column = layer.ones;
    if (by_parity_) {
      column = -column;
      // No more can be matched than there are: the most of the same parity.
      if (column > layer.width) column = layer.width - ((column - layer.width) & 1);
    }
    const std::vector<double>& row = states_[width];
    return static_cast<std::uint32_t>(column) < row.size() ? row[static_cast<std::uint32_t>(column)] : 0;
  }

  // Returns the cost of the step that makes a layer of so many states, its vertex having so many unprocessed neighbours
  // to be matched with: a state sums over half of them.
  double cost(double states, std::int32_t choices) const {
    const double transitions = states * (1.0 + 0.5 * choices);
    if (objective_ == OrderObjective::time) return transitions;
    const double bounded = std::min(transitions, largest_cubed);
    return bounded * bounded * bounded;
  }
  double cost(OrderLayer layer, std::int32_t choices) { return cost(states(layer), choices); }
  // Returns a number close to the logarithm of the transitions; it still rises with the width when they have passed all
  // doubles.
  double rough_log2_cost(OrderLayer layer, std::int32_t choices);

 private:
  static constexpr std::int32_t max_tabled_width = 1020;  // C(1020, 510) is just below the largest double
  static constexpr double hopeless = 1e300;
  static constexpr double largest_cubed = 1e100;

  void grow(std::size_t width);

  bool by_parity_;
  OrderObjective objective_;
  std::vector<std::vector<double>> states_;  // by width, by ones or by matched vertices
  StatesOfParity of_parity_;
};

// Returns a number close to log2 x that rises with it: the exponent, and the mantissa as it is. x > 0.
inline double rough_log2(double x) { return static_cast<double>(std::bit_cast<std::int64_t>(x)) * 0x1p-52 - 1023; }

inline void LayerCosts::grow(std::size_t width) {
  for (std::size_t w = states_.size(); w <= width; ++w) {
    std::vector<double> row(w + 1, 1.0);
    for (std::size_t i = 0; i <= w; ++i) {
      if (by_parity_)
        row[i] = of_parity_(static_cast<std::int64_t>(w), static_cast<std::int64_t>(i));
      else if (i > 0 && i < w)
        row[i] = states_[w - 1][i - 1] + states_[w - 1][i];
      row[i] = std::min(row[i], hopeless);
    }
    states_.push_back(std::move(row));
  }
}

inline double LayerCosts::rough_log2_cost(OrderLayer layer, std::int32_t choices) {
  return layer.width > max_tabled_width ? layer.width : rough_log2(states(layer) * (1.0 + 0.5 * choices));
}

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

// Processes v, and appends it and what it closes to the steps of an order; returns the cost.
double append_step(const OrderGraph& graph, std::span<WalkVertex> vertices, Vertex v, OrderLayer& layer,
                   LayerCosts& costs, std::vector<OrderStep>& steps);
// Brings a sequence of all vertices into that form.
CostedOrder costed_order(const OrderGraph& graph, std::span<const Vertex> sequence, LayerCosts& costs);

}  // namespace matchcount
