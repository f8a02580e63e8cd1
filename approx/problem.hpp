#pragma once
// Holds a pruned block as the samplers see it, on any device: flat arrays, rows and columns in one numbering of
// vertices.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/scaled_entries.hpp"

namespace matchcount {

// Vertex v < size is row v, otherwise column v - size; with odd cycles it is any vertex. Every edge has a slot at both
// ends: the slots of vertex v are offset[v] to offset[v + 1], in order of the neighbours. 28 bytes a slot, 10 bytes a
// vertex.
struct Problem {
  Vertex size = 0;  // rows, and as many columns; with odd cycles pairs of vertices
  bool bipartite = true;
  // The weight of a vertex that a matching leaves alone, 0 where matchings are perfect, else 1: then `size` is half of
  // the vertices, rounded up, one without edges added where their number is odd.
  double alone = 0;
  std::vector<std::uint32_t> offset;   // 2 size + 1
  std::vector<std::uint32_t> target;   // by slot: the vertex at the other end
  std::vector<std::uint32_t> reverse;  // by slot: the slot of the same edge there
  std::vector<double> weight;          // by slot: positive and finite
  // Messages by slot: what the other end sends by belief propagation, times the weight (approx/bethe.hpp). At a fixed
  // point the share of the permanent that an edge has is about message / sum of the messages at the vertex.
  std::vector<double> message;
  std::vector<std::uint32_t> mate;  // by vertex: a perfect matching

  std::uint32_t num_vertices() const { return 2 * size; }
  std::uint32_t degree(std::uint32_t vertex) const { return offset[vertex + 1] - offset[vertex]; }
  std::uint32_t largest_degree() const;
};

// Makes a problem of a square graph and its weights by EdgeId; messages are all equal to the weights. Throws InputError
// if sizes differ, the matching is not perfect or a weight is not positive and finite, Unable beyond 2^31 - 1 edges.
Problem make_problem(const BipartiteGraph& pattern, const std::vector<double>& weights, const Matching& perfect);
// The same of a graph that may have odd cycles.
Problem make_problem(const UndirectedGraph& pattern, const std::vector<double>& weights, const GraphMatching& perfect);

// The same of all matchings of a graph.
Problem make_problem_of_all(const UndirectedGraph& graph, const std::vector<double>& weights);

// Returns weights for a problem: entries as doubles, scaled as scale_entries does unless they are all equal, or to be
// left as they are. Then edges of matchings that weigh nearly as much as the heaviest have weights near 1 and are not
// overlooked where weights tell which edge is taken; beliefs do not change.
template <class Graph>
std::pair<std::vector<double>, EntryScaling> guiding_weights(const Graph& pattern, std::vector<RealEntry> entries,
                                                             bool as_they_are, const RunContext& run) {
  const auto is_first = [&](const RealEntry& entry) { return entry.value == entries.front().value; };
  EntryScaling scaling;
  if (!as_they_are && !std::ranges::all_of(entries, is_first)) scaling = scale_entries(pattern, entries, run);
  std::vector<double> weights;
  for (const RealEntry& entry : entries) weights.push_back(entry.value.hi);
  return {std::move(weights), scaling};
}

}  // namespace matchcount
