#include "graph/readers/tokens.hpp"

namespace matchcount::readers {

void Tokens::skip_blanks() {
  for (; p_ != end_ && (is_blank(*p_) || *p_ == '\n' || *p_ == language_.comment); ++p_) {
    if (*p_ == language_.comment && *p_ != '\0') p_ = rest_of_line(p_).end();
    line_ += *p_ == '\n';
  }
}

Token Tokens::next() {
  skip_blanks();
  last_ = p_;
  Token token{Token::Kind::end, {}, line_};
  if (p_ == end_) return token;
  if (language_.quotes.find(*p_) != std::string_view::npos) {
    read_string(*p_);
    token.kind = Token::Kind::string;
    token.text = {last_ + 1, p_ - 1};
    return token;
  }
  while (p_ != end_ && language_.is_word(*p_)) ++p_;
  token.kind = p_ != last_ ? Token::Kind::word : Token::Kind::mark;
  if (p_ == last_) {
    if (static_cast<unsigned char>(*p_) < ' ' || *p_ == '\x7F') {
      refuse(text_, line_, "the control character " + in_quotes({p_, 1}), "text in ASCII or UTF-8");
    }
    ++p_;
  }
  token.text = {last_, p_};
  return token;
}

void Tokens::read_string(char quote) {
  const std::uint64_t line = line_;
  decoded_.clear();
  for (++p_;;) {
    if (p_ == end_) refuse(text_, line, language_.end_found, language_.end_expected);
    const char c = *p_++;
    if (c == quote) return;
    line_ += c == '\n';
    if (!language_.has_escapes) continue;
    if (c == '\\') {
      read_escape();
    } else {
      decoded_ += c;
    }
  }
}

// Reads what stands behind a backslash.
void Tokens::read_escape() {
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
  ++p_;
  if (length == 0) {
    decoded_ += meanings[at];
    return;
  }
  std::uint32_t code = 0;
  for (int i = 0; i < length; ++i, ++p_) {
    const std::uint32_t digit = p_ == end_ ? 16 : hex_digit(*p_);
    if (digit == 16) fail("hexadecimal digits of an escape");
    code = 16 * code + digit;
  }
  append_utf8(decoded_, code);
}

void Tokens::refuse_last(const char* expected) const {
  if (last_ == end_) refuse(text_, line_, language_.end_found, language_.end_expected);
  refuse(text_, line_, in_quotes(from_last()), expected);
}

void append_utf8(std::string& text, std::uint32_t code) {
  // The first byte of 1, 2, 3 and 4 says how many follow.
  constexpr std::uint32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text += static_cast<char>(leads[more] | (code >> (6 * more)));
  for (int i = more; i-- > 0;) text += static_cast<char>(0x80 | ((code >> (6 * i)) & 63));
}

std::uint32_t hex_digit(char c) {
  return static_cast<std::uint32_t>(is_digit(c)            ? c - '0'
                                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                           : 16);
}

}  // namespace matchcount::readers
