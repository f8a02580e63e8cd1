#pragma once
// Places the vertices of an input for a picture, and takes orders of vertices and embeddings from files: --order,
// --write-order and --rotation.

#include "apps/inputs.hpp"
#include "apps/options.hpp"
#include "core/run.hpp"
#include "graph/placed_graph.hpp"

namespace matchcount::app {

// Puts what --order and --write-order ask for into the options of a count. Throws as read_vertex_order does.
void take_order(const Options& options, const Input& input, CountOptions& count);

// Puts the embedding that --rotation has into them, if it is asked for. Throws as read_rotation and rotation_of_points
// do.
void take_rotation(const Options& options, const Input& input, CountOptions& count);

// Writes the order of a plan where --write-order asks for it: its names, or the tree decomposition that the whole graph
// has along it. Throws as write_file does.
void write_order(const Options& options, const Input& input, const Plan& plan, const RunOptions& limits);

// Places the vertices by --coordinates FILE, else as the file says (a comment "# layout: ...", the atoms of a molecule
// unless two fall together), else as a planar graph, else in two columns or on a circle. Throws InputError for
// coordinates that do not fit the graph, and as run.check() does.
PlacedGraph placed_graph(const Options& options, const Input& input, const RunContext& run);

// Returns the graph of an input so, without places.
PlacedGraph without_places(const Input& input);

}  // namespace matchcount::app
