#pragma once
// Collects the vertices and edges of formats that name them one by one, in any order, and watches over what edges have
// under other keys than that of their weight, so that no weight is lost. Private to graph/.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "graph/input_types.hpp"
#include "graph/readers/names.hpp"
#include "graph/readers/readers.hpp"
#include "graph/readers/text.hpp"

namespace matchcount::readers {

// The key of a weight among the data of an edge, InputOptions::weight_key.
class WeightKey {
 public:
  explicit WeightKey(const InputOptions& options);

  // Returns the name of the key; empty if no key is that of a weight.
  const std::string& name() const { return name_; }
  // Says whether somebody asked for it.
  bool is_given() const { return is_given_; }
  // Says whether other keys matter: it was asked for, or the question is about weights.
  bool is_watchful() const { return is_watchful_; }
  // Notes what an edge has under another key, a string with or without its quotes. Text that is no number is passed
  // over, and so are identifiers.
  void note(std::string_view key, std::string_view value);
  // Refuses edges of which none has a weight, the first of them on this line, where the key was asked for, or the
  // question is about weights and numbers were noted.
  void check(const Text& text, std::uint64_t line) const;

 private:
  std::string name_;
  bool is_given_;
  bool is_watchful_;
  std::set<std::string, std::less<>> others_;  // keys of numbers
};

// Returns the 2.5 of np.float64(2.5), as numpy's numbers print themselves; of another value the whole.
std::string_view without_type(std::string_view value);

class NamedGraph {
 public:
  // Says what an edge at a vertex that nobody added does: it is refused, or adds the vertex.
  enum class Vertices { declared, implied };
  explicit NamedGraph(const Source& source, Vertices vertices = Vertices::declared)
      : source_(source),
        vertices_(vertices),
        weight_key_(source.options),
        weights_{WeightColumn{Values(source)}, WeightColumn{Values(source)}} {}

  // Adds a vertex by the name that edges give it. Refuses one again, unless vertices are implied.
  void add_vertex(std::string_view name, std::uint64_t line);
  // Gives the vertex added last a name to be printed. Those of rank 0 are taken where all vertices have one, no two the
  // same, then those of rank 1, and else the names of add_vertex.
  void add_label(std::string label, std::size_t rank = 0);
  void add_edge(std::string_view source, std::string_view target, std::uint64_t line);
  // Gives the edge added last its weight. Those of rank 1 are taken where no edge has one of rank 0.
  void add_weight(std::string_view value, std::uint64_t line, std::size_t rank = 0);
  // Gives the edge added last the number that a format has in the place of a weight, without a key.
  void add_unnamed_weight(std::string_view value, std::uint64_t line) {
    if (!weight_key_.is_given()) add_weight(value, line);
  }
  // Says whether a format's standard gives edges without `weight` the weight 1, as long as others have one.
  void let_ones_miss(bool may_miss) { ones_miss_ = may_miss; }
  WeightKey& weight_key() { return weight_key_; }
  Vertex num_vertices() const { return static_cast<Vertex>(order_.size()); }

  // Returns the graph, to be called once. Refuses weights on some edges alone, unless ones may miss.
  Parsed finish(Parsed::Shape shape);

 private:
  struct WeightColumn {
    Values values;
    std::size_t count = 0;
    std::optional<std::size_t> first_without = {};  // the first edge that has none
  };
  static constexpr Vertex not_yet = static_cast<Vertex>(-1);

  Vertex number_of(std::string_view name, std::uint64_t line);
  // Passes over edges without a weight, up to this one.
  void pass_over(WeightColumn& column, std::size_t end);
  void give_weights(Parsed& parsed);
  std::vector<std::string> names();
  void check_now_and_then();

  const Source& source_;
  Vertices vertices_;
  WeightKey weight_key_;
  bool ones_miss_ = false;
  // Names are numbered as they appear, at a vertex or an edge.
  NameTable numbers_;
  std::deque<std::string> names_;  // by number
  std::vector<Vertex> place_of_;   // by number: among the vertices
  std::vector<Vertex> order_;      // by place: the number
  std::array<std::vector<std::string>, 2> labels_;
  std::size_t num_added_ = 0;  // vertices and edges
  std::vector<Edge> edges_;    // by numbers
  std::vector<std::uint64_t> edge_lines_;
  std::array<WeightColumn, 2> weights_;
};

// Returns the shape of a graph whose format does not say whether edges are arcs. Refuses them where the question is
// about arcs and nobody says that they are.
Parsed::Shape shape_without_direction(const Source& source);

}  // namespace matchcount::readers
