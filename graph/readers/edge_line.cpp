#include "graph/readers/edge_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "graph/readers/names.hpp"
#include "graph/readers/readings.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* line_expectation = "an edge: two names and perhaps a weight, 'u v' or 'u v w'";

// Ends a name without quotes, or asks for a closer look at the line.
constexpr std::array<bool, 256> ends_plain_name = [] {
  std::array<bool, 256> ends{};
  for (int c = 0; c <= ' '; ++c) ends[static_cast<std::size_t>(c)] = true;
  for (const unsigned char c : {',', ';', '|', '\x7F'}) ends[c] = true;
  return ends;
}();

bool starts_comment(char c) { return c == '#' || c == '%'; }

bool is_integer(std::string_view text) {
  std::int64_t value = 0;
  return canonical_integer(text, value);
}

// Lists what programs call columns that have no names, without their number: V1 and V2 of R.
constexpr std::string_view numbered_columns[] = {"v", "x", "node", "vertex", "id", "var", "column"};

// Returns a name that is one of these and a number; the number is empty where it is none.
std::string_view column_number(std::string_view name, std::string_view column) {
  if (name.size() <= column.size() || !equal_ignoring_case(name.substr(0, column.size()), column)) return {};
  const std::string_view number = name.substr(column.size());
  return std::ranges::all_of(number, is_digit) ? number : std::string_view();
}

// Returns the word of two names that head columns, as V1 and V2; empty where they don't.
std::string_view numbered_column(std::string_view first, std::string_view second) {
  for (const std::string_view column : numbered_columns) {
    if (column_number(first, column) == "1" && column_number(second, column) == "2") return column;
  }
  return {};
}

// Words with which files say how large they are. A single letter may as well be a vertex.
bool is_size_word(std::string_view word, bool letters) {
  constexpr std::string_view words[] = {"nodes",     "node",         "vertices",  "vertex", "edges", "arcs",   "order",
                                        "num_nodes", "num_vertices", "num_edges", "size",   "rows",  "columns"};
  constexpr std::string_view few_letters[] = {"n", "m", "v", "e"};
  while (!word.empty() && (word.back() == ':' || word.back() == '=')) word.remove_suffix(1);
  const auto is_word = [&](std::string_view other) { return equal_ignoring_case(word, other); };
  return std::ranges::any_of(words, is_word) || (letters && std::ranges::any_of(few_letters, is_word));
}

bool is_decimal(std::string_view text) { return text.find('.') != text.npos && is_number(text); }

// (0, 1), 0-1 or 0:1, and a number
bool is_entry(const EdgeLine& line) {
  std::string_view place = line.names[0];
  if (line.form != EdgeLine::Form::pair || line.is_quoted[0] || !is_number(line.names[1])) return false;
  const bool in_brackets = place.starts_with('(') && place.ends_with(')');
  if (in_brackets) place = place.substr(1, place.size() - 2);
  const std::size_t mark = place.find_first_of(in_brackets ? "," : "-:");
  if (mark == place.npos) return false;
  std::string_view column = place.substr(mark + 1);
  while (!column.empty() && is_blank(column.front())) column.remove_prefix(1);
  return is_integer(place.substr(0, mark)) && is_integer(column);
}

// n=4 or nodes:4
bool is_size(std::string_view text) {
  const std::size_t mark = text.find_first_of("=:");
  return mark != text.npos && is_size_word(text.substr(0, mark), true) && is_integer(text.substr(mark + 1));
}

// Returns the place behind the ')' that closes the '(' at p, or p if none does on the line. networkx names the vertices
// of a lattice (0, 0), (0, 1) and so on.
const char* behind_bracket(const char* p) {
  int depth = 0;
  for (const char* q = p; static_cast<unsigned char>(*q) >= ' ' && *q != '\x7F'; ++q) {
    depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
    if (depth == 0) return q + 1;
  }
  return p;
}

}  // namespace

bool are_header_words(std::string_view first, std::string_view second) {
  constexpr std::string_view headers[] = {
      "source target",       "from to",          "u v",       "row col",   "row column",         "src dst",
      "left right",          "head tail",        "tail head", "start end", "origin destination", "parent child",
      "fromnodeid tonodeid", "sourceid targetid"};
  return std::ranges::any_of(headers, [&](std::string_view rest) {
    return equal_ignoring_case(take_word(rest), first) && equal_ignoring_case(rest.substr(1), second);
  });
}

