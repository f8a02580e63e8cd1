#pragma once
// Makes a graph of the edges that a reader found, in the same way for every format. Private to graph/.

#include <cstdint>
#include <string>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

// One of the edges that a file gives is wrong; its line is yet to be found.
struct EdgeFault {
  Edge edge;
  std::string found;
  std::string expected;
};

// A vertex by its name, which is its number from 1 where there are none.
std::string name_of(const std::vector<std::string>& labels, Vertex vertex);

// Makes an undirected graph whose edges all join two sides one of rows and columns.
void part_sides(Parsed& parsed, const std::vector<bool>& is_column);
// The same for a format that tells the sides: for a question about undirected graphs they have no meaning, and one
// about directed graphs is refused.
Parsed with_sides(const Source& source, Parsed parsed, const std::vector<bool>& is_column);

// The rows and columns, or the undirected graph, that the edges make. `kind` says what they are, and is not bipartite
// where the edges are of one set of vertices. Throws EdgeFault, or InputError without a file where BipartiteGraph does.
// Counts in `left_out` the edges that are left out.
struct LeftOut {
  std::uint64_t zeros = 0;  // edges of weight 0
  std::uint64_t loops = 0;
};
Input assemble(Parsed parsed, const InputOptions& options, InputKind kind, LeftOut& left_out);

}  // namespace matchcount::readers
