// GML after M. Himsolt, "GML: a portable graph file format" (1997), as networkx, igraph, Gephi, yEd and others write
// it: keys with values that are numbers, strings or lists in brackets, `#` comments. The list `graph` has `directed`,
// the lists `node` (`id`, `label`) and `edge` (`source`, `target`, a weight); other keys, whatever they hold, are
// skipped. A key that we know is one in any case of its letters, since skipping `Edge` would change the graph.
//
// Vertices are named by `label`, by igraph's `name`, or by `id`: the first of them that every node has, no two the
// same.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "graph/readers/named_graph.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

constexpr int deepest_list = 1000;  // lists within lists

using Kind = Token::Kind;

constinit const Language language_of_gml([](char c) { return c != '[' && c != ']'; }, "\"", '#',
                                         Language::Escapes::none, "a string without an end", "'\"'");

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool begins_with_letter(const Token& token) { return token.kind == Kind::word && is_letter(token.text.front()); }

bool is_number_token(const Token& token) { return token.kind == Kind::word && !is_letter(token.text.front()); }

bool is_key(const Token& token) {
  return begins_with_letter(token) && std::all_of(token.text.begin(), token.text.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '.' || c == '-';
         });
}

bool is_value(const Token& token) { return token.kind != Kind::end && !token.is(']'); }

std::string shown(const Token& token) {
  return token.kind == Kind::end ? "the end of the file" : token.is('[') ? "a list" : in_quotes(token.text);
}

// Returns a string with its entities replaced; an ampersand that begins none stands for itself.
std::string decoded(std::string_view text) {
  constexpr std::pair<std::string_view, std::uint32_t> named[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  constexpr std::size_t longest = 9;
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '&') {
      result += text[at];
      continue;
    }
    const std::string_view rest = text.substr(at + 1, longest), entity = rest.substr(0, rest.find(';'));
    const auto* const known = std::ranges::find(named, entity, &std::pair<std::string_view, std::uint32_t>::first);
    const bool is_hexadecimal = entity.starts_with("#x") || entity.starts_with("#X");
    const std::string_view digits = entity.substr(std::min<std::size_t>(entity.size(), is_hexadecimal ? 2 : 1));
    const char* const end = digits.data() + digits.size();
    std::uint32_t code = known == std::end(named) ? 0 : known->second;
    const bool is_number = entity.starts_with('#') && !digits.empty() &&
                           std::from_chars(digits.data(), end, code, is_hexadecimal ? 16 : 10).ptr == end;
    if (entity.size() < rest.size() && (is_number || known != std::end(named))) {
      append_utf8(result, code);
      at += entity.size() + 1;
    } else {
      result += '&';
    }
  }
  return result;
}

bool is_called(const Token& key, std::string_view word) { return equal_ignoring_case(key.text, word); }

