#pragma once
// Holds a graph as questions about its single perfect matchings need it: its numbers, the edges that are in some
// perfect matching, and the parts that these fall into.

#include <cstdint>
#include <variant>
#include <vector>

#include "core/run.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"
#include "matching/covered_parts.hpp"
#include "matching/graph_matching.hpp"
#include "matching/maximum_matching.hpp"
#include "matching/reduce.hpp"
#include "matching/reduce_graph.hpp"
#include "permanent/method.hpp"

namespace matchcount {

using Entries = std::variant<std::vector<std::int64_t>, std::vector<RealEntry>, std::vector<ComplexEntry>>;

// A block of either shape and any number type.
using OwnedBlock = std::variant<Block<std::int64_t>, Block<RealEntry>, Block<ComplexEntry>, GraphBlock<std::int64_t>,
                                GraphBlock<RealEntry>, GraphBlock<ComplexEntry>>;
AnyBlock view_of(const OwnedBlock& block);

// CoveredGraph is a graph taken apart. Without weights all entries are 1. Edges of weight 0 are left out.
struct CoveredGraph {
  // Throws as run.check() does.
  CoveredGraph(GraphView graph, const RunContext& run);

  EdgeId num_edges = 0;            // of the graph that was given
  std::vector<EdgeId> given_edge;  // of those that are not 0: the edge there
  Entries entries;                 // of these
  bool positive = false;           // none is negative or complex
  std::size_t matching_size = 0;   // of perfect ones
  Plan plan;                       // sizes, and why there is no perfect matching
  CoveredParts parts;

  bool has_perfect_matching() const { return plan.has_perfect_matching(); }
  std::size_t num_parts() const { return parts.parts.size(); }
  // Returns a part with its entries, and integers among these as reals where that is asked for.
  OwnedBlock block(std::size_t part, bool in_reals) const;
};

// The same number, to 2^-53 of the last bit of a double.
RealEntry as_real(std::int64_t entry);

}  // namespace matchcount
