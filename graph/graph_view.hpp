#pragma once
// GraphView is a graph with sides or without them, borrowed: what takes either kind takes this, and is given the graph.

#include <variant>

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

struct GraphView : std::variant<const BipartiteGraph*, const UndirectedGraph*> {
  using variant::variant;
  GraphView(const BipartiteGraph& graph) : variant(&graph) {}   // NOLINT: a graph is a view of itself
  GraphView(const UndirectedGraph& graph) : variant(&graph) {}  // NOLINT: likewise
};

}  // namespace matchcount
