#pragma once
// Spells an order of vertices out as the steps of a sum over matchings that need not be perfect.
//
// A step takes one vertex off the frontier: it was matched before, or is matched now with a vertex that comes later, or
// stays unmatched. A vertex whose neighbours are all behind it has a step of its own at once, so that a layer is no
// wider than it has to be. A state is the set of frontier vertices that are matched; all of its vertices but those that
// were not reached yet count.

#include <cstdint>
#include <vector>

#include "graph/undirected_graph.hpp"

namespace matchcount {

struct MatchingStep {
  struct Partner {
    Vertex vertex;
    EdgeId edge;
  };
  Vertex vertex = 0;
  bool was_on_frontier = false;   // else it is unmatched for certain
  std::vector<Partner> partners;  // unprocessed neighbours on the frontier
  std::vector<Partner> entering;  // unprocessed neighbours that come onto it now
  std::uint32_t width = 0;        // of the frontier after the step
  double states = 0;              // a bound on those of the layer after it
  // Of a bipartite graph: in a state that may still come to something, so many more columns than rows of the frontier
  // are matched, from least to most.
  std::int64_t least_excess = 0, most_excess = 0;
};

// What is known of the vertices that stay unmatched: whether one may, by vertex, and how many may in all at the most.
struct UnmatchedVertices {
  std::vector<bool> may_be;
  std::uint32_t most = 0;
};

struct MatchingSteps {
  std::vector<MatchingStep> steps;
  std::uint32_t max_width = 0;  // counting the vertex of a step that was not on the frontier
  // Of a bipartite graph: whether a vertex is on the second side. Empty for others.
  std::vector<bool> is_column;
};

// Throws InputError for a sequence that is no permutation of the vertices.
MatchingSteps matching_steps(const UndirectedGraph& pattern, const std::vector<Vertex>& sequence,
                             const UnmatchedVertices& unmatched);

// Where the sparse engine gives way to the dense one, and what both do.
struct MatchingLayout {
  std::size_t first_dense = 0;  // step; as many as there are: none
  std::uint32_t slots = 0;      // of the dense array, which has 2^slots states
  double sparse_states = 0;     // of the two sparse layers in a row that have most
  double sparse_transitions = 0, dense_transitions = 0;
};
// Throws Unable where sparse layers are too wide to be held.
MatchingLayout matching_layout(const MatchingSteps& steps);

constexpr std::uint32_t max_sparse_width = 64;

}  // namespace matchcount
