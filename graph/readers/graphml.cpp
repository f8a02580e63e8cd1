// GraphML (Brandes, Eiglsperger, Herman, Himsolt and Marshall, "GraphML progress report", 2002) and GEXF (version 1.3,
// by Gephi) through libexpat, which calls for every element as it passes: one pass, no tree, and the time limit is
// looked at between pieces of the text. What would change an answer in silence is refused: hyperedges, graphs within
// graphs, edges at nodes that are not there, weights on some edges of GraphML only, graphs that change in time. Ports
// have no meaning here. A document type declaration is passed over unread, or refused if it declares anything itself,
// so that there are no entities but the five of XML.
//
// GEXF has lists `nodes` and `edges` in its graph, `attributes` of edges where GraphML has keys, `attvalue` where it
// has data, and the weight in an attribute of the element as a rule, which is 1 where others have it. Its labels name
// the vertices where they tell all apart.

#include <expat.h>

#include <algorithm>
#include <exception>
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
#include "graph/readers/named_graph.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

constexpr std::size_t deepest_element = 64;  // elements within elements; GraphML without nested graphs needs 5
constexpr std::size_t parsed_at_once = std::size_t{1} << 20;

std::string element(std::string_view name) { return "the element " + in_quotes(name); }

// Says what an element is to us; `value` is the default of a key, or data of an edge. A list of nodes or edges is a
// piece of its graph.
enum class Tag { none, root, key, graph, node, edge, value, other };

