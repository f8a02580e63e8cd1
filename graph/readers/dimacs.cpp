// DIMACS graphs, whose problem line says what they are: "p edge N M" or "p col N M" with lines "e U V" (second
// challenge, 1993), PACE's (tw, td, tdp, tww, cep, ds) with lines "U V", its "p ocr N0 N1 M" of two sides, shortest
// paths, "p sp N M" with arcs "a U V W" (ninth challenge, 2006), and of the first challenge (1991) "p asn N M", whose
// lines "n U" name the side from which its arcs "a U V W" go, and "p max N M", whose source and sink have no meaning
// here and whose capacities are weights. "c" starts a comment. Blossom V's files (V. Kolmogorov, 2009) have no problem
// line: "N M", then lines "U V W" with vertices from 0.

#include <algorithm>
#include <limits>
#include <string>

#include "graph/readers/assemble.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

// One graph of DIMACS, by what its problem line calls it.
struct Problem {
  enum class Graph { undirected, directed, two_sided };
  std::string_view name, mark;  // an edge's line begins with the mark
  Graph graph = Graph::undirected;
  bool has_weights = false, has_nodes = false;  // lines "n U .." before the edges
};
using enum Problem::Graph;
constexpr Problem problems[] = {{"edge", "e"},
                                {"col", "e"},
                                {"tw", ""},
                                {"td", ""},
                                {"tdp", ""},
                                {"tww", ""},
                                {"cep", ""},
                                {"ds", ""},
                                {"ocr", "", two_sided},
                                {"sp", "a", directed, true},
                                {"max", "a", directed, true, true},
                                {"asn", "a", two_sided, true, true}};
