// Files about the vertices of a graph: orders of them, rotation systems by names or in planar_code, and coordinates for
// pictures. A tree decomposition is told from names by its first line, "s td B W N", which has more fields than any
// line of names.

#include "graph/vertex_order.hpp"

#include <algorithm>
#include <optional>
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
#include "graph/two_colouring.hpp"

namespace matchcount {
namespace {

using namespace readers;

// Has the lines of a file about vertices that are called by names, and perhaps their sides.
class VertexLines {
 protected:
  VertexLines(const Text& text, const VertexNames& vertices, std::string wanted)
      : text_(text),
        names_(vertices.names),
        has_sides_(vertices.num_rows),
        num_rows_(vertices.num_rows.value_or(0)),
        cursor_(text),
        line_of_(names_.size(), 0),
        wanted_(std::move(wanted)) {
    for (Vertex v = 0; v < names_.size(); ++v)
      if (!named_[is_column(v)].emplace(names_[v], v).second) repeated_ = v;
  }

  // Reads the fields of the next line; false at the end.
  bool next() {
    if (!fields_.empty()) cursor_.next_line();
    if (!cursor_.skip_to_data("#%")) return false;
    const char separator = has_commas_ && separator_of(cursor_.position()) == ',' ? ',' : ' ';
    Fields fields = Fields::of_names(cursor_.position(), separator);
    fields_.clear();
    for (std::string_view field; fields.next(field);) fields_.emplace_back(field);
    if (fields.is_broken()) fail("a quote that does not end its field", wanted_);
    if (std::ranges::find(fields_, "") != fields_.end()) fail("an empty field", wanted_);
    return true;
  }
  // Returns the vertex of this name, on this side if one is given.
  Vertex vertex_of(const std::string& name, std::optional<bool> of_column = {}) const {
    const auto row = named_[0].find(name), column = named_[1].find(name);
    const bool is_row = row != named_[0].end() && !of_column.value_or(false);
    const bool is_column = column != named_[1].end() && of_column.value_or(true);
    if (is_row && is_column) fail("the name " + in_quotes(name) + ", which is that of a row and of a column", wanted_);
    if (!is_row && !is_column)
      fail("the name " + in_quotes(name), std::string("the name of a ") + (!of_column   ? "vertex"
                                                                           : *of_column ? "column"
                                                                                        : "row"));
    return is_row ? row->second : column->second;
  }
  // Takes this line for the vertex, which has none yet.
  void take_line_of(Vertex v) {
    if (line_of_[v] != 0)
      fail(in_quotes(names_[v]) + " again, after line " + std::to_string(line_of_[v]), "every vertex once");
    line_of_[v] = cursor_.line();
  }
  // Refuses a vertex without a line, if it needs one.
  template <class Needs>
  void require_all(const char* lacking, const char* expected, const Needs& needs) const {
    for (Vertex v = 0; v < names_.size(); ++v) {
      const char* const side = !has_sides_ ? " the vertex " : is_column(v) ? " the column " : " the row ";
      if (line_of_[v] == 0 && needs(v)) refuse(text_, 0, lacking + (side + in_quotes(names_[v])), expected);
    }
  }
  bool is_column(Vertex v) const { return has_sides_ && v >= num_rows_; }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }

  const Text& text_;
  const std::vector<std::string>& names_;
  bool has_sides_, has_commas_ = false;
  Vertex num_rows_;
  Cursor cursor_;
  std::vector<std::uint64_t> line_of_;  // 0: none yet
  std::vector<std::string> fields_;
  std::string wanted_;
  std::optional<Vertex> repeated_;                         // a vertex whose name another of its side has
  std::unordered_map<std::string_view, Vertex> named_[2];  // of rows or all vertices, and of columns
};

class NamedOrder : VertexLines {
 public:
  NamedOrder(const Text& text, const VertexNames& vertices)
      : VertexLines(text, vertices, vertices.num_rows ? "a line `row NAME` or `column NAME`" : "a name on each line") {}

