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

Text with_tabs(const Text& text, std::string_view delimiter) {
  std::string result;
  result.reserve(text.size());
  bool quoted = false;
  std::uint64_t line = 1;
  for (std::string_view rest = whole(text); !rest.empty();) {
    const char c = rest.front();
    if (c == '\t') refuse(text, line, "a tab beside the delimiter " + in_quotes(delimiter), "one or the other");
    quoted = c != '\n' && quoted != (c == '"');
    line += c == '\n';
    const bool ends_field = !quoted && rest.starts_with(delimiter);
    result += ends_field ? '\t' : c;
    rest.remove_prefix(ends_field ? delimiter.size() : 1);
  }
  text.check(result.size());
  return Text::from_memory(result, text.name(), text.run());
}

Fields Fields::of_numbers(const char* line, char delimiter) {
  bool comma = false, semicolon = false;
  const char* end = line;
  for (; *end != '\n' && *end != '#' && *end != '%'; ++end) {
    comma = comma || *end == ',';
    semicolon = semicolon || *end == ';';
  }
  Fields fields(line, end, delimiter != 0 ? delimiter : semicolon ? ';' : comma ? ',' : ' ', false);
  fields.is_mixed_ = delimiter == 0 && comma && semicolon;
  return fields;
}

void Fields::take(std::vector<Field>& fields, std::size_t most) {
  fields.clear();
  for (std::string_view field; fields.size() < most && next(field);) fields.push_back({field, is_quoted_});
}

bool Fields::take_quoted(std::string_view& field) {
  is_broken_ = !read_quoted(p_, field, unquoted_) || (p_ != end_ && !separates(*p_) && !is_blank(*p_));
  while (p_ != end_ && is_padding(*p_)) ++p_;
  return !is_broken_;
}

}  // namespace matchcount::readers
