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
#include <span>
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

// An element of XML, of edges and keys with all that is in it.
struct Element {
  std::optional<std::string_view> find(std::string_view key) const {
    const auto found = std::ranges::find(attributes, key, &std::pair<std::string, std::string>::first);
    return found == attributes.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }

  std::string name;
  std::uint64_t line;
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::string text = {};
  std::vector<Element> children = {};
};

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
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          guarded(self, [&](XmlReader& reader) { reader.start(name, attributes); });
        },
        [](void* self, const char*) { guarded(self, [](XmlReader& reader) { reader.end(); }); });
    XML_SetCharacterDataHandler(parser_.get(), [](void* self, const char* characters, int count) {
      guarded(self, [&](XmlReader& reader) {
        if (reader.kept_from_ != none) reader.open_.back().text.append(characters, static_cast<std::size_t>(count));
      });
    });
    XML_SetStartDoctypeDeclHandler(parser_.get(), [](void* self, const char*, const char*, const char*, int) {
      guarded(self, [](XmlReader& reader) {
        reader.fail(reader.line(), "a document type that declares entities or elements", "XML without");
      });
    });
  }
  Parsed read() {
    parse();
    if (!has_graph_) refuse(text_, 0, "no graph", "a <graph>");
    return graph_.finish(directed_ ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  // No exception passes through the parser, which is in C: it is kept, and the parser stopped.
  template <class Work>
  static void guarded(void* self, Work&& work) {
    auto& reader = *static_cast<XmlReader*>(self);
    if (reader.failure_) return;
    try {
      work(reader);
    } catch (...) {
      reader.failure_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }

  std::uint64_t line() const { return skipped_lines_ + XML_GetCurrentLineNumber(parser_.get()); }
  [[noreturn]] void fail(std::uint64_t line, std::string found, std::string expected) const {
    refuse(text_, line, std::move(found), std::move(expected));
  }
  std::string_view required(const Element& element, std::string_view key) const {
    const std::optional<std::string_view> value = element.find(key);
    if (!value) fail(element.line, shown(element) + " without " + std::string(key), "that attribute");
    return *value;
  }
  static std::string shown(const Element& element) { return "the element " + in_quotes(element.name); }

  void start(std::string_view name, const char** attributes) {
    Element element{std::string(name), line()};
    for (; *attributes != nullptr; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
    const std::string_view root = is_gexf_ ? "gexf" : "graphml";
    const std::string_view parent = open_.empty() ? std::string_view() : open_.back().name;
    if (parent.empty() && name != root) fail(element.line, shown(element), "<" + std::string(root) + ">");
    if (open_.size() == deepest_element)
      fail(element.line, "elements nested more than " + std::to_string(deepest_element) + " deep",
           "GraphML or GEXF of one graph");
    const bool is_list = is_gexf_ && (name == "nodes" || name == "edges");
    const bool is_in_graph = parent == "graph" || (is_gexf_ && (parent == "nodes" || parent == "edges"));
    const bool is_key = name == (is_gexf_ ? "attribute" : "key"), is_attributes = is_gexf_ && name == "attributes";
    if (name == "graph") {
      if (open_.size() != 1 || has_graph_)
        fail(element.line, "a graph within a graph, or a second one", "one graph a file");
      start_graph(element);
    } else if (name == "node" || name == "edge") {
      if (!is_in_graph) fail(element.line, shown(element) + " outside of a graph", "it within <graph>");
      if (name == "node") add_node(element);
    } else if (is_list) {
      if (parent != "graph")
        fail(element.line, shown(element) + " outside of <graph>", "a graph without others in its nodes");
    } else if (is_attributes) {
      are_of_edges_ = element.find("class") == "edge";
    } else if (is_key && has_graph_ && !is_gexf_) {
      fail(element.line, "a key behind the graph", "keys before it");
    } else if (name == "hyperedge" || name == "locator" || name == "spells" ||
               (is_in_graph && name != "data" && name != "desc" && name != "meta")) {
      fail(element.line, shown(element), "nodes and edges only");
    }
    if (kept_from_ == none && (name == "edge" || is_key)) kept_from_ = open_.size();
    open_.push_back(std::move(element));
  }
  void end() {
    Element element = std::move(open_.back());
    open_.pop_back();
    if (open_.size() == kept_from_) {
      kept_from_ = none;
      element.name == "edge" ? add_edge(element) : add_key(element);
    } else if (kept_from_ != none) {
      open_.back().children.push_back(std::move(element));
    }
  }
  void start_graph(const Element& graph) {
    has_graph_ = true;
    const std::string_view direction =
        is_gexf_ ? graph.find("defaultedgetype").value_or("undirected") : required(graph, "edgedefault");
    if (direction != "directed" && direction != "undirected")
      fail(graph.line, in_quotes(direction),
           (is_gexf_ ? "defaultedgetype=" : "edgedefault=") + std::string("'directed' or 'undirected'"));
    if (is_gexf_ && graph.find("mode") == "dynamic")
      fail(graph.line, "a graph that changes in time", "mode=\"static\"");
    directed_ = direction == "directed";
  }
  void add_node(const Element& node) {
    graph_.add_vertex(required(node, "id"), node.line);
    const std::optional<std::string_view> label = node.find("label");
    if (is_gexf_ && label) graph_.add_label(std::string(*label));
  }
  void add_key(const Element& key) {
    const std::string_view domain = is_gexf_ ? (are_of_edges_ ? "edge" : "node") : key.find("for").value_or("all");
    if (domain != "edge" && domain != "all") return;
    const std::string id(required(key, "id")), name(key.find(is_gexf_ ? "title" : "attr.name").value_or(id));
    if (!edge_keys_.emplace(id, name).second) fail(key.line, "the key " + in_quotes(id) + " again", "every key once");
    for (const Element& child : key.children) {
      if (child.name != "default") continue;
      const bool is_weight = is_weight_key(name);
      if (is_weight && default_weight_) fail(child.line, "a second default of the weight", "one");
      if (is_weight) default_weight_ = number_in(child);
      if (!is_weight && !name.empty() && child.children.empty()) graph_.weight_key().note(name, trimmed(child.text));
    }
  }
  void add_edge(const Element& edge) {
    const char* const direction = is_gexf_ ? "type" : "directed";
    const std::string_view said = edge.find(direction).value_or("");
    const std::string_view usual = is_gexf_ ? (directed_ ? "directed" : "undirected") : directed_ ? "true" : "false";
    if (!said.empty() && said != usual)
      fail(edge.line, std::string(direction) + "=" + in_quotes(said),
           "all edges as the graph says: " + in_quotes(usual));
    graph_.add_edge(required(edge, "source"), required(edge, "target"), edge.line);
    std::optional<std::string> weight;
    const auto set_weight = [&](std::string value) {
      if (weight) fail(edge.line, "a second weight of an edge", "one");
      weight = std::move(value);
    };
    WeightKey& weight_key = graph_.weight_key();
    for (const auto& [name, value] : edge.attributes) {
      if (name == "source" || name == "target" || name == "sourceport" || name == "targetport") continue;
      if (is_gexf_ && name == weight_key.name())
        set_weight(value);
      else if (weight_key.is_watchful() && !(is_gexf_ && name == "id"))
        weight_key.note(name + " of the element edge", value);
    }
    for (const Element& child : edge.children) {
      for (const Element& data : child.name == "attvalues" ? std::span(child.children) : std::span(&child, 1)) {
        if (data.name != (is_gexf_ ? "attvalue" : "data")) continue;
        const std::string key(required(data, is_gexf_ ? "for" : "key"));
        const auto named = edge_keys_.find(key);
        if (named == edge_keys_.end()) fail(data.line, "data of " + in_quotes(key), "the id of a <key> for edges");
        // networkx has a key for integers and one for reals.
        const bool is_weight = is_weight_key(named->second);
        if (is_weight && is_gexf_) graph_.let_ones_miss(false);  // only the element's attribute has a default
        if (is_weight)
          set_weight(is_gexf_ ? std::string(required(data, "value")) : number_in(data));
        else if (is_gexf_ || data.children.empty())
          weight_key.note(named->second, trimmed(is_gexf_ ? required(data, "value") : data.text));
      }
    }
    if (!weight) weight = default_weight_;
    if (weight) graph_.add_weight(trimmed(*weight), edge.line);
  }
  bool is_weight_key(const std::string& name) { return !name.empty() && name == graph_.weight_key().name(); }
  std::string number_in(const Element& element) const {
    if (!element.children.empty())
      fail(element.children[0].line, shown(element.children[0]) + " within a weight", "a number");
    return element.text;
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
        fail(line(), "XML that is not well formed: " + std::string(XML_ErrorString(error)), "a well-formed file");
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
  std::vector<Element> open_;
  std::size_t kept_from_ = none;  // the place of an edge or key among them
  bool has_graph_ = false;
  bool directed_ = false;
  std::unordered_map<std::string, std::string> edge_keys_;  // the names of keys for edges by their ids
  std::optional<std::string> default_weight_;
  bool are_of_edges_ = true;  // the attributes of GEXF that are open
  NamedGraph graph_;
};

}  // namespace

Parsed read_xml(const Source& source) { return XmlReader(source).read(); }

bool reads_graphml() { return true; }

}  // namespace matchcount::readers