  std::vector<Vertex> read() {
    std::vector<Vertex> order;
    while (next()) {
      const bool says_side = fields_.size() == 2 && has_sides_ && (fields_[0] == "row" || fields_[0] == "column");
      if (fields_.size() > 1 && !says_side) fail("a line of several fields", wanted_);
      order.push_back(vertex_of(fields_.back(), says_side ? std::optional(fields_[0] == "column") : std::nullopt));
      take_line_of(order.back());
    }
    require_all("an order without", "every vertex once", [](Vertex) { return true; });
    return order;
  }
};

class PaceDecomposition : VertexLines {
 public:
  PaceDecomposition(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : VertexLines(text, vertices, ""), graph_(graph) {}

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
    std::vector<Edge> edges;
    for (; next_dimacs_line(cursor_); cursor_.next_line()) {
      if (*cursor_.position() != 'b') {
        const Vertex i = cursor_.index(num_bags, "a bag"), j = cursor_.index(num_bags, "a bag");
        if (i == j) fail("an edge from a bag to itself", "a tree of bags");
        tree_.neighbours[i].push_back(j);
        tree_.neighbours[j].push_back(i);
        edges.push_back({i, j});
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
  void check(const std::vector<Edge>& edges) const {
    const auto num_bags = static_cast<Vertex>(tree_.bags.size());
    if (edges.size() + 1 != num_bags ||
        coloured_components(UndirectedGraph::from_edges(num_bags, edges, {}, Duplicates::one)).count() != 1)
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

class NamedRotation : VertexLines {
 public:
  NamedRotation(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : VertexLines(text, vertices,
                    vertices.num_rows ? "lines `row NAME NEIGHBOUR ..` and `column NAME NEIGHBOUR ..`"
                                      : "lines `NAME NEIGHBOUR ..`"),
        graph_(graph) {}

  RotationSystem read() {
    RotationSystem rotation(graph_.num_vertices());
    std::vector<Vertex> seen_at(graph_.num_vertices(), ~Vertex{0});
    while (next()) {
      const bool of_column = has_sides_ && fields_[0] == "column";
      if (has_sides_ && (fields_.size() == 1 || (!of_column && fields_[0] != "row")))
        fail("no side of a vertex", wanted_);
      const auto side = [&](bool is_column) { return has_sides_ ? std::optional(is_column) : std::nullopt; };
      const std::size_t first = has_sides_ ? 2 : 1;
      const Vertex v = vertex_of(fields_[first - 1], side(of_column));
      take_line_of(v);
      for (std::size_t i = first; i < fields_.size(); ++i) {
        const Vertex w = vertex_of(fields_[i], side(!of_column));
        if (std::exchange(seen_at[w], v) == v)
          fail("the neighbour " + in_quotes(fields_[i]) + " twice", "every neighbour once");
        if (!std::ranges::binary_search(graph_.neighbours(v), w))
          fail("the neighbour " + in_quotes(fields_[i]), "those to which edges lead from " + in_quotes(names_[v]));
        rotation[v].push_back(w);
      }
      if (rotation[v].size() < graph_.neighbours(v).size())
        fail(std::to_string(rotation[v].size()) + " neighbours", "all " + std::to_string(graph_.neighbours(v).size()));
    }
    require_all("no line for", "every vertex once", [&](Vertex v) { return !graph_.neighbours(v).empty(); });
    return rotation;
  }

 private:
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
  CoordinateReader(const Text& text, const VertexNames& vertices) : VertexLines(text, vertices, wanted) {
    has_commas_ = true;
  }

  std::vector<Point> read() {
    std::vector<Point> points(names_.size());
    std::size_t num_fields = 0;
    for (Vertex number = 0; next(); ++number) {
      if (number == 0) num_fields = fields_.size();
      if (fields_.size() != num_fields || num_fields < 2 || num_fields > 3)
        fail(std::to_string(fields_.size()) + " fields", number == 0 ? wanted : "lines of as many fields each");
      if (num_fields == 3 && repeated_)
        fail("names, of which " + in_quotes(names_[*repeated_]) + " is that of a row and of a column",
             "lines `x y` without names, for the rows and then the columns");
      const Vertex vertex = num_fields == 2 ? number : vertex_of(fields_[0]);
      if (vertex >= names_.size())
        fail("a line more", "a line for each of " + std::to_string(names_.size()) + " vertices");
      take_line_of(vertex);
      points[vertex] = {coordinate(fields_[num_fields - 2]), coordinate(fields_[num_fields - 1])};
    }
    require_all("no place for", "a line for every vertex", [](Vertex) { return true; });
    return points;
  }

 private:
  double coordinate(std::string_view field) const { return read_real(text_, cursor_.line(), field).hi; }
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
  return CoordinateReader(text, {names, {}}).read();
}

}  // namespace matchcount
