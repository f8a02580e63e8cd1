// Graphs in JSON as networkx (node_link_data) and D3 have them: an object with a list `nodes` of objects and a list
// `links` or `edges` of objects with `source` and `target`; other keys, whatever they hold, are passed over. nlohmann's
// parser calls for every value as it passes, without recursion: one pass, no tree.
//
// networkx names vertices by `id`, D3 by their places in the list from 0 or by `id`. Ends that are all integers are
// places where there are no ids or ids are strings; ids where a key of networkx (`directed`, `multigraph` or `graph`)
// is there or both are the same; and else refused.

#include <algorithm>
#include <boost/iterator/transform_iterator.hpp>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "graph/readers/named_graph.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount::readers {
namespace {

using Json = nlohmann::json;

// Passes bytes on, and counts their lines.
struct LineCounter {
  char operator()(char c) const {
    *line += c == '\n';
    return c;
  }
  std::uint64_t* line;
};

class JsonReader : public nlohmann::json_sax<Json> {
 public:
  explicit JsonReader(const Source& source) : source_(source), text_(source.text), graph_(source) {}
  Parsed read() {
    const auto counted = [this](const char* p) { return boost::make_transform_iterator(p, LineCounter{&line_}); };
    Json::sax_parse(counted(text_.begin()), counted(text_.end()), this);
    if (!nodes_ || !links_) {
      refuse(text_, 0, "no list " + std::string(nodes_ ? "'links' or 'edges'" : "'nodes'"),
             "an object with 'nodes' and 'links' or 'edges'");
    }
    for (const Item& link : *links_)
      if (!link.id || !link.other) refuse(text_, link.line, "an edge without 'source' or 'target'", "both");
    const bool by_place = are_places();
    for (std::size_t i = 0; i < nodes_->size(); ++i) {
      Item& node = (*nodes_)[i];
      graph_.add_vertex(by_place ? std::to_string(i) : node.id->text, node.line);
      std::optional<Value>& label = node.id ? node.id : node.other;
      if (by_place && label) graph_.add_label(std::move(label->text));
    }
    for (const Item& link : *links_) {
      for (const Value& end : {*link.id, *link.other})
        if (by_place && end.type != Type::integer)
          refuse(text_, link.line, "an edge at " + in_quotes(end.text), "the id of a node, or its place in the list");
      graph_.add_edge(link.id->text, link.other->text, link.line);
      for (const std::size_t rank : {0, 1})
        if (link.weights[rank]) graph_.add_weight(link.weights[rank]->text, link.line, rank);
    }
    if (!directed_) return graph_.finish(shape_without_direction(source_));
    return graph_.finish(*directed_ ? Parsed::Shape::directed : Parsed::Shape::undirected);
  }

