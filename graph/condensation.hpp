#pragma once
// Finds the strong components of a digraph, and the acyclic digraph among them.

#include <span>
#include <vector>

#include "core/api.hpp"
#include "core/run.hpp"
#include "graph/digraph.hpp"

namespace MATCHCOUNT_API matchcount {

// Components are numbered so that every arc between two leads to the lower number: sinks come first.
struct Condensation {
  std::vector<Vertex> component;        // of each vertex
  std::vector<EdgeId> member_offsets;   // num_components + 1
  std::vector<Vertex> member_vertices;  // component by component, ascending in each
  std::vector<bool> has_cycle;          // a closed walk: more than one vertex, or a self-loop
  std::vector<EdgeId> arc_offsets;      // num_components + 1
  std::vector<Vertex> arc_targets;      // distinct and descending for each component, all below it

  Vertex num_components() const { return static_cast<Vertex>(has_cycle.size()); }
  std::span<const Vertex> members(Vertex c) const {
    return {member_vertices.data() + member_offsets[c], member_vertices.data() + member_offsets[std::size_t{c} + 1]};
  }
  Vertex size(Vertex c) const { return static_cast<Vertex>(members(c).size()); }
  std::span<const Vertex> successors(Vertex c) const {
    return {arc_targets.data() + arc_offsets[c], arc_targets.data() + arc_offsets[std::size_t{c} + 1]};
  }
};

// Condenses by Tarjan's algorithm (1972, doi:10.1137/0201010), without recursion. One thread, time linear in arcs and
// vertices but for the sorting of each component's successors; 16 bytes a vertex and 4 an arc beside the result. Throws
// what run.check() throws, which is polled.
Condensation condensation(const Digraph& graph, const RunContext& run = {});

}  // namespace matchcount
