#pragma once
// Refuses graphs that are too large to be numbered or held, before anything is generated.

#include <initializer_list>
#include <string>

#include "graph/bipartite_graph.hpp"

namespace matchcount::generators {

// Writes "3 x 4".
std::string times(std::initializer_list<Vertex> lengths);

// Throws InputError unless each side can be numbered, and Unable unless the graph fits into the memory there is. `what`
// names it.
void check_size(const std::string& what, double num_rows, double num_columns, double num_edges);

}  // namespace matchcount::generators
