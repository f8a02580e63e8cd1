// Orders of vertices. A tree decomposition is told from names by its first line, "s td B W N", which has more fields
// than any line of names.

#include "graph/vertex_order.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/readers/fields.hpp"
#include "graph/readers/text.hpp"
#include "graph/tree_decomposition.hpp"

namespace matchcount {
namespace {

using namespace readers;

class NamedOrder {
 public:
  NamedOrder(const Text& text, const VertexNames& vertices)
      : text_(text), cursor_(text), vertices_(vertices), line_of_(vertices.names.size(), 0) {
    for (Vertex v = 0; v < vertices.names.size(); ++v) named_[is_column(v)].emplace(vertices.names[v], v);
  }

  std::vector<Vertex> read() {
    std::vector<Vertex> order;
    for (; cursor_.skip_to_data("#%"); cursor_.next_line()) {
      Fields fields = Fields::of_names(cursor_.position(), ' ');
      std::vector<std::string> words;
      for (std::string_view field; words.size() < 3 && fields.next(field);) words.emplace_back(field);
      if (fields.is_broken()) fail("a quote that does not end its field", wanted());
      const Vertex v = vertex_of(words);
      if (line_of_[v] != 0)
        fail(in_quotes(vertices_.names[v]) + " again, after line " + std::to_string(line_of_[v]), "every vertex once");
      line_of_[v] = cursor_.line();
      order.push_back(v);
    }
    const auto missing = std::ranges::find(line_of_, 0U);
    if (missing != line_of_.end()) {
      const auto v = static_cast<Vertex>(missing - line_of_.begin());
      refuse(text_, 0, "an order without the " + side(v) + in_quotes(vertices_.names[v]), "every vertex once");
    }
    return order;
  }

 private:
  bool is_column(Vertex v) const { return vertices_.num_rows && v >= *vertices_.num_rows; }
  std::string side(Vertex v) const { return !vertices_.num_rows ? "vertex " : is_column(v) ? "column " : "row "; }
  std::string wanted() const {
    return vertices_.num_rows ? "a line `row NAME` or `column NAME`" : "a name on each line";
  }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }

  Vertex vertex_of(const std::vector<std::string>& words) const {
    const std::string& name = words.back();
    const bool says_side = words.size() == 2 && vertices_.num_rows && (words[0] == "row" || words[0] == "column");
    if (words.size() > 1 && !says_side) fail("a line of several fields", wanted());
    const auto row = named_[0].find(name), column = named_[1].find(name);
    const bool is_row = row != named_[0].end() && !(says_side && words[0] == "column");
    const bool is_column = column != named_[1].end() && !(says_side && words[0] == "row");
    if (is_row && is_column) fail("the name " + in_quotes(name) + ", which is that of a row and of a column", wanted());
    if (!is_row && !is_column)
      fail("the name " + in_quotes(name), "the name of a " + (says_side ? words[0] : std::string("vertex")));
    return is_row ? row->second : column->second;
  }

  const Text& text_;
  Cursor cursor_;
  const VertexNames& vertices_;
  std::vector<std::uint64_t> line_of_;                     // 0: none yet
  std::unordered_map<std::string_view, Vertex> named_[2];  // of rows or all vertices, and of columns
};

class PaceDecomposition {
 public:
  PaceDecomposition(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : text_(text), cursor_(text), graph_(graph), names_(vertices.names) {}

  TreeDecomposition read() {
    next_dimacs_line(cursor_);
    cursor_.field("s");
    cursor_.field("td");
    const std::uint64_t num_bags = cursor_.natural(text_.size(), "a number of bags");
    const std::uint64_t largest = cursor_.natural(names_.size(), "the size of the largest bag");
    if (cursor_.natural(max_vertices, "a number of vertices") != names_.size())
      fail("a tree decomposition of another graph", "one of " + std::to_string(names_.size()) + " vertices");
    cursor_.end_line("the end of the line");
    tree_.bags.resize(num_bags);
    tree_.neighbours.resize(num_bags);
    std::vector<bool> is_given(num_bags, false);
    std::uint64_t edges = 0;
    for (; next_dimacs_line(cursor_); cursor_.next_line()) {
      if (*cursor_.position() != 'b') {
        const Vertex i = cursor_.index(num_bags, "a bag"), j = cursor_.index(num_bags, "a bag");
        tree_.neighbours[i].push_back(j);
        tree_.neighbours[j].push_back(i);
        ++edges;
        if (!cursor_.at_line_end()) cursor_.refuse_here("the end of the line");
        continue;
      }
      cursor_.field("b");
      const Vertex i = cursor_.index(num_bags, "a bag");
      if (is_given[i]) fail("bag " + std::to_string(i + 1) + " again", "every bag once");
      is_given[i] = true;
      std::vector<Vertex>& bag = tree_.bags[i];
      while (!cursor_.at_line_end()) bag.push_back(cursor_.index(names_.size(), "a vertex"));
      std::ranges::sort(bag);
      if (std::ranges::adjacent_find(bag) != bag.end()) fail("a bag with a vertex twice", "every vertex once in a bag");
      if (bag.size() > largest) fail("a bag of " + std::to_string(bag.size()), "at most " + std::to_string(largest));
    }
    const auto missing = std::ranges::find(is_given, false);
    if (missing != is_given.end())
      fail("no bag " + std::to_string(missing - is_given.begin() + 1), std::to_string(num_bags) + " bags");
    if (num_bags == 0 && !names_.empty()) fail("no bags", "a bag for every vertex");
    if (num_bags > 0) check(edges);
    return std::move(tree_);
  }

 private:
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }
  [[noreturn]] void refuse_tree(std::string found) const {
    refuse(text_, 0, std::move(found), "a tree decomposition of the graph");
  }

