// Edge lists. Names that are small numbers, the usual case, are kept as numbers while reading and ranked afterwards
// through a bitmap: no hashing. The first other name starts the reading over with a hash table.

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/large_pages.hpp"
#include "graph/readers/edge_line.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

// Room is made for as many edges; what is not used is never touched.
constexpr std::size_t bytes_per_line = 12;

// The pieces of a usual line; false, at any place, where it is not one. A text ends in a newline, so none runs past it.
[[gnu::always_inline]] inline bool scan_name(const char*& p, std::uint64_t largest, std::uint64_t& number) {
  const char* const start = p;
  return scan_digits(p, number) && number <= largest && (*start != '0' || p == start + 1);
}

[[gnu::always_inline]] inline bool skip_separator(const char*& p, char separator) {
  const char* const start = p;
  while (is_blank(*p)) ++p;
  if (separator == ' ') return p != start;
  if (separator == '\t') return std::count(start, p, '\t') == 1;
  if (*p != separator) return false;
  ++p;
  while (is_blank(*p)) ++p;
  return true;
}

bool scan_weight(const char*& p, std::string_view& weight) {
  const char* const start = p;
  if (*p == '#' || *p == '%') return false;
  while (static_cast<unsigned char>(*p) > ' ' && *p != ',' && *p != ';') ++p;
  weight = {start, static_cast<std::size_t>(p - start)};
  return p != start;
}

[[gnu::always_inline]] inline bool at_newline(const char*& p) {
  while (is_blank(*p)) ++p;
  return *p == '\n';
}

// Marks that stand where a name should: arrows, colons behind a vertex, brackets of Python, round ones that close none
// as in Prolog's edge(a, b), lines of a drawn tree.
bool has_mark_of_other_format(std::string_view name) {
  constexpr std::string_view marks[] = {"-", "=", "=>", "<-", "&", "\\\\"};
  const bool is_drawn =
      name.ends_with("--") || name.find("\xE2\x94") != name.npos || name.find("\xE2\x95") != name.npos;
  return is_drawn || std::ranges::find(marks, name) != std::end(marks) || name.find("->") != name.npos ||
         name.ends_with(':') || name.find_first_of("*[{") == 0 ||
         std::ranges::count(name, ')') != std::ranges::count(name, '(') ||
         (name.starts_with('(') && ((name.ends_with(')') && (is_entry(name.substr(1, name.size() - 2)) ||
                                                             (begins_number(name) && name.find(',') == name.npos))) ||
                                    std::ranges::count(name, '"') % 2 == 1)) ||
         name.starts_with('|') || name.ends_with('|') ||
         std::ranges::count(name, ']') > std::ranges::count(name, '[') ||
         std::ranges::count(name, '}') > std::ranges::count(name, '{');
}

// Returns what the form of an edge is called in a message.
std::string description(EdgeLine::Form form, const std::string& key) {
  if (form == EdgeLine::Form::data || form == EdgeLine::Form::bare_data)
    return (form == EdgeLine::Form::data ? "data with '" : "data without '") + key + "'";
  return counted(form == EdgeLine::Form::name ? 1 : form == EdgeLine::Form::pair ? 2 : 3, "field");
}

bool is_plain_form(EdgeLine::Form form) { return form == EdgeLine::Form::pair || form == EdgeLine::Form::weighted; }

class EdgeListReader {
 public:
  explicit EdgeListReader(const Source& source)
      : text_(source.text),
        options_(source.options),
        kind_(kind_of(options_)),
        base_(options_.base.value_or(1)),
        splitter_(text_, options_),
        parsed_(source),
        values_(source) {}

