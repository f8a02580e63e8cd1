#include "graph/readers/edge_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "graph/readers/names.hpp"
#include "graph/readers/plain.hpp"
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

// Words with which files say how large they are. A single letter may as well be a vertex.
bool is_size_word(std::string_view word, bool letters) {
  constexpr std::string_view words[] = {"nodes",     "node",         "vertices",  "vertex", "edges", "arcs",   "order",
                                        "num_nodes", "num_vertices", "num_edges", "size",   "rows",  "columns"};
  constexpr std::string_view few_letters[] = {"n", "m", "v", "e"};
  while (!word.empty() && (word.back() == ':' || word.back() == '=')) word.remove_suffix(1);
  const auto is_word = [&](std::string_view other) { return equal_ignoring_case(word, other); };
  return std::ranges::any_of(words, is_word) || (letters && std::ranges::any_of(few_letters, is_word));
}

bool is_no_name(std::string_view text) { return text.find_first_of("./") != text.npos && is_number(text); }

// (0, 1), 0-1 or 0:1, and a number
bool is_place_and_value(const EdgeLine& line) {
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

}  // namespace

bool are_sizes(std::string_view first, std::string_view second) { return is_size(first) && is_size(second); }

std::string_view EdgeLineSplitter::quoted_field(Cursor& cursor) {
  const char* p = cursor.position();
  std::string_view field;
  const bool is_whole = read_quoted(p, field, unquoted_);
  if (!is_whole) refuse(text_, cursor.line(), "a quote without an end", "a name in quotes that ends on its line");
  const auto control = std::ranges::find_if(field, [](char c) { return is_control(c) && c != '\t'; });
  if (control != field.end())
    refuse(text_, cursor.line(), "the control character " + in_quotes({&*control, 1}), "text in ASCII or UTF-8");
  if (field.empty()) refuse(text_, cursor.line(), "an empty field", "a name or a weight between the quotes");
  cursor.set_position(p);
  if (!is_blank(*p) && *p != '\n' && !is_separator(*p))
    refuse(text_, cursor.line(), in_quotes({p, 1}) + " behind a closing quote", "a separator or the end of the line");
  return field;
}

std::string_view EdgeLineSplitter::field(Cursor& cursor) {
  if (*cursor.position() == '"') return quoted_field(cursor);
  const char* const start = cursor.position();
  const char* p = start;
  const bool keeps_blanks = delimiter_ != 0 && delimiter_ != ' ';
  if (*p == '(' && is_plain()) p = behind_bracket(p);
  while (static_cast<unsigned char>(*p) > ' ' ? !is_separator(*p) && *p != '\x7F' : keeps_blanks && is_padding(*p)) ++p;
  if (*p != '\n' && !is_blank(*p) && !is_separator(*p))
    refuse(text_, cursor.line(), "the control character " + in_quotes({p, 1}), "text in ASCII or UTF-8");
  cursor.set_position(p);
  while (keeps_blanks && p != start && is_padding(p[-1])) --p;
  return {start, p};
}

bool EdgeLineSplitter::is_blank_line(const Cursor& cursor) const {
  const char* p = cursor.position();
  if (!is_separator(*p)) return false;
  while (is_separator(*p) || is_blank(*p)) ++p;
  return *p == '\n';
}

// Returns what stood there: a separator, a tab, a blank, or nothing at the end. Refuses one with nothing behind it,
// unless empty cells may end the line.
char EdgeLineSplitter::skip_separator(Cursor& cursor, bool may_end) const {
  const char* p = cursor.position();
  bool has_tab = false;
  for (; is_padding(*p); ++p) has_tab = has_tab || *p == '\t';
  char found = '\0';
  if (is_separator(*p)) {
    found = *p++;
    while (is_padding(*p)) ++p;
    cursor.set_position(p);
    if (may_end) {
      const char* end = p;
      while (is_separator(*end) || is_padding(*end)) ++end;
      if (*end == '\n') {
        cursor.set_position(end);
        return found;
      }
    }
    if (*p == '\n' || is_separator(*p) || starts_comment(*p)) {
      cursor.refuse_here(found == ',' ? "a name or a weight after the comma"
                                      : "a name or a weight after the separator");
    }
  } else if (*p != '\n' && !starts_comment(*p)) {
    if (separator() != ' ' && separator() != '\t') refuse_mixture(cursor.position(), cursor.line());
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
    if (p == start || (*p != ',' && *p != ';' && *p != '\n' && !is_blank(*p))) return false;
    name = {start, p};
    while (is_blank(*p)) ++p;
    if (&name == &line.names[0] && found_ != ' ') {
      if (*p++ != found_) return false;
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
  if (!cursor.at_line_end() && !starts_comment(*cursor.position()))
    cursor.refuse_here("the end of the line after the data of an edge");
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
      if (gaps[0] != gaps[1] || gaps[1] != gaps[2]) refuse_mixture(start, cursor.line());
      cursor.refuse_here(
          "the end of the line after 'u v w', two names and perhaps a weight; --columns picks two or three of a table, "
          "--format adjlist reads lists of neighbours, --format dense a matrix, and a first line '% sym', '% asym' or "
          "'% bip' has lines 'u v weight time' read as KONECT's");
    }
    const bool is_quoted = *cursor.position() == '"';
    fields[count] = field(cursor);
    if (count < 2) line.is_quoted[count] = is_quoted;
    if (!is_quoted && is_plain() && count < 2) refuse_hidden_separator(start, cursor.line(), fields[count]);
    gaps[count] = skip_separator(cursor, count > 0);
    ++count;
  }
  if (count > 0 && belongs_to_number(cursor.position()))
    refuse(text_, cursor.line(), "'%' behind a field", "names and numbers alone, and a blank before a comment");
  while (*cursor.position() != '\n') cursor.set_position(cursor.position() + 1);
  if (count > 1 && !is_plain() && options_.format == InputFormat::automatic)
    refuse_split_numbers(fields, line, cursor.line());
  for (int i = 0; i < std::min(count, 2); ++i)
    if (!is_plain() && !line.is_quoted[i] && fields[i].find('\t') != fields[i].npos)
      refuse(text_, cursor.line(), "a tab beside the delimiter " + in_quotes({&delimiter_, 1}), "one or the other");
  line.names[0] = fields[0];
  line.names[1] = fields[1];
  if (count == 1) refuse_name_alone(line, cursor.line());
  if (count == 2 && line.form == EdgeLine::Form::name) line.form = EdgeLine::Form::pair;
  if (count == 3) {
    line.form = EdgeLine::Form::weighted;
    line.weight = fields[2];
    if (gaps[0] != gaps[1] && !(is_integer(fields[0]) && is_integer(fields[1]))) refuse_mixture(start, cursor.line());
  }
  return line;
}

