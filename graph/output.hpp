#pragma once
// Writes graphs into files: edge lists, dense text, Matrix Market, DIMACS, METIS, GraphML.

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/api.hpp"
#include "graph/input_types.hpp"

namespace MATCHCOUNT_API matchcount {

// Writes so that read_input gives the same graph back, asked for the same kind or, for the question that this kind is
// about, for none: the same rows, columns and edges in the same
// order, integers exactly, reals to the last bit of both doubles (short decimals stay short; a double that is no short
// decimal takes all its digits; what stands below 2^-200 of a value may be lost). Read it with `keep_zeros` where
// weights are 0.
//
// How each kind is written, R rows and C columns:
//   bipartite   edge list: "row column", each from 1; dense and Matrix Market: an R x C matrix; else as undirected
//   undirected  rows as 1..R and columns as R+1..R+C (GraphML: r1.. and c1..); dense and Matrix Market: a
//               symmetric matrix; PACE ("p tw") in the DIMACS format. A column without edges comes back as a row:
//               nothing tells them apart
//   directed    an arc for every edge, vertices from 1 (GraphML: v1..); DIMACS: "p sp" with integer or real weights
//   matrix      edge list: "row column [value]", each from 1; dense and Matrix Market: an R x C matrix; else as
//   directed
// A comment "# kind: NAME" says the kind in edge lists, dense text, METIS and undirected Matrix Market files ("%" in
// the last two), and the comment "# format: NAME" the format in the first three, which look alike. Where `layout` is
// given these say it too, in a comment "# layout: ..." for pictures (graph/layout.hpp); the others have no place for
// it. Vertices without edges stand in an edge list of an undirected or directed graph on lines of their own. A Matrix
// Market banner says pattern, integer, real or complex as the weights are.
//
// Throws InputError where the format has no place for what the graph holds: complex weights outside of Matrix Market;
// real weights below 2^-1022; weights in an undirected DIMACS file, or none in a directed one; in METIS, weights that
// are not positive integers, and directions; unequal sides where rows and columns are the same vertices; in an edge
// list of rows and columns, vertices without edges (for matrix: a last row or column without); a format that is not
// named above. Throws Error where the stream fails. InputFormat::automatic is an edge list.
void write_graph(std::ostream& stream, const BipartiteGraph& graph, InputFormat format, InputKind kind,
                 std::string_view layout = {});
// Writes a graph as undirected, vertices 1..n (GraphML: v1..).
void write_graph(std::ostream& stream, const UndirectedGraph& graph, InputFormat format, std::string_view layout = {});

// The same into a file, as write_file does. InputFormat::automatic goes by its name: ".mtx", ".gr", ".col" and
// ".dimacs" (DIMACS), ".graph" and ".metis" (METIS), ".graphml"; anything else is an edge list, but for the names of
// formats that are only read. Throws InputError as above. Where `names` are given, of all rows and then all columns, or
// of all vertices, edge lists have them in place of numbers; they are in quotes where edge lists want that, and a
// matrix has no empty rows and columns then and none with a name like a number.
void write_graph_file(const std::string& file, const BipartiteGraph& graph, InputFormat format, InputKind kind,
                      std::string_view layout = {}, const std::vector<std::string>& names = {});
void write_graph_file(const std::string& file, const UndirectedGraph& graph, InputFormat format,
                      std::string_view layout = {}, const std::vector<std::string>& names = {});

// Returns the format that a file's name stands for, as above.
InputFormat format_to_write(const std::string& file);

// Writes what `produce` gives to the sink, in pieces of less than 2^32 bytes. ".gz" behind the name compresses. Written
// whole or not at all: a temporary file beside it, renamed at the end (a device or pipe is written to directly). Throws
// Error with the system's reason, and what `produce` throws.
using TextSink = std::function<void(std::string_view)>;
void write_file(const std::string& file, const std::function<void(const TextSink&)>& produce);

}  // namespace matchcount