  bool null() override { return take(Type::other, "None"); }
  bool boolean(bool value) override {
    if (depth_ == 1 && key_ == "directed") directed_ = value;
    return take(Type::other, value ? "True" : "False");
  }
  bool number_integer(number_integer_t value) override { return take(Type::integer, std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return take(Type::integer, std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return take(Type::number, text); }
  bool string(string_t& text) override { return take(Type::string, text); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      is_of_networkx_ = is_of_networkx_ || name == "directed" || name == "multigraph" || name == "graph";
      auto* const list = name == "nodes" ? &nodes_ : name == "links" || name == "edges" ? &links_ : nullptr;
      if (list != nullptr && *list) fail(in_quotes(name) + ", a second list of these", "one");
      items_ = list != nullptr ? &list->emplace() : nullptr;
    }
    if (depth_ == 1 || depth_ == item_depth) key_ = name;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string& token, const Json::exception&) override {
    fail("JSON that is not well formed, at " + in_quotes(token), "a well-formed file");
  }

 private:
  enum class Type { other, integer, number, string };
  static constexpr int deepest = 1000;  // lists and objects within others
  static constexpr int item_depth = 3;  // of a node or an edge, in a list of the first object

  struct Value {
    Type type;
    std::string text;
  };
  struct Item {
    std::uint64_t line = 0;
    std::optional<Value> id;     // of a node; of an edge its source
    std::optional<Value> other;  // the name of a node, the target of an edge
    std::optional<Value> weights[2] = {};
  };

  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, line_, std::move(found), std::move(expected));
  }
  bool open(bool is_object) {
    if (++depth_ > deepest) fail("JSON nested more than " + std::to_string(deepest) + " deep", "a graph");
    if (depth_ == 1 && !is_object) fail("a list", "an object with 'nodes' and 'links'");
    if (items_ == nullptr) return true;
    if (depth_ > item_depth) {
      const bool is_name = key_ == "id" || key_ == "source" || key_ == "target";
      if (is_name && (is_object || depth_ > item_depth + 1)) fail("a list within a name", "a name, or a list of names");
      list_ = "(";
      return true;
    }
    if (is_object != (depth_ == item_depth)) fail("no list of objects under " + in_quotes(key_), "a list of objects");
    if (is_object) items_->push_back({line_, {}, {}});
    return true;
  }
  bool close() {
    if (items_ != nullptr && depth_ == item_depth + 1) set({Type::other, list_ + ")"});
    if (--depth_ == 1) items_ = nullptr;
    return true;
  }
  bool take(Type type, const std::string& text) {
    constexpr std::uint64_t values_between_checks = 1024;
    if (++num_values_ % values_between_checks == 0) {
      source_.run.check();
      if (items_ != nullptr)
        text_.check(((nodes_ ? nodes_->size() : 0) + (links_ ? links_->size() : 0)) * sizeof(Item));
    }
    if (depth_ == 0) fail("a single value", "an object with 'nodes' and 'links'");
    if (items_ == nullptr) return true;
    if (depth_ < item_depth) fail(in_quotes(text) + " in the place of an object", "a list of objects");
    if (depth_ == item_depth) set({type, text});
    if (depth_ == item_depth + 1)
      list_ += (list_.size() > 1 ? ", " : "") + (type == Type::string ? "'" + text + "'" : text);
    return true;
  }
  // Takes the value that the item which is open has under key_.
  void set(Value value) {
    const auto once = [&](std::optional<Value>& place) {
      if (place) fail(in_quotes(key_) + " again", "it once");
      place = std::move(value);
    };
    Item& item = items_->back();
    if (nodes_ && items_ == &*nodes_) {
      if (key_ == "id") once(item.id);
      if (key_ == "name") once(item.other);
      return;
    }
    WeightKey& weight_key = graph_.weight_key();
    const bool is_number = value.type == Type::integer || value.type == Type::number;
    if (key_ == "source" || key_ == "target") {
      once(key_ == "source" ? item.id : item.other);
    } else if (key_ == weight_key.name()) {
      if (!is_number) fail("a weight that is no number: " + in_quotes(value.text), "a number without quotes");
      once(item.weights[0]);
    } else if (key_ == "value" && !weight_key.is_given() && is_number) {
      once(item.weights[1]);
    } else {
      weight_key.note(key_, value.text);
    }
  }
  // Says whether the ends of edges are the places of nodes, else ids.
  bool are_places() const {
    const auto has_id = [](const Item& node) { return node.id.has_value(); };
    const auto without = std::ranges::find_if_not(*nodes_, has_id);
    if (std::ranges::none_of(*nodes_, has_id)) return true;
    if (without != nodes_->end()) refuse(text_, without->line, "a node without 'id', which others have", "it on all");
    const auto is_integer_link = [](const Item& link) {
      return link.id->type == Type::integer && link.other->type == Type::integer;
    };
    if (links_->empty() || is_of_networkx_ || !std::ranges::all_of(*links_, is_integer_link)) return false;
    if (std::ranges::all_of(*nodes_, [](const Item& node) { return node.id->type == Type::string; })) return true;
    for (std::size_t i = 0; i < nodes_->size(); ++i) {
      if ((*nodes_)[i].id->text == std::to_string(i)) continue;
      refuse(text_, links_->front().line,
             "integers as the ends of edges, which may be ids or places in the list of nodes",
             "nodes in the order of ids from 0, or the key 'directed' of networkx where they are ids");
    }
    return false;
  }

  const Source& source_;
  const Text& text_;
  NamedGraph graph_;
  std::uint64_t line_ = 1;
  std::uint64_t num_values_ = 0;
  int depth_ = 0;
  std::optional<std::vector<Item>> nodes_, links_;
  std::vector<Item>* items_ = nullptr;  // the list that is open
  bool is_of_networkx_ = false;
  std::optional<bool> directed_;
  std::string key_;   // of the first object or the item that is open
  std::string list_;  // a list that is a name, as far as it is read: as Python prints a tuple
};

}  // namespace

Parsed read_json(const Source& source) { return JsonReader(source).read(); }

bool reads_json() { return true; }

}  // namespace matchcount::readers
