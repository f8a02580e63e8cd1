#pragma once
// Takes orders of vertices from files and writes them: --order FILE, --write-order FILE.

#include "apps/options.hpp"
#include "core/run.hpp"

namespace matchcount::app {

// Puts what --order and --write-order ask for into the options of a count. Throws as read_vertex_order does.
void take_order(const Options& options, const Input& input, CountOptions& count);

// Writes the order of a plan where --write-order asks for it: its names, or the tree decomposition that the whole graph
// has along it. Throws as write_file does.
void write_order(const Options& options, const Input& input, const Plan& plan, const RunContext& run);

}  // namespace matchcount::app
