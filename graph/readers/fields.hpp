#pragma once
// Splits lines into fields. Private to graph/.

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readers/text.hpp"

namespace matchcount::readers {

// Reads the field in double quotes at p and moves behind it; two quotes in it stand for one (RFC 4180), and then the
// field is in `unquoted`. False where it does not end on its line.
bool read_quoted(const char*& p, std::string_view& field, std::list<std::string>& unquoted);

// Returns the first comma, semicolon or tab of a line outside of quotes; a blank where there is none.
char separator_of(const char* line);

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
  // Takes names, which may stand in double quotes.
  static Fields of_names(const char* line, char separator) { return {line, rest_of_line(line).end(), separator, true}; }
  // Takes numbers, behind which # or % begins a comment. They stand apart by the delimiter asked for, else by commas or
  // semicolons, else by blanks.
  static Fields of_numbers(const char* line, char delimiter);

  // Says whether a line of numbers has commas and semicolons.
  bool is_mixed() const { return is_mixed_; }
  // False at the end of the line, or where a quote has no end. The field stays valid as long as this and the text.
  bool next(std::string_view& field) {
    while (p_ != end_ && is_padding(*p_)) ++p_;
    if (p_ == end_ && !expects_field_) return false;
    is_quoted_ = has_quotes_ && *p_ == '"';
    if (is_quoted_ && !take_quoted(field)) return false;
    if (!is_quoted_) {
      const char* const start = p_;
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
  bool is_broken() const { return is_broken_; }  // a quote has no end, or something stands behind it
  const char* position() const { return p_; }    // of the next field

 private:
  Fields(const char* begin, const char* end, char separator, bool has_quotes)
      : p_(begin), end_(end), separator_(separator), has_quotes_(has_quotes) {}
  bool is_padding(char c) const { return is_blank(c) && (c != separator_ || c == ' '); }
  bool separates(char c) const { return separator_ == ' ' ? is_blank(c) : c == separator_; }
  bool take_quoted(std::string_view& field);

  const char* p_;
  const char* end_;
  char separator_;
  bool has_quotes_;
  bool is_mixed_ = false;
  bool expects_field_ = false;  // behind a separator
  bool is_quoted_ = false;
  bool is_broken_ = false;
  std::list<std::string> unquoted_;
};

}  // namespace matchcount::readers
