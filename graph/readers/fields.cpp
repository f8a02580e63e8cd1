#include "graph/readers/fields.hpp"

namespace matchcount::readers {

bool read_quoted(const char*& p, std::string_view& field, std::list<std::string>& unquoted) {
  const char* const start = ++p;
  std::string* copy = nullptr;
  for (; *p != '"' || p[1] == '"'; ++p) {
    if (*p == '\n') return false;
    if (*p == '"' && copy == nullptr) copy = &unquoted.emplace_back(start, p);
    if (copy != nullptr) *copy += *p;
    p += *p == '"';
  }
  field = copy != nullptr ? std::string_view(*copy) : std::string_view(start, p);
  ++p;
  return true;
}

char separator_of(const char* p) {
  bool quoted = false;
  for (; *p != '\n'; ++p) {
    quoted = quoted != (*p == '"');
    if (!quoted && (*p == ',' || *p == ';' || *p == '\t')) return *p;
  }
  return ' ';
}

Fields::Fields(const char* line, char separator, Of what)
    : p_(line), end_(line), separator_(separator), has_quotes_(what == Of::names) {
  while (*end_ != '\n' && (has_quotes_ || (*end_ != '#' && *end_ != '%'))) ++end_;
}

bool Fields::next(std::string_view& field) {
  while (p_ != end_ && is_padding(*p_)) ++p_;
  if (p_ == end_ && !expects_field_) return false;
  is_quoted_ = has_quotes_ && *p_ == '"';
  if (is_quoted_) {
    is_broken_ = !read_quoted(p_, field, unquoted_) || (p_ != end_ && !separates(*p_) && !is_blank(*p_));
    if (is_broken_) return false;
    while (p_ != end_ && is_padding(*p_)) ++p_;
  } else {
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

}  // namespace matchcount::readers
