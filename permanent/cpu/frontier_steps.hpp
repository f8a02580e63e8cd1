#pragma once
// An order of vertices spelled out as the steps that both engines of the frontier method carry out.

#include <cstdint>
#include <vector>

#include "permanent/frontier.hpp"

namespace matchcount {

// Vertices are numbered as in FrontierOrder: rows first, then columns.
struct FrontierStep {
  struct Choice {
    Vertex partner;
    EdgeId edge;
    bool enters;  // the partner was not on the frontier before
  };
  Vertex vertex = 0;
  bool was_on_frontier = false;  // else it is unmatched for certain
  std::vector<Choice> choices;   // its unprocessed neighbours
  std::vector<Vertex> entering;  // onto the frontier, to stay there
  std::vector<Vertex> closing;   // off the frontier, their last neighbour processed: only matched ones survive
  std::vector<Vertex>
      closing_entered;      // the same for vertices that were not on the frontier before: at most one survives
  std::uint32_t width = 0;  // of the frontier after the step
  std::uint32_t ones = 0;   // bits set in every state after the step
};

struct FrontierSteps {
  Vertex num_rows = 0;
  Vertex num_vertices = 0;
  std::vector<FrontierStep> steps;
  std::uint32_t max_width = 0;
  bool impossible = false;  // some layer has no state: the permanent is 0

  bool is_row(Vertex v) const { return v < num_rows; }
  // A state's bit for a vertex: rows say "matched", columns "unmatched".
  bool bit(Vertex v, bool matched) const { return matched == is_row(v); }
};

FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence);

}  // namespace matchcount
