#pragma once
// Spells an order of vertices out as the steps that both engines of the frontier method carry out.

#include <cstdint>
#include <vector>

#include "permanent/frontier/frontier.hpp"

namespace matchcount {

// Vertices are numbered as in FrontierOrder: rows first, then columns. In a graph that is not bipartite every vertex
// counts as a row, and the states of a layer have their parity in common instead of their number of ones.
struct FrontierStep {
  struct Choice {
    Vertex partner;
    EdgeId edge;
    bool enters;               // the partner was not on the frontier before
    Vertex after = unmatched;  // a twin that must be matched already, or unmatched: none
  };
  Vertex vertex = 0;
  bool was_on_frontier = false;  // else it is unmatched for certain
  std::vector<Choice> choices;   // its unprocessed neighbours
  std::vector<Vertex> entering;  // onto the frontier, to stay there
  std::vector<Vertex> closing;   // off the frontier, their last neighbour processed: only matched ones survive
  std::vector<Vertex>
      closing_entered;      // the same for vertices that were not on the frontier before: at most one survives
  std::uint32_t width = 0;  // of the frontier after the step
  std::uint32_t ones = 0;   // bits set in every state after the step; by parity: that number modulo 2
  double states = 0;        // C(width, ones), or fewer where twins are matched in turn; by parity: StatesOfParity
};

struct FrontierSteps {
  Vertex num_rows = 0;
  Vertex num_vertices = 0;
  std::vector<FrontierStep> steps;
  std::uint32_t max_width = 0;
  bool by_parity = false;   // the graph need not be bipartite
  bool impossible = false;  // some layer has no state: the permanent is 0
  bool with_twins = false;  // twins are matched in turn: the result is to be multiplied by twin_factor

  bool is_row(Vertex v) const { return v < num_rows; }
  // A state's bit for a vertex: rows say "matched", columns "unmatched".
  bool bit(Vertex v, bool matched) const { return matched == is_row(v); }
};

// twin_before as in FrontierOrder. Throws InputError for a sequence that is no permutation of the vertices, twins with
// different neighbours, and a sequence in which a twin has a step of its own.
FrontierSteps frontier_steps(const BipartiteGraph& pattern, const std::vector<Vertex>& sequence,
                             const std::vector<Vertex>& twin_before = {});
// Of any graph, by parity. Throws InputError for a sequence that is no permutation of the vertices.
FrontierSteps frontier_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence);

}  // namespace matchcount
