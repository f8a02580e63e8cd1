#pragma once
// Makes orders to start a search from: greedy ones, guided by the shape of the whole graph or not, and along
// tree decompositions.

#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "core/step_check.hpp"
#include "permanent/frontier/order/segment_beam.hpp"

namespace matchcount {

// A greedy order takes the vertex for which the logarithm of the cost of the next layer plus these terms is least.
struct GreedyGuide {
  std::vector<double> potential;  // of the vertex, times weight; empty: none
  double weight = 0;
  double noise = 0;  // a random term below that
};

// One greedy order after another of one graph.
class GreedyOrders {
 public:
  // All of them outlive this.
  GreedyOrders(const OrderGraph& graph, LayerCosts& costs, StepCheck& steps);

  // Takes the best of those on the frontier and next to it, from `start` on; ties by a seeded coin. Of a wide frontier,
  // the oldest are compared. Empty where it came to cost more than `limit`. Throws as run.check() does.
  std::vector<Vertex> run(FrontierStrategy strategy, Vertex start, const GreedyGuide& guide, double limit,
                          std::uint64_t seed);
  // Returns the work so far, in evaluations of a vertex, as for a SegmentBeam.
  std::uint64_t work() const { return work_; }

 private:
  Vertex best_candidate(const GreedyGuide& guide, std::size_t most, QuickRandom& random);

  const OrderGraph& graph_;
  LayerCosts& costs_;
  StepCheck& steps_;
  std::vector<WalkVertex> untouched_, vertices_;
  OrderLayer layer_;
  std::vector<Vertex> candidates_;  // that are compared
  std::vector<Vertex> waiting_;     // that came after them, from next_waiting_ on
  std::size_t next_waiting_ = 0;
  std::uint64_t work_ = 0;
};

// Draws starts of all kinds. The i-th is a function of the graph, the strategies and the seed alone.
class Starts {
 public:
  // `graph` outlives this.
  Starts(const OrderGraph& graph, FrontierStrategy strategy, std::uint64_t seed);

  // Prepares what takes time linear in the edges, but often over: the lowest eigenvectors of the graph's Laplacian.
  // Returns the work done.
  std::uint64_t find_eigenvectors(StepCheck& steps);
  // Returns the work of that.
  std::uint64_t work_of_eigenvectors() const;

  // Makes the i-th start, empty where it came to cost more than `limit`. Any number of threads, each with its own
  // `greedy`.
  std::vector<Vertex> make(std::uint64_t i, double limit, GreedyOrders& greedy) const;

 private:
  struct Draw;
  FrontierStrategy strategy_of(std::uint64_t i) const;
  std::vector<double> potential(Draw& draw, Vertex& start) const;
  std::vector<double> depths(Vertex from) const;
  std::vector<double> along_eigenvectors(Random& random) const;

  const OrderGraph& graph_;
  FrontierStrategy strategy_;
  std::uint64_t seed_;
  std::vector<std::vector<double>> eigenvectors_;
};

// Returns the cheapest order along the i-th tree decomposition from some roots, which `seed` decides; no steps where
// the work, in evaluations of a vertex, would pass most_work. Adds to `work` what was done. Throws as run.check() does.
CostedOrder order_along_tree(const OrderGraph& graph, std::uint64_t i, std::uint64_t seed, std::uint64_t most_work,
                             LayerCosts& costs, StepCheck& steps, std::uint64_t& work);

}  // namespace matchcount