class GmlReader {
 public:
  explicit GmlReader(const Source& source)
      : text_(source.text), tokens_(text_, whole(text_), 1, language_of_gml), graph_(source) {
    // Gephi and M. Newman's collection call the weight `value`.
    if (!graph_.weight_key().is_given()) other_weight_key_ = "value";
  }
  Parsed read() {
    read_list(nullptr, [&](const Token& key, const Token& value) {
      if (is_called(key, "graph")) {
        if (!value.is('[')) fail(value.line, shown(value), "'[' after 'graph'");
        read_graph(key);
      } else if (is_called(key, "node") || is_called(key, "edge")) {
        fail(key.line, in_quotes(key.text) + " outside of a graph", "it within 'graph [ ]'");
      } else {
        skip(key, value);
      }
    });
    if (!has_graph_) fail(0, "no graph", "'graph [ ... ]'");
    return graph_.finish(directed_.value_or(0) == 1 ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

 private:
  // Calls on_key(key, value) for what a list holds, up to its bracket, or without `key` the file; where the value opens
  // a list, on_key reads it.
  template <class OnKey>
  void read_list(const Token* key, OnKey&& on_key) {
    for (;;) {
      const Token inner = tokens_.next();
      if (key ? inner.is(']') : inner.kind == Kind::end) return;
      if (inner.kind == Kind::end) fail_within(*key, inner);
      if (!is_key(inner))
        fail(inner.line, shown(inner), key ? "a key, a word of letters and digits" : "a key, a word such as 'graph'");
      const Token value = tokens_.next();
      if (!is_value(value)) fail(value.line, shown(value), "a value of " + in_quotes(inner.text));
      on_key(inner, value);
    }
  }
  [[noreturn]] void fail_within(const Token& key, const Token& end) const {
    fail(end.line, "the end of the file within " + in_quotes(key.text), "']'");
  }
  // A value of no meaning here, with all that is in it.
  void skip(const Token& key, const Token& value) {
    if (!value.is('[')) return;
    for (int depth = 1; depth > 0;) {
      const Token token = tokens_.next();
      if (token.kind == Kind::end) fail_within(key, token);
      if (token.is('[') && ++depth > deepest_list)
        fail(token.line, "lists nested more than " + std::to_string(deepest_list) + " deep", "a GML file");
      if (token.is(']')) --depth;
    }
  }
  void read_graph(const Token& key) {
    if (has_graph_) fail(key.line, "a second graph", "one graph a file");
    has_graph_ = true;
    read_list(&key, [&](const Token& inner, const Token& value) {
      const bool is_node = is_called(inner, "node");
      if (is_node || is_called(inner, "edge")) {
        if (!value.is('[')) fail(value.line, shown(value), "'[' after " + in_quotes(inner.text));
        is_node ? read_node(inner) : read_edge(inner);
      } else if (is_called(inner, "directed")) {
        once(directed_, inner, integer(inner, value));
        if (*directed_ != 0 && *directed_ != 1) fail(value.line, "'directed' of " + shown(value), "0 or 1");
      } else if (is_called(inner, "graph")) {
        fail(inner.line, "a graph within a graph", "one graph a file");
      } else {
        skip(inner, value);
      }
    });
  }
  void read_node(const Token& key) {
    std::optional<std::int64_t> id;
    std::optional<std::string> labels[2];
    const auto name_in = [](const Token& value) { return decoded(value.text); };
    read_list(&key, [&](const Token& inner, const Token& value) {
      if (is_called(inner, "id"))
        once(id, inner, integer(inner, value));
      else if (is_called(inner, "label") && !value.is('['))
        once(labels[0], inner, name_in(value));
      else if (is_called(inner, "name") && !value.is('['))
        once(labels[1], inner, name_in(value));
      else if (is_called(inner, "graph") || is_called(inner, "node") || is_called(inner, "edge"))
        fail(inner.line, in_quotes(inner.text) + " within a node", "nodes and edges in the list 'graph' alone");
      else
        skip(inner, value);
    });
    if (!id) fail(key.line, "a node without id", "'id' with an integer");
    graph_.add_vertex(std::to_string(*id), key.line);
    for (const std::size_t rank : {0, 1})
      if (labels[rank]) graph_.add_label(std::move(*labels[rank]), rank);
  }
  void read_edge(const Token& key) {
    std::optional<std::int64_t> source, target;
    std::optional<Token> weight, other_weight;
    WeightKey& weight_key = graph_.weight_key();
    read_list(&key, [&](const Token& inner, const Token& value) {
      if (is_called(inner, "source")) {
        once(source, inner, integer(inner, value));
      } else if (is_called(inner, "target")) {
        once(target, inner, integer(inner, value));
      } else if (inner.text == weight_key.name()) {
        once(weight, inner, value);
      } else if (!other_weight_key_.empty() && inner.text == other_weight_key_ && is_number_token(value)) {
        once(other_weight, inner, value);
      } else {
        if (!value.is('[')) weight_key.note(inner.text, value.text);
        skip(inner, value);
      }
    });
    if (!source || !target)
      fail(key.line, std::string("an edge without ") + (source ? "target" : "source"), "'source' and 'target'");
    graph_.add_edge(std::to_string(*source), std::to_string(*target), key.line);
    add_weight(weight, 0);
    add_weight(other_weight, 1);
  }
  std::int64_t integer(const Token& key, const Token& value) const {
    std::int64_t number = 0;
    bool wide = false;
    if (!is_number_token(value) || !parse_integer(value.text, number, wide))
      fail(value.line, in_quotes(key.text) + " of " + shown(value), "an integer within 64 bits");
    return number;
  }
  void add_weight(const std::optional<Token>& value, std::size_t rank) {
    if (!value) return;
    if (value->kind != Kind::word)
      fail(value->line, "a weight that is no number: " + shown(*value), "a number without quotes");
    graph_.add_weight(value->text, value->line, rank);
  }

  [[noreturn]] void fail(std::uint64_t line, std::string found, std::string expected) const {
    refuse(text_, line, std::move(found), std::move(expected));
  }
  // Sets what may be said once.
  template <class T>
  void once(std::optional<T>& place, const Token& key, T value) const {
    if (place) fail(key.line, in_quotes(key.text) + " again", "it once");
    place = std::move(value);
  }

  const Text& text_;
  Tokens tokens_;
  std::string other_weight_key_;  // where that of the weights is nowhere; empty for none
  bool has_graph_ = false;
  std::optional<std::int64_t> directed_;
  NamedGraph graph_;
};

}  // namespace

bool is_gml(const Text& text, InputFormat) {
  // "graph [", perhaps behind keys with simple values, such as Creator and Version.
  constexpr int most_keys = 16;
  try {
    Tokens tokens(text, whole(text), 1, language_of_gml);
    for (int i = 0; i < most_keys; ++i) {
      const Token key = tokens.next();
      if (!begins_with_letter(key)) return false;
      const Token value = tokens.next();
      if (is_called(key, "graph")) return value.is('[');
      if (!is_called(key, "creator") && !is_called(key, "version") && !is_called(key, "comment")) return false;
    }
  } catch (const InputError&) {
  }
  return false;
}

Parsed read_gml(const Source& source) { return GmlReader(source).read(); }

}  // namespace matchcount::readers
