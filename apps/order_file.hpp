#pragma once
// Takes orders of vertices from files and writes them, --order FILE and --write-order FILE, and takes --rotation FILE.

#include "apps/options.hpp"
#include "core/run.hpp"

namespace matchcount::app {

// Puts what --order and --write-order ask for into the options of a count. Throws as read_vertex_order does.
void take_order(const Options& options, const Input& input, CountOptions& count);

// Puts the embedding that --rotation has into them, if it is asked for. Throws as read_rotation and rotation_of_points
// do.
void take_rotation(const Options& options, const Input& input, CountOptions& count);

// Writes the order of a plan where --write-order asks for it: its names, or the tree decomposition that the whole graph
// has along it. Throws as write_file does.
void write_order(const Options& options, const Input& input, const Plan& plan, const RunOptions& limits);

}  // namespace matchcount::app