std::string_view EdgeLineSplitter::quoted_field(Cursor& cursor) {
  const char* p = cursor.position();
  std::string_view field;
  const bool is_whole = read_quoted(p, field, unquoted_);
  if (!is_whole) refuse(text_, cursor.line(), "a quote without an end", "a name in quotes that ends on its line");
  const auto control = std::ranges::find_if(
      field, [](char c) { return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7F'; });
  if (control != field.end()) {
    refuse(text_, cursor.line(), "the control character " + in_quotes({&*control, 1}), "text in ASCII or UTF-8");
  }
  if (field.empty()) refuse(text_, cursor.line(), "an empty field", "a name or a weight between the quotes");
  cursor.set_position(p);
  if (!is_blank(*p) && *p != '\n' && !is_separator(*p)) {
    refuse(text_, cursor.line(), in_quotes({p, 1}) + " behind a closing quote", "a separator or the end of the line");
  }
  return field;
}

std::string_view EdgeLineSplitter::field(Cursor& cursor) {
  if (*cursor.position() == '"') return quoted_field(cursor);
  const char* const start = cursor.position();
  const char* p = start;
  const bool keeps_blanks = delimiter_ != 0 && delimiter_ != ' ';
  if (*p == '(' && is_plain()) p = behind_bracket(p);
  while (static_cast<unsigned char>(*p) > ' ' ? !is_separator(*p) && *p != '\x7F' : keeps_blanks && is_padding(*p)) ++p;
  if (*p != '\n' && !is_blank(*p) && !is_separator(*p)) {
    refuse(text_, cursor.line(), "the control character " + in_quotes({p, 1}), "text in ASCII or UTF-8");
  }
  cursor.set_position(p);
  while (keeps_blanks && p != start && is_padding(p[-1])) --p;
  return {start, p};
}

// Returns what stood there: a separator, a tab, a blank, or nothing at the end. Refuses one with nothing behind it.
char EdgeLineSplitter::skip_separator(Cursor& cursor) const {
  const char* p = cursor.position();
  bool has_tab = false;
  for (; is_padding(*p); ++p) has_tab = has_tab || *p == '\t';
  char found = '\0';
  if (is_separator(*p)) {
    found = *p++;
    while (is_padding(*p)) ++p;
    cursor.set_position(p);
    if (*p == '\n' || is_separator(*p) || starts_comment(*p)) {
      cursor.refuse_here(found == ',' ? "a name or a weight after the comma"
                                      : "a name or a weight after the separator");
    }
  } else if (*p != '\n' && !starts_comment(*p)) {
    found = has_tab ? '\t' : ' ';
  }
  cursor.set_position(p);
  return found;
}

// Splits the usual line of two names without quotes; false where it is another.
bool EdgeLineSplitter::split_pair(Cursor& cursor, EdgeLine& line) const {
  const char* p = cursor.position();
  for (std::string_view& name : line.names) {
    const char* const start = p;
    if (*p == '"' || *p == '(' || starts_comment(*p)) return false;
    while (!ends_plain_name[static_cast<unsigned char>(*p)]) ++p;
    if (p == start || (*p != ',' && *p != '\n' && !is_blank(*p))) return false;
    name = {start, p};
    while (is_blank(*p)) ++p;
    if (&name == &line.names[0] && *p == ',') {
      ++p;
      while (is_blank(*p)) ++p;
    }
  }
  if (*p != '\n') return false;
  line.form = EdgeLine::Form::pair;
  cursor.set_position(p);
  return true;
}

void EdgeLineSplitter::read_data(Cursor& cursor, EdgeLine& line) {
  line.form = EdgeLine::Form::bare_data;
  Tokens tokens(text_, rest_of_line(cursor.position()), cursor.line(), python);
  PythonDictionary data(tokens);
  for (DictionaryItem item; data.next(item);) {
    if (!item.has_name) continue;
    if (item.name.empty() || item.name != weight_key_.name()) {
      weight_key_.note(item.name, item.value);
      continue;
    }
    if (line.form == EdgeLine::Form::data)
      refuse(text_, cursor.line(), "the key " + in_quotes(item.key) + " twice", "every key once");
    line.form = EdgeLine::Form::data;
    line.weight = without_type(item.value);
  }
  cursor.set_position(tokens.position());
  if (!cursor.at_line_end() && !starts_comment(*cursor.position())) {
    cursor.refuse_here("the end of the line after the data of an edge");
  }
}

EdgeLine EdgeLineSplitter::split(Cursor& cursor) {
  EdgeLine line;
  if (is_plain() && split_pair(cursor, line)) return line;
  std::string_view fields[3];
  char gaps[3] = {};
  int count = 0;
  const char* const start = cursor.position();
  if (is_separator(*start)) cursor.refuse_here(line_expectation);
  while (*cursor.position() != '\n' && !starts_comment(*cursor.position())) {
    if (count == 2 && *cursor.position() == '{') {
      read_data(cursor, line);
      break;
    }
    if (count == 3 && has_times_) {
      drop_time(cursor);
      break;
    }
    if (count == 3) {
      if (gaps[0] != gaps[1] || gaps[1] != gaps[2]) refuse_mixture(start, cursor.line(), gaps);
      cursor.refuse_here(
          "the end of the line after 'u v w', two names and perhaps a weight; --columns picks two or three of a table, "
          "--format adjlist reads lists of neighbours, --format dense a matrix, and a first line '% sym', '% asym' or "
          "'% bip' has lines 'u v weight time' read as KONECT's");
    }
    const bool is_quoted = *cursor.position() == '"';
    fields[count] = field(cursor);
    if (count < 2) line.is_quoted[count] = is_quoted;
    if (!is_quoted && is_plain() && count < 2) refuse_hidden_separator(start, cursor.line(), fields[count]);
    gaps[count] = skip_separator(cursor);
    ++count;
  }
  if (count > 0 && belongs_to_number(cursor.position()))
    refuse(text_, cursor.line(), "'%' behind a field", "names and numbers alone, and a blank before a comment");
  while (*cursor.position() != '\n') cursor.set_position(cursor.position() + 1);
  if (count > 1 && !is_plain() && options_.format == InputFormat::automatic)
    refuse_split_numbers(fields, line, cursor.line());
  line.names[0] = fields[0];
  line.names[1] = fields[1];
  if (count == 1) refuse_name_alone(line, cursor.line());
  if (count == 2 && line.form == EdgeLine::Form::name) line.form = EdgeLine::Form::pair;
  if (count == 3) {
    line.form = EdgeLine::Form::weighted;
    line.weight = fields[2];
    if (gaps[0] != gaps[1] && !(is_integer(fields[0]) && is_integer(fields[1]))) {
      refuse_mixture(start, cursor.line(), gaps);
    }
  }
  return line;
}

void EdgeLineSplitter::drop_time(Cursor& cursor) {
  const std::string_view time = field(cursor);
  if (!is_number(time)) refuse(text_, cursor.line(), in_quotes(time), "a time: the seconds of a Unix clock");
  if (!cursor.at_line_end() && !starts_comment(*cursor.position())) {
    cursor.refuse_here("the end of the line after the time of an edge");
  }
  dropped_time_ = true;
}

// Blanks between some fields and something else between others: they may belong to a name.
void EdgeLineSplitter::refuse_mixture(const char* start, std::uint64_t line, std::span<const char> gaps) const {
  const bool has_comma = std::ranges::find(gaps, ',') != gaps.end();
  refuse(text_, line, in_quotes(rest_of_line(start)) + ", with " + (has_comma ? "commas" : "tabs") + " and blanks",
         std::string("one or the other between fields, or --delimiter ") + (has_comma ? "','" : "tab") +
             " where names have blanks in them");
}

// A name that no quotes or delimiter tell to be one.
void EdgeLineSplitter::refuse_hidden_separator(const char* start, std::uint64_t line, std::string_view name) const {
  const std::size_t mark = name.find_first_of(";|");
  if (mark == name.npos) return;
  refuse(text_, line, in_quotes(rest_of_line(start)),
         std::string(line_expectation) + "; --delimiter '" + name[mark] + "', or --delimiter ' ' where names have it");
}

// A delimiter that was asked for may leave "1,5" or "$5" whole, or make "2 1" of "1,2 1,5".
void EdgeLineSplitter::refuse_split_numbers(std::span<const std::string_view> fields, const EdgeLine& line,
                                            std::uint64_t number) const {
  constexpr std::string_view marks = ",$%' \xE2\x82\xAC\xC2\xA3\xA5", digits = "0123456789";
  const auto is_half = [&](std::string_view text) {
    return text.find_first_not_of(digits) == text.npos && !text.empty();
  };
  for (std::size_t i = 0; i < 2; ++i) {
    if (line.is_quoted[i]) continue;
    const std::string_view name = fields[i];
    const bool is_number = name.find_first_of(digits) != name.npos && name.find_first_of(marks) != name.npos &&
                           name.find_first_not_of(std::string(digits) + "+-." + std::string(marks)) == name.npos;
    const bool is_halved = delimiter_ == ',' && is_half(fields[i + 1]) && name.find(' ') != name.npos &&
                           is_half(name.substr(name.rfind(' ') + 1));
    if (!is_number && !is_halved) continue;
    refuse(text_, number, in_quotes(name) + (is_halved ? " and " + in_quotes(fields[i + 1]) : std::string()),
           "numbers with decimal points and without units (decimal commas are not read), or --format edgelist where "
           "this is the name of a vertex");
  }
}

// A name that may hide an edge is none.
void EdgeLineSplitter::refuse_name_alone(const EdgeLine& line, std::uint64_t number) const {
  const std::string_view name = line.names[0];
  if (line.is_quoted[0]) return;
  const std::size_t mark = name.find_first_of(" \t,;|-:=~", 1);
  const bool joins = mark != name.npos && mark + 1 < name.size();
  if (!joins && name.find_first_of(" \t,;|") == name.npos && name.find("--") == name.npos) return;
  refuse(text_, number, "only " + in_quotes(name),
         std::string(line_expectation) + ", apart by blanks, a comma or --delimiter; a vertex without edges in quotes");
}

bool EdgeLineSplitter::looks_like_header(const EdgeLine& first, Cursor cursor) {
  const std::string_view column = numbered_column(first.names[0], first.names[1]);
  const bool words = are_header_words(first.names[0], first.names[1]) || !column.empty();
  const bool names = !is_number(first.names[0]) && !is_number(first.names[1]);
  const bool heads_weights = first.form == EdgeLine::Form::weighted && !is_number(first.weight);
  std::uint64_t others = 0;
  bool are_numbers[2] = {names, names};  // the columns below words
  for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const EdgeLine line = split(cursor);
    if (others == 0 && heads_weights) return line.form == EdgeLine::Form::weighted && is_number(line.weight);
    const bool pair = line.form != EdgeLine::Form::name;
    are_numbers[0] = are_numbers[0] && is_number(line.names[0]);
    are_numbers[1] = are_numbers[1] && (pair ? is_number(line.names[1]) : are_numbers[0]);
    if (!words && !are_numbers[0] && !are_numbers[1]) return false;
    for (const std::string_view name : {line.names[0], line.names[1]}) {
      const bool is_alike = name.substr(0, column.size()) == first.names[0].substr(0, column.size());
      if (!column.empty() && is_alike && !column_number(name, column).empty()) return false;
      // Columns called V1 and V2 may hold vertices v1 and v2.
      const auto is_same = [&](std::string_view word) {
        return column.empty() ? equal_ignoring_case(name, word) : name == word;
      };
      if (is_same(first.names[0]) || is_same(first.names[1])) return false;
    }
  }
  // One column of numbers may as well be a side of two; a line alone tells little.
  const std::uint64_t least = are_numbers[0] && are_numbers[1] ? 1 : 2;
  return (words && (column.empty() || others > 0)) || ((are_numbers[0] || are_numbers[1]) && others >= least);
}

void EdgeLineSplitter::refuse_header(Cursor cursor) {
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  Cursor end = cursor;
  const EdgeLine first = split(end);
  refuse_sizes(first, cursor);
  if (first.form == EdgeLine::Form::name || is_integer(first.names[0]) || is_integer(first.names[1])) {
    if (first.form != EdgeLine::Form::weighted || is_number(first.weight)) return;
  }
  if (!looks_like_header(first, cursor)) return;
  refuse(text_, number,
         in_quotes({start, static_cast<std::size_t>(end.position() - start)}) + ", which looks like a header",
         "--header yes to pass it over, or --header no where it is an edge");
}

// Lines "(0, 1) 2.5" are entries as scipy and MATLAB print them, "0-1 2.5" edges with weights, "r1 0.5 2" is a row
// behind its name, and lines "e 1 2" are those of DIMACS.
void EdgeLineSplitter::refuse_entries(Cursor cursor) {
  const std::uint64_t number = cursor.line();
  Cursor end = cursor;
  const EdgeLine first = split(end);
  const std::string_view one = first.names[0];
  if (first.form == EdgeLine::Form::weighted && !is_number(one) && is_decimal(first.names[1]) &&
      is_number(first.weight)) {
    refuse(text_, number, in_quotes(first.names[1]) + " in the place of a name",
           "the numbers of a matrix alone, or --format edgelist where this is the name of a vertex");
  }
  const bool is_edge = (one == "e" || one == "a") && is_integer(first.names[1]) && is_integer(first.weight);
  if (!is_entry(first) && !is_edge) return;
  std::uint64_t others = 0;
  for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const EdgeLine line = split(cursor);
    const bool is_alike =
        is_edge ? line.names[0] == one && is_integer(line.names[1]) && is_integer(line.weight) : is_entry(line);
    if (!is_alike) return;
  }
  if (!is_edge) {
    refuse(text_, number, in_quotes(one) + " and a number, as the place and the value of an entry",
           "lines 'row column value' or 'u v weight', or --format edgelist where these are two vertices");
  }
  // A single one may be an edge of the vertex a.
  if (one == "a" && others == 0) return;
  refuse(text_, number,
         in_quotes(one) + " " + in_quotes(first.names[1]) + ", as edges stand in DIMACS, without its line 'p edge N M'",
         "that line, or --format edgelist where " + in_quotes(one) + " is the name of a vertex");
}