  // Names that are numbers below 2^32; nothing where another name stands.
  std::optional<Parsed> read_numbers() {
    reserve_on_large_pages(parsed_.edges, text_.size() / bytes_per_line);
    const bool matrix = kind_ == InputKind::matrix;
    const std::uint64_t largest = matrix ? max_vertices : 0xFFFFFFFF;
    std::vector<std::uint32_t> alone;
    // The form of a usual line; a name if no line is usual, or none was read.
    EdgeLine::Form usual = EdgeLine::Form::name;
    Cursor cursor(text_);
    bool more = splitter_.start(cursor);
    const char separator = splitter_.separator();
    for (; more; cursor.next_line(), more = cursor.skip_to_data("#%")) {
      // The usual line first: two numbers without leading zeros, then what the first line had behind them.
      const char* p = cursor.position();
      std::uint64_t u = 0;
      std::uint64_t v = 0;
      std::string_view weight;
      const bool is_usual = usual != EdgeLine::Form::name && scan_name(p, largest, u) && skip_separator(p, separator) &&
                            scan_name(p, largest, v);
      if (is_usual && usual == EdgeLine::Form::data && skip_separator(p, separator) && *p == '{') {
        EdgeLine line;
        cursor.set_position(p);
        splitter_.read_data(cursor, line);
        add_weight(line, cursor.line());
      } else if (is_usual && usual != EdgeLine::Form::data &&
                 (usual == EdgeLine::Form::pair || (skip_separator(p, separator) && scan_weight(p, weight))) &&
                 at_newline(p)) {
        cursor.set_position(p);
        if (usual == EdgeLine::Form::weighted) values_.add(text_, cursor.line(), weight);
      } else {
        if (splitter_.is_blank_line(cursor)) continue;
        const EdgeLine line = splitter_.split(cursor);
        Vertex ends[2] = {0, 0};
        if (line.form == EdgeLine::Form::name) {
          check_vertex(line, cursor.line());
          if (!read_number(line.names[0], cursor.line(), ends[0])) return std::nullopt;
          alone.push_back(ends[0]);
          continue;
        }
        for (int i = 0; i < 2; ++i)
          if (!read_number(line.names[i], cursor.line(), ends[i])) return std::nullopt;
        add_weight(line, cursor.line());
        const bool is_short = line.form != EdgeLine::Form::bare_data && !splitter_.dropped_time();
        if (splitter_.is_plain() && is_short) usual = line.form;
        u = ends[0];
        v = ends[1];
      }
      if (matrix && (u < base_ || v < base_)) refuse_index(std::to_string(std::min(u, v)), cursor.line());
      parsed_.add_edge(static_cast<Vertex>(u), static_cast<Vertex>(v), cursor.line());
    }
    finish();
    rank_numbers(alone);
    return std::move(parsed_);
  }
  Parsed read_names() {
    NameTable row_names;
    NameTable column_names;
    NameTable& second = one_set() ? row_names : column_names;
    const auto id = [&](NameTable& table, const NameTable::Key& key, bool is_quoted, std::uint64_t line) {
      const Vertex before = table.size();
      const Vertex vertex = table.id(key);
      if (vertex == before) check_name(key.name, is_quoted, line);
      return vertex;
    };
    // A block of lines is split before its names are looked up, which hides the time that memory takes.
    struct Pending {
      NameTable::Key u;
      NameTable::Key v;
      bool is_quoted[2];
      std::uint64_t line;
    };
    constexpr std::size_t block = 32;
    std::vector<Pending> pending;
    pending.reserve(block);
    const auto flush = [&] {
      for (const Pending& edge : pending) {
        const Vertex u = id(row_names, edge.u, edge.is_quoted[0], edge.line);
        parsed_.add_edge(u, id(second, edge.v, edge.is_quoted[1], edge.line), edge.line);
      }
      pending.clear();
    };
    reserve_on_large_pages(parsed_.edges, text_.size() / bytes_per_line);
    std::vector<NameTable::Key> alone;
    Cursor cursor(text_);
    for (bool more = splitter_.start(cursor); more; cursor.next_line(), more = cursor.skip_to_data("#%")) {
      if (splitter_.is_blank_line(cursor)) continue;
      const EdgeLine line = splitter_.split(cursor);
      if (line.form == EdgeLine::Form::name) {
        check_vertex(line, cursor.line());
        if (one_set()) {
          flush();
          row_names.id(line.names[0]);
        } else {
          alone.push_back(row_names.key(line.names[0]));
        }
        continue;
      }
      check_index(line.names[0], cursor.line());
      check_index(line.names[1], cursor.line());
      add_weight(line, cursor.line());
      pending.push_back({row_names.key(line.names[0]),
                         second.key(line.names[1]),
                         {line.is_quoted[0], line.is_quoted[1]},
                         cursor.line()});
      if (pending.size() == block) flush();
    }
    flush();
    splitter_.end();
    finish();
    parsed_.has_common_name = asks_for_kind() && row_names.intersects(column_names);
    // A name alone is a row, unless it is a column.
    for (const NameTable::Key& key : alone)
      if (!column_names.contains(key)) row_names.id(key);

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

 private:
  bool one_set() const { return kind_ == InputKind::undirected || kind_ == InputKind::directed; }
  // Says whether names are those of rows and columns that nobody asked for.
  bool asks_for_kind() const { return !options_.kind && !one_set(); }
  void check_name(std::string_view name, bool is_quoted, std::uint64_t line) const {
    const bool any_name = options_.format != InputFormat::automatic;
    if (!is_quoted) refuse_edge_data(text_, line, name);
    if (!any_name && !is_quoted && has_mark_of_other_format(name)) {
      refuse(
          text_, line, in_quotes(name) + " in the place of a name",
          "lines 'u v' or 'u v w' without brackets or marks, or --format edgelist where this is the name of a vertex");
    }
    check_name_text(text_, line, name,
                    any_name                             ? SeenCharacters::all
                    : is_quoted || !splitter_.is_plain() ? SeenCharacters::blanks_within
                                                         : SeenCharacters::visible,
                    "a name without it, or --format edgelist where it is a part of the name");
  }
  // Refuses a number of a matrix that is no index.
  void check_index(std::string_view name, std::uint64_t line) const {
    if (kind_ != InputKind::matrix) return;
    std::int64_t number = 0;
    bool wide = false;
    if (parse_integer(name, number, wide) ? number < base_ || number > static_cast<std::int64_t>(max_vertices) : wide)
      refuse_index(name, line);
  }
  [[noreturn]] void refuse_index(std::string_view name, std::uint64_t line) const {
    refuse(text_, line, in_quotes(name),
           "an index from " + std::to_string(base_) + " to 2147483647" +
               (name == "0" ? "; --base 0 where rows and columns are counted from 0" : ""));
  }
  // Reads a number; false if it is no number below 2^32.
  bool read_number(std::string_view name, std::uint64_t line, Vertex& number) const {
    check_index(name, line);
    std::int64_t value = 0;
    bool wide = false;
    const bool is_number =
        kind_ == InputKind::matrix ? parse_integer(name, value, wide) : canonical_integer(name, value);
    if (!is_number || value < 0 || value > 0xFFFFFFFF) return false;
    number = static_cast<Vertex>(value);
    return true;
  }
  // A line with a single name.
  void check_vertex(const EdgeLine& fields, std::uint64_t line) {
    if (kind_ == InputKind::matrix)
      refuse(text_, line, "only " + in_quotes(fields.names[0]), "an entry: a row, a column and perhaps a value");
    check_name(fields.names[0], fields.is_quoted[0], line);
    if (vertex_line_ == 0) vertex_line_ = line;
  }
  void add_weight(const EdgeLine& fields, std::uint64_t line) {
    const bool has_weight = fields.form == EdgeLine::Form::weighted || fields.form == EdgeLine::Form::data;
    if (!form_) {
      form_ = fields.form;
      first_line_ = line;
      if (has_weight) values_.reserve(text_.size() / bytes_per_line);
    }
    if (fields.form != *form_) {
      refuse(text_, line, description(fields.form, splitter_.weight_key().name()),
             description(*form_, splitter_.weight_key().name()) + " as on line " + std::to_string(first_line_) +
                 (is_plain_form(fields.form) && is_plain_form(*form_) ? "; --format adjlist reads lists of neighbours"
                                                                      : ""));
    }
    if (has_weight) values_.add(text_, line, fields.weight);
  }
  void finish() {
    if (!form_ && vertex_line_ == 0) refuse(text_, 0, "no edge", "at least one line 'u v' or 'u v w'");
    if (!form_ && options_.format == InputFormat::automatic) {
      refuse(
          text_, vertex_line_, "no edge, only names",
          "at least one line 'u v' or 'u v w', or --format edgelist where these are vertices without edges; --format "
          "graph6 where each is a graph");
    }
    if (splitter_.dropped_time()) parsed_.notes.push_back("the times in its fourth column are passed over");
    if (form_ == EdgeLine::Form::pair || form_ == EdgeLine::Form::bare_data)
      splitter_.weight_key().check(text_, first_line_);
    else if (form_ == EdgeLine::Form::weighted && splitter_.has_words_above())
      refuse(text_, first_line_, "a third column that no word of the header calls a weight",
             "--columns with the ends and the weight, or a header such as source,target,weight");
    else if (form_ == EdgeLine::Form::weighted && options_.weight_key && !options_.weight_key->empty())
      refuse(text_, first_line_, "no column " + in_quotes(*options_.weight_key) + ": no header names the third one",
             "a header, or no --weight-key where the third column is the weight; with '' all weights are 1");
    else if (form_)
      values_.give(text_, parsed_);
    parsed_.shape = kind_ == InputKind::undirected ? Parsed::Shape::undirected
                    : kind_ == InputKind::directed ? Parsed::Shape::directed
                                                   : Parsed::Shape::two_sided;
  }
  // Numbers as they stand in the file into those of vertices. `alone`: numbers on lines of their own.
  void rank_numbers(std::span<const std::uint32_t> alone) {
    if (kind_ == InputKind::matrix) {
      for (const Edge& edge : parsed_.edges) {
        parsed_.num_rows = std::max(parsed_.num_rows, edge.row + 1 - base_);
        parsed_.num_columns = std::max(parsed_.num_columns, edge.column + 1 - base_);
      }
      check_vertex_counts(text_, 0, parsed_.num_rows, parsed_.num_columns);
      for (Edge& edge : parsed_.edges) edge = {edge.row - base_, edge.column - base_};
    } else if (one_set()) {
      const NumberRanks names(parsed_.edges, true, true, alone);
      for (Edge& edge : parsed_.edges) edge = {names.rank(edge.row), names.rank(edge.column)};
      parsed_.num_rows = parsed_.num_columns = names.size();
      parsed_.row_labels = names.labels();
    } else {
      // A name alone is a row, unless it is a column.
      const NumberRanks columns(parsed_.edges, false, true);
      std::vector<std::uint32_t> rows_alone;
      std::ranges::copy_if(alone, std::back_inserter(rows_alone),
                           [&](std::uint32_t number) { return !columns.contains(number); });
      const NumberRanks rows(parsed_.edges, true, false, rows_alone);
      parsed_.has_common_name = asks_for_kind() && rows.intersects(columns);
      for (Edge& edge : parsed_.edges) edge = {rows.rank(edge.row), columns.rank(edge.column)};
      parsed_.num_rows = rows.size();
      parsed_.num_columns = columns.size();
      parsed_.row_labels = rows.labels();
      parsed_.column_labels = columns.labels();
    }
  }

  const Text& text_;
  const InputOptions& options_;
  InputKind kind_;
  Vertex base_;  // the first index of a matrix
  EdgeLineSplitter splitter_;
  Parsed parsed_;
  Values values_;
  std::optional<EdgeLine::Form> form_;  // of every edge
  std::uint64_t first_line_ = 0;        // that holds an edge
  std::uint64_t vertex_line_ = 0;       // that holds a name alone
};

}  // namespace

Parsed read_edge_list(const Source& source) {
  std::optional<Parsed> numbers = EdgeListReader(source).read_numbers();
  return numbers ? std::move(*numbers) : EdgeListReader(source).read_names();
}

}  // namespace matchcount::readers