class XmlReader {
 public:
  explicit XmlReader(const Source& source)
      : source_(source),
        text_(source.text),
        is_gexf_(source.format == InputFormat::gexf),
        parser_(XML_ParserCreate(nullptr)),
        graph_(source) {
    if (parser_ == nullptr) throw std::bad_alloc();
    graph_.let_ones_miss(is_gexf_);
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_characters);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }
  Parsed read() {
    parse();
    if (!has_graph_) refuse(text_, 0, "no graph", "a <graph>");
    return graph_.finish(directed_ ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

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
    auto& reader = *static_cast<XmlReader*>(self);
    reader.guarded([&] { reader.start(name, attributes); });
  }
  static void XMLCALL on_end(void* self, const XML_Char*) {
    auto& reader = *static_cast<XmlReader*>(self);
    reader.guarded([&] { reader.end(); });
  }
  static void XMLCALL on_characters(void* self, const XML_Char* characters, int count) {
    auto& reader = *static_cast<XmlReader*>(self);
    if (reader.taken_ == Taken::nothing) return;
    reader.guarded([&] { reader.value_.append(characters, static_cast<std::size_t>(count)); });
  }
  static void XMLCALL on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    auto& reader = *static_cast<XmlReader*>(self);
    reader.guarded([&] { reader.fail("a document type that declares entities or elements", "XML without"); });
  }

  std::uint64_t line() const { return skipped_lines_ + XML_GetCurrentLineNumber(parser_.get()); }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line(), std::move(found), std::move(expected));
  }
  // Returns the value of that attribute; nothing where there is none.
  static std::optional<std::string_view> find(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2)
      if (name == attributes[0]) return attributes[1];
    return std::nullopt;
  }
  std::string_view required(const char* tag, const XML_Char** attributes, std::string_view name) const {
    const std::optional<std::string_view> value = find(attributes, name);
    if (!value) fail(element(tag) + " without " + std::string(name), "that attribute");
    return *value;
  }

  void start(std::string_view name, const XML_Char** attributes) {
    const Tag parent = path_.empty() ? Tag::none : path_.back();
    const std::string_view root = is_gexf_ ? "gexf" : "graphml";
    if (parent == Tag::none && name != root) fail(element(name), "<" + std::string(root) + ">");
    if (path_.size() == deepest_element)
      fail("elements nested more than " + std::to_string(deepest_element) + " deep", "GraphML or GEXF of one graph");
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
    } else if (is_gexf_ && (name == "nodes" || name == "edges")) {
      if (parent != Tag::graph) fail(element(name) + " outside of <graph>", "a graph without others in its nodes");
      tag = Tag::graph;
    } else if (is_gexf_ && name == "attributes") {
      are_of_edges_ = find(attributes, "class") == "edge";
    } else if (name == (is_gexf_ ? "attribute" : "key")) {
      tag = Tag::key;
      start_key(attributes);
    } else if (name == "default" && parent == Tag::key) {
      if (key_has_weights_)
        taken_ = Taken::weight;
      else if (!other_key_.empty() && graph_.weight_key().is_watchful())
        taken_ = Taken::other;
      tag = Tag::value;
    } else if (name == "attvalues" && parent == Tag::edge) {
      tag = Tag::edge;
    } else if (name == (is_gexf_ ? "attvalue" : "data") && parent == Tag::edge) {
      start_data(attributes);
      tag = Tag::value;
    } else if (name == "hyperedge" || name == "locator" || name == "spells" ||
               (parent == Tag::graph && name != "data" && name != "desc" && name != "meta")) {
      fail(element(name), "nodes and edges only");
    } else if (name == root) {
      tag = Tag::root;
    }
    path_.push_back(tag);
  }
  void start_graph(Tag parent, const XML_Char** attributes) {
    if (parent != Tag::root || has_graph_) fail("a graph within a graph, or a second one", "one graph a file");
    has_graph_ = true;
    const std::string_view direction = is_gexf_ ? find(attributes, "defaultedgetype").value_or("undirected")
                                                : required("graph", attributes, "edgedefault");
    if (direction != "directed" && direction != "undirected") {
      fail(in_quotes(direction),
           (is_gexf_ ? "defaultedgetype=" : "edgedefault=") + std::string("'directed' or 'undirected'"));
    }
    if (is_gexf_ && find(attributes, "mode") == "dynamic") fail("a graph that changes in time", "mode=\"static\"");
    directed_ = direction == "directed";
  }
  void start_node(Tag parent, const XML_Char** attributes) {
    if (parent != Tag::graph) fail("a node outside of a graph", "it within <graph>");
    graph_.add_vertex(required("node", attributes, "id"), line());
    const std::optional<std::string_view> label = find(attributes, "label");
    if (is_gexf_ && label) graph_.add_label(std::string(*label));
  }
  void start_edge(Tag parent, const XML_Char** attributes) {
    if (parent != Tag::graph) fail("an edge outside of a graph", "it within <graph>");
    const char* const direction = is_gexf_ ? "type" : "directed";
    const std::string_view said = find(attributes, direction).value_or("");
    const std::string_view usual = is_gexf_ ? (directed_ ? "directed" : "undirected") : directed_ ? "true" : "false";
    if (!said.empty() && said != usual)
      fail(std::string(direction) + "=" + in_quotes(said), "all edges as the graph says: " + in_quotes(usual));
    edge_line_ = line();
    graph_.add_edge(required("edge", attributes, "source"), required("edge", attributes, "target"), edge_line_);
    has_weight_ = false;
    WeightKey& weight_key = graph_.weight_key();
    for (; *attributes != nullptr; attributes += 2) {
      const std::string_view name = attributes[0];
      if (name == "source" || name == "target" || name == "sourceport" || name == "targetport") continue;
      if (is_gexf_ && name == weight_key.name())
        add_weight(attributes[1]);
      else if (weight_key.is_watchful() && !(is_gexf_ && name == "id"))
        weight_key.note(std::string(name) + " of the element edge", attributes[1]);
    }
  }
  void start_key(const XML_Char** attributes) {
    if (has_graph_ && !is_gexf_) fail("a key behind the graph", "keys before it");
    const std::string_view domain =
        is_gexf_ ? (are_of_edges_ ? "edge" : "node") : find(attributes, "for").value_or("all");
    key_has_weights_ = false;
    other_key_.clear();
    if (domain != "edge" && domain != "all") return;
    const std::string id(required("key", attributes, "id"));
    const std::string name(find(attributes, is_gexf_ ? "title" : "attr.name").value_or(id));
    if (!edge_keys_.emplace(id, name).second) fail("the key " + in_quotes(id) + " again", "every key once");
    key_has_weights_ = !name.empty() && name == graph_.weight_key().name();
    if (!key_has_weights_) other_key_ = name;
  }
  void start_data(const XML_Char** attributes) {
    const std::string_view key = required("data", attributes, is_gexf_ ? "for" : "key");
    const auto named = edge_keys_.find(std::string(key));
    if (named == edge_keys_.end()) fail("data of " + in_quotes(key), "the id of a <key> for edges");
    // networkx has a key for integers and one for reals.
    const bool is_weight = !named->second.empty() && named->second == graph_.weight_key().name();
    if (is_gexf_) {
      const std::string_view value = trimmed(required("attvalue", attributes, "value"));
      if (is_weight) graph_.let_ones_miss(false);  // only the element's attribute has a default
      is_weight ? add_weight(value) : graph_.weight_key().note(named->second, value);
      return;
    }
    if (is_weight && has_weight_) fail("a second weight of an edge", "one");
    taken_ = is_weight ? Taken::weight : graph_.weight_key().is_watchful() ? Taken::other : Taken::nothing;
    other_key_ = named->second;
  }
  void add_weight(std::string_view value) {
    if (has_weight_) fail("a second weight of an edge", "one");
    has_weight_ = true;
    graph_.add_weight(trimmed(value), edge_line_);
  }
  void stop_taking() {
    taken_ = Taken::nothing;
    value_.clear();
  }
  void end() {
    const Tag tag = path_.back();
    path_.pop_back();
    if (tag == Tag::value && taken_ != Taken::nothing) {
      if (taken_ == Taken::other) {
        graph_.weight_key().note(other_key_, trimmed(value_));
      } else if (path_.back() == Tag::key) {
        if (default_weight_) fail("a second default of the weight", "one");
        default_weight_ = std::string(trimmed(value_));
      } else {
        add_weight(value_);
      }
      stop_taking();
    } else if (tag == Tag::edge && path_.back() == Tag::graph && !has_weight_ && default_weight_) {
      add_weight(*default_weight_);
    }
  }
  // Parses the text in pieces, between which the caller's limits are looked at.
  void parse() {
    const char* p = text_.begin();
    // Editors leave blank lines before the declaration, where XML has no place for them.
    for (; is_blank(*p) || *p == '\n'; ++p) skipped_lines_ += *p == '\n';
    std::string_view type(text_.end(), 0);  // what declares nothing itself is passed over
    first_xml_element(text_, &type);
    while (p != text_.end()) {
      source_.run.check();
      if (p == type.data()) {
        skipped_lines_ += static_cast<std::uint64_t>(std::ranges::count(type, '\n'));
        p += type.size();
        type = {text_.end(), 0};
      }
      const std::size_t count = std::min(parsed_at_once, static_cast<std::size_t>(type.data() - p));
      const bool is_last = p + count == text_.end();
      const XML_Status status = XML_Parse(parser_.get(), p, static_cast<int>(count), is_last ? 1 : 0);
      if (failure_) std::rethrow_exception(failure_);
      if (status != XML_STATUS_OK) {
        const XML_Error error = XML_GetErrorCode(parser_.get());
        if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
        fail("XML that is not well formed: " + std::string(XML_ErrorString(error)), "a well-formed file");
      }
      p += count;
    }
  }

  const Source& source_;
  const Text& text_;
  bool is_gexf_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeParser> parser_;
  std::exception_ptr failure_;
  std::uint64_t skipped_lines_ = 0;  // before what the parser is given

  std::vector<Tag> path_;
  bool has_graph_ = false;
  bool directed_ = false;

  // Taken names whose text is being read: that of a weight, or of another attribute, which may hide one.
  enum class Taken { nothing, weight, other };

  std::unordered_map<std::string, std::string> edge_keys_;  // the names of keys for edges by their ids
  bool key_has_weights_ = false;                            // of the key that is open
  Taken taken_ = Taken::nothing;
  std::string other_key_;  // the name of the other attribute; of a key that is open too
  std::string value_;      // the text so far
  std::optional<std::string> default_weight_;
  bool has_weight_ = false;  // the edge that is open
  std::uint64_t edge_line_ = 0;
  bool are_of_edges_ = true;  // the attributes of GEXF that are open
  NamedGraph graph_;
};

}  // namespace

Parsed read_xml(const Source& source) { return XmlReader(source).read(); }

bool reads_graphml() { return true; }

}  // namespace matchcount::readers
