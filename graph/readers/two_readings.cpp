#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/readings.hpp"

namespace matchcount::readers {

namespace {

// Holds what stands on a line of numbers.
struct NumberLine {
  static constexpr int most_kept = 3;
  int count = 0;
  bool are_numbers = true;  // every field begins as one
  int naturals = 0;         // so many of those kept, from the first on, are digits without leading zeros
  std::uint64_t values[most_kept] = {0, 0, 0};
  bool is_natural[most_kept] = {false, false, false};

  bool are_naturals() const { return naturals == std::min(count, most_kept); }
  // Tells whether this number is one of the two names.
  bool names(std::uint64_t number) const {
    return (is_natural[0] && values[0] == number) || (is_natural[1] && values[1] == number);
  }
};

NumberLine scan(const char* p, char delimiter) {
  NumberLine line;
  const auto separates = [delimiter](char c) {
    return is_blank(c) || (delimiter == 0 ? c == ',' || c == ';' : c == delimiter);
  };
  for (;; ++line.count) {
    while (separates(*p)) ++p;
    if (*p == '\n' || *p == '#' || *p == '%') break;
    const char* const start = p;
    while (!separates(*p) && *p != '\n') ++p;
    line.are_numbers = line.are_numbers && begins_number({start, p});
    if (line.count >= NumberLine::most_kept) continue;
    const char* end = start;
    const bool is_natural =
        scan_digits(end, line.values[line.count]) && (*start != '0' || end == start + 1) && end == p;
    line.is_natural[line.count] = is_natural;
    if (is_natural && line.naturals == line.count) ++line.naturals;
  }
  return line;
}

// Says whether that many lines follow, and nothing but blank ones and comments behind them.
bool has_lines(Cursor cursor, std::uint64_t wanted) {
  for (; wanted > 0; --wanted, cursor.next_line()) {
    while (!cursor.at_line_end() && *cursor.position() == '%') cursor.next_line();
    if (cursor.at_end()) return false;
  }
  return !cursor.skip_to_data("%");
}

void refuse_metis(const Text& text) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("%")) return;
  const std::uint64_t header = cursor.line();
  const NumberLine sizes = scan(cursor.position(), ' ');
  if (sizes.count < 2 || sizes.count > 4 || sizes.naturals < 2) return;
  const std::uint64_t num_vertices = sizes.values[0];
  const std::uint64_t num_edges = sizes.values[1];
  // Two neighbours an edge, of two bytes or more each.
  if (num_vertices == 0 || num_edges > text.size() / 4) return;
  cursor.next_line();
  if (!has_lines(cursor, num_vertices)) return;
  try {
    read_metis({text, {}, text.run()});
  } catch (const InputError&) {
    return;
  }
  refuse(text, header,
         "lines that fit METIS, " + std::to_string(num_vertices) + " vertices and " + std::to_string(num_edges) +
             " edges, as well as an edge list",
         "--format metis where every line has the neighbours of a vertex, or --format edgelist");
}

// Tells what a first line of one to three numbers may say of those behind it.
class SizeLine {
 public:
  explicit SizeLine(const NumberLine& first)
      : first_(first),
        may_head_matrix_((first.count == 1 && first.values[0] > 1) || first.count == 2),
        may_count_edges_(true),
        may_count_vertices_(first.count == 1),
        is_named_nowhere_(count_of_edges() <= most_edges_of_any_name) {
    if (may_count_vertices_) is_named_.resize(first.values[0] + 1);
  }

