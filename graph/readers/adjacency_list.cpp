// Adjacency lists as networkx writes them (write_adjlist): a line for every vertex, its name and then its neighbours',
// apart by blanks or tabs; `#` starts a comment. Of an undirected graph networkx tells every edge once, in the line of
// one end. Others tell every edge in the lines of both. Both are read; where some edges are told once and some twice,
// the file may mean parallel edges or lack lines, and is refused. So is one of edges told once where the question is
// about directed graphs and nobody says whether they are arcs. Where the name of the file alone says that it is such a
// list, a neighbour without a line of its own is refused: it may be half a name with a blank in it.

#include <algorithm>
#include <string>
#include <vector>

#include "core/run.hpp"
#include "graph/readers/assemble.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

constexpr std::uint64_t lines_between_checks = 1024;  // of the time limit

// Throws unless every vertex has a line.
void require_own_lines(const Text& text, const std::vector<std::uint64_t>& without, const std::vector<Vertex>& place,
                       const std::vector<std::string>& labels) {
  const auto found = std::find_if(without.begin(), without.end(), [](std::uint64_t line) { return line != 0; });
  if (found == without.end()) return;
  const auto v = static_cast<std::size_t>(found - without.begin());
  refuse(text, *found, "the neighbour " + name_of(labels, place[v]) + " without a line of its own",
         "a line for every vertex, names without blanks; or --format adjlist where vertices may lack theirs");
}

Parsed read_lines(const Source& source) {
  const Text& text = source.text;
  Parsed parsed(source);
  NameTable names;
  std::vector<std::uint64_t> without;  // by vertex: the line where it was met first, 0 once it has one of its own
  Cursor cursor(text);
  const auto vertex = [&] {
    const std::string_view field = cursor.field("the name of a vertex");
    const std::string_view name = field.substr(0, field.find('#'));
    const Vertex before = names.size();
    const Vertex result = names.id(name);
    if (result == before) {
      without.push_back(cursor.line());
      refuse_edge_data(text, cursor.line(), name);
      if (name.find_first_of(",;|") != name.npos)
        refuse(text, cursor.line(), in_quotes(name) + " in the place of a name", "names apart by blanks or tabs");
      // Python, which networkx reads with, takes such blanks for separators.
      check_name_text(text, cursor.line(), name, SeenCharacters::visible, "names apart by blanks of ASCII");
      if (name.find('\x7F') != name.npos)
        refuse(text, cursor.line(), "a control character in " + in_quotes(name), "text in ASCII or UTF-8");
    }
    // A comment may follow without a blank.
    if (name.size() < field.size()) cursor.set_position(field.data() + name.size());
    return result;
  };
  for (; cursor.skip_to_data("#"); cursor.next_line()) {
    if (cursor.line() % lines_between_checks == 0) source.run.check();
    const Vertex u = vertex();
    without[u] = 0;
    while (!cursor.at_line_end() && *cursor.position() != '#') parsed.add_edge(u, vertex(), cursor.line());
  }
  if (names.size() == 0) refuse(text, 0, "no vertex", "at least one line 'u v1 v2 ...'");
  const std::vector<Vertex> place = names.natural_order();
  for (Edge& edge : parsed.edges) edge = {place[edge.row], place[edge.column]};
  parsed.set_vertices(names.size());
  parsed.row_labels = names.labels();
  if (source.options.format == InputFormat::automatic) require_own_lines(text, without, place, parsed.row_labels);
  return parsed;
}

struct Directions {
  bool any_twice = false;      // some edge is told from both ends
  bool any_once = false;       // some edge is told from one end alone
  std::size_t first_once = 0;  // the place of the first of these
};

Directions directions_of(const std::vector<Edge>& edges) {
  std::vector<Edge> sorted = edges;
  std::sort(sorted.begin(), sorted.end());
  Directions result;
  for (std::size_t i = 0; i < edges.size() && !(result.any_twice && result.any_once); ++i) {
    const Edge edge = edges[i];
    if (edge.row == edge.column) continue;
    const bool twice = std::binary_search(sorted.begin(), sorted.end(), Edge{edge.column, edge.row});
    if (!twice && !result.any_once) result.first_once = i;
    (twice ? result.any_twice : result.any_once) = true;
  }
  return result;
}

}  // namespace

Parsed read_adjacency_list(const Source& source) {
  const Text& text = source.text;
  const InputOptions& options = source.options;
  Parsed parsed = read_lines(source);
  const bool is_directed = kind_of(options) == InputKind::directed;
  parsed.shape = is_directed ? Parsed::Shape::directed : Parsed::Shape::undirected;
  if (is_directed && options.kind) return parsed;
  const Directions directions = directions_of(parsed.edges);
  // Refuses the first edge that is told once, which is read again for its line.
  const auto refuse_once = [&](const char* why, const char* expected) {
    if (parsed.with_lines) return;
    const Edge once = parsed.edges[directions.first_once];
    throw EdgeFault{once,
                    "an edge from " + name_of(parsed.row_labels, once.row) + " to " +
                        name_of(parsed.row_labels, once.column) + " that is told once, " + why,
                    expected};
  };
  if (is_directed) {
    // Told from both ends, edges are arcs both ways; and some so and others not are no undirected graph.
    if (!directions.any_once || (directions.any_twice && options.duplicates != Duplicates::one)) return parsed;
    refuse_once("and may be an arc or go both ways",
                "--kind directed where it is an arc, or a first line '# kind: undirected', since networkx tells every "
                "edge of an undirected graph once");
    return parsed;
  }
  // Duplicates::one keeps an edge once either way.
  if (!directions.any_twice || options.duplicates == Duplicates::one) return parsed;
  if (directions.any_once) {
    refuse_once("where others are told from both their ends",
                "every edge once, or every edge in the lines of both its ends; --kind directed; or --duplicates one");
    return parsed;
  }
  if (options.duplicates == Duplicates::sum) {
    refuse(text, 0, "every edge told from both its ends, which with duplicates summed would be one edge or two",
           "--duplicates refuse to read one, or a file that tells every edge once");
  }
  parsed.shape = Parsed::Shape::mirrored;
  return parsed;
}

}  // namespace matchcount::readers
