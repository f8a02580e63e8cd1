// Files about the vertices of a graph: orders of them, rotation systems by names or in planar_code, and coordinates for
// pictures. A tree decomposition is told from names by its first line, "s td B W N", which has more fields than any
// line of names.

#include "graph/vertex_order.hpp"

#include <algorithm>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/layout.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/tokens.hpp"
#include "graph/rotation.hpp"
#include "graph/tree_decomposition.hpp"

namespace matchcount {
namespace {

using namespace readers;

// Has the lines of a file about vertices: no more than one for each.
class VertexLines {
 protected:
  VertexLines(const Text& text, const std::vector<std::string>& names)
      : text_(text), cursor_(text), names_(names), line_of_(names.size(), 0) {}

  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }

  void take_line_of(std::size_t vertex) {
    if (line_of_[vertex] != 0)
      fail(in_quotes(names_[vertex]) + " again, after line " + std::to_string(line_of_[vertex]), "every vertex once");
    line_of_[vertex] = cursor_.line();
  }

  const Text& text_;
  Cursor cursor_;
  const std::vector<std::string>& names_;
  std::vector<std::uint64_t> line_of_;  // 0: none yet
};

// NamedLines are those whose vertices are called by names, and perhaps their sides.
class NamedLines : protected VertexLines {
 public:
  NamedLines(const Text& text, const VertexNames& vertices)
      : VertexLines(text, vertices.names), has_sides_(vertices.num_rows), num_rows_(vertices.num_rows.value_or(0)) {
    for (Vertex v = 0; v < names_.size(); ++v) named_[is_column(v)].emplace(names_[v], v);
  }

 protected:
  bool is_column(Vertex v) const { return has_sides_ && v >= num_rows_; }

  bool has_sides_;
  Vertex num_rows_;
  std::unordered_map<std::string_view, Vertex> named_[2];  // of rows or all vertices, and of columns
};

class NamedOrder : NamedLines {
 public:
  using NamedLines::NamedLines;

  std::vector<Vertex> read() {
    std::vector<Vertex> order;
    for (; cursor_.skip_to_data("#%"); cursor_.next_line()) {
      Fields fields = Fields::of_names(cursor_.position(), ' ');
      std::vector<std::string> words;
      for (std::string_view field; words.size() < 3 && fields.next(field);) words.emplace_back(field);
      if (fields.is_broken()) fail("a quote that does not end its field", wanted());
      const Vertex v = vertex_of(words);
      take_line_of(v);
      order.push_back(v);
    }
    const auto missing = std::ranges::find(line_of_, 0U);
    if (missing != line_of_.end()) {
      const auto v = static_cast<Vertex>(missing - line_of_.begin());
      refuse(text_, 0, "an order without the " + side(v) + in_quotes(names_[v]), "every vertex once");
    }
    return order;
  }

 private:
  std::string side(Vertex v) const { return !has_sides_ ? "vertex " : is_column(v) ? "column " : "row "; }
  std::string wanted() const { return has_sides_ ? "a line `row NAME` or `column NAME`" : "a name on each line"; }

