#pragma once
// Shows a block to guided walks, on any device, and says what a team of lanes has that takes their steps.

#include "approx/degree_sets.hpp"
#include "approx/published_walk.hpp"

namespace matchcount {

// GuidedView is shared by all samples of a block, as pointers that hold where the walk runs.
struct GuidedView {
  ProblemView problem;
  const std::uint32_t* reverse = nullptr;   // by slot
  const std::uint32_t* position = nullptr;  // by vertex: of a row and a column of as few choices the first; null: rows
  DegreeSetsSize sets;                      // of a side
  std::uint32_t num_slots = 0, largest_degree = 0;
  double alone = 0;  // as in Problem
  bool has_equal_weights = false;

  MATCHCOUNT_ANYWHERE std::uint32_t num_vertices() const { return 2 * problem.size; }
  // Words of 64 bits of the state of a sample, which starts as a copy of guided_start (approx/cpu/guided.hpp).
  MATCHCOUNT_ANYWHERE std::size_t state_length() const { return num_slots + 2 * sets.length() + num_vertices(); }
};

// A team is the lanes that work on one sample; it has
//   Index                     of vertices; it counts to twice the rows
//   lane(), width(), sync(), ballot(), place(), count(), last(), from_lane()   as a warp (approx/cuda/warp.cuh)
//   view_, degree_            degrees by vertex; 0: it is gone
//   local(vertex)             its place among those of its side, or among all
//   fewest_choices()          a row or a column of least degree
//   lower(vertex)             by one lane: an edge of the vertex is gone
//   lower_each(vertex, lanes) the same by all, where these lanes have a vertex
//   erase(vertex)             by one lane: the vertex is
//   work(edges)               so many were looked at
// Lanes all get the same answers.

}  // namespace matchcount