// A first line such as "vertices 4", "4 nodes" or "n=4 m=5" says how large the graph is.
void EdgeLineSplitter::refuse_sizes(const EdgeLine& first, Cursor cursor) {
  if (first.form != EdgeLine::Form::pair) return;
  const std::uint64_t number = cursor.line();
  const auto [one, other] = first.names;
  bool sizes = is_size(one) && is_size(other);
  bool letter = false;
  for (const auto& [word, size] : {std::pair(one, other), std::pair(other, one)}) {
    if (!is_integer(size)) continue;
    sizes = sizes || is_size_word(word, false);
    letter = letter || is_size_word(word, true);
  }
  std::uint64_t others = 0;
  for (cursor.next_line(); letter && cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const EdgeLine line = split(cursor);
    letter = is_integer(line.names[0]) && (line.names[1].empty() || is_integer(line.names[1]));
  }
  if (!sizes && !(letter && others > 0)) return;
  refuse(text_, number, in_quotes(one) + " " + in_quotes(other) + ", which looks like the size of the graph",
         "--header yes to pass it over, and then a line with its name for every vertex without edges; or --header no "
         "where it is an edge");
}

void ForeignComments::refuse_other(std::uint64_t line, std::string_view first) const {
  if (first.starts_with("//") || first == "!" || equal_ignoring_case(first, "rem")) refuse_comment(line, first.data());
}

