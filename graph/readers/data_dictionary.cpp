#include "graph/readers/data_dictionary.hpp"

#include <string>

namespace matchcount::readers {
namespace {

constexpr int deepest = 32;  // values within values
constexpr const char* end_expectation = "a data dictionary such as {'weight': 2.5} that ends on its line";

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '+' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

int hex_digit(char c) {
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Scanner {
 public:
  Scanner(const Text& text, std::uint64_t line, const char* p) : text_(text), line_(line), p_(p) {}

  std::optional<std::string_view> dictionary(WeightKey& weight_key);
  const char* position() const { return p_; }

 private:
  void skip_blanks() {
    while (is_blank(*p_)) ++p_;
  }
  [[noreturn]] void refuse_here(const char* expected) const {
    if (*p_ == '\n') refuse(text_, line_, "the end of the line", end_expectation);
    const char* end = p_;
    while (*end != '\n') ++end;
    refuse(text_, line_, in_quotes({p_, static_cast<std::size_t>(end - p_)}), expected);
  }
  std::string string();
  void escape(std::string& out);
  std::string_view word();
  void value(int depth);
  void items(char end, int depth);

  const Text& text_;
  std::uint64_t line_;
  const char* p_;
};

// Behind a backslash.
void Scanner::escape(std::string& out) {
  constexpr std::string_view letters = "abfnrtv\\'\"";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"";
  const char c = *p_;
  if (const std::size_t at = letters.find(c); at != letters.npos) {
    out += meanings[at];
    ++p_;
    return;
  }
  const int length = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  if (length == 0) refuse_here("an escape of Python's behind the backslash");
  ++p_;
  std::uint32_t code = 0;
  for (int i = 0; i < length; ++i, ++p_) {
    if (hex_digit(*p_) < 0) refuse_here("hexadecimal digits of an escape");
    code = 16 * code + static_cast<std::uint32_t>(hex_digit(*p_));
  }
  append_utf8(out, code);
}

std::string Scanner::string() {
  const char quote = *p_++;
  std::string result;
  while (*p_ != quote) {
    if (*p_ == '\n') refuse_here(end_expectation);
    if (*p_ == '\\') {
      ++p_;
      escape(result);
    } else {
      result += *p_++;
    }
  }
  ++p_;
  return result;
}

std::string_view Scanner::word() {
  const char* const start = p_;
  while (is_word(*p_)) ++p_;
  if (p_ == start) refuse_here("a value in a data dictionary");
  return {start, static_cast<std::size_t>(p_ - start)};
}

// Values up to `end`, with commas or colons between them.
void Scanner::items(char end, int depth) {
  if (depth > deepest) refuse_here("values that are nested less deep");
  ++p_;
  for (skip_blanks(); *p_ != end; skip_blanks()) {
    value(depth + 1);
    skip_blanks();
    if (*p_ == ',' || *p_ == ':') {
      ++p_;
    } else if (*p_ != end) {
      refuse_here("a comma or the end of a value");
    }
  }
  ++p_;
}

void Scanner::value(int depth) {
  if (*p_ == '\'' || *p_ == '"') {
    string();
  } else if (*p_ == '(') {
    items(')', depth);
  } else if (*p_ == '[') {
    items(']', depth);
  } else if (*p_ == '{') {
    items('}', depth);
  } else {
    word();
    if (*p_ == '(') items(')', depth);  // as in np.float64(2.5)
  }
}

std::optional<std::string_view> Scanner::dictionary(WeightKey& weight_key) {
  std::optional<std::string_view> found;
  ++p_;
  for (skip_blanks(); *p_ != '}'; skip_blanks()) {
    const bool is_string = *p_ == '\'' || *p_ == '"';
    const char* const start = p_;
    std::string key;
    if (is_string) {
      key = string();
    } else {
      value(0);
    }
    skip_blanks();
    if (*p_ != ':') refuse_here("a colon behind a key");
    const std::string_view key_text(start, static_cast<std::size_t>(p_ - start));
    ++p_;
    skip_blanks();
    const char* const begin = p_;
    value(0);
    const std::string_view value_text(begin, static_cast<std::size_t>(p_ - begin));
    if (is_string && !key.empty() && key == weight_key.name()) {
      if (found) refuse(text_, line_, "the key " + in_quotes(key_text) + " twice", "every key once");
      found = without_type(value_text);
    } else if (is_string) {
      weight_key.note(key, value_text);
    }
    skip_blanks();
    if (*p_ == ',') {
      ++p_;
    } else if (*p_ != '}') {
      refuse_here("a comma or the end of the dictionary");
    }
  }
  ++p_;
  return found;
}

}  // namespace

std::optional<std::string_view> read_data_dictionary(const Text& text, Cursor& cursor, WeightKey& weight_key) {
  Scanner scanner(text, cursor.line(), cursor.position());
  const std::optional<std::string_view> value = scanner.dictionary(weight_key);
  cursor.set_position(scanner.position());
  return value;
}

}  // namespace matchcount::readers
