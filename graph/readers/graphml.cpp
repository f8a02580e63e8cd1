// GraphML is read by Boost.Graph. Its reader takes much in silence that would change an answer: it makes a vertex of a
// name that no node has, forgets the names, skips hyperedges, reads a file only up to a NUL, and its XML parser
// recurses at every level. So a scan over the tags comes first: it refuses those, keeps the names in their order, and
// knows the line of every edge. What the scan and Boost.Graph then saw must agree.

#include <algorithm>
#include <boost/graph/graphml.hpp>
#include <boost/property_tree/exceptions.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>

#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/values.hpp"

namespace matchcount::readers {
namespace {

constexpr int deepest = 64;  // elements within elements; GraphML without nested graphs needs 5

struct Scan {
  bool directed = false;
  std::vector<std::string> names;  // of the nodes in order of the file
  std::vector<std::uint64_t> edge_lines;
};

struct Tag {
  std::string_view name;
  std::string_view attributes;  // the text behind the name
  bool closes = false;          // </name>
  bool is_empty = false;        // <name/>
};

std::string element(std::string_view name) { return "the element " + in_quotes(name); }
std::string end_of(std::string_view name) { return "the end of the element " + in_quotes(name); }

class Scanner {
 public:
  explicit Scanner(const Text& text) : text_(text), p_(text.begin()) {}
  Scan scan();

 private:
  bool next_tag(Tag& tag);
  void skip_past(std::string_view mark, const char* what);
  void advance(const char* to);
  std::string attribute(const Tag& tag, std::string_view name, bool required = true) const;
  std::string decoded(std::string_view value) const;
  void open(const Tag& tag, std::string_view parent);