void EdgeLineSplitter::drop_time(Cursor& cursor) {
  const std::string_view time = field(cursor);
  if (!is_number(time)) refuse(text_, cursor.line(), in_quotes(time), "a time: the seconds of a Unix clock");
  if (!cursor.at_line_end() && !starts_comment(*cursor.position()))
    cursor.refuse_here("the end of the line after the time of an edge");
  dropped_time_ = true;
}

// A blank where another separator is expected, or tabs and blanks: they may belong to a name.
void EdgeLineSplitter::refuse_mixture(const char* p, std::uint64_t line) const {
  const char* start = p;
  while (start != text_.begin() && start[-1] != '\n') --start;
  const char mark = separator() == ' ' ? '\t' : separator();
  const std::string named = mark == '\t' ? "tab" : "'" + std::string(1, mark) + "'";
  refuse(text_, line, in_quotes(rest_of_line(start)) + ", with " + (mark == '\t' ? "tabs" : named) + " and blanks",
         "one or the other between fields, as on the first line, or --delimiter " + named +
             " where names have blanks in them");
}

// A name that no quotes or delimiter tell to be one.
void EdgeLineSplitter::refuse_hidden_separator(const char* start, std::uint64_t line, std::string_view name) const {
  // Commas within brackets are part of the name.
  const std::size_t mark =
      std::min(name.find_first_of(";|"), name.find(',', name.starts_with('(') ? name.rfind(')') : 0));
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

// Lines "(0, 1) 2.5" are entries as scipy and MATLAB print them, "0-1 2.5" edges with weights, "r1 0.5 2" is a row
// behind its name, and lines "e 1 2" are those of DIMACS.
void EdgeLineSplitter::refuse_entries(Cursor cursor) {
  const std::uint64_t number = cursor.line();
  Cursor end = cursor;
  const EdgeLine first = split(end);
  const std::string_view one = first.names[0];
  if (first.form == EdgeLine::Form::weighted && !is_number(one) && is_no_name(first.names[1]) &&
      is_number(first.weight)) {
    refuse(text_, number, in_quotes(first.names[1]) + " in the place of a name",
           "the numbers of a matrix alone, or --format edgelist where this is the name of a vertex");
  }
  const bool is_edge = (one == "e" || one == "a") && is_integer(first.names[1]) && is_integer(first.weight);
  if (!is_place_and_value(first) && !is_edge) return;
  std::uint64_t others = 0;
  for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const EdgeLine line = split(cursor);
    const bool is_alike = is_edge ? line.names[0] == one && is_integer(line.names[1]) && is_integer(line.weight)
                                  : is_place_and_value(line);
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
void EdgeLineSplitter::refuse_sizes(Cursor cursor) {
  Fields fields = Fields::of_cells(cursor.position(), separator_in(options_, cursor.position()));
  std::string_view one, other, third;
  if (!fields.next(one) || !fields.next(other) || fields.next(third)) return;
  const std::uint64_t number = cursor.line();
  bool sizes = are_sizes(one, other);
  bool letter = false;
  for (const auto& [word, size] : {std::pair(one, other), std::pair(other, one)}) {
    if (!is_integer(size)) continue;
    sizes = sizes || is_size_word(word, false);
    letter = letter || is_size_word(word, true);
  }
  std::uint64_t others = 0;
  for (cursor.next_line(); letter && cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    Fields below = Fields::of_cells(cursor.position(), separator_in(options_, cursor.position()));
    std::string_view ends[2];
    letter = below.next(ends[0]) && is_integer(ends[0]) && (!below.next(ends[1]) || is_integer(ends[1]));
  }
  if (!sizes && !(letter && others > 0)) return;
  refuse(
      text_, number, in_quotes(one) + " " + in_quotes(other) + ", which looks like the size of the graph",
      "the lines behind it alone, with a line with its name for every vertex without edges; or --header no where it is "
      "an edge");
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
  if (const auto names = table_names(text_, options_); names && names->has_rows) refuse_row_numbers(text_, *names);
  if (!cursor.skip_to_data("#%")) return false;
  if (Cursor end = cursor; options_.header.value_or(true)) refuse_sizes(end);
  if (options_.header.value_or(false)) {
    has_words_above_ = !begins_number(rest_of_line(cursor.position()));
    if (!has_words_above_) check_size_line(text_, options_);
    cursor.next_line();
    if (!cursor.skip_to_data("#%")) return false;
  }
  found_ = separator_of(cursor.position());
  if (found_ == '\t') found_ = ' ';
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
  return true;
}

}  // namespace matchcount::readers
