#pragma once
// Any Boost.Graph graph as one of ours. Needs only the VertexListGraph and EdgeListGraph concepts.

#include "graph/bipartite_graph.hpp"
#include "graph/digraph.hpp"

namespace matchcount {

// To be written: bipartite_graph_from(g), bipartite_graph_from(g, colour map), digraph_from(g), each with an optional
// weight map, for graphs with any vertex descriptor.

}  // namespace matchcount
