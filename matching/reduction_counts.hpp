#pragma once
// Tells what reductions took away.

#include "core/api.hpp"
#include "graph/bipartite_graph.hpp"

namespace MATCHCOUNT_API matchcount {

struct ReductionCounts {
  EdgeId useless_edges = 0;   // edges of the given graph in no perfect matching; 0 where not decomposed
  Vertex fine_blocks = 0;     // of the given graph, before degree reductions; 0 where not decomposed
  Vertex degree1 = 0;         // vertices that went with a forced edge: two for every 1 x 1 block
  Vertex degree2 = 0;         // vertices that went with a merge: two for each
  Vertex refused_merges = 0;  // vertices of degree 2 that stay: a merged entry would not fit
};

}  // namespace matchcount
