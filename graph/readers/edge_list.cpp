// Edge lists. Names that are small numbers, the usual case, are kept as numbers while reading and ranked afterwards
// through a bitmap: no hashing. The first other name starts the reading over with a hash table.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "graph/large_pages.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

constexpr std::size_t longest_name = 4096;
// Room is made for as many edges; what is not used is never touched.
constexpr std::size_t bytes_per_line = 12;
constexpr const char* line_expectation = "an edge: two names and perhaps a weight, 'u v' or 'u v w'";

constexpr const char* index_expectation = "an index from 1 to 2147483647";

// The pieces of a usual line; false, at any place, where it is not one. A text ends in a newline, so none runs past it.
[[gnu::always_inline]] inline bool scan_name(const char*& p, std::uint64_t largest, std::uint64_t& number) {
  const char* const start = p;
  return scan_digits(p, number) && number <= largest && (*start != '0' || p == start + 1);
}

[[gnu::always_inline]] inline bool skip_separator(const char*& p) {
  const char* const start = p;
  while (is_blank(*p)) ++p;
  if (*p == ',') {
    ++p;
    while (is_blank(*p)) ++p;
  }
  return p != start;
}

bool scan_weight(const char*& p, std::string_view& weight) {
  const char* const start = p;
  if (*p == '#' || *p == '%') return false;
  while (static_cast<unsigned char>(*p) > ' ' && *p != ',') ++p;
  weight = {start, static_cast<std::size_t>(p - start)};
  return p != start;
}

[[gnu::always_inline]] inline bool at_newline(const char*& p) {
  while (is_blank(*p)) ++p;
  return *p == '\n';
}

// What stands on a line that is neither empty nor a comment.
struct Line {
  std::string_view fields[3];
  int count = 0;
};

class EdgeListReader {
 public:
  EdgeListReader(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions)
      : text_(text), kind_(kind_of(options)), with_lines_(with_lines), values_(rule_for_reals(options, as_fractions)) {}

  // Names that are numbers below 2^32; nothing where another name stands.
  std::optional<Parsed> read_numbers();
  Parsed read_names();

 private:
  bool one_set() const { return kind_ == InputKind::undirected || kind_ == InputKind::directed; }
  Line split(Cursor& cursor) const;
  void check_name(std::string_view name, std::uint64_t line) const;
  // In a matrix a number is an index.
  void check_index(std::string_view name, std::uint64_t line) const;
  void add_edge(Vertex u, Vertex v, std::uint64_t line);
  void add_weight(const Line& fields, std::uint64_t line);
  void finish();

  const Text& text_;
  InputKind kind_;
  bool with_lines_;
  Parsed parsed_;
  Values values_;
  int num_fields_ = 0;            // of every line; 0 before the first
  std::uint64_t first_line_ = 0;  // that holds an edge
};

// Leaves the cursor at the end of the line.
Line EdgeListReader::split(Cursor& cursor) const {
  Line line;
  const char* p = cursor.position();
  const auto fail = [&](const char* expected) {
    cursor.set_position(p);
    cursor.refuse_here(expected);
  };
  for (;;) {
    while (is_blank(*p)) ++p;
    if (line.count > 0 && *p == ',') {
      ++p;
      while (is_blank(*p)) ++p;
      if (*p == '\n' || *p == ',' || *p == '#' || *p == '%') fail("a name or a weight after the comma");
    }
    if (*p == '\n') break;
    if (*p == '#' || *p == '%') {
      while (*p != '\n') ++p;
      break;
    }
    if (line.count == 3 || *p == ',') fail(line.count == 3 ? "the end of the line after 'u v w'" : line_expectation);
    const char* const start = p;
    while (static_cast<unsigned char>(*p) > ' ' && *p != ',' && *p != '\x7F') ++p;
    if (*p != ',' && *p != '\n' && !is_blank(*p)) {
      refuse(text_, cursor.line(), "the control character " + in_quotes({p, 1}), "text in ASCII or UTF-8");
    }
    line.fields[line.count++] = {start, static_cast<std::size_t>(p - start)};
  }
  cursor.set_position(p);
  if (line.count == 1) refuse(text_, cursor.line(), "only " + in_quotes(line.fields[0]), line_expectation);
  return line;
}

