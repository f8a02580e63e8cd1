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

bool EdgeLineSplitter::is_blank_line(const Cursor& cursor) const {
  const char* p = cursor.position();
  if (!is_separator(*p)) return false;
  while (is_separator(*p) || is_blank(*p)) ++p;
  return *p == '\n';
}

// Splits the usual line of two or three fields without quotes; false where it is another.
bool EdgeLineSplitter::split_usual(Cursor& cursor, EdgeLine& line) const {
  const char* p = cursor.position();
  std::string_view* const fields[] = {&line.names[0], &line.names[1], &line.weight};
  int tabs[3] = {0, 0, 0};  // behind the field
  int count = 0;
  for (; count < 3 && *p != '\n'; ++count) {
    if (count > 0 && found_ == '\t' && tabs[count - 1] != 1) return false;
    if (count > 0 && found_ != ' ' && found_ != '\t') {
      if (*p++ != found_) return false;
      while (is_blank(*p)) ++p;
    }
    const char* const start = p;
    if (*p == '"' || *p == '(' || *p == '{' || starts_comment(*p)) return false;
    while (!ends_plain_name[static_cast<unsigned char>(*p)]) ++p;
    if (p == start || (*p != ',' && *p != ';' && *p != '\n' && !is_blank(*p))) return false;
    *fields[count] = {start, p};
    for (; is_blank(*p); ++p) tabs[count] += *p == '\t';
  }
  if (*p != '\n' || count < 2 || (count == 3 && (tabs[0] > 0) != (tabs[1] > 0))) return false;
  line.form = count == 2 ? EdgeLine::Form::pair : EdgeLine::Form::weighted;
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
  const std::uint64_t number = cursor.line();
  const bool is_automatic = options_.format == InputFormat::automatic;
  if (const char c = *cursor.position(); is_automatic && (c == '/' || c == '!' || (c | 0x20) == 'r')) {
    std::string_view rest = rest_of_line(cursor.position());
    const std::string_view first = take_word(rest);
    if (first.starts_with("//") || first == "!" || equal_ignoring_case(first, "rem")) refuse_comment(number, first);
  }
  EdgeLine line;
  if (!is_plain() || !split_usual(cursor, line)) line = split_fields(cursor);
  if (has_times_ && line.form == EdgeLine::Form::weighted) {
    if (dropped_time_.value_or(line.has_time) != line.has_time)
      refuse(text_, number, counted(line.has_time ? 4 : 3, "field"), "a time on each line, or on none");
    dropped_time_ = line.has_time;
  }
  const auto is_letter = [](std::string_view name) { return name.size() == 1 && !is_digit(name[0]); };
  has_letters_ = has_letters_ || is_letter(line.names[1]);
  if (!is_automatic || line.is_quoted[0] || !is_letter(line.names[0])) return line;
  if (line.names[0] != "c" && line.names[0] != "C") {
    has_letters_ = true;
  } else if (c_line_ == 0) {
    c_ = line.names[0];
    c_line_ = number;
  }
  return line;
}

void EdgeLineSplitter::end() const {
  if (c_line_ != 0 && !has_letters_) refuse_comment(c_line_, c_);
}

EdgeLine EdgeLineSplitter::split_fields(Cursor& cursor) {
  EdgeLine line;
  const char* const start = cursor.position();
  if (is_separator(*start)) cursor.refuse_here(line_expectation);
  Fields fields = Fields::of_cells(start, separator());
  std::string_view cells[3];
  bool has_tab[4] = {};  // behind the cell
  int count = 0;
  for (std::string_view cell; !(count > 1 && fields.are_empty()); ++count) {
    const char* p = fields.position();
    for (; is_padding(*p); ++p) has_tab[std::max(count - 1, 0)] |= *p == '\t' && separator() == ' ';
    cursor.set_position(p);
    if (count == 2 && *p == '{') {
      read_data(cursor, line);
      break;
    }
    if (!fields.next(cell)) break;
    if (count > 3 || (count == 3 && !has_times_)) {
      if (has_tab[0] != has_tab[1] || has_tab[1] != has_tab[2]) refuse_mixture(start, cursor.line());
      cursor.refuse_here(
          "the end of the line after 'u v w', two names and perhaps a weight; --columns picks two or three of a table, "
          "--format adjlist reads lists of neighbours, --format dense a matrix, and a first line '% sym', '% asym' or "
          "'% bip' has lines 'u v weight time' read as KONECT's");
    }
    check_cell(cursor, fields, cell, start);
    if (count == 3) {
      if (!is_number(cell)) refuse(text_, cursor.line(), in_quotes(cell), "a time: the seconds of a Unix clock");
      continue;
    }
    cells[count] = cell;
    if (count < 2) line.is_quoted[count] = fields.is_quoted();
    if (count < 2 && !fields.is_quoted() && is_plain()) refuse_hidden_separator(start, cursor.line(), cell);
  }
  if (fields.is_broken()) {
    const char* const behind = fields.position();
    refuse(text_, cursor.line(),
           *behind == '\n' ? "a quote without an end" : in_quotes({behind, 1}) + " behind a closing quote",
           *behind == '\n' ? "a name in quotes that ends on its line" : "a separator or the end of the line");
  }
  if (line.form == EdgeLine::Form::name && belongs_to_number(fields.position()))
    refuse(text_, cursor.line(), "'%' behind a field", "names and numbers alone, and a blank before a comment");
  cursor.set_position(rest_of_line(start).end());
  unquoted_.splice(unquoted_.end(), fields.take_unquoted());
  if (count > 1 && !is_plain() && options_.format == InputFormat::automatic)
    refuse_split_numbers(cells, line, cursor.line());
  for (int i = 0; i < std::min(count, 2); ++i)
    if (!is_plain() && !line.is_quoted[i] && cells[i].find('\t') != cells[i].npos)
      refuse(text_, cursor.line(), "a tab beside the delimiter " + in_quotes({&delimiter_, 1}), "one or the other");
  line.names[0] = cells[0];
  line.names[1] = cells[1];
  line.weight = line.form == EdgeLine::Form::data ? line.weight : cells[2];
  if (count == 1) refuse_name_alone(line, cursor.line());
  if (count == 2 && line.form == EdgeLine::Form::name) line.form = EdgeLine::Form::pair;
  if (count > 2) {
    line.form = EdgeLine::Form::weighted;
    line.has_time = count == 4;
    if (has_tab[0] != has_tab[1] && !(is_integer(cells[0]) && is_integer(cells[1])))
      refuse_mixture(start, cursor.line());
  }
  return line;
}

