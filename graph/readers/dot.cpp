// DOT of Graphviz (https://graphviz.org/doc/info/lang.html): `graph { a -- b -- {c d} [weight=2] }`, `digraph` with
// `->`, subgraphs, whose vertices an edge joins with all at its other end, and defaults, `edge [weight=2]`, which hold
// to the end of their subgraph; an edge without has the weight 1. An edge that a `strict` graph repeats is one. Ports,
// and attributes but for the weight of edges and the label of vertices, have no meaning here. Vertices are named by
// their labels where these tell all apart, else by their IDs.

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "graph/readers/named_graph.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"

namespace matchcount::readers {
namespace {

constinit const Language language_of_dot(
    [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || (c & 0x80) != 0;
    },
    "\"", '#', Language::Escapes::quote, "a string without an end", "'\"'", true);

bool is_keyword(const Token& token, std::string_view word) {
  return token.kind == Token::Kind::word && equal_ignoring_case(token.text, word);
}
bool begins_id(const Token& token) {
  return token.kind == Token::Kind::word || token.kind == Token::Kind::string || token.is('<') || token.is('-');
}
bool begins_subgraph(const Token& token) { return token.is('{') || is_keyword(token, "subgraph"); }

class DotReader {
 public:
  explicit DotReader(const Source& source)
      : source_(source), text_(source.text), tokens_(text_, whole(text_), 1, language_of_dot), graph_(source) {
    graph_.let_ones_miss(true);
    take();
  }