void EdgeListReader::check_name(std::string_view name, std::uint64_t line) const {
  if (name.size() > longest_name) {
    refuse(text_, line, "a name of " + std::to_string(name.size()) + " bytes",
           "at most " + std::to_string(longest_name) + " bytes");
  }
  if (!is_utf8(name)) refuse(text_, line, "the name " + in_quotes(name), "text in ASCII or UTF-8");
}

void EdgeListReader::check_index(std::string_view name, std::uint64_t line) const {
  if (kind_ != InputKind::matrix) return;
  std::int64_t number = 0;
  bool wide = false;
  if (parse_integer(name, number, wide) ? number < 1 || number > static_cast<std::int64_t>(max_vertices) : wide) {
    refuse(text_, line, in_quotes(name), index_expectation);
  }
}

void EdgeListReader::add_edge(Vertex u, Vertex v, std::uint64_t line) {
  parsed_.edges.push_back({u, v});
  if (with_lines_) parsed_.lines.push_back(line);
}

void EdgeListReader::add_weight(const Line& fields, std::uint64_t line) {
  if (num_fields_ == 0) {
    num_fields_ = fields.count;
    first_line_ = line;
    if (num_fields_ == 3) values_.reserve(text_.size() / bytes_per_line);
  }
  if (fields.count != num_fields_) {
    refuse(text_, line, std::to_string(fields.count) + " fields",
           std::to_string(num_fields_) + " as on line " + std::to_string(first_line_));
  }
  if (fields.count == 3) values_.add(text_, line, fields.fields[2]);
}

void EdgeListReader::finish() {
  if (num_fields_ == 0) refuse(text_, 0, "no edge", "at least one line 'u v' or 'u v w'");
  if (num_fields_ == 3) values_.give(text_, parsed_);
  parsed_.shape = kind_ == InputKind::undirected ? Parsed::Shape::undirected
                  : kind_ == InputKind::directed ? Parsed::Shape::directed
                                                 : Parsed::Shape::two_sided;
}

std::optional<Parsed> EdgeListReader::read_numbers() {
  reserve_on_large_pages(parsed_.edges, text_.size() / bytes_per_line);
  const bool matrix = kind_ == InputKind::matrix;
  const std::uint64_t largest = matrix ? max_vertices : 0xFFFFFFFF;
  Cursor cursor(text_);
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    // The usual line first: two numbers without leading zeros, then what the first line had behind them.
    const char* p = cursor.position();
    std::uint64_t u = 0;
    std::uint64_t v = 0;
    std::string_view weight;
    if (num_fields_ != 0 && scan_name(p, largest, u) && skip_separator(p) && scan_name(p, largest, v) &&
        (num_fields_ == 2 || (skip_separator(p) && scan_weight(p, weight))) && at_newline(p)) {
      cursor.set_position(p);
      if (num_fields_ == 3) values_.add(text_, cursor.line(), weight);
    } else {
      const Line line = split(cursor);
      Vertex ends[2];
      for (int i = 0; i < 2; ++i) {
        check_index(line.fields[i], cursor.line());
        std::int64_t number = 0;
        bool wide = false;
        const bool is_number =
            matrix ? parse_integer(line.fields[i], number, wide) : canonical_integer(line.fields[i], number);
        if (!is_number || number < 0 || number > 0xFFFFFFFF) return std::nullopt;
        ends[i] = static_cast<Vertex>(number);
      }
      add_weight(line, cursor.line());
      u = ends[0];
      v = ends[1];
    }
    if (matrix && (u == 0 || v == 0)) refuse(text_, cursor.line(), "'0'", index_expectation);
    add_edge(static_cast<Vertex>(u), static_cast<Vertex>(v), cursor.line());
  }
  finish();

  if (matrix) {
    for (const Edge& edge : parsed_.edges) {
      parsed_.num_rows = std::max(parsed_.num_rows, edge.row);
      parsed_.num_columns = std::max(parsed_.num_columns, edge.column);
    }
    check_vertex_counts(text_, 0, parsed_.num_rows, parsed_.num_columns);
    for (Edge& edge : parsed_.edges) edge = {edge.row - 1, edge.column - 1};
  } else if (one_set()) {
    const NumberRanks names(parsed_.edges, true, true);
    for (Edge& edge : parsed_.edges) edge = {names.rank(edge.row), names.rank(edge.column)};
    parsed_.num_rows = parsed_.num_columns = names.size();
    parsed_.row_labels = names.labels();
  } else {
    const NumberRanks rows(parsed_.edges, true, false);
    const NumberRanks columns(parsed_.edges, false, true);
    for (Edge& edge : parsed_.edges) edge = {rows.rank(edge.row), columns.rank(edge.column)};
    parsed_.num_rows = rows.size();
    parsed_.num_columns = columns.size();
    parsed_.row_labels = rows.labels();
    parsed_.column_labels = columns.labels();
  }
  return std::move(parsed_);
}