  // Adds a line; false: it says nothing.
  bool add(const NumberLine& line) {
    if (num_lines_++ == 0) fields_ = line.count;
    const bool is_alone = line.count == 1;
    if (!is_alone && num_edges_++ == 0) fields_of_edge_ = line.count;
    for (int i = 0; i < first_.count; ++i) is_named_nowhere_ = is_named_nowhere_ && !line.names(first_.values[i]);
    is_named_nowhere_ = is_named_nowhere_ && num_edges_ <= count_of_edges();
    const std::uint64_t size = first_.values[0];
    if (!line.are_numbers || line.count != fields_) may_head_matrix_ = may_count_vertices_ = false;
    const bool are_ends = line.count > 1 && line.naturals >= 2;
    const bool are_edges = line.count <= 3 && are_ends;
    // One line of two numbers behind another is a matrix of two lines, or edges.
    may_head_matrix_ = may_head_matrix_ && num_lines_ <= size && (size > 1 || line.count != 2) &&
                       static_cast<std::uint64_t>(line.count) == first_.values[first_.count == 2 ? 1 : 0];
    may_count_edges_ = may_count_edges_ && num_edges_ <= count_of_edges() &&
                       (is_alone ? line.naturals == 1 : are_ends && line.count == fields_of_edge_) &&
                       (first_.count == 1 || (line.values[0] <= size && line.values[1] <= second_size()));
    may_count_vertices_ = may_count_vertices_ && are_edges && line.values[0] <= size && line.values[1] <= size;
    if (may_count_vertices_) is_named_[line.values[0]] = is_named_[line.values[1]] = true;
    return may_head_matrix_ || may_count_edges_ || may_count_vertices_ || is_named_nowhere_;
  }

  int fields() const { return fields_; }
  std::uint64_t num_lines() const { return num_lines_; }
  bool heads_matrix() const { return may_head_matrix_ && num_lines_ > 0 && num_lines_ == first_.values[0]; }
  // Says whether as many edges follow, between vertices up to the size, or of which the numbers are none.
  bool counts_edges() const {
    if (num_edges_ != count_of_edges()) return false;
    return (may_count_edges_ && (num_edges_ > 0 || first_.count == 2)) || (is_named_nowhere_ && num_edges_ > 0);
  }
  // Vertices from 0 on, of which the number itself is none; or vertices from 1 on, the last among them, of which an
  // edge list would lack some.
  bool counts_vertices() const {
    if (!may_count_vertices_ || num_lines_ == 0) return false;
    return is_named_.front()
               ? !is_named_.back()
               : is_named_.back() && std::find(is_named_.begin() + 1, is_named_.end(), false) != is_named_.end();
  }

 private:
  // Bounds the lines that are looked at for a number which is hardly that of the edges.
  static constexpr std::uint64_t most_edges_of_any_name = 4096;
  std::uint64_t count_of_edges() const { return first_.values[first_.count - 1]; }
  // Returns the number of columns, if there is one beside that of the rows.
  std::uint64_t second_size() const { return first_.values[first_.count == 3 ? 1 : 0]; }

  NumberLine first_;
  bool may_head_matrix_;
  bool may_count_edges_;
  bool may_count_vertices_;
  std::vector<bool> is_named_;  // by edges, up to the size, where that may be a number of vertices
  bool is_named_nowhere_;
  int fields_ = 0;  // of the first line
  int fields_of_edge_ = 0;
  std::uint64_t num_lines_ = 0;
  std::uint64_t num_edges_ = 0;  // lines of more than a name
};

// Takes a second size on a line of its own, as if both stood on one.
bool take_second_size(Cursor& cursor, char delimiter, NumberLine& first) {
  if (!cursor.skip_to_data("#%")) return false;
  const NumberLine second = scan(cursor.position(), delimiter);
  if (second.count != 1 || second.naturals != 1) return false;
  first.values[1] = second.values[0];
  first.count = first.naturals = 2;
  cursor.next_line();
  return true;
}

