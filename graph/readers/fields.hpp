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

// Gives the fields of a line one by one.
class Fields {
 public:
  enum class Of {
    names,   // which may stand in double quotes
    numbers  // behind which # or % begins a comment
  };

  // A separator that is a blank stands for any number of blanks and tabs; others have blanks around them, and fields
  // between them may be empty.
  Fields(const char* line, char separator, Of what);

  // False at the end of the line, or where a quote has no end. The field stays valid as long as this and the text.
  bool next(std::string_view& field);
  bool is_quoted() const { return is_quoted_; }  // the field given last
  bool is_broken() const { return is_broken_; }  // a quote has no end, or something stands behind it
  const char* position() const { return p_; }    // of the next field

 private:
  bool is_padding(char c) const { return is_blank(c) && (c != separator_ || c == ' '); }
  bool separates(char c) const { return separator_ == ' ' ? is_blank(c) : c == separator_; }

  const char* p_;
  const char* end_;
  char separator_;
  bool has_quotes_;
  bool expects_field_ = false;  // behind a separator
  bool is_quoted_ = false;
  bool is_broken_ = false;
  std::list<std::string> unquoted_;
};

}  // namespace matchcount::readers