Parsed EdgeListReader::read_names() {
  NameTable row_names;
  NameTable column_names;
  NameTable& second = one_set() ? row_names : column_names;
  const auto id = [&](NameTable& table, const NameTable::Key& key, std::uint64_t line) {
    const Vertex before = table.size();
    const Vertex vertex = table.id(key);
    if (vertex == before) check_name(key.name, line);
    return vertex;
  };
  // A block of lines is split before its names are looked up, which hides the time that memory takes.
  struct Pending {
    NameTable::Key u;
    NameTable::Key v;
    std::uint64_t line;
  };
  constexpr std::size_t block = 32;
  std::vector<Pending> pending;
  pending.reserve(block);
  const auto flush = [&] {
    for (const Pending& edge : pending) {
      const Vertex u = id(row_names, edge.u, edge.line);
      add_edge(u, id(second, edge.v, edge.line), edge.line);
    }
    pending.clear();
  };
  reserve_on_large_pages(parsed_.edges, text_.size() / bytes_per_line);
  Cursor cursor(text_);
  for (; cursor.skip_to_data("#%"); cursor.next_line()) {
    const Line line = split(cursor);
    check_index(line.fields[0], cursor.line());
    check_index(line.fields[1], cursor.line());
    add_weight(line, cursor.line());
    pending.push_back({row_names.key(line.fields[0]), second.key(line.fields[1]), cursor.line()});
    if (pending.size() == block) flush();
  }
  flush();
  finish();

  const std::vector<Vertex> row_place = row_names.natural_order();
  parsed_.num_rows = row_names.size();
  parsed_.row_labels = row_names.labels();
  if (one_set()) {
    for (Edge& edge : parsed_.edges) edge = {row_place[edge.row], row_place[edge.column]};
    parsed_.num_columns = parsed_.num_rows;
  } else {
    const std::vector<Vertex> column_place = column_names.natural_order();
    for (Edge& edge : parsed_.edges) edge = {row_place[edge.row], column_place[edge.column]};
    parsed_.num_columns = column_names.size();
    parsed_.column_labels = column_names.labels();
  }
  return std::move(parsed_);
}

}  // namespace

Parsed read_edge_list(const Text& text, const InputOptions& options, bool with_lines, bool as_fractions) {
  if (std::optional<Parsed> parsed = EdgeListReader(text, options, with_lines, as_fractions).read_numbers()) {
    return std::move(*parsed);
  }
  return EdgeListReader(text, options, with_lines, as_fractions).read_names();
}

}  // namespace matchcount::readers
