#include "graph/readers/tokens.hpp"

#include <algorithm>
#include <charconv>

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
    if (!quoted && *p == '(') p = std::max(p, behind_bracket(p) - 1);
    quoted = quoted != (*p == '"');
    if (!quoted && (*p == ',' || *p == ';' || *p == '\t')) return *p;
    if (!quoted && *p == '{') break;
  }
  return ' ';
}

const char* behind_bracket(const char* p) {
  int depth = 0;
  for (const char* q = p; !is_control(*q); ++q) {
    depth += *q == '(' ? 1 : *q == ')' ? -1 : 0;
    if (depth == 0) return q + 1;
  }
  return p;
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

Fields Fields::of_cells(const char* line, char separator) {
  bool quoted = false;
  const char* end = line;
  for (; *end != '\n'; ++end) {
    quoted = quoted != (*end == '"');
    const bool begins = end == line || is_blank(end[-1]) || end[-1] == separator;
    if (!quoted && begins && (*end == '#' || *end == '%')) break;
  }
  return {line, end, separator};
}

void Fields::take(std::vector<Field>& fields, std::size_t most) {
  fields.clear();
  for (std::string_view field; fields.size() < most && next(field);) fields.push_back({field, is_quoted_});
}

bool Fields::take_quoted(std::string_view& field) {
  is_broken_ = !read_quoted(p_, field, unquoted_);
  const char* const behind = p_;
  while (p_ != end_ && is_padding(*p_)) ++p_;
  is_broken_ = is_broken_ || (p_ != end_ && !(separates(*p_) || (separator_ == ' ' && p_ != behind)));
  return !is_broken_;
}

Token Tokens::next() {
  using Role = Language::Role;
  for (; p_ != end_ && (language_.role(*p_) <= Role::comment || skip_c_comment()); ++p_) {
    if (language_.role(*p_) == Role::control)
      refuse(text_, line_, "the control character " + in_quotes({p_, 1}), "text in ASCII or UTF-8");
    if (language_.role(*p_) == Role::comment && language_.has_c_comments && p_ != text_.begin() && p_[-1] != '\n')
      refuse(text_, line_, in_quotes({p_, 1}) + " within a line", "comments on lines of their own, or behind '//'");
    if (language_.role(*p_) == Role::comment) p_ = rest_of_line(p_).end();
    line_ += *p_ == '\n';
  }
  last_ = p_;
  Token token{Token::Kind::end, {}, line_};
  if (p_ == end_) return token;
  const Role role = language_.role(*p_++);
  if (role == Role::quote) {
    token.kind = Token::Kind::string;
    token.text = take_string();
    return token;
  }
  while (role == Role::word && p_ != end_ && language_.role(*p_) == Role::word) ++p_;
  token.kind = role == Role::word ? Token::Kind::word : Token::Kind::mark;
  token.text = {last_, p_};
  return token;
}

// Skips a comment but for its last character.
bool Tokens::skip_c_comment() {
  if (!language_.has_c_comments || *p_ != '/' || p_ + 1 == end_ || (p_[1] != '/' && p_[1] != '*')) return false;
  const std::string_view rest(p_, end_);
  const std::size_t length = p_[1] == '/' ? rest.find('\n') : rest.find("*/", 2) + 1;
  if (length == 0) refuse(text_, line_, "a comment without an end", "'*/'");
  line_ += static_cast<std::uint64_t>(std::ranges::count(rest.substr(0, length), '\n'));
  p_ += length;
  return true;
}

std::string_view Tokens::take_nested(char close) {
  const std::uint64_t line = line_;
  for (int depth = 1; depth > 0; ++p_) {
    if (p_ == end_) refuse(text_, line, in_quotes({last_, 1}) + " without an end", in_quotes({&close, 1}));
    depth += *p_ == *last_ ? 1 : *p_ == close ? -1 : 0;
    line_ += *p_ == '\n';
  }
  return {last_, p_};
}

std::string_view Tokens::take_string() {
  const std::uint64_t line = line_;
  std::string* decoded = nullptr;
  for (; p_ != end_ && *p_ != *last_; ++p_) {
    line_ += *p_ == '\n';
    const bool is_escape = *p_ == '\\' && language_.escapes != Language::Escapes::none;
    if (decoded == nullptr && !is_escape) continue;
    if (decoded == nullptr) decoded = &decoded_.emplace_back(last_ + 1, p_);
    if (is_escape && language_.escapes == Language::Escapes::quote) p_ += p_ + 1 != end_ && p_[1] == '"';
    is_escape&& language_.escapes == Language::Escapes::python ? take_escape(*decoded) : decoded->push_back(*p_);
  }
  if (p_ == end_) refuse(text_, line, language_.end_found, language_.end_expected);
  ++p_;
  return decoded != nullptr ? std::string_view(*decoded) : std::string_view(last_ + 1, p_ - 1);
}

// Takes a backslash and what stands behind it, but for the last character.
void Tokens::take_escape(std::string& decoded) {
  ++p_;
  constexpr std::string_view letters = "abfnrtv\\'\"";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"";
  const auto fail = [this](const char* expected) {
    last_ = p_;
    refuse_last(expected);
  };
  const char c = p_ == end_ ? '\0' : *p_;
  const int length = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  const std::size_t at = letters.find(c);
  if (at == letters.npos && length == 0) fail("an escape of Python's behind the backslash");
  if (length == 0) {
    decoded += meanings[at];
    return;
  }
  std::uint32_t code = 0;
  const char* const digits = ++p_;
  p_ = std::from_chars(digits, digits + std::min<std::ptrdiff_t>(length, end_ - digits), code, 16).ptr;
  if (p_ != digits + length) fail("hexadecimal digits of an escape");
  --p_;
  append_utf8(decoded, code);
}

void Tokens::refuse_last(const char* expected) const {
  if (last_ == end_) refuse(text_, line_, language_.end_found, language_.end_expected);
  refuse(text_, line_, in_quotes(from_last()), expected);
}

namespace {

constexpr int deepest_value = 32;  // values within values

constexpr bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '+' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

void skip_value(Tokens& tokens, const Token& first, int depth);

// Skips values up to `end`, with commas or colons between them.
void skip_items(Tokens& tokens, char end, int depth) {
  if (depth > deepest_value) tokens.refuse_last("values that are nested less deep");
  for (Token token = tokens.next(); !token.is(end);) {
    skip_value(tokens, token, depth + 1);
    token = tokens.next();
    if (token.is(',') || token.is(':'))
      token = tokens.next();
    else if (!token.is(end))
      tokens.refuse_last("a comma or the end of a value");
  }
}

void skip_value(Tokens& tokens, const Token& first, int depth) {
  if (first.is('(')) return skip_items(tokens, ')', depth);
  if (first.is('[')) return skip_items(tokens, ']', depth);
  if (first.is('{')) return skip_items(tokens, '}', depth);
  if (first.kind == Token::Kind::mark || first.kind == Token::Kind::end)
    tokens.refuse_last("a value in a data dictionary");
  // A call, such as np.float64(2.5).
  if (first.kind == Token::Kind::word && tokens.has_next('(')) {
    tokens.next();
    skip_items(tokens, ')', depth);
  }
}

}  // namespace

constinit const Language python(is_word, "'\"", '\0', Language::Escapes::python, "the end of the line",
                                "a data dictionary such as {'weight': 2.5} that ends on its line");

PythonDictionary::PythonDictionary(Tokens& tokens) : tokens_(tokens) {
  if (!tokens.next().is('{')) tokens.refuse_last("'{'");
}

bool PythonDictionary::next(DictionaryItem& item) {
  Token token = tokens_.next();
  if (!is_first_ && token.is(','))
    token = tokens_.next();
  else if (!is_first_ && !token.is('}'))
    tokens_.refuse_last("a comma or the end of the dictionary");
  is_first_ = false;
  if (token.is('}')) return false;
  const char* const key = tokens_.from_last().data();
  item.has_name = token.kind == Token::Kind::string;
  item.name = token.text;
  skip_value(tokens_, token, 0);
  item.key = {key, tokens_.position()};
  if (!tokens_.next().is(':')) tokens_.refuse_last("a colon behind a key");
  token = tokens_.next();
  const char* const value = tokens_.from_last().data();
  skip_value(tokens_, token, 0);
  item.value = {value, tokens_.position()};
  return true;
}

void append_utf8(std::string& text, std::uint32_t code) {
  // The first byte of 1, 2, 3 and 4 says how many follow.
  constexpr std::uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text += static_cast<char>(leads[more] | (code >> (6 * more)));
  for (int i = more; i-- > 0;) text += static_cast<char>(0x80 | ((code >> (6 * i)) & 63));
}

}  // namespace matchcount::readers