void refuse_size_line(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (options.header || !cursor.skip_to_data("#%")) return;
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  NumberLine first = scan(start, delimiter_of(options));
  if (first.count == 0 || first.count > 3 || !first.are_naturals() || first.values[0] == 0 ||
      first.values[0] > text.vertex_limit()) {
    return;
  }
  cursor.next_line();
  const bool on_two_lines = first.count == 1 && take_second_size(cursor, delimiter_of(options), first);
  SizeLine size(first);
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    if (!size.add(scan(cursor.position(), delimiter_of(options)))) return;
  }
  if (!size.heads_matrix() && !size.counts_edges() && !size.counts_vertices()) return;
  std::string found = in_quotes(trimmed(rest_of_line(start)));
  if (size.num_lines() > 0) {
    found += " before " + std::to_string(size.num_lines()) + " lines of " + std::to_string(size.fields()) + " numbers";
  }
  found += ", which may be ";
  if (on_two_lines) {
    refuse(text, number, found + "the first of two lines that tell a size",
           "the lines behind them alone, or --format edgelist where both are vertices");
  }
  const std::string as_edge = first.count == 1 ? "--header no where it is a vertex" : "--header no where it is an edge";
  if (size.heads_matrix()) {
    refuse(text, number, found + "the size of a matrix",
           "--format dense and --header yes where it is that, or " + as_edge + " among others");
  }
  refuse(text, number, found + (size.counts_edges() ? "the number of edges" : "the number of vertices"),
         "--header yes where it is that, and then a line with its name for every vertex without edges; or " + as_edge);
}

// Refuses 0 and 1, or 0, 1 and 2, above edges between other vertices: pandas heads columns without names so.
void refuse_numbered_columns(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (options.header || !cursor.skip_to_data("#%") || *cursor.position() != '0') return;
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  const NumberLine first = scan(start, delimiter_of(options));
  if ((first.count != 2 && first.count != 3) || !first.are_naturals() || first.values[1] != 1 ||
      (first.count == 3 && first.values[2] != 2))
    return;
  std::uint64_t others = 0;
  for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const NumberLine line = scan(cursor.position(), delimiter_of(options));
    if (line.names(0) || line.names(1)) return;
  }
  if (others < 2) return;
  refuse(text, number,
         in_quotes(trimmed(rest_of_line(start))) + " above edges between other vertices, which may number the columns",
         "--header yes where they do, or --header no where it is an edge");
}

// Tells whether a line is '#' alone. Most texts have no such character, which takes no time to see.
bool has_bare_mark(const Text& text) {
  for (const char* p = text.begin(); p != text.end(); ++p) {
    p = static_cast<const char*>(std::memchr(p, '#', static_cast<std::size_t>(text.end() - p)));
    if (p == nullptr) return false;
    if (p != text.begin() && p[-1] == '\n' && (p[1] == '\n' || p[1] == '\r')) return true;
  }
  return false;
}

// Refuses what fits the Trivial Graph Format: lines that begin with the names of vertices, a line '#', and lines that
// begin with two of these names each.
void refuse_tgf(const Text& text) {
  if (!has_bare_mark(text)) return;
  std::set<std::string_view> vertices;
  std::string_view names[2];
  bool has_labels = false, is_divided = false;
  std::uint64_t first_line = 0;
  for (Cursor cursor(text); cursor.skip_to_data(is_divided ? "" : "%"); cursor.next_line()) {
    const char* p = cursor.position();
    for (std::string_view& name : names) {
      const char* const begin = p;
      while (static_cast<unsigned char>(*p) > ' ') ++p;
      name = {begin, p};
      while (is_blank(*p)) ++p;
    }
    if (is_divided) {
      if (!vertices.contains(names[0]) || !vertices.contains(names[1])) return;
    } else if (names[0].starts_with('#')) {
      is_divided = names[0].size() == 1 && names[1].empty() && !vertices.empty();
    } else {
      if (vertices.empty()) first_line = cursor.line();
      // Most lists of edges name an end of the first edges again.
      if (!vertices.insert(names[0]).second) return;
      has_labels = has_labels || !names[1].empty();
    }
  }
  if (!is_divided || !has_labels) return;
  refuse(text, first_line, "vertices, a line '#' and edges between them, as the Trivial Graph Format (TGF) has them",
         "--format tgf where they are that, or --format edgelist where '#' is a comment and every other line an edge");
}

