#pragma once
// Splits texts that are no lines of fields into words, strings and marks: GML, DOT, and what Python prints. Private to
// graph/.

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

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
