// DIMACS graphs, "p edge N M" or "p col N M" with lines "e U V" (second challenge, 1993), PACE graphs, "p tw N M" with
// lines "U V", and shortest-path graphs, "p sp N M" with arcs "a U V W" (ninth challenge, 2006). "c" starts a comment.

#include <algorithm>
#include <limits>
#include <string>

#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

// METIS graphs (METIS 5 manual, 4.1.1): a header "N M [FMT [NCON]]", then a line per vertex with its neighbours counted
// from 1. FMT is three digits: vertex sizes, vertex weights (NCON of them), edge weights. Vertex sizes and weights are
// checked to be numbers and have no meaning here. A line that starts with '%' is a comment; an empty line is a vertex
// without neighbours.

Parsed read_metis(const Source& source) {
  const Text& text = source.text;
  constexpr std::uint64_t any_number = std::numeric_limits<std::int64_t>::max();
  Cursor cursor(text);
  if (!cursor.skip_to_data("%")) cursor.refuse_here("a header 'N M [FMT [NCON]]'");
  const std::uint64_t header = cursor.line();
  const std::uint64_t num_vertices = cursor.natural(max_vertices, "a number of vertices");
  const std::uint64_t num_edges = cursor.natural(any_number / 2, "a number of edges");
  bool has_sizes = false;
  bool has_edge_weights = false;
  std::uint64_t num_weights = 0;  // of a vertex
  if (!cursor.at_line_end()) {
    constexpr const char* formats = "a format of up to three digits 0 or 1, such as 011";
    const std::string_view format = cursor.field(formats);
    if (format.size() > 3 || format.find_first_not_of("01") != format.npos)
      refuse(text, header, in_quotes(format), formats);
    const auto digit = [format](std::size_t from_right) {
      return from_right < format.size() && format[format.size() - 1 - from_right] == '1';
    };
    has_edge_weights = digit(0);
    has_sizes = digit(2);
    if (digit(1)) num_weights = 1;
    if (!cursor.at_line_end()) {
      const std::uint64_t constraints = cursor.natural(any_number, "a number of weights a vertex");
      if (digit(1)) {
        if (constraints == 0) refuse(text, header, "0 weights a vertex", "at least 1, as the format says");
        num_weights = constraints;
      } else if (constraints > 1) {
        refuse(text, header, std::to_string(constraints) + " weights a vertex", "a format that has vertex weights");
      }
    }
  }
  cursor.end_line("the end of the header");
  check_vertex_counts(text, header, 0, num_vertices);

  Parsed parsed(source);
  parsed.shape = Parsed::Shape::mirrored;
  parsed.set_vertices(num_vertices);
  // "1 " is the least that a neighbour takes.
  parsed.edges.reserve(std::min<std::uint64_t>(2 * num_edges, text.size() / 2));
  Values values(source);
  for (Vertex u = 0; u < num_vertices; ++u) {
    while (!cursor.at_line_end() && *cursor.position() == '%') cursor.next_line();
    if (cursor.at_end()) {
      refuse(text, cursor.line(), "the end of the file after " + std::to_string(u) + " vertices",
             "a line for each of " + std::to_string(num_vertices) + " vertices");
    }
    if (has_sizes) cursor.natural(any_number, "a vertex size");
    for (std::uint64_t i = 0; i < num_weights; ++i) cursor.natural(any_number, "a vertex weight");
    while (!cursor.at_line_end()) {
      const Vertex v = cursor.index(num_vertices, "a neighbour");
      if (u == v) {
        refuse(text, cursor.line(), "vertex " + std::to_string(u + 1) + " among its own neighbours",
               "edges between two vertices");
      }
      if (has_edge_weights) values.add(text, cursor.line(), cursor.field("an edge weight"));
      parsed.add_edge(u, v, cursor.line());
    }
    cursor.end_line("the end of the line");
  }
  if (cursor.skip_to_data("%"))
    cursor.refuse_here("the end of the file after " + std::to_string(num_vertices) + " vertices");
  if (parsed.edges.size() != 2 * num_edges) {
    refuse(
        text, header,
        std::to_string(num_edges) + " edges declared and " + std::to_string(parsed.edges.size()) + " neighbours listed",
        "two neighbours listed for every edge");
  }
  if (has_edge_weights) values.give(text, parsed);
  return parsed;
}

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
    if (u == v && !is_path)
      refuse(text, cursor.line(), "a loop at vertex " + std::to_string(u + 1), "an edge between two vertices");
    parsed.add_edge(u, v, cursor.line());
    cursor.end_line("the end of the line after an edge");
  }
  if (next_dimacs_line(cursor)) cursor.refuse_here("the end of the file after " + std::to_string(num_edges) + " edges");
  if (is_path) values.give(text, parsed);
  return parsed;
}

}  // namespace matchcount::readers
