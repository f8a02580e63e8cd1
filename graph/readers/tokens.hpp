#pragma once
// Splits lines into fields, and texts that are no lines of fields into words, strings and marks: GML, DOT, and what
// Python prints. Private to graph/.

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Reads the field in double quotes at p and moves behind it; two quotes in it stand for one (RFC 4180), and then the
// field is in `unquoted`. False where it does not end on its line.
bool read_quoted(const char*& p, std::string_view& field, std::list<std::string>& unquoted);

// Returns the first comma, semicolon or tab of a line outside of quotes and brackets; a blank where there is none.
char separator_of(const char* line);

// Returns the place behind the ')' that closes the '(' at p, or p if none does on the line. networkx names the vertices
// of a lattice (0, 0), (0, 1) and so on, and C++ prints complex numbers so.
const char* behind_bracket(const char* p);

// Returns a text with a tab in the place of this delimiter, but for those within quotes. Refuses one that has tabs.
Text with_tabs(const Text& text, std::string_view delimiter);

// Says whether the mark of a comment at p is part of what stands before it, as in "50%", "50 %;25 %" and "3#".
inline bool belongs_to_number(const char* p) {
  const bool is_behind = (*p == '%' || *p == '#') && is_digit(p[-1]);
  if (*p != '%' || is_behind) return is_behind;
  while (is_blank(*++p)) {
  }
  return *p == '\n' || *p == ';' || *p == ',' || *p == '|';
}

struct Field {
  std::string_view text;
  bool is_quoted;
};

// Gives the fields of a line one by one. A separator that is a blank stands for any number of blanks and tabs; others
// have blanks around them, and fields between them may be empty.
class Fields {
 public:
  // Takes names, which may stand in double quotes or in brackets.
  static Fields of_names(const char* line, char separator) { return {line, rest_of_line(line).end(), separator}; }
  // Takes names or numbers, which may stand in double quotes or in brackets, and behind which # or % begins a comment.
  static Fields of_cells(const char* line, char separator);

  // False at the end of the line, or where a quote has no end. The field stays valid as long as this and the text.
  bool next(std::string_view& field) {
    while (p_ != end_ && is_padding(*p_)) ++p_;
    if (p_ == end_ && !expects_field_) return false;
    is_quoted_ = p_ != end_ && *p_ == '"';
    if (is_quoted_ && !take_quoted(field)) return false;
    if (!is_quoted_) {
      const char* const start = p_;
      if (*p_ == '(') p_ = std::min(behind_bracket(p_), end_);
      while (p_ != end_ && !separates(*p_)) ++p_;
      const char* last = p_;
      while (last != start && is_padding(last[-1])) --last;
      field = {start, last};
    }
    expects_field_ = separator_ != ' ' && p_ != end_ && *p_ == separator_;
    if (expects_field_) ++p_;
    return true;
  }
  // Gives those that are left, no more than so many.
  void take(std::vector<Field>& fields, std::size_t most);
  bool is_over() const { return p_ == end_ && !expects_field_; }
  // Says whether all that are left are empty.
  bool are_empty() const {
    return std::all_of(p_, end_, [this](char c) { return is_padding(c) || separates(c); });
  }
  bool is_quoted() const { return is_quoted_; }  // the field given last
  // Gives away what keeps fields in quotes.
  std::list<std::string> take_unquoted() { return std::move(unquoted_); }
  bool is_broken() const { return is_broken_; }  // a quote has no end, or something stands behind it
  const char* position() const { return p_; }    // of the next field

 private:
  Fields(const char* begin, const char* end, char separator) : p_(begin), end_(end), separator_(separator) {}
  bool is_padding(char c) const { return is_blank(c) && (c != separator_ || c == ' '); }
  bool separates(char c) const { return separator_ == ' ' ? is_blank(c) : c == separator_; }
  bool take_quoted(std::string_view& field);