  // Every vertex is in a bag, its bags hang together, and the highest bag of one end of an edge has the other.
  void check(std::uint64_t edges) const {
    if (edges + 1 != tree_.bags.size() || num_joined() != tree_.bags.size())
      refuse_tree("bags whose edges are no tree");
    const RootedBags bags = rooted(tree_, 0);
    std::vector<std::size_t> number(names_.size(), 0), joined(names_.size(), 0);
    std::vector<std::uint32_t> highest(names_.size(), 0);
    for (const std::uint32_t bag : bags.sequence) {
      for (const Vertex v : tree_.bags[bag]) {
        ++number[v];
        highest[v] = bag;
        if (bag != bags.sequence.back() && has(bags.parent[bag], v)) ++joined[v];
      }
    }
    for (Vertex v = 0; v < names_.size(); ++v) {
      if (number[v] == 0) refuse_tree("no bag with the vertex " + in_quotes(names_[v]));
      if (joined[v] + 1 != number[v]) refuse_tree("bags of the vertex " + in_quotes(names_[v]) + " that lie apart");
    }
    for (const auto& [u, v] : graph_.edges()) {
      if (!has(highest[u], v) && !has(highest[v], u))
        refuse_tree("no bag with both ends of the edge " + in_quotes(names_[u]) + " " + in_quotes(names_[v]));
    }
  }
  // Counts the bags that edges join to the first, which is one of them.
  std::size_t num_joined() const {
    std::vector<bool> is_joined(tree_.bags.size(), false);
    std::vector<std::uint32_t> joined{0};
    is_joined[0] = true;
    for (std::size_t i = 0; i < joined.size(); ++i) {
      for (const std::uint32_t other : tree_.neighbours[joined[i]]) {
        if (!is_joined[other]) joined.push_back(other);
        is_joined[other] = true;
      }
    }
    return joined.size();
  }
  bool has(std::uint32_t bag, Vertex v) const { return std::ranges::binary_search(tree_.bags[bag], v); }

  const Text& text_;
  Cursor cursor_;
  const UndirectedGraph& graph_;
  const std::vector<std::string>& names_;
  TreeDecomposition tree_;
};

bool is_decomposition(const Text& text) {
  Cursor cursor(text);
  if (!next_dimacs_line(cursor)) return false;
  std::string_view line = rest_of_line(cursor.position());
  return take_word(line) == "s" && take_word(line) == "td" && !take_word(line).empty();
}

}  // namespace

std::vector<Vertex> read_vertex_order(const std::string& file, const UndirectedGraph& graph,
                                      const VertexNames& vertices, const RunContext& run) {
  const Text text = Text::from_file(file, run, "an order of vertices");
  if (text.is_binary()) refuse(text, 0, "a binary file", "names of vertices, or a tree decomposition of PACE");
  if (!is_decomposition(text)) return NamedOrder(text, vertices).read();
  const TreeDecomposition tree = PaceDecomposition(text, graph, vertices).read();
  if (tree.bags.empty()) return {};
  return order_along_tree(tree, farthest_bag(tree, 0));
}

}  // namespace matchcount
