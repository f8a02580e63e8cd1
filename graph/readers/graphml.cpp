// GraphML (Brandes, Eiglsperger, Herman, Himsolt and Marshall, "GraphML progress report", 2002) by libexpat, which
// calls for every element as it passes: one pass, no tree, and the time limit is looked at between pieces of the text.
// What would change an answer in silence is refused: hyperedges, ports, graphs within graphs, edges at nodes that are
// not there, weights on some edges only. A document type declaration is refused before anything of it is read, so that
// there are no entities but the five of XML.

#include <expat.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"
#include "graph/readers/weight_key.hpp"

namespace matchcount::readers {
namespace {

constexpr std::size_t deepest_element = 64;  // elements within elements; GraphML without nested graphs needs 5
constexpr std::size_t parsed_at_once = std::size_t{1} << 20;

std::string element(std::string_view name) { return "the element " + in_quotes(name); }

// Says what an element is to us; `value` is the default of a key, or data of an edge.
enum class Tag { none, graphml, key, graph, node, edge, value, other };

class GraphmlReader {
 public:
  explicit GraphmlReader(const Source& source)
      : source_(source),
        text_(source.text),
        weight_key_(source.options),
        parser_(XML_ParserCreate(nullptr)),
        values_(source) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_characters);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }
  Parsed read();

 private:
  struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  // No exception passes through the parser, which is in C: it is kept, and the parser stopped.
  template <class Work>
  void guarded(Work&& work) {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& reader = *static_cast<GraphmlReader*>(self);
    reader.guarded([&] { reader.start(name, attributes); });
  }
  static void XMLCALL on_end(void* self, const XML_Char*) {
    auto& reader = *static_cast<GraphmlReader*>(self);
    reader.guarded([&] { reader.end(); });
  }
  static void XMLCALL on_characters(void* self, const XML_Char* characters, int count) {
    auto& reader = *static_cast<GraphmlReader*>(self);
    if (reader.taken_ == Taken::nothing) return;
    reader.guarded([&] { reader.value_.append(characters, static_cast<std::size_t>(count)); });
  }
  static void XMLCALL on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    auto& reader = *static_cast<GraphmlReader*>(self);
    reader.guarded([&] { reader.fail("a document type declaration", "GraphML without one"); });
  }

  std::uint64_t line() const { return skipped_lines_ + XML_GetCurrentLineNumber(parser_.get()); }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line(), std::move(found), std::move(expected));
  }
  static std::optional<std::string_view> find(const XML_Char** attributes, std::string_view name);
  std::string_view required(const char* tag, const XML_Char** attributes, std::string_view name) const;
  Vertex number_of(std::string_view name);

  void start(std::string_view name, const XML_Char** attributes);
  void start_graph(Tag parent, const XML_Char** attributes);
  void start_node(Tag parent, const XML_Char** attributes);
  void start_edge(Tag parent, const XML_Char** attributes);
  void start_key(const XML_Char** attributes);
  void start_data(const XML_Char** attributes);
  void stop_taking() {
    taken_ = Taken::nothing;
    value_.clear();
  }
  void end();
  void end_edge();
  void parse();
  [[noreturn]] void refuse_end(Vertex number, std::uint64_t edge_line) const;

  const Source& source_;
  const Text& text_;
  WeightKey weight_key_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser_;
  std::exception_ptr failure_;
  std::uint64_t skipped_lines_ = 0;  // before what the parser is given

  std::vector<Tag> path_;
  bool has_graph_ = false;
  bool directed_ = false;

  // Taken names whose text is being read: that of a weight, or of another attribute, which may hide one.
  enum class Taken { nothing, weight, other };

  std::unordered_map<std::string, std::string> edge_keys_;  // the names of keys for edges by their ids
  std::optional<std::string> weight_id_;                    // the one among them whose data are the weights
  bool key_has_weights_ = false;                            // of the key that is open
  Taken taken_ = Taken::nothing;
  std::string other_key_;  // the name of the other attribute; of a key that is open too
  std::string value_;      // the text so far
  std::optional<std::string> default_weight_;
  std::optional<std::string> weight_;  // of the edge that is open
  bool are_weighted_ = false;          // the edges so far
  Values values_;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  static constexpr Vertex not_yet = std::numeric_limits<Vertex>::max();
  // Every name that a node or an edge has, numbered by first appearance, and the place of its node among the nodes.
  std::unordered_map<std::string, Vertex, Hash, std::equal_to<>> number_of_;
  std::vector<Vertex> place_of_number_;
  std::vector<std::string> nodes_;
  std::vector<Edge> edges_;  // by numbers of names
  std::vector<std::uint64_t> edge_lines_;
};

