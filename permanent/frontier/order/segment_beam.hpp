#pragma once
// Reorders a segment of an order by beam search. The vertices before and behind it stay where they are, so that the
// layers there do not change, and what the segment costs is all that has to be compared.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/step_check.hpp"
#include "permanent/frontier/order/walk.hpp"
#include "permanent/plan.hpp"

namespace matchcount {

// Says whether orders of this kind have steps for a vertex; other vertices close by themselves.
inline bool has_steps(FrontierStrategy strategy, const OrderGraph& graph, Vertex v) {
  return strategy == FrontierStrategy::automatic || strategy == FrontierStrategy::mixed ||
         (strategy == FrontierStrategy::rows) == (graph.is_row[v] != 0);
}

// Small random numbers for ties and noise, one in a nanosecond (SplitMix64; Steele, Lea and Flood 2014,
// doi:10.1145/2660193.2660195).
class QuickRandom {
 public:
  explicit QuickRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// A state is the set of vertices that are processed, and the cheapest way that led there. States with equally many
// processed vertices (closed ones included) compete by the logarithm of their cost so far plus the terms below.
struct BeamSettings {
  std::uint32_t width = 8;        // so many of them are followed
  double weight_of_layer = 0;     // of the logarithm of the present layer
  double weight_of_position = 0;  // of the old place of the vertex that was processed last
  double noise = 0;               // a random term below that
  std::uint64_t seed = 0;         // of the noise
  // Segments that cost this much or more are not looked for.
  double limit = std::numeric_limits<double>::infinity();
  // All sets are followed, from every vertex to every other: the cheapest order of the segment, in up to 2^length
  // states. Else a vertex is at or next to the frontier, and one that does not enlarge the layer is processed at once.
  bool exhaustive = false;
};

class SegmentBeam {
 public:
  // All of them outlive this.
  SegmentBeam(const OrderGraph& graph, FrontierStrategy strategy, LayerCosts& costs, StepCheck& steps);

  // Returns the cheapest order found of the vertices in positions [first, last) of `order`; empty where none costs less
  // than the limit. position[v] is the place of v. Neither `first` nor `last` is the place of a closed vertex.
  const std::vector<OrderStep>& run(const CostedOrder& order, std::span<const std::uint32_t> position,
                                    std::uint32_t first, std::uint32_t last, const BeamSettings& settings);
  // Returns the cost of the last run's result.
  double cost() const { return cost_; }
  // Returns the work so far, in evaluations of one vertex at one state.
  std::uint64_t work() const { return work_; }

 private:
  struct State {
    double cost = 0;  // so far
    OrderLayer layer;
    std::uint64_t hash = 0;                      // of the set
    std::uint32_t parent_level = 0, parent = 0;  // where it came from,
    Vertex vertex = 0;                           // by which vertex
  };
  struct Child {
    double key = 0;  // the least is followed first
    double cost = 0;
    std::uint32_t parent_level = 0, parent = 0;
    Vertex vertex = 0;
  };

  void cut_out(const CostedOrder& order, std::span<const std::uint32_t> position, std::uint32_t first,
               std::uint32_t last);
  void add_outer_vertices(std::span<const std::uint32_t> position, std::uint32_t first);
  void select(std::uint32_t level);
  void follow(std::uint32_t level, const Child& child, std::uint64_t hash);
  void expand(std::uint32_t level, std::uint32_t index);
  void offer(std::uint32_t level, const Child& child);
  void trim(std::vector<Child>& bucket) const;
  std::uint64_t hash_after(const Child& child) const;
  bool is_new(std::uint64_t hash);
  void trace();
  std::span<WalkVertex> vertices_of(std::uint32_t level, std::uint32_t index);

  const OrderGraph& graph_;
  FrontierStrategy strategy_;
  LayerCosts& costs_;
  StepCheck& steps_;

  // The segment cut out: its vertices in their old order, then those behind it that are their neighbours.
  OrderGraph local_;
  std::vector<Vertex> vertex_;          // of the whole graph
  std::vector<std::uint64_t> hash_of_;  // of the segment's vertices
  std::vector<char> may_step_;          // of the segment's vertices
  std::vector<WalkVertex> start_;       // before the segment
  OrderLayer start_layer_;
  std::uint32_t length_ = 0;
  std::vector<std::uint32_t> local_of_outer_, stamp_;  // of the whole graph
  std::uint32_t stamp_now_ = 0;

  BeamSettings settings_;
  double limit_ = 0;
  QuickRandom random_{0};
  std::vector<std::vector<State>> levels_;     // by processed vertices
  std::vector<std::vector<Child>> buckets_;    // what may become a state there
  std::vector<std::vector<WalkVertex>> ring_;  // the vertices of the states of the last levels
  std::vector<Child> children_;                // of one state
  std::vector<std::uint32_t> child_levels_;
  std::vector<std::uint64_t> seen_;  // an open hash table of the sets of one level
  Child best_;
  std::vector<OrderStep> result_;
  double cost_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace matchcount
