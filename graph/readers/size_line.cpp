// A first line of numbers above edges or a matrix may be an edge or a row, the size of what follows, or the numbers of
// its columns. Where nobody says which, it is refused; where somebody says that it is none of the edges, it is checked.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {

namespace {

// Holds what stands on a line of numbers.
struct NumberLine {
  static constexpr int most_kept = 3;
  int count = 0;
  bool are_numbers = true;  // every field begins as one
  int naturals = 0;         // so many of those kept, from the first on, are digits without leading zeros
  std::uint64_t values[most_kept] = {0, 0, 0};

  bool are_naturals() const { return naturals == std::min(count, most_kept); }
  // Says whether one of the two names is this number.
  bool names(std::uint64_t number) const {
    return (naturals > 0 && values[0] == number) || (naturals > 1 && values[1] == number);
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

// Counts what edges name, as far as a size tells it.
struct Counted {
  std::uint64_t num_edges = 0;
  std::unordered_set<std::string> rows, columns, vertices;
  std::uint64_t largest = 0;  // of the names, where all of them are numbers
  bool are_numbers = true;

  void add(std::string_view name, bool is_column) {
    (is_column ? columns : rows).emplace(name);
    vertices.emplace(name);
    const auto number = parse_natural(name);
    are_numbers = are_numbers && number;
    largest = std::max(largest, number.value_or(0));
  }
};

Counted count_names(Cursor cursor, char separator) {
  Counted counted;
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    Fields fields = Fields::of_cells(cursor.position(), separator);
    std::string_view ends[2];
    const bool has_first = fields.next(ends[0]) && !ends[0].empty(), has_second = has_first && fields.next(ends[1]);
    if (has_first) counted.add(ends[0], false);
    if (!has_second || ends[1].empty()) continue;
    counted.add(ends[1], true);
    ++counted.num_edges;
  }
  return counted;
}

// Moves behind a number alone on its line. False: another line stands there.
bool skip_number_alone(Cursor& cursor, char delimiter) {
  if (!cursor.skip_to_data("#%")) return false;
  const NumberLine line = scan(cursor.position(), delimiter);
  if (line.count != 1 || line.naturals != 1) return false;
  cursor.next_line();
  return true;
}

bool has_any_edge(Cursor cursor, char delimiter) {
  for (; cursor.skip_to_data("#%"); cursor.next_line())
    if (scan(cursor.position(), delimiter).count > 1) return true;
  return false;
}

// Says whether so many lines of so many numbers each follow, and no others.
bool has_matrix(Cursor cursor, char delimiter, std::uint64_t rows, std::uint64_t columns) {
  std::uint64_t found = 0;
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    const NumberLine line = scan(cursor.position(), delimiter);
    if (++found > rows || !line.are_numbers || static_cast<std::uint64_t>(line.count) != columns) return false;
  }
  return found == rows;
}

// Says whether the last of these numbers is that of the edges that follow, and the others may be those of vertices: no
// end is a larger number, or as many are named, or these numbers are none of the names.
bool has_edges(const NumberLine& sizes, Cursor cursor, char separator, char delimiter, bool has_sides) {
  const std::uint64_t wanted = sizes.values[sizes.count - 1], first = sizes.values[0];
  std::uint64_t found = 0;
  for (Cursor ahead = cursor; ahead.skip_to_data("#%"); ahead.next_line())
    if (scan(ahead.position(), delimiter).count > 1 && ++found > wanted) return false;
  if (found != wanted) return false;
  const Counted names = count_names(cursor, separator);
  if (names.are_numbers && names.largest <= std::max(first, sizes.count == 3 ? sizes.values[1] : 0)) return true;
  const std::uint64_t rows = names.rows.size();
  if (first == names.vertices.size() || (has_sides && (first == rows || first == rows + names.columns.size())))
    return true;
  return !names.vertices.contains(std::to_string(first)) && !names.vertices.contains(std::to_string(wanted));
}

// Refuses a first line of one or two numbers above a matrix of so many rows and columns.
void refuse_size_above(const Text& text, const InputOptions& options, Cursor cursor, const NumberLine& first) {
  const char delimiter = delimiter_of(options);
  const std::uint64_t number = cursor.line(), columns = first.values[first.count == 1 ? 0 : 1];
  const std::string found = in_quotes(trimmed(rest_of_line(cursor.position())));
  if (first.count > 2 || (first.count == 1 && columns < 2)) return;
  cursor.next_line();
  // Two lines of two are as well a matrix without a size, or edges, and refused as such.
  if (first.values[0] == 1 && columns == 2 && cursor.skip_to_data("#%") &&
      (kind_of(options) != InputKind::matrix || scan(cursor.position(), delimiter).naturals == 2))
    return;
  if (!has_matrix(cursor, delimiter, first.values[0], columns)) return;
  refuse(text, number, found + ", which may be the size of a matrix",
         "--format dense and --header yes where it is that, or --header no where it is " +
             std::string(first.count == 1 ? "a vertex" : "an edge or a row") + " among others");
}

void refuse_size(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (options.header || !cursor.skip_to_data("#%")) return;
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  const char delimiter = delimiter_of(options);
  const NumberLine first = scan(start, delimiter);
  if (first.count == 0 || first.count > 3 || !first.are_naturals() || first.values[0] == 0) return;
  refuse_size_above(text, options, cursor, first);
  if (options.format == InputFormat::dense) return;
  cursor.next_line();
  const std::string found = in_quotes(trimmed(rest_of_line(start))) + ", which may be ";
  const bool is_alone = first.count == 1;
  if (Cursor behind = cursor; is_alone && skip_number_alone(behind, delimiter)) {
    if (!behind.skip_to_data("#%") || scan(behind.position(), delimiter).count < 2) return;
    refuse(text, number, found + "the first of two lines that tell a size",
           "the lines behind them alone, or --format edgelist and --header no where both are vertices");
  }
  const std::string as_edge = std::string("--header no where it is ") + (is_alone ? "a vertex" : "an edge");
  const bool has_sides = kind_of(options) == InputKind::bipartite || kind_of(options) == InputKind::matrix;
  const bool is_size = is_alone ? has_any_edge(cursor, delimiter)
                                : has_edges(first, cursor, separator_in(options, start), delimiter, has_sides);
  if (!is_size) return;
  refuse(text, number, found + (is_alone ? "the number of edges or vertices" : "the number of edges"),
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
  if (others < 1) return;
  refuse(text, number,
         in_quotes(trimmed(rest_of_line(start))) + " above edges between other vertices, which may number the columns",
         "--header yes where they do, or --header no where it is an edge");
}

bool numbers_columns(const NumberLine& line) {
  if (line.count < 2 || line.count > NumberLine::most_kept) return false;
  for (int i = 0; i < line.count; ++i)
    if (line.values[i] != static_cast<std::uint64_t>(i)) return false;
  return true;
}

}  // namespace

void refuse_size_line(const Text& text, const InputOptions& options) {
  if (options.format == InputFormat::dense) return refuse_size(text, options);
  refuse_metis(text);
  refuse_size(text, options);
  refuse_numbered_columns(text, options);
}

void check_size_line(const Text& text, const InputOptions& options) {
  Cursor cursor(text);
  if (!cursor.skip_to_data("#%")) return;
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  const char separator = separator_in(options, start);
  NumberLine sizes = scan(start, delimiter_of(options));
  if (numbers_columns(sizes)) return;
  const std::string found = in_quotes(trimmed(rest_of_line(start)));
  if (sizes.count == 0 || sizes.count > NumberLine::most_kept || !sizes.are_naturals())
    refuse(text, number, found + " as a header", "words, or the size of the graph: the number of its edges, or '6 9'");
  cursor.next_line();
  if (Cursor behind = cursor; sizes.count == 1 && skip_number_alone(behind, delimiter_of(options)))
    refuse(text, number, found + ", the first of two lines that tell a size", "one line, as in '6 9'");
  const Counted counted = count_names(cursor, separator);
  const InputKind kind = kind_of(options);
  const bool has_sides = kind == InputKind::bipartite || kind == InputKind::matrix;
  const std::uint64_t rows = counted.rows.size(), columns = counted.columns.size(), all = counted.vertices.size();
  const std::uint64_t last = sizes.values[sizes.count - 1], first = sizes.values[0];
  const bool is_count_of_vertices = has_sides ? first == rows || first == rows + columns : first == all;
  bool fits = last == counted.num_edges;
  if (sizes.count == 1) {
    // The number of the edges may be that of vertices of which some have none.
    const bool lacks_vertices = counted.are_numbers && counted.largest <= last && all < last;
    fits = (fits && !lacks_vertices) || is_count_of_vertices;
  } else {
    fits = fits && (sizes.count == 2 ? is_count_of_vertices : first == rows && sizes.values[1] == columns);
  }
  if (fits) return;
  refuse(text, number,
         found + " as the size of " + std::to_string(counted.num_edges) + " edges between " +
             (has_sides ? std::to_string(rows) + " and " + std::to_string(columns) : std::to_string(all)) + " vertices",
         "a size that these edges have, and a line with its name for every vertex without edges; or --header no where "
         "it is an edge");
}

bool is_size_of_matrix(const char* start, char separator, std::uint64_t rows, std::uint64_t columns) {
  const NumberLine line = scan(start, separator == ' ' ? '\0' : separator);
  if (line.count > 2 || !line.are_naturals()) return static_cast<std::uint64_t>(line.count) == columns;
  const bool numbers = static_cast<std::uint64_t>(line.count) == columns && line.values[0] <= 1 &&
                       (line.count == 1 || line.values[1] == line.values[0] + 1);
  return numbers || (line.values[0] == rows && (line.count == 1 ? rows == columns : line.values[1] == columns));
}

}  // namespace matchcount::readers