// Refuses edges below a comment that networkx writes above lists of neighbours alone: '# GMT' and the time.
void refuse_lists_of_networkx(const Text& text) {
  Cursor cursor(text);
  for (std::uint64_t line = 1; line <= 3 && !cursor.at_end() && *cursor.position() == '#'; ++line, cursor.next_line()) {
    if (!rest_of_line(cursor.position()).starts_with("# GMT ")) continue;
    refuse(text, line, in_quotes(trimmed(rest_of_line(cursor.position()))) + ", as networkx begins lists of neighbours",
           "--format adjlist where every line is a vertex and its neighbours, or --format edgelist");
  }
}

// Refuses what fits the weighted LGL of igraph: a line '# NAME' before a vertex's neighbours with numbers, then others.
void refuse_lgl(const Text& text) {
  if (!std::string_view(text.begin(), text.end()).starts_with("# ")) return;
  std::set<std::string_view> vertices;
  bool has_later_vertex = false, has_neighbours = false;
  for (Cursor cursor(text); !cursor.at_end(); cursor.next_line()) {
    if (cursor.at_line_end()) continue;
    const std::string_view line = trimmed(rest_of_line(cursor.position()));
    const bool is_vertex = line.starts_with("# ");
    const std::size_t blank = line.find_last_of(" \t");
    const std::string_view first = is_vertex ? line.substr(2) : line.substr(0, blank);
    if (blank == line.npos || trimmed(first).find_first_of(" \t") != first.npos) return;
    if (!is_vertex && !begins_number(line.substr(blank + 1))) return;
    if (is_vertex && !vertices.insert(first).second) return;
    has_later_vertex = has_later_vertex || (is_vertex && has_neighbours);
    has_neighbours = has_neighbours || !is_vertex;
  }
  if (!has_later_vertex) return;
  refuse(text, 1, "lines '# NAME' before lines of a name and a number, as LGL of igraph has vertices and neighbours",
         "a format with whole edges, such as GraphML, or --format edgelist where those lines are comments");
}

// Says whether lines of one or three integers could be a vertex and its neighbours each, every vertex heading a line.
bool could_be_neighbours(Cursor cursor, char delimiter) {
  constexpr std::size_t probe = 64;
  std::vector<std::uint64_t> heads, neighbours;
  const auto has_duplicate = [&heads] {
    std::ranges::sort(heads);
    return std::ranges::adjacent_find(heads) != heads.end();
  };
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    const NumberLine line = scan(cursor.position(), delimiter);
    const auto [u, v, w] = line.values;
    if (!line.are_naturals() || (line.count != 1 && line.count != 3)) return false;
    heads.push_back(u);
    // Most lists of edges end here.
    if (heads.size() == probe && has_duplicate()) return false;
    if (line.count == 1) continue;
    if (v == w) return false;
    neighbours.insert(neighbours.end(), {v, w});
  }
  return !neighbours.empty() && !has_duplicate() &&
         std::ranges::all_of(neighbours, [&](std::uint64_t name) { return std::ranges::binary_search(heads, name); });
}

void refuse_neighbours(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%") || !could_be_neighbours(cursor, delimiter_of(options))) return;
  refuse(text, cursor.line(), "lines of 3 integers, where each could be a vertex and two neighbours",
         "--format adjlist where they are that, --format edgelist where the third is the weight of an edge, or "
         "--format dense where they are the rows of a matrix");
}

}  // namespace

void refuse_two_readings(const Text& text, const InputOptions& options) {
  refuse_metis(text);
  refuse_tgf(text);
  refuse_lists_of_networkx(text);
  refuse_lgl(text);
  refuse_size_line(text, options);
  refuse_numbered_columns(text, options);
  refuse_neighbours(text, options);
}

}  // namespace matchcount::readers
