#pragma once
// Gives the engine the method of trees with joins, for graphs of small treewidth.

#include "permanent/method.hpp"

namespace matchcount {

// Takes blocks, bipartite or not, for which a tree decomposition of bags of at most 24 vertices is found.
MethodVerbs trees_method();

}  // namespace matchcount
