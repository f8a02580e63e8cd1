#include "graph/readers/edge_line.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/integer.hpp"
#include "core/real.hpp"
#include "graph/readers/data_dictionary.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/smiles.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

constexpr const char* line_expectation = "an edge: two names and perhaps a weight, 'u v' or 'u v w'";

// Where a name without quotes ends, or the line asks for a closer look.
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

bool is_number(std::string_view text) {
  std::int64_t integer = 0;
  bool wide = false;
  DoubleDouble real;
  Rational fraction;
  return parse_integer(text, integer, wide) || wide || parse_real(text.data(), text.data() + text.size(), real) ||
         (text.find('/') != text.npos && parse_fraction(text, fraction));
}

// Words that head two columns of vertices.
bool are_header_words(std::string_view first, std::string_view second) {
  constexpr std::pair<std::string_view, std::string_view> headers[] = {
      {"source", "target"}, {"from", "to"},    {"node1", "node2"}, {"u", "v"},
      {"row", "col"},       {"row", "column"}, {"src", "dst"}};
  return std::ranges::any_of(headers, [&](const auto& words) {
    return equal_ignoring_case(words.first, first) && equal_ignoring_case(words.second, second);
  });
}

// Behind the ')' that closes the '(' at p, or p where none does on the line. networkx names the vertices of a lattice
// (0, 0), (0, 1) and so on.
const char* behind_bracket(const char* p) {
  int depth = 0;
  for (const char* q = p; static_cast<unsigned char>(*q) >= ' ' && *q != '\x7F'; ++q) {
    depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
    if (depth == 0) return q + 1;
  }
  return p;
}

}  // namespace

