#pragma once
// Improves an order by reordering one segment after another.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "permanent/frontier/order/segment_beam.hpp"
#include "permanent/frontier/order/starts.hpp"

namespace matchcount {

// Holds the tools of one thread of the search.
struct OrderWorker {
  OrderWorker(const OrderGraph& of_graph, FrontierStrategy strategy, OrderObjective objective, const RunContext& run)
      : graph(of_graph),
        costs(graph.by_parity, objective),
        steps(run),
        greedy(graph, costs, steps),
        beam(graph, strategy, costs, steps) {}
  OrderWorker(const OrderWorker&) = delete;
  OrderWorker& operator=(const OrderWorker&) = delete;

  const OrderGraph& graph;
  LayerCosts costs;
  StepCheck steps;
  GreedyOrders greedy;
  SegmentBeam beam;
};

class LocalSearch {
 public:
  // `order` is one that costed_order made; draws its choices from `random`.
  LocalSearch(CostedOrder order, Random random);

  // Reorders random segments for about so much work, more often where layers cost much. A segment that now costs more,
  // by a small share of the total, is kept now and then; the share falls from `hot` to `cold`, and with 0 for both no
  // such segment is kept. Returns the work done. Throws as run.check() does.
  std::uint64_t improve(std::uint64_t work, double hot, double cold, OrderWorker& worker);
  // Makes the order of every window of so many steps the cheapest, window after window until there is no gain or so
  // much work is done. Windows that are a negligible part of the cost are left out.
  std::uint64_t perfect_windows(std::uint32_t length, std::uint64_t work, OrderWorker& worker);

  // Returns the best met.
  const CostedOrder& best() const { return at_best_ ? order_ : best_; }
  double best_total() const { return best_total_; }

 private:
  struct Segment {
    std::uint32_t first = 0, last = 0;
    double cost = 0;
    BeamSettings settings;
  };

  std::uint32_t draw_centre();
  Segment draw_segment(double share);
  void align(Segment& segment) const;
  std::uint64_t reorder(const Segment& segment, OrderWorker& worker);
  void take(const Segment& segment, const std::vector<OrderStep>& result, double cost);
  void add_up(OrderWorker& worker);

  CostedOrder order_;
  std::vector<std::uint32_t> position_;                // by vertex
  std::vector<double> flat_weight_;                    // by position: the cost to a small power
  std::vector<double> sum_of_costs_, sum_of_weights_;  // up to each position; out of date by little
  std::uint64_t work_since_sums_ = 0;
  bool sums_are_stale_ = true;
  bool layers_are_stale_ = false;
  Random random_;
  CostedOrder best_;  // unless order_ is the best
  bool at_best_ = true;
  double best_total_ = 0;
};

}  // namespace matchcount
