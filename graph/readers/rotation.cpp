// Rotation systems by names, or in planar_code.

#include "graph/rotation.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "graph/readers/fields.hpp"
#include "graph/readers/readers.hpp"

namespace matchcount {
namespace {

using namespace readers;

class NamedRotation {
 public:
  NamedRotation(const Text& text, const UndirectedGraph& graph, const VertexNames& vertices)
      : text_(text), cursor_(text), graph_(graph), vertices_(vertices), line_of_(vertices.names.size(), 0) {
    for (Vertex v = 0; v < vertices.names.size(); ++v) named_[is_column(v)].emplace(vertices.names[v], v);
  }

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
      if (next() && vertices_.num_rows) {
        of_column = field == "column";
        if ((!of_column && field != "row") || !next()) fail("no side of a vertex", wanted());
      }
      const Vertex v = vertex_of(field, of_column);
      if (line_of_[v] != 0)
        fail(in_quotes(vertices_.names[v]) + " again, after line " + std::to_string(line_of_[v]), "every vertex once");
      line_of_[v] = cursor_.line();
      while (next()) {
        const Vertex w = vertex_of(field, vertices_.num_rows && !of_column);
        if (seen_at[w] == v) fail("the neighbour " + in_quotes(field) + " twice", "every neighbour once");
        seen_at[w] = v;
        if (!std::ranges::binary_search(graph_.neighbours(v), w))
          fail("the neighbour " + in_quotes(field), "those to which edges lead from " + in_quotes(vertices_.names[v]));
        rotation[v].push_back(w);
      }
      if (rotation[v].size() < graph_.neighbours(v).size())
        fail(std::to_string(rotation[v].size()) + " neighbours", "all " + std::to_string(graph_.neighbours(v).size()));
    }
    for (Vertex v = 0; v < graph_.num_vertices(); ++v) {
      if (line_of_[v] == 0 && !graph_.neighbours(v).empty())
        refuse(text_, 0, "no line for the vertex " + in_quotes(vertices_.names[v]), "every vertex once");
    }
    return rotation;
  }

 private:
  static constexpr Vertex none = ~Vertex{0};

  bool is_column(Vertex v) const { return vertices_.num_rows && v >= *vertices_.num_rows; }
  std::string wanted() const {
    return std::string("lines `") + (vertices_.num_rows ? "row NAME NEIGHBOUR .." : "NAME NEIGHBOUR ..") +
           (vertices_.num_rows ? "` and `column NAME NEIGHBOUR ..`" : "`");
  }
  [[noreturn]] void fail(std::string found, std::string expected) const {
    refuse(text_, cursor_.line(), std::move(found), std::move(expected));
  }
  Vertex vertex_of(std::string_view name, bool of_column) const {
    const auto found = named_[of_column].find(name);
    if (found == named_[of_column].end())
      fail("the name " + in_quotes(name),
           std::string("the name of a ") + (vertices_.num_rows ? (of_column ? "column" : "row") : "vertex"));
    return found->second;
  }

  const Text& text_;
  Cursor cursor_;
  const UndirectedGraph& graph_;
  const VertexNames& vertices_;
  std::vector<std::uint64_t> line_of_;                     // 0: none yet
  std::unordered_map<std::string_view, Vertex> named_[2];  // of rows or all vertices, and of columns
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

}  // namespace

RotationSystem read_rotation(const std::string& file, const UndirectedGraph& graph, const VertexNames& vertices,
                             const RunContext& run) {
  const Text text = Text::from_file(file, run, "a rotation system");
  if (is_planar_code(text, InputFormat::automatic)) return rotation_of_code(text, graph, run);
  if (text.is_binary()) refuse(text, 0, "a binary file", "lines of names, or planar_code");
  return NamedRotation(text, graph, vertices).read();
}

}  // namespace matchcount
