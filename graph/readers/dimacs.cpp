// DIMACS graphs, "p edge N M" or "p col N M" with lines "e U V" (second challenge, 1993), PACE graphs, "p tw N M" with
// lines "U V", and shortest-path graphs, "p sp N M" with arcs "a U V W" (ninth challenge, 2006). "c" starts a comment.

#include <algorithm>
#include <limits>
#include <string>

#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
bool is_dimacs(const Text& text, InputFormat) {
  Cursor cursor(text);
  if (!next_dimacs_line(cursor)) return false;
  std::string_view line = rest_of_line(cursor.position());
  if (take_word(line) != "p") return false;
  int words = 0;
  while (words < 4 && !take_word(line).empty()) ++words;
  return words == 3;  // no edge list has such a line
}

Parsed read_dimacs(const Source& source) {
  const Text& text = source.text;
  Cursor cursor(text);
  constexpr const char* problem_line = "a problem line 'p edge N M', 'p col N M', 'p tw N M' or 'p sp N M'";
  if (!next_dimacs_line(cursor) || cursor.position()[0] != 'p') cursor.refuse_here(problem_line);
  if (cursor.field(problem_line) != "p") refuse(text, cursor.line(), "another line", problem_line);
  const std::string_view problem = cursor.field(problem_line);
  const bool is_edge = problem == "edge" || problem == "col";
  const bool is_path = problem == "sp";
  if (!is_edge && !is_path && problem != "tw") refuse(text, cursor.line(), in_quotes(problem), problem_line);
  const std::uint64_t num_vertices = cursor.natural(max_vertices, "a number of vertices");
  const std::uint64_t num_edges = cursor.natural(std::numeric_limits<std::int64_t>::max(), "a number of edges");
  check_vertex_counts(text, cursor.line(), 0, num_vertices);
  cursor.end_line("the end of the problem line");

  Parsed parsed(source);
  parsed.shape = is_path ? Parsed::Shape::directed : Parsed::Shape::undirected;
  parsed.set_vertices(num_vertices);
  // "1 1\n" is the least that an edge takes.
  parsed.edges.reserve(std::min<std::uint64_t>(num_edges, text.size() / 4));
  Values values(source);
  const std::string_view mark = is_path ? "a" : is_edge ? "e" : "";
  const char* const edge_line = is_path ? "an arc 'a U V W'" : is_edge ? "an edge 'e U V'" : "an edge 'U V'";
  for (std::uint64_t edge = 0; edge < num_edges; ++edge) {
    if (!next_dimacs_line(cursor)) {
      refuse(text, cursor.line(), "the end of the file after " + std::to_string(edge) + " edges",
             std::to_string(num_edges) + " edges");
    }
    if (!mark.empty()) {
      const std::string_view word = cursor.field(edge_line);
      if (word != mark) refuse(text, cursor.line(), in_quotes(word), edge_line);
    }
    const Vertex u = cursor.index(num_vertices, "a vertex");
    const Vertex v = cursor.index(num_vertices, "a vertex");
    if (is_path) values.add(text, cursor.line(), cursor.field("a weight"));
    if (u == v && !is_path) {
      refuse(text, cursor.line(), "a loop at vertex " + std::to_string(u + 1), "an edge between two vertices");
    }
    parsed.add_edge(u, v, cursor.line());
    cursor.end_line("the end of the line after an edge");
  }
  if (next_dimacs_line(cursor)) cursor.refuse_here("the end of the file after " + std::to_string(num_edges) + " edges");
  if (is_path) values.give(text, parsed);
  return parsed;
}

}  // namespace matchcount::readers