  Vertex vertex_of(const std::vector<std::string>& words) const {
    const std::string& name = words.back();
    const bool says_side = words.size() == 2 && has_sides_ && (words[0] == "row" || words[0] == "column");
    if (words.size() > 1 && !says_side) fail("a line of several fields", wanted());
    const auto row = named_[0].find(name), column = named_[1].find(name);
    const bool is_row = row != named_[0].end() && !(says_side && words[0] == "column");
    const bool is_column = column != named_[1].end() && !(says_side && words[0] == "row");
    if (is_row && is_column) fail("the name " + in_quotes(name) + ", which is that of a row and of a column", wanted());
    if (!is_row && !is_column)
      fail("the name " + in_quotes(name), "the name of a " + (says_side ? words[0] : std::string("vertex")));
    return is_row ? row->second : column->second;
  }
};

class PaceDecomposition : VertexLines {
 public:
  PaceDecomposition(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : VertexLines(text, vertices.names), graph_(graph) {}

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
    for (const auto& [u, v] : graph_.edges())
      if (!has(highest[u], v) && !has(highest[v], u))
        refuse_tree("no bag with both ends of the edge " + in_quotes(names_[u]) + " " + in_quotes(names_[v]));
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

  const UndirectedGraph& graph_;
  TreeDecomposition tree_;
};

bool is_decomposition(const Text& text) {
  Cursor cursor(text);
  if (!next_dimacs_line(cursor)) return false;
  std::string_view line = rest_of_line(cursor.position());
  return take_word(line) == "s" && take_word(line) == "td" && !take_word(line).empty();
}

class NamedRotation : NamedLines {
 public:
  NamedRotation(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : NamedLines(text, vertices), graph_(graph) {}

  RotationSystem read() {
    RotationSystem rotation(graph_.num_vertices());
    std::vector<Vertex> seen_at(graph_.num_vertices(), none);
    for (; cursor_.skip_to_data("#%"); cursor_.next_line()) {
      Fields fields = Fields::of_names(cursor_.position(), ' ');
      std::string_view field;
      const auto next = [&] {
        if (fields.next(field)) return true;
        if (fields.is_broken()) fail("a quote that does not end its field", wanted());
        return false;
      };
      bool of_column = false;
      if (next() && has_sides_) {
        of_column = field == "column";
        if ((!of_column && field != "row") || !next()) fail("no side of a vertex", wanted());
      }
      const Vertex v = vertex_of(field, of_column);
      take_line_of(v);
      while (next()) {
        const Vertex w = vertex_of(field, has_sides_ && !of_column);
        if (seen_at[w] == v) fail("the neighbour " + in_quotes(field) + " twice", "every neighbour once");
        seen_at[w] = v;
        if (!std::ranges::binary_search(graph_.neighbours(v), w))
          fail("the neighbour " + in_quotes(field), "those to which edges lead from " + in_quotes(names_[v]));
        rotation[v].push_back(w);
      }
      if (rotation[v].size() < graph_.neighbours(v).size())
        fail(std::to_string(rotation[v].size()) + " neighbours", "all " + std::to_string(graph_.neighbours(v).size()));
    }
    for (Vertex v = 0; v < graph_.num_vertices(); ++v)
      if (line_of_[v] == 0 && !graph_.neighbours(v).empty())
        refuse(text_, 0, "no line for the vertex " + in_quotes(names_[v]), "every vertex once");
    return rotation;
  }

 private:
  static constexpr Vertex none = ~Vertex{0};

  std::string wanted() const {
    return std::string("lines `") + (has_sides_ ? "row NAME NEIGHBOUR .." : "NAME NEIGHBOUR ..") +
           (has_sides_ ? "` and `column NAME NEIGHBOUR ..`" : "`");
  }
  Vertex vertex_of(std::string_view name, bool of_column) const {
    const auto found = named_[of_column].find(name);
    if (found == named_[of_column].end())
      fail("the name " + in_quotes(name),
           std::string("the name of a ") + (has_sides_ ? (of_column ? "column" : "row") : "vertex"));
    return found->second;
  }

  const UndirectedGraph& graph_;
};

RotationSystem rotation_of_code(const Text& text, const UndirectedGraph& graph, const RunContext& run) {
  Part part;
  next_planar_code(text, InputFormat::automatic, part);
  const Part first = part;
  if (next_planar_code(text, InputFormat::automatic, part))
    refuse(text, 0, "several graphs", "the rotation system of one graph");
  const Parsed parsed = read_planar_code({text, {}, run, InputFormat::automatic, first});
  if (parsed.num_rows != graph.num_vertices())
    refuse(text, 0, "a graph of " + std::to_string(parsed.num_rows) + " vertices",
           "one of " + std::to_string(graph.num_vertices()));
  RotationSystem rotation(graph.num_vertices());
  for (const Edge& edge : parsed.edges) rotation[edge.row].push_back(edge.column);
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    std::vector<Vertex> around = rotation[v];
    std::ranges::sort(around);
    if (!std::ranges::equal(around, graph.neighbours(v)))
      refuse(text, 0, "other neighbours of vertex " + std::to_string(v + 1), "those of the graph, each once");
  }
  return rotation;
}

constexpr const char* wanted = "a line `name x y`, or `x y` for each vertex in order";

class CoordinateReader : VertexLines {
 public:
  CoordinateReader(const Text& text, const std::vector<std::string>& names)
      : VertexLines(text, names), points_(names.size()) {}

