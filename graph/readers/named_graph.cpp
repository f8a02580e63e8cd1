#include "graph/readers/named_graph.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/run.hpp"

namespace matchcount::readers {

namespace {

bool is_number_or_text_of_one(std::string_view text) {
  text = without_type(text);
  if (text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return is_number(text);
}

// Programs number parallel edges, or all of them.
bool is_identifier(std::string_view key) {
  return equal_ignoring_case(key, "id") || equal_ignoring_case(key, "key") || key == "id of the element edge";
}

bool is_printable_name(const std::string& name) {
  return !name.empty() && is_utf8(name) && std::ranges::none_of(name, is_control);
}

}  // namespace

WeightKey::WeightKey(const InputOptions& options)
    : name_(options.weight_key.value_or("weight")),
      is_given_(options.weight_key.has_value()),
      is_watchful_(!name_.empty() && (is_given_ || asks_for_weights(options))) {}

void WeightKey::note(std::string_view key, std::string_view value) {
  if (!is_watchful_ || others_.contains(key) || is_identifier(key) || !is_utf8(key) || !is_number_or_text_of_one(value))
    return;
  others_.emplace(key);
}

void WeightKey::check(const Text& text, std::uint64_t line) const {
  if (!is_watchful_ || (others_.empty() && !is_given_)) return;
  const std::string list = counted(std::vector<std::string>(others_.begin(), others_.end()), "key");
  refuse(text, line,
         "no edge with " + in_quotes(name_) +
             (others_.empty() ? "" : ", and numbers under " + list.substr(list.find(": ") + 2)),
         others_.empty() ? "no --weight-key: edges have no numbers under any key"
                         : "--weight-key with the key of the weights, or --weight-key '' where all weights are 1");
}

std::string_view without_type(std::string_view value) {
  if (!value.starts_with("np.") && !value.starts_with("numpy.")) return value;
  const std::size_t bracket = value.find('(');
  if (bracket == value.npos || value.back() != ')') return value;
  return value.substr(bracket + 1, value.size() - bracket - 2);
}

void NamedGraph::check_now_and_then() {
  constexpr std::size_t added_between_checks = 1024;
  if (++num_added_ % added_between_checks != 0) return;
  source_.text.check(edges_.capacity() * (sizeof(Edge) + sizeof(std::uint64_t)) + names_.size() * sizeof(std::string));
  source_.run.check();
}

Vertex NamedGraph::number_of(std::string_view name, std::uint64_t line) {
  const NameTable::Key key = numbers_.key(name);
  if (numbers_.contains(key)) return numbers_.id(key);
  if (name.empty()) refuse(source_.text, line, "a vertex without a name", "a name");
  check_name_text(source_.text, line, name, SeenCharacters::all, "");
  if (std::ranges::any_of(name, is_control))
    refuse(source_.text, line, "a control character in the name " + in_quotes(name), "names of one line");
  const Vertex number = numbers_.id(names_.emplace_back(name));
  place_of_.push_back(not_yet);
  if (vertices_ == Vertices::implied) {
    place_of_.back() = num_vertices();
    order_.push_back(number);
  }
  return number;
}

void NamedGraph::add_vertex(std::string_view name, std::uint64_t line) {
  check_now_and_then();
  const Vertex number = number_of(name, line);
  if (vertices_ == Vertices::implied) return;
  if (place_of_[number] != not_yet)
    refuse(source_.text, line, "the node " + in_quotes(name) + " again", "every node once");
  place_of_[number] = num_vertices();
  order_.push_back(number);
}

void NamedGraph::add_label(std::string label, std::size_t rank) {
  if (labels_[rank].size() + 1 == order_.size()) labels_[rank].push_back(std::move(label));
}

void NamedGraph::add_edge(std::string_view source, std::string_view target, std::uint64_t line) {
  check_now_and_then();
  const Vertex u = number_of(source, line);
  edges_.push_back({u, number_of(target, line)});
  edge_lines_.push_back(line);
}

void NamedGraph::add_weight(std::string_view value, std::uint64_t line, std::size_t rank) {
  if (weight_key_.name().empty()) return;
  WeightColumn& column = weights_[rank];
  pass_over(column, edges_.size() - 1);
  column.values.add(source_.text, line, value);
  ++column.count;
}

void NamedGraph::pass_over(WeightColumn& column, std::size_t end) {
  const bool are_ones = ones_miss_ && weight_key_.name() == "weight";
  if (column.count < end && !are_ones && !column.first_without) column.first_without = column.count;
  for (; are_ones && column.count < end; ++column.count)
    column.values.add(source_.text, edge_lines_[column.count], "1");
}

void NamedGraph::give_weights(Parsed& parsed) {
  const bool has_key = weights_[0].count != 0;
  WeightColumn& column = weights_[has_key ? 0 : 1];
  if (column.count == 0) {
    if (!edges_.empty()) weight_key_.check(source_.text, edge_lines_.front());
    return;
  }
  pass_over(column, edges_.size());
  if (column.count != edges_.size()) {
    refuse(source_.text, edge_lines_[column.first_without.value_or(column.count)],
           "an edge without " + in_quotes(has_key ? weight_key_.name() : "value") + ", which others have",
           "a weight on every edge or on none; or --weight-key '' where all weights are 1");
  }
  column.values.give(source_.text, parsed);
}

std::vector<std::string> NamedGraph::names() {
  for (std::vector<std::string>& labels : labels_) {
    std::unordered_set<std::string_view> seen;
    const bool are_distinct = labels.size() == order_.size() && std::ranges::all_of(labels, [&](const auto& label) {
                                return is_printable_name(label) && seen.insert(label).second;
                              });
    if (are_distinct) return std::move(labels);
  }
  std::vector<std::string> result;
  for (const Vertex number : order_) result.push_back(std::move(names_[number]));
  return result;
}

Parsed NamedGraph::finish(Parsed::Shape shape) {
  Parsed parsed;
  parsed.shape = shape;
  parsed.set_vertices(order_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    for (Vertex* const end : {&edges_[i].row, &edges_[i].column}) {
      if (place_of_[*end] == not_yet)
        refuse(source_.text, edge_lines_[i], "an edge at " + in_quotes(names_[*end]), "the id of a node");
      *end = place_of_[*end];
    }
  }
  give_weights(parsed);
  parsed.edges = std::move(edges_);
  parsed.row_labels = names();
  if (source_.with_lines) parsed.lines = std::move(edge_lines_);
  return parsed;
}

Parsed::Shape shape_without_direction(const Source& source) {
  if (kind_of(source.options) != InputKind::directed) return Parsed::Shape::undirected;
  if (source.options.kind) return Parsed::Shape::directed;
  refuse(source.text, 0, "edges of a format that says nothing of directions, which may be arcs or go both ways",
         "--kind directed where they are arcs, or --kind undirected");
}

}  // namespace matchcount::readers