constexpr const char* problem_line =
    "a problem line 'p WORD N M' of one of edge, col, tw, td, tdp, tww, cep, ds, sp, asn, max, or 'p ocr N0 N1 M'";

}  // namespace

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
  std::string format = "000";
  std::uint64_t num_weights = 0;  // of a vertex
  if (!cursor.at_line_end()) {
    constexpr const char* formats = "a format of up to three digits 0 or 1, such as 011";
    const std::string_view digits = cursor.field(formats);
    if (digits.size() > 3 || digits.find_first_not_of("01") != digits.npos)
      refuse(text, header, in_quotes(digits), formats);
    format.replace(3 - digits.size(), digits.size(), digits);
    const bool has_weights = format[1] == '1';
    const std::uint64_t most = has_weights ? any_number : 1, least = has_weights ? 1 : 0;
    const std::uint64_t told = cursor.at_line_end() ? 1 : cursor.natural(most, "a number of weights a vertex", least);
    if (has_weights) num_weights = told;
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
    if (format[0] == '1') cursor.natural(any_number, "a vertex size");
    for (std::uint64_t i = 0; i < num_weights; ++i) cursor.natural(any_number, "a vertex weight");
    while (!cursor.at_line_end()) {
      const Vertex v = cursor.index(num_vertices, "a neighbour");
      if (u == v)
        refuse(text, cursor.line(), "vertex " + std::to_string(u + 1) + " among its own neighbours",
               "edges between two vertices");
      if (format[2] == '1') values.add(text, cursor.line(), cursor.field("an edge weight"));
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
  if (format[2] == '1') values.give(text, parsed);
  return parsed;
}

bool is_dimacs(const Text& text, InputFormat) {
  Cursor cursor(text);
  if (!next_dimacs_line(cursor)) return false;
  std::string_view line = rest_of_line(cursor.position());
  if (take_word(line) != "p") return false;
  const bool has_sides = take_word(line) == "ocr";
  int words = 0;
  while (words < 4 && !take_word(line).empty()) ++words;
  return words == (has_sides ? 3 : 2);  // no edge list has such a line
}

Parsed read_dimacs(const Source& source) {
  const Text& text = source.text;
  Cursor cursor(text);
  const bool is_blossom = source.format == InputFormat::blossom;
  Problem problem{"", "", undirected, true};
  const char* const first_line = is_blossom ? "a first line 'N M'" : problem_line;
  if (!next_dimacs_line(cursor)) cursor.refuse_here(first_line);
  if (!is_blossom) {
    const char* const start = cursor.position();
    if (cursor.field(problem_line) != "p") cursor.set_position(start), cursor.refuse_here(problem_line);
    const std::string_view name = cursor.field(problem_line);
    const auto* const known = std::ranges::find(problems, name, &Problem::name);
    if (known == std::end(problems)) refuse(text, cursor.line(), in_quotes(name), problem_line);
    problem = *known;
  }
  const bool has_sides = problem.graph == two_sided, tells_sizes = has_sides && !problem.has_nodes;
  const std::uint64_t first_side = tells_sizes ? cursor.natural(max_vertices, "a number of vertices of one side") : 0;
  const std::uint64_t num_vertices = first_side + cursor.natural(max_vertices, "a number of vertices");
  const std::uint64_t num_edges = cursor.natural(std::numeric_limits<std::int64_t>::max(), "a number of edges");
  check_vertex_counts(text, cursor.line(), 0, num_vertices);
  if (num_vertices == 0 && num_edges > 0) refuse(text, cursor.line(), "edges without vertices", "a number of vertices");
  cursor.end_line("the end of the problem line");

  Parsed parsed(source);
  if (problem.has_nodes && !has_sides) parsed.notes.push_back("its source and sink are passed over");
  parsed.shape = problem.graph == directed ? Parsed::Shape::directed : Parsed::Shape::undirected;
  parsed.set_vertices(num_vertices);
  std::vector<bool> is_column(num_vertices, true);
  std::fill_n(is_column.begin(), first_side, false);
  // "1 1\n" is the least that an edge takes.
  parsed.edges.reserve(std::min<std::uint64_t>(num_edges, text.size() / 4));
  Values values(source);
  const std::string edge_line = (problem.mark == "a" ? "an arc '" : "an edge '") + std::string(problem.mark) +
                                (problem.mark.empty() ? "U V" : " U V") + (problem.has_weights ? " W'" : "'");
  while (parsed.edges.size() < num_edges) {
    if (!next_dimacs_line(cursor)) {
      refuse(text, cursor.line(), "the end of the file after " + std::to_string(parsed.edges.size()) + " edges",
             std::to_string(num_edges) + " edges");
    }
    const std::uint64_t line = cursor.line();
    const std::string_view word = problem.mark.empty() ? "" : cursor.field(edge_line.c_str());
    const auto vertex = [&] {
      return is_blossom ? static_cast<Vertex>(cursor.natural(num_vertices - 1, "a vertex"))
                        : cursor.index(num_vertices, "a vertex");
    };
    if (problem.has_nodes && word == "n" && parsed.edges.empty()) {
      is_column[vertex()] = false;
      if (!has_sides) cursor.field("'s' or 't'");
    } else {
      if (word != problem.mark) refuse(text, line, in_quotes(word), edge_line);
      const Vertex u = vertex(), v = vertex();
      if (problem.has_weights) values.add(text, line, cursor.field("a weight"));
      if (has_sides && (is_column[u] || !is_column[v]))
        refuse(text, line, "an edge from " + std::to_string(u + 1) + " to " + std::to_string(v + 1),
               "one from the first side to the second");
      parsed.add_edge(u, v, line);
    }
    cursor.end_line("the end of the line");
  }
  if (next_dimacs_line(cursor)) cursor.refuse_here("the end of the file after " + std::to_string(num_edges) + " edges");
  if (problem.has_weights) values.give(text, parsed);
  for (Vertex v = 0; is_blossom && v < num_vertices; ++v) parsed.row_labels.push_back(std::to_string(v));
  return has_sides ? with_sides(source, std::move(parsed), is_column) : parsed;
}

}  // namespace matchcount::readers