  // Takes what stands before the first brace; false where it is not DOT's.
  bool read_head() {
    is_strict_ = is_keyword(next_, "strict");
    if (is_strict_) take();
    is_directed_ = is_keyword(next_, "digraph");
    if (!is_directed_ && !is_keyword(next_, "graph")) return false;
    take();
    if (begins_id(next_)) take_id("the name of the graph, or '{'");
    return next_.is('{');
  }
  Parsed read() {
    if (!read_head()) fail("'graph {' or 'digraph {'");
    read_block({}, 0);
    if (next_.kind != Token::Kind::end) fail("the end of the file behind one graph");
    for (const DotVertex& vertex : vertices_) {
      graph_.add_vertex(vertex.name, vertex.line);
      if (vertex.label) graph_.add_label(*vertex.label);
    }
    for (const DotEdge& edge : edges_) {
      graph_.add_edge(vertices_[edge.first].name, vertices_[edge.second].name, edge.line);
      if (edge.weight) graph_.add_weight(*edge.weight, edge.line);
    }
    return graph_.finish(is_directed_ ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

 private:
  using Places = std::set<std::size_t>;  // of vertices
  using Weight = std::optional<std::string>;
  struct DotVertex {
    std::string name;
    std::uint64_t line;
    std::optional<std::string> label = {};
  };
  struct DotEdge {
    std::size_t first, second;
    Weight weight;
    std::uint64_t line;
  };

  [[noreturn]] void fail(const std::string& expected) const {
    refuse(text_, next_.line, next_.kind == Token::Kind::end ? "the end of the file" : in_quotes(next_.text), expected);
  }
  Token take() {
    constexpr std::size_t between_checks = 1024;
    if (++num_taken_ % between_checks == 0) check();
    return std::exchange(next_, tokens_.next());
  }
  void check() const {
    text_.check(edges_.size() * sizeof(DotEdge) + vertices_.size() * sizeof(DotVertex));
    source_.run.check();
  }
  void require(char mark) {
    if (!next_.is(mark)) fail(in_quotes({&mark, 1}));
    take();
  }

  // Takes an ID: a word, a number, strings joined by +, or HTML in angle brackets, which is kept with these.
  std::string take_id(const char* expected) {
    if (!begins_id(next_)) fail(expected);
    if (next_.is('<')) {
      std::string html(tokens_.take_nested('>'));
      take();
      return html;
    }
    const bool is_negative = next_.is('-');
    const char* const behind = next_.text.data() + 1;
    if (is_negative) take();
    const Token token = next_;
    if (is_negative && (token.text.data() != behind || token.text.find_first_of(".0123456789") != 0)) fail(expected);
    if (token.kind == Token::Kind::word && token.text.find_first_of(".0123456789") == 0 &&
        token.text.find_first_not_of(".0123456789") != token.text.npos)
      fail("a number, or a name in quotes");
    std::string id = (is_negative ? "-" : "") + std::string(token.text);
    take();
    while (token.kind == Token::Kind::string && next_.is('+')) {
      take();
      if (next_.kind != Token::Kind::string) fail("a string behind '+'");
      id += take().text;
    }
    return id;
  }
  // Calls on_attribute(key, value) for all that stand in brackets.
  template <class OnAttribute>
  void take_attributes(const OnAttribute& on_attribute) {
    while (next_.is('[')) {
      for (take(); !next_.is(']');) {
        const std::string key = take_id("an attribute, or ']'");
        std::string value = "true";
        if (next_.is('=')) take(), value = take_id("the value of an attribute");
        on_attribute(key, value);
        if (next_.is(',') || next_.is(';')) take();
      }
      take();
    }
  }
  Weight take_weight() {
    Weight weight;
    WeightKey& weight_key = graph_.weight_key();
    take_attributes([&](const std::string& key, const std::string& value) {
      key == weight_key.name() ? void(weight = value) : weight_key.note(key, value);
    });
    return weight;
  }

  // Reads a block in braces, and returns the vertices that are named there. `weight` is that of edges without one.
  Places read_block(Weight weight, int depth) {
    constexpr int deepest_block = 64;
    if (depth > deepest_block) fail("subgraphs nested no more than " + std::to_string(deepest_block) + " deep");
    Places members;
    for (require('{'); !next_.is('}');) {
      if (!next_.is(';')) read_statement(members, weight, depth);
      if (next_.is(';')) take();
    }
    take();
    return members;
  }
  Places read_subgraph(const Weight& weight, int depth) {
    if (!next_.is('{')) take();
    if (!next_.is('{')) take_id("the name of a subgraph, or '{'");
    return read_block(weight, depth + 1);
  }
  Places vertex(const std::string& name, std::uint64_t line) {
    const auto [place, is_new] = place_of_.try_emplace(name, vertices_.size());
    if (is_new) vertices_.push_back({name, line});
    for (int part = 0; part < 2 && next_.is(':'); ++part) take(), take_id("a port");
    return {place->second};
  }
  void join(const Places& from, const Places& to, const Weight& weight, std::uint64_t line) {
    for (const std::size_t u : from) {
      for (const std::size_t v : to) {
        const std::pair<std::size_t, std::size_t> ends =
            is_directed_ ? std::pair(u, v) : std::pair(std::min(u, v), std::max(u, v));
        const bool is_new = !is_strict_ || pairs_.insert(ends).second;
        if (is_new) edges_.push_back({u, v, weight, line});
        is_repeated_ = is_repeated_ || !is_new;
      }
      check();
    }
  }
  void read_statement(Places& members, Weight& weight, int depth) {
    constexpr const char* expected = "a vertex, an edge, a subgraph or an attribute";
    const std::uint64_t line = next_.line;
    const bool is_edge_default = is_keyword(next_, "edge");
    if (is_edge_default || is_keyword(next_, "graph") || is_keyword(next_, "node")) {
      take();
      if (!next_.is('[')) fail("'[' and attributes");
      if (!is_edge_default) return take_attributes([](const std::string&, const std::string&) {});
      if (Weight given = take_weight()) weight = std::move(given);
      return;
    }
    const bool is_subgraph = begins_subgraph(next_);
    const std::string name = is_subgraph ? "" : take_id(expected);
    if (!is_subgraph && next_.is('=')) {
      take();
      take_id("the value of an attribute");
      return;
    }
    const std::size_t first = edges_.size();
    Places from = is_subgraph ? read_subgraph(weight, depth) : vertex(name, line);
    members.insert(from.begin(), from.end());
    if (!next_.is('-')) {
      return take_attributes([&](const std::string& key, const std::string& value) {
        // A backslash stands for something else, such as the name itself.
        if (key == "label" && !is_subgraph && value.find('\\') == value.npos) vertices_[*from.begin()].label = value;
      });
    }
    is_repeated_ = false;
    const char* const arrow = is_directed_ ? "->" : "--";
    while (next_.is('-')) {
      if (!tokens_.has_next(arrow[1])) fail(in_quotes(arrow));
      take();
      take();
      const std::uint64_t line_of_end = next_.line;
      const Places to = begins_subgraph(next_) ? read_subgraph(weight, depth) : vertex(take_id(expected), line_of_end);
      members.insert(to.begin(), to.end());
      join(from, to, weight, line);
      from = to;
    }
    const Weight given = take_weight();
    if (given && is_repeated_) refuse(text_, line, "an edge of a strict graph again, with a weight", "it once");
    for (std::size_t i = first; given && i < edges_.size(); ++i) edges_[i].weight = given;
  }

  const Source& source_;
  const Text& text_;
  Tokens tokens_;
  Token next_;
  NamedGraph graph_;
  bool is_strict_ = false, is_directed_ = false;
  bool is_repeated_ = false;  // an edge of the statement that is read, in a strict graph
  std::size_t num_taken_ = 0;
  std::vector<DotVertex> vertices_;
  std::unordered_map<std::string, std::size_t> place_of_;
  std::vector<DotEdge> edges_;
  std::set<std::pair<std::size_t, std::size_t>> pairs_;  // of a strict graph's edges
};

}  // namespace

bool is_dot(const Text& text, InputFormat format) {
  try {
    return DotReader({text, {}, text.run(), format}).read_head();
  } catch (const InputError&) {
    return false;
  }
}

Parsed read_dot(const Source& source) { return DotReader(source).read(); }

}  // namespace matchcount::readers