void ForeignComments::refuse_comment(std::uint64_t line, const char* p) const {
  refuse(text_, line, in_quotes(rest_of_line(p)) + ", which looks like a comment",
         "comments behind '#' or '%', or --format edgelist where it is an edge");
}

void EdgeLineSplitter::refuse_molecules(Cursor cursor) const {
  constexpr int most_lines = 100;
  for (int i = 0; i < most_lines && cursor.skip_to_data("#%"); ++i, cursor.next_line()) {
    const char* p = cursor.position();
    for (int word = 0; word < 2; ++word) {
      const char* const start = p;
      while (static_cast<unsigned char>(*p) > ' ' && *p != ',') ++p;
      const std::string_view text(start, p);
      if (word == 0) ForeignComments(text_).see(cursor.line(), text, false, {});
      if (looks_like_smiles(text)) {
        refuse(text_, cursor.line(), in_quotes(text) + ", which looks like a molecule in SMILES notation",
               "a MOL or SDF file of the molecule, or --format edgelist where it is the name of a vertex");
      }
      while (is_blank(*p) || *p == ',') ++p;
    }
  }
}

bool EdgeLineSplitter::start(Cursor& cursor) {
  if (const auto names = table_names(text_, options_)) refuse_row_numbers(text_, *names);
  if (!cursor.skip_to_data("#%")) return false;
  if (options_.header.value_or(false)) {
    cursor.next_line();
    if (!cursor.skip_to_data("#%")) return false;
  }
  if (is_digit(*cursor.position()) && is_plain()) {
    // Most files begin with two numbers, and are no more than that.
    Cursor end = cursor;
    const EdgeLine first = split(end);
    if (is_integer(first.names[0]) && is_integer(first.names[1]) && first.form == EdgeLine::Form::pair) return true;
  }
  if (options_.format == InputFormat::automatic) {
    refuse_molecules(cursor);
    refuse_entries(cursor);
  }
  if (!options_.header) refuse_header(cursor);
  return true;
}

}  // namespace matchcount::readers
