#pragma once
// Splits texts that are no lines of fields into words, strings and marks: GML, and what Python prints. Private to
// graph/.

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

struct Token {
  enum class Kind { word, string, mark, end };
  Kind kind = Kind::end;
  std::string_view text;  // as it stands there; a string without its quotes
  std::uint64_t line = 0;

  bool is(char mark) const { return kind == Kind::mark && text.front() == mark; }
};

// Says what the tokens of a language are made of. Blanks and newlines stand between them.
struct Language {
  bool (*is_word)(char c);          // what is no word and no string is a mark, a token of one character
  std::string_view quotes;          // the characters that begin a string and end it
  bool has_escapes = false;         // a backslash in a string has the meaning that Python gives it
  char comment = '\0';              // begins a comment, up to the end of its line
  const char* end_found = nullptr;  // the refusal of a string without an end
  const char* end_expected = nullptr;
};

class Tokens {
 public:
  // Gives the tokens of `part`, a piece of the text that begins on this line.
  Tokens(const Text& text, std::string_view part, std::uint64_t line, const Language& language)
      : text_(text), p_(part.data()), end_(p_ + part.size()), last_(p_), line_(line), language_(language) {}

  // Takes a token. Refuses a control character and a string without an end.
  Token next();
  // Returns the characters that the string taken last stands for, where strings have escapes.
  const std::string& decoded() const { return decoded_; }
  const char* position() const { return p_; }
  // Says whether this mark follows without a blank.
  bool has_next(char mark) const { return p_ != end_ && *p_ == mark; }
  // Returns what is left from the token taken last on.
  std::string_view from_last() const { return {last_, end_}; }
  // Refuses the token taken last.
  [[noreturn]] void refuse_last(const char* expected) const;

 private:
  void skip_blanks();
  void read_string(char quote);
  void read_escape();

  const Text& text_;
  const char* p_;
  const char* end_;
  const char* last_;
  std::uint64_t line_;
  const Language& language_;
  std::string decoded_;
};

// Appends a character of Unicode in UTF-8.
void append_utf8(std::string& text, std::uint32_t code);
// Returns the value of a hexadecimal digit, 16 for another character.
std::uint32_t hex_digit(char c);

}  // namespace matchcount::readers