// Returns the value of that attribute; nothing where there is none.
std::optional<std::string_view> GraphmlReader::find(const XML_Char** attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) return attributes[1];
  }
  return std::nullopt;
}

std::string_view GraphmlReader::required(const char* tag, const XML_Char** attributes, std::string_view name) const {
  const std::optional<std::string_view> value = find(attributes, name);
  if (!value) fail(element(tag) + " without " + std::string(name), "that attribute");
  return *value;
}

Vertex GraphmlReader::number_of(std::string_view name) {
  const auto found = number_of_.find(name);
  if (found != number_of_.end()) return found->second;
  if (std::any_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; })) {
    fail("a control character in the name " + in_quotes(name), "names of one line");
  }
  const auto number = static_cast<Vertex>(number_of_.size());
  number_of_.emplace(name, number);
  place_of_number_.push_back(not_yet);
  return number;
}

void GraphmlReader::start(std::string_view name, const XML_Char** attributes) {
  const Tag parent = path_.empty() ? Tag::none : path_.back();
  if (parent == Tag::none && name != "graphml") fail(element(name), "<graphml>");
  if (path_.size() == deepest_element)
    fail("elements nested more than " + std::to_string(deepest_element) + " deep", "a GraphML file");
  if (taken_ == Taken::weight) fail(element(name) + " within a weight", "a number");
  if (taken_ == Taken::other) stop_taking();
  Tag tag = Tag::other;
  if (name == "graph") {
    tag = Tag::graph;
    start_graph(parent, attributes);
  } else if (name == "node") {
    tag = Tag::node;
    start_node(parent, attributes);
  } else if (name == "edge") {
    tag = Tag::edge;
    start_edge(parent, attributes);
  } else if (name == "key") {
    tag = Tag::key;
    start_key(attributes);
  } else if (name == "default" && parent == Tag::key) {
    if (key_has_weights_) {
      taken_ = Taken::weight;
    } else if (!other_key_.empty() && weight_key_.is_watchful()) {
      taken_ = Taken::other;
    }
    tag = Tag::value;
  } else if (name == "data" && parent == Tag::edge) {
    start_data(attributes);
    tag = Tag::value;
  } else if (name == "hyperedge" || name == "port" || name == "locator" ||
             (parent == Tag::graph && name != "data" && name != "desc")) {
    fail(element(name), "nodes and edges only");
  } else if (name == "graphml") {
    tag = Tag::graphml;
  }
  path_.push_back(tag);
}

void GraphmlReader::start_graph(Tag parent, const XML_Char** attributes) {
  if (parent != Tag::graphml || has_graph_) fail("a graph within a graph, or a second one", "one graph a file");
  has_graph_ = true;
  const std::string_view direction = required("graph", attributes, "edgedefault");
  if (direction != "directed" && direction != "undirected") {
    fail(in_quotes(direction), "edgedefault=\"directed\" or \"undirected\"");
  }
  directed_ = direction == "directed";
}

void GraphmlReader::start_node(Tag parent, const XML_Char** attributes) {
  if (parent != Tag::graph) fail("a node outside of a graph", "it within <graph>");
  const std::string_view name = required("node", attributes, "id");
  Vertex& place = place_of_number_[number_of(name)];
  if (place != not_yet) fail("the node " + in_quotes(name) + " again", "every node once");
  place = static_cast<Vertex>(nodes_.size());
  nodes_.emplace_back(name);
}

void GraphmlReader::start_edge(Tag parent, const XML_Char** attributes) {
  if (parent != Tag::graph) fail("an edge outside of a graph", "it within <graph>");
  const std::string_view direction = find(attributes, "directed").value_or("");
  if (!direction.empty() && direction != (directed_ ? "true" : "false")) {
    fail("directed=" + in_quotes(direction), "all edges as edgedefault says");
  }
  const Vertex source = number_of(required("edge", attributes, "source"));
  edges_.push_back({source, number_of(required("edge", attributes, "target"))});
  edge_lines_.push_back(line());
  weight_.reset();
  for (; weight_key_.is_watchful() && *attributes != nullptr; attributes += 2) {
    const std::string_view name = attributes[0];
    if (name == "source" || name == "target" || name == "sourceport" || name == "targetport") continue;
    weight_key_.note(std::string(name) + " of the element edge", attributes[1]);
  }
}

