#include "graph/readers/python_dictionary.hpp"

namespace matchcount::readers {
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
    if (token.is(',') || token.is(':')) {
      token = tokens.next();
    } else if (!token.is(end)) {
      tokens.refuse_last("a comma or the end of a value");
    }
  }
}

void skip_value(Tokens& tokens, const Token& first, int depth) {
  if (first.is('(')) return skip_items(tokens, ')', depth);
  if (first.is('[')) return skip_items(tokens, ']', depth);
  if (first.is('{')) return skip_items(tokens, '}', depth);
  if (first.kind == Token::Kind::mark || first.kind == Token::Kind::end) {
    tokens.refuse_last("a value in a data dictionary");
  }
  // A call, such as np.float64(2.5).
  if (first.kind == Token::Kind::word && tokens.has_next('(')) {
    tokens.next();
    skip_items(tokens, ')', depth);
  }
}

}  // namespace

constinit const Language python(is_word, "'\"", '\0', true, "the end of the line",
                                "a data dictionary such as {'weight': 2.5} that ends on its line");

PythonDictionary::PythonDictionary(Tokens& tokens) : tokens_(tokens) {
  if (!tokens.next().is('{')) tokens.refuse_last("'{'");
}

bool PythonDictionary::next(DictionaryItem& item) {
  Token token = tokens_.next();
  if (!is_first_ && token.is(',')) {
    token = tokens_.next();
  } else if (!is_first_ && !token.is('}')) {
    tokens_.refuse_last("a comma or the end of the dictionary");
  }
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

}  // namespace matchcount::readers