  std::vector<Point> read() {
    for (std::size_t number = 0; cursor_.skip_to_data("#%"); ++number, cursor_.next_line()) {
      split();
      if (number == 0) num_fields_ = fields_.size();
      if (fields_.size() != num_fields_ || num_fields_ < 2 || num_fields_ > 3)
        fail(std::to_string(fields_.size()) + " fields", number == 0 ? wanted : "lines of as many fields each");
      const std::size_t vertex = num_fields_ == 2 ? number : vertex_named(fields_[0]);
      if (vertex >= names_.size())
        fail("a line more", "a line for each of " + std::to_string(names_.size()) + " vertices");
      take_line_of(vertex);
      points_[vertex] = {coordinate(fields_[num_fields_ - 2]), coordinate(fields_[num_fields_ - 1])};
    }
    for (std::size_t vertex = 0; vertex < names_.size(); ++vertex)
      if (line_of_[vertex] == 0)
        refuse(text_, 0, "no place for the vertex " + in_quotes(names_[vertex]), "a line for every vertex");
    return std::move(points_);
  }

 private:
  double coordinate(std::string_view field) const { return read_real(text_, cursor_.line(), field).hi; }

  void split() {
    fields_.clear();
    unquoted_.clear();
    const char* p = cursor_.position();
    const auto skip_blanks = [&] {
      while (is_blank(*p)) ++p;
    };
    for (skip_blanks(); *p != '\n'; skip_blanks()) {
      if (!fields_.empty() && *p == ',') {
        ++p;
        skip_blanks();
      }
      std::string_view field;
      if (*p == '"') {
        if (!read_quoted(p, field, unquoted_)) fail("a quote that does not end on its line", wanted);
      } else {
        const char* const start = p;
        while (!is_blank(*p) && *p != ',' && *p != '\n') ++p;
        field = {start, p};
        if (field.empty()) fail("an empty field", wanted);
      }
      fields_.push_back(field);
    }
  }

  std::size_t vertex_named(std::string_view name) {
    if (vertex_of_.empty()) {
      for (std::size_t vertex = 0; vertex < names_.size(); ++vertex) {
        if (!vertex_of_.try_emplace(names_[vertex], vertex).second)
          fail("names, of which " + in_quotes(names_[vertex]) + " is that of a row and of a column",
               "lines `x y` without names, for the rows and then the columns");
      }
    }
    const auto found = vertex_of_.find(name);
    if (found == vertex_of_.end()) fail("the name " + in_quotes(name), "the name of a vertex");
    return found->second;
  }

  std::vector<Point> points_;
  std::unordered_map<std::string_view, std::size_t> vertex_of_;
  std::size_t num_fields_ = 0;
  std::vector<std::string_view> fields_;
  std::list<std::string> unquoted_;
};

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

RotationSystem read_rotation(const std::string& file, const UndirectedGraph& graph, const VertexNames& vertices,
                             const RunContext& run) {
  const Text text = Text::from_file(file, run, "a rotation system");
  if (is_planar_code(text, InputFormat::automatic)) return rotation_of_code(text, graph, run);
  if (text.is_binary()) refuse(text, 0, "a binary file", "lines of names, or planar_code");
  return NamedRotation(text, graph, vertices).read();
}

std::vector<Point> read_coordinates(const std::string& file, const std::vector<std::string>& names,
                                    const RunContext& run) {
  const Text text = Text::from_file(file, run, "the coordinates of vertices");
  if (text.is_binary()) refuse(text, 0, "a binary file", wanted);
  return CoordinateReader(text, names).read();
}

}  // namespace matchcount