  const Text& text_;
  const char* p_;
  std::uint64_t line_ = 1;
  std::uint64_t tag_line_ = 1;
  Scan scan_;
  NameTable node_names_;
  std::vector<std::string> sources_and_targets_;
  int num_graphs_ = 0;
};

void Scanner::advance(const char* to) {
  line_ += static_cast<std::uint64_t>(std::count(p_, to, '\n'));
  p_ = to;
}

void Scanner::skip_past(std::string_view mark, const char* what) {
  const std::string_view rest(p_, static_cast<std::size_t>(text_.end() - p_));
  const std::size_t at = rest.find(mark);
  if (at == rest.npos) refuse(text_, line_, std::string(what) + " without an end", in_quotes(mark));
  advance(p_ + at + mark.size());
}

// The next element's start or end; false at the end of the text.
bool Scanner::next_tag(Tag& tag) {
  for (;;) {
    const void* found = std::memchr(p_, '<', static_cast<std::size_t>(text_.end() - p_));
    if (found == nullptr) return false;
    advance(static_cast<const char*>(found));
    const std::string_view rest(p_, static_cast<std::size_t>(text_.end() - p_));
    if (rest.starts_with("<!--")) {
      skip_past("-->", "a comment");
    } else if (rest.starts_with("<![CDATA[")) {
      skip_past("]]>", "a CDATA section");
    } else if (rest.starts_with("<?")) {
      skip_past("?>", "a processing instruction");
    } else if (rest.starts_with("<!")) {
      refuse(text_, line_, "a document type declaration", "GraphML without one");
    } else {
      break;
    }
  }
  tag_line_ = line_;
  const char* q = p_ + 1;
  tag.closes = *q == '/';
  if (tag.closes) ++q;
  const char* const name = q;
  while (static_cast<unsigned char>(*q) > ' ' && *q != '>' && *q != '/' && *q != '<') ++q;
  tag.name = {name, static_cast<std::size_t>(q - name)};
  const char* const attributes = q;
  char quote = 0;
  for (; *q != '\0' && (quote != 0 || *q != '>'); ++q) {
    if (quote != 0) {
      if (*q == quote) quote = 0;
    } else if (*q == '"' || *q == '\'') {
      quote = *q;
    } else if (*q == '<') {
      break;
    }
  }
  if (*q != '>' || tag.name.empty()) refuse(text_, tag_line_, "a tag without an end or a name", "'<name ...>'");
  tag.is_empty = q[-1] == '/' && q > attributes;
  tag.attributes = {attributes, static_cast<std::size_t>(q - attributes) - (tag.is_empty ? 1 : 0)};
  advance(q + 1);
  return true;
}

// The characters that an attribute's value stands for.
std::string Scanner::decoded(std::string_view value) const {
  std::string result;
  while (!value.empty()) {
    const std::size_t ampersand = std::min(value.find('&'), value.size());
    result += value.substr(0, ampersand);
    value.remove_prefix(ampersand);
    if (value.empty()) break;
    const std::size_t semicolon = value.substr(0, 12).find(';');
    const std::string_view entity = semicolon == value.npos ? "" : value.substr(1, semicolon - 1);
    if (entity == "amp") {
      result += '&';
    } else if (entity == "lt") {
      result += '<';
    } else if (entity == "gt") {
      result += '>';
    } else if (entity == "quot") {
      result += '"';
    } else if (entity == "apos") {
      result += '\'';
    } else {
      refuse(text_, tag_line_, in_quotes(value.substr(0, 12)), "&amp; &lt; &gt; &quot; or &apos;");
    }
    value.remove_prefix(semicolon + 1);
  }
  if (!is_utf8(result)) refuse(text_, tag_line_, "the name " + in_quotes(result), "text in UTF-8");
  return result;
}

std::string Scanner::attribute(const Tag& tag, std::string_view name, bool required) const {
  std::string_view rest = tag.attributes;
  const auto is_space = [](char c) { return is_blank(c) || c == '\n'; };
  std::string result;
  bool found = false;
  for (;;) {
    while (!rest.empty() && is_space(rest[0])) rest.remove_prefix(1);
    if (rest.empty()) break;
    const std::size_t equals = rest.find('=');
    std::string_view key = rest.substr(0, equals);
    while (!key.empty() && is_space(key.back())) key.remove_suffix(1);
    if (equals == rest.npos || key.empty()) refuse(text_, tag_line_, in_quotes(rest), "attributes name=\"value\"");
    rest.remove_prefix(equals + 1);
    while (!rest.empty() && is_space(rest[0])) rest.remove_prefix(1);
    const std::size_t end = rest.empty() || (rest[0] != '"' && rest[0] != '\'') ? rest.npos : rest.find(rest[0], 1);
    if (end == rest.npos) refuse(text_, tag_line_, in_quotes(rest), "an attribute's value in quotes");
    if (key == name) {
      if (found) refuse(text_, tag_line_, "the attribute " + in_quotes(name) + " twice", "it once");
      found = true;
      result = decoded(rest.substr(1, end - 1));
    }
    rest.remove_prefix(end + 1);
  }
  if (required && !found) {
    refuse(text_, tag_line_, element(tag.name) + " without " + std::string(name), "that attribute");
  }
  return result;
}

void Scanner::open(const Tag& tag, std::string_view parent) {
  if (tag.name == "hyperedge" || tag.name == "port" || tag.name == "locator") {
    refuse(text_, tag_line_, element(tag.name), "nodes and edges only");
  }
  if (tag.name == "graph") {
    if (parent != "graphml" || ++num_graphs_ > 1) {
      refuse(text_, tag_line_, "a graph within a graph, or a second one", "one graph a file");
    }
    const std::string direction = attribute(tag, "edgedefault");
    if (direction != "directed" && direction != "undirected") {
      refuse(text_, tag_line_, in_quotes(direction), "edgedefault=\"directed\" or \"undirected\"");
    }
    scan_.directed = direction == "directed";
  } else if (tag.name == "node") {
    if (parent != "graph") refuse(text_, tag_line_, "a node outside of a graph", "it within <graph>");
    scan_.names.push_back(attribute(tag, "id"));
  } else if (tag.name == "edge") {
    if (parent != "graph") refuse(text_, tag_line_, "an edge outside of a graph", "it within <graph>");
    const std::string direction = attribute(tag, "directed", false);
    if (direction != "" && direction != (scan_.directed ? "true" : "false")) {
      refuse(text_, tag_line_, "directed=" + in_quotes(direction), "all edges as edgedefault says");
    }
    sources_and_targets_.push_back(attribute(tag, "source"));
    sources_and_targets_.push_back(attribute(tag, "target"));
    scan_.edge_lines.push_back(tag_line_);
  }
}

Scan Scanner::scan() {
  std::vector<std::string_view> path;
  std::vector<std::uint64_t> node_lines;
  Tag tag;
  while (next_tag(tag)) {
    if (tag.closes) {
      if (path.empty() || path.back() != tag.name) {
        refuse(text_, tag_line_, end_of(tag.name), path.empty() ? "no further tag" : end_of(path.back()));
      }
      path.pop_back();
      continue;
    }
    if (path.empty() && tag.name != "graphml") refuse(text_, tag_line_, element(tag.name), "<graphml>");
    open(tag, path.empty() ? std::string_view() : path.back());
    if (tag.name == "node") node_lines.push_back(tag_line_);
    if (!tag.is_empty) path.push_back(tag.name);
    if (path.size() > deepest) refuse(text_, tag_line_, "elements nested more than 64 deep", "a GraphML file");
  }
  if (!path.empty()) {
    refuse(text_, line_, "the end of the file within " + element(path.back()), end_of(path.back()));
  }
  if (num_graphs_ == 0) refuse(text_, 0, "no graph", "<graphml> with a <graph>");
  for (std::size_t i = 0; i < scan_.names.size(); ++i) {
    if (node_names_.id(scan_.names[i]) != i) {
      refuse(text_, node_lines[i], "the node " + in_quotes(scan_.names[i]) + " again", "every node once");
    }
  }
  for (std::size_t i = 0; i < sources_and_targets_.size(); ++i) {
    if (node_names_.id(sources_and_targets_[i]) >= scan_.names.size()) {
      refuse(text_, scan_.edge_lines[i / 2], "an edge at " + in_quotes(sources_and_targets_[i]), "the id of a node");
    }
  }
  return std::move(scan_);
}

// What Boost.Graph's reader builds its graph through.
class EdgeSink : public boost::mutate_graph {
 public:
  EdgeSink(const Text& text, const Scan& scan, Parsed& parsed) : text_(text), scan_(scan), parsed_(parsed) {}