  const char* p_;
  const char* end_;
  char separator_;
  bool expects_field_ = false;  // behind a separator
  bool is_quoted_ = false;
  bool is_broken_ = false;
  std::list<std::string> unquoted_;
};

struct Token {
  enum class Kind { word, string, mark, end };
  Kind kind = Kind::end;
  std::string_view text;  // a string without its quotes, its escapes replaced
  std::uint64_t line = 0;

  bool is(char mark) const { return kind == Kind::mark && text.front() == mark; }
};

// Says what the tokens of a language are made of.
struct Language {
  // A mark is a token of one character. A quote begins a string and ends it.
  enum class Role : char { control, blank, comment, quote, word, mark };
  // Escapes says what a backslash in a string means: itself, what Python takes it for, or itself but before a quote.
  enum class Escapes { none, python, quote };
  std::array<Role, 256> roles;
  Escapes escapes;
  bool has_c_comments;    // /* */ and //
  const char* end_found;  // the refusal of a string without an end
  const char* end_expected;

  // The language whose words have these characters.
  constexpr Language(bool (*is_word)(char), std::string_view quotes, char comment, Escapes meaning, const char* found,
                     const char* expected, bool c_comments = false)
      : roles{}, escapes(meaning), has_c_comments(c_comments), end_found(found), end_expected(expected) {
    for (int i = 0; i < 256; ++i) {
      const char c = static_cast<char>(i);
      roles[static_cast<std::size_t>(i)] = is_blank(c) || c == '\n'                   ? Role::blank
                                           : i < ' ' || i == 0x7F                     ? Role::control
                                           : c == comment                             ? Role::comment
                                           : quotes.find(c) != std::string_view::npos ? Role::quote
                                           : is_word(c)                               ? Role::word
                                                                                      : Role::mark;
    }
  }
  Role role(char c) const { return roles[static_cast<unsigned char>(c)]; }
};

class Tokens {
 public:
  // Gives the tokens of `part`, a piece of the text that begins on this line.
  Tokens(const Text& text, std::string_view part, std::uint64_t line, const Language& language)
      : text_(text), p_(part.data()), end_(p_ + part.size()), last_(p_), line_(line), language_(language) {}

  // Takes a token. Refuses a control character and a string without an end.
  Token next();
  // Takes what stands from the mark taken last to the one that closes it, whatever it is, and returns it with both.
  std::string_view take_nested(char close);
  const char* position() const { return p_; }
  // Says whether this mark follows without a blank.
  bool has_next(char mark) const { return p_ != end_ && *p_ == mark; }
  // Returns what is left from the token taken last on.
  std::string_view from_last() const { return {last_, end_}; }
  // Refuses the token taken last.
  [[noreturn]] void refuse_last(const char* expected) const;

 private:
  std::string_view take_string();
  void take_escape(std::string& decoded);
  bool skip_c_comment();

  const Text& text_;
  const char* p_;
  const char* end_;
  const char* last_;
  std::uint64_t line_;
  const Language& language_;
  std::list<std::string> decoded_;  // strings with escapes
};

extern const Language python;

struct DictionaryItem {
  bool has_name = false;   // the key is a string
  std::string_view name;   // that it stands for
  std::string_view key;    // as it stands there
  std::string_view value;  // likewise
};

// Takes a dictionary as Python prints it (the data of an edge by networkx, the header of a .npy file), such as
// {'weight': 2.5, 'colour': 'red'}, item by item.
class PythonDictionary {
 public:
  // Takes the '{'. Refuses another token.
  explicit PythonDictionary(Tokens& tokens);
  // False behind the '}'. Refuses what is no item. The views stay valid as long as the text and the tokens.
  bool next(DictionaryItem& item);

 private:
  Tokens& tokens_;
  bool is_first_ = true;
};

// Appends a character of Unicode in UTF-8.
void append_utf8(std::string& text, std::uint32_t code);

}  // namespace matchcount::readers