void GraphmlReader::start_key(const XML_Char** attributes) {
  if (has_graph_) fail("a key behind the graph", "keys before it");
  const std::string_view domain = find(attributes, "for").value_or("all");
  key_has_weights_ = false;
  other_key_.clear();
  if (domain != "edge" && domain != "all") return;
  const std::string id(required("key", attributes, "id"));
  const std::string name(find(attributes, "attr.name").value_or(id));
  if (!edge_keys_.emplace(id, name).second) fail("the key " + in_quotes(id) + " again", "every key once");
  key_has_weights_ = !name.empty() && name == weight_key_.name();
  if (!key_has_weights_) {
    other_key_ = name;
    return;
  }
  if (weight_id_) fail("a second key for the attribute " + in_quotes(name), "one");
  weight_id_ = id;
}

void GraphmlReader::start_data(const XML_Char** attributes) {
  const std::string_view key = required("data", attributes, "key");
  const auto named = edge_keys_.find(std::string(key));
  if (named == edge_keys_.end()) fail("data of " + in_quotes(key), "the id of a <key> for edges");
  if (weight_id_ == key) {
    if (weight_) fail("a second weight of an edge", "one");
    taken_ = Taken::weight;
  } else if (weight_key_.is_watchful()) {
    other_key_ = named->second;
    taken_ = Taken::other;
  }
}

void GraphmlReader::end() {
  const Tag tag = path_.back();
  path_.pop_back();
  if (tag == Tag::value && taken_ != Taken::nothing) {
    if (taken_ == Taken::weight) {
      (path_.back() == Tag::key ? default_weight_ : weight_) = std::string(trimmed(value_));
    } else {
      weight_key_.note(other_key_, trimmed(value_));
    }
    stop_taking();
  } else if (tag == Tag::edge) {
    end_edge();
  }
}

void GraphmlReader::end_edge() {
  const std::optional<std::string>& weight = weight_ ? weight_ : default_weight_;
  const std::uint64_t edge_line = edge_lines_.back();
  if (edges_.size() > 1 && weight.has_value() != are_weighted_) {
    refuse(text_, edge_line, weight ? "an edge with a weight after edges without" : "an edge without a weight",
           "a weight on every edge or on none");
  }
  are_weighted_ = weight.has_value();
  if (weight) values_.add(text_, edge_line, *weight);
}

// Parses the text in pieces, between which the caller's limits are looked at.
void GraphmlReader::parse() {
  const char* p = text_.begin();
  // Editors leave blank lines before the declaration, where XML has no place for them.
  for (; is_blank(*p) || *p == '\n'; ++p) skipped_lines_ += *p == '\n';
  while (p != text_.end()) {
    source_.run.check();
    const std::size_t count = std::min(parsed_at_once, static_cast<std::size_t>(text_.end() - p));
    const bool is_last = p + count == text_.end();
    const XML_Status status = XML_Parse(parser_.get(), p, static_cast<int>(count), is_last ? 1 : 0);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_OK) {
      const XML_Error error = XML_GetErrorCode(parser_.get());
      if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      fail("XML that is not well formed: " + std::string(XML_ErrorString(error)), "a well-formed GraphML file");
    }
    p += count;
  }
}

Parsed GraphmlReader::read() {
  parse();
  if (!has_graph_) refuse(text_, 0, "no graph", "<graphml> with a <graph>");
  Parsed parsed;
  parsed.shape = directed_ ? Parsed::Shape::directed : Parsed::Shape::undirected;
  parsed.set_vertices(nodes_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    Edge& edge = edges_[i];
    for (Vertex* const end : {&edge.row, &edge.column}) {
      if (place_of_number_[*end] == not_yet) refuse_end(*end, edge_lines_[i]);
      *end = place_of_number_[*end];
    }
  }
  if (are_weighted_) {
    values_.give(text_, parsed);
  } else if (!edges_.empty()) {
    weight_key_.check(text_, edge_lines_.front());
  }
  parsed.edges = std::move(edges_);
  parsed.row_labels = std::move(nodes_);
  if (source_.with_lines) parsed.lines = std::move(edge_lines_);
  return parsed;
}

void GraphmlReader::refuse_end(Vertex number, std::uint64_t edge_line) const {
  const auto named =
      std::find_if(number_of_.begin(), number_of_.end(), [&](const auto& n) { return n.second == number; });
  refuse(text_, edge_line, "an edge at " + in_quotes(named->first), "the id of a node");
}

}  // namespace

Parsed read_graphml(const Source& source) { return GraphmlReader(source).read(); }

bool reads_graphml() { return true; }

}  // namespace matchcount::readers
