#pragma once
// Parts of a graph that need not be bipartite.

#include <vector>

#include "graph/undirected_graph.hpp"
#include "matching/reduce.hpp"

namespace matchcount {

// Entry i belongs to edge id i of the pattern.
template <class Entry>
struct GraphBlock {
  UndirectedGraph pattern;
  std::vector<Entry> entries;
};

}  // namespace matchcount