  bool is_directed() const override { return scan_.directed; }
  boost::any do_add_vertex() override { return parsed_.num_rows++; }
  std::pair<boost::any, bool> do_add_edge(boost::any source, boost::any target) override {
    finish_edge();
    if (parsed_.edges.size() == scan_.edge_lines.size())
      refuse(text_, 0, "an edge hidden in the file", "plain GraphML");
    parsed_.edges.push_back({boost::any_cast<Vertex>(source), boost::any_cast<Vertex>(target)});
    return {boost::any(parsed_.edges.size() - 1), true};
  }
  void set_graph_property(const std::string&, const std::string&, const std::string&) override {}
  void set_vertex_property(const std::string&, boost::any, const std::string&, const std::string&) override {}
  void set_edge_property(const std::string& name, boost::any, const std::string& value, const std::string&) override {
    if (name != "weight") return;
    weight_ = value;
    has_weight_ = true;
  }
  void finish() {
    finish_edge();
    if (parsed_.num_rows != scan_.names.size() || parsed_.edges.size() != scan_.edge_lines.size()) {
      refuse(text_, 0, "nodes or edges that are not in plain tags", "plain GraphML");
    }
    if (num_weights_ != 0) parsed_.weights = values_.take(text_);
  }

 private:
  // Weights come after their edge, a default value before the edge's own.
  void finish_edge() {
    const std::size_t count = parsed_.edges.size();
    if (count == 0) return;
    const std::uint64_t line = scan_.edge_lines[count - 1];
    if (count > 1 && has_weight_ != (num_weights_ != 0)) {
      refuse(text_, line, has_weight_ ? "an edge with a weight after edges without" : "an edge without a weight",
             "a weight on every edge or on none");
    }
    if (has_weight_) {
      const std::size_t first = std::min(weight_.find_first_not_of(" \t\r\n"), weight_.size());
      const std::size_t last = weight_.find_last_not_of(" \t\r\n");
      values_.add(text_, line, std::string_view(weight_).substr(first, last + 1 - first));
      ++num_weights_;
      has_weight_ = false;
    }
  }

  const Text& text_;
  const Scan& scan_;
  Parsed& parsed_;
  Values values_{Values::Rule::by_text};
  std::string weight_;
  bool has_weight_ = false;
  std::size_t num_weights_ = 0;
};

}  // namespace

Parsed read_graphml(const Text& text, bool with_lines) {
  Scan scan = Scanner(text).scan();
  Parsed parsed;
  parsed.shape = scan.directed ? Parsed::Shape::directed : Parsed::Shape::undirected;
  EdgeSink sink(text, scan, parsed);
  try {
    std::istringstream stream(std::string(text.begin(), text.end()));
    boost::read_graphml(stream, sink, 0);
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const boost::property_tree::xml_parser_error& error) {
    refuse(text, error.line(), "XML with an error: " + error.message(), "a well-formed GraphML file");
  } catch (const std::exception& error) {
    refuse(text, 0, std::string("what Boost.Graph refuses: ") + error.what(), "a GraphML file");
  }
  sink.finish();
  parsed.num_columns = parsed.num_rows;
  parsed.row_labels = std::move(scan.names);
  if (with_lines) parsed.lines = std::move(scan.edge_lines);
  return parsed;
}

}  // namespace matchcount::readers

bool matchcount::built_with_graphml() { return true; }