std::string_view EdgeLineSplitter::quoted_field(Cursor& cursor) {
  const char* const start = cursor.position() + 1;
  const char* p = start;
  std::string* copy = nullptr;
  for (; *p != '"' || p[1] == '"'; ++p) {
    if (*p == '\n') refuse(text_, cursor.line(), "a quote without an end", "a name in quotes that ends on its line");
    if ((static_cast<unsigned char>(*p) < ' ' && *p != '\t') || *p == '\x7F') {
      refuse(text_, cursor.line(), "the control character " + in_quotes({p, 1}), "text in ASCII or UTF-8");
    }
    if (*p == '"' && copy == nullptr) {
      copy = &unquoted_.emplace_back(start, p);
    }
    if (copy != nullptr) *copy += *p;
    if (*p == '"') ++p;
  }
  const std::string_view field = copy != nullptr ? std::string_view(*copy) : std::string_view(start, p);
  if (field.empty()) refuse(text_, cursor.line(), "an empty field", "a name or a weight between the quotes");
  cursor.set_position(p + 1);
  if (!is_blank(p[1]) && p[1] != '\n' && !is_separator(p[1])) {
    refuse(text_, cursor.line(), in_quotes({p + 1, 1}) + " behind a closing quote",
           "a separator or the end of the line");
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

// The usual line of two names without quotes; false where it is another.
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

EdgeLine EdgeLineSplitter::split(Cursor& cursor) {
  EdgeLine line;
  if (is_plain() && split_pair(cursor, line)) return line;
  std::string_view fields[3];
  char gaps[3] = {};
  int count = 0;
  const char* const start = cursor.position();
  line.is_quoted = *start == '"';
  if (is_separator(*start)) cursor.refuse_here(line_expectation);
  while (*cursor.position() != '\n' && !starts_comment(*cursor.position())) {
    if (count == 2 && *cursor.position() == '{') {
      const std::optional<std::string_view> weight = read_data_dictionary(text_, cursor, options_.weight_key);
      line.form = weight ? EdgeLine::Form::data : EdgeLine::Form::bare_data;
      if (weight) line.weight = *weight;
      if (!cursor.at_line_end() && !starts_comment(*cursor.position())) {
        cursor.refuse_here("the end of the line after the data of an edge");
      }
      break;
    }
    if (count == 3) {
      if (gaps[0] != gaps[1] || gaps[1] != gaps[2]) refuse_mixture(start, cursor.line(), gaps);
      cursor.refuse_here(
          "the end of the line after 'u v w'; --format adjlist reads lists of neighbours, --format dense a matrix");
    }
    const bool is_quoted = *cursor.position() == '"';
    fields[count] = field(cursor);
    if (!is_quoted && is_plain() && count < 2) refuse_hidden_separator(start, cursor.line(), fields[count]);
    gaps[count] = skip_separator(cursor);
    ++count;
  }
  while (*cursor.position() != '\n') cursor.set_position(cursor.position() + 1);
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

// Blanks between some fields and something else between others: they may belong to a name.
void EdgeLineSplitter::refuse_mixture(const char* start, std::uint64_t line, std::span<const char> gaps) const {
  const bool has_comma = std::ranges::find(gaps, ',') != gaps.end();
  const char* end = start;
  while (*end != '\n') ++end;
  refuse(text_, line, in_quotes({start, end}) + ", with " + (has_comma ? "commas" : "tabs") + " and blanks",
         std::string("one or the other between fields, or --delimiter ") + (has_comma ? "','" : "tab") +
             " where names have blanks in them");
}

// A name that no quotes or delimiter tell to be one.
void EdgeLineSplitter::refuse_hidden_separator(const char* start, std::uint64_t line, std::string_view name) const {
  const std::size_t mark = name.find_first_of(";|");
  if (mark == name.npos) return;
  const char* end = start;
  while (*end != '\n') ++end;
  refuse(text_, line, in_quotes({start, end}),
         std::string(line_expectation) + "; --delimiter '" + name[mark] + "', or --delimiter ' ' where names have it");
}

// A name that may hide an edge is none.
void EdgeLineSplitter::refuse_name_alone(const EdgeLine& line, std::uint64_t number) const {
  const std::string_view name = line.names[0];
  if (line.is_quoted) return;
  if (name.find_first_of(" \t,;|") == name.npos && name.find("->") == name.npos && name.find("--") == name.npos) return;
  refuse(text_, number, "only " + in_quotes(name),
         std::string(line_expectation) + ", apart by the delimiter; a vertex without edges in quotes");
}

bool EdgeLineSplitter::looks_like_header(const EdgeLine& first, Cursor cursor) {
  const bool words = are_header_words(first.names[0], first.names[1]);
  const bool names = !is_integer(first.names[0]) && !is_integer(first.names[1]);
  const bool heads_weights = first.form == EdgeLine::Form::weighted && !is_number(first.weight);
  std::uint64_t others = 0;
  bool all_integers = true;
  for (cursor.next_line(); cursor.skip_to_data("#%"); cursor.next_line(), ++others) {
    const EdgeLine line = split(cursor);
    if (others == 0 && heads_weights) return line.form == EdgeLine::Form::weighted && is_number(line.weight);
    const bool pair = line.form != EdgeLine::Form::name;
    all_integers = all_integers && is_integer(line.names[0]) && (!pair || is_integer(line.names[1]));
    if (!words && !all_integers) return false;
    for (const std::string_view name : {line.names[0], line.names[1]}) {
      if (equal_ignoring_case(name, first.names[0]) || equal_ignoring_case(name, first.names[1])) return false;
    }
  }
  return words || (names && others > 0);
}

void EdgeLineSplitter::refuse_header(Cursor cursor) {
  const std::uint64_t number = cursor.line();
  const char* const start = cursor.position();
  Cursor end = cursor;
  const EdgeLine first = split(end);
  if (first.form == EdgeLine::Form::name || is_integer(first.names[0]) || is_integer(first.names[1])) {
    if (first.form != EdgeLine::Form::weighted || is_number(first.weight)) return;
  }
  if (!looks_like_header(first, cursor)) return;
  refuse(text_, number,
         in_quotes({start, static_cast<std::size_t>(end.position() - start)}) + ", which looks like a header",
         "--header yes to pass it over, or --header no where it is an edge");
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
  if (!cursor.skip_to_data("#%")) return false;
  if (options_.header.value_or(false)) {
    cursor.next_line();
    return cursor.skip_to_data("#%");
  }
  if (is_digit(*cursor.position()) && is_plain()) {
    // Most files begin with two numbers, and are no more than that.
    Cursor end = cursor;
    const EdgeLine first = split(end);
    if (is_integer(first.names[0]) && is_integer(first.names[1]) && first.form == EdgeLine::Form::pair) return true;
  }
  if (options_.format == InputFormat::automatic) refuse_molecules(cursor);
  if (!options_.header) refuse_header(cursor);
  return true;
}

}  // namespace matchcount::readers
