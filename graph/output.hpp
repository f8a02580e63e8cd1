#pragma once
// Graphs into files, in every format that graph/input.hpp reads.

#include <ostream>

#include "graph/input.hpp"

namespace matchcount {

// Writes so that read_input with the same kind gives the same graph back, values to the last bit of a double and integers
// exactly. InputKind::undirected writes rows as 1..rows and columns as rows+1..rows+columns (edge list: r1.., c1..).
// Throws InputError where the format has no place for what the graph holds (complex weights in DIMACS, say).
void write_graph(std::ostream& stream, const BipartiteGraph& graph, InputFormat format, InputKind kind);

// By file name: ".mtx", ".gr", ".graph", ".graphml", anything else an edge list; ".gz" behind it compresses. Written
// whole or not at all (a temporary file beside it, then renamed); throws Error with the system's reason.
void write_graph_file(const std::string& file, const BipartiteGraph& graph, InputFormat format, InputKind kind);

}  // namespace matchcount