// Refuses an empty field, a control character, and blanks where another separator was found, which may belong to a
// name.
void EdgeLineSplitter::check_cell(Cursor& cursor, const Fields& fields, std::string_view cell, const char* line) const {
  if (cell.empty() && fields.is_quoted())
    refuse(text_, cursor.line(), "an empty field", "a name or a weight between the quotes");
  if (!fields.is_quoted() && (cell == "," || cell == ";"))
    refuse(text_, cursor.line(), in_quotes(cell) + " alone, another separator", "a name, which may stand in quotes");
  if (cell.empty())
    cursor.refuse_here(separator() == ',' ? "a name or a weight after the comma"
                                          : "a name or a weight after the separator");
  const auto control = std::ranges::find_if(cell, [](char c) { return is_control(c) && c != '\t'; });
  if (control != cell.end())
    refuse(text_, cursor.line(), "the control character " + in_quotes({&*control, 1}), "text in ASCII or UTF-8");
  const std::size_t behind = cell.starts_with('(') ? cell.rfind(')') + 1 : 0;
  if (is_plain() && separator() != ' ' && !fields.is_quoted() && std::ranges::any_of(cell.substr(behind), is_blank))
    refuse_mixture(line, cursor.line());
}

// A blank where another separator is expected, or tabs and blanks: they may belong to a name.
void EdgeLineSplitter::refuse_mixture(const char* start, std::uint64_t line) const {
  const char mark = separator() == ' ' ? '\t' : separator();
  const std::string named = mark == '\t' ? "tab" : "'" + std::string(1, mark) + "'";
  refuse(text_, line, in_quotes(rest_of_line(start)) + ", with " + (mark == '\t' ? "tabs" : named) + " and blanks",
         "one or the other between fields, as on the first line, or --delimiter " + named +
             " where names have blanks in them");
}

// A name that no quotes or delimiter tell to be one.
void EdgeLineSplitter::refuse_hidden_separator(const char* start, std::uint64_t line, std::string_view name) const {
  // Commas within brackets are part of the name, unless nothing stands between them.
  const bool has_parts = name.starts_with('(') && name.find(",,") == name.npos && name.find("(,") == name.npos;
  const std::size_t mark = std::min(name.find_first_of(";|"), name.find(',', has_parts ? name.rfind(')') : 0));
  if (mark == name.npos) return;
  refuse(text_, line, in_quotes(rest_of_line(start)),
         std::string(line_expectation) + "; --delimiter '" + name[mark] + "', or --delimiter ' ' where names have it");
}

// A delimiter that was asked for may leave "1,5" or "$5" whole, or make "2 1" of "1,2 1,5".
void EdgeLineSplitter::refuse_split_numbers(std::span<const std::string_view> fields, const EdgeLine& line,
                                            std::uint64_t number) const {
  // The bytes of currencies, a minus sign and wide blanks are among these.
  constexpr std::string_view marks = ",$%' \xE2\x82\xAC\xC2\xA3\xA5\x88\x92\x80\x89\xAF\xA0", digits = "0123456789";
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

void EdgeLineSplitter::refuse_comment(std::uint64_t line, std::string_view first) const {
  refuse(text_, line, in_quotes(rest_of_line(first.data())) + ", which looks like a comment",
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
  if (options_.format == InputFormat::edge_list) refuse_numbers_above_names(text_, options_);
  if (options_.header.value_or(false)) {
    const char* const first = cursor.position();
    has_words_above_ = !begins_number(rest_of_line(first + (*first == '"')));
    // Numbers of columns call none a weight.
    if (!has_words_above_) has_words_above_ = check_size_line(text_, options_) && asks_for_weights(options_);
    const Cursor header = cursor;
    cursor.next_line();
    if (!cursor.skip_to_data("#%")) return false;
    std::vector<Field> words, fields;
    Fields::of_cells(header.position(), separator_in(options_, header.position())).take(words, 1000);
    Fields::of_cells(cursor.position(), separator_in(options_, cursor.position())).take(fields, 1000);
    while (!fields.empty() && fields.back().text.empty()) fields.pop_back();
    if (has_words_above_ && words.size() > fields.size())
      refuse(text_, header.line(), "a header of " + counted(words.size(), "word"),
             "as many as there are fields below, " + std::to_string(fields.size()));
  }
  found_ = separator_of(cursor.position());
  // skip_to_data has passed over a tab that stands for an empty field.
  if (const char* const p = cursor.position(); is_plain() && p != text_.begin() && p[-1] == '\t')
    refuse(text_, cursor.line(), in_quotes(rest_of_line(p)) + " behind an empty field", line_expectation);
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
