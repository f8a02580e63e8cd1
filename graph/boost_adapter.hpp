#pragma once
// Makes one of our graphs from any of Boost.Graph: adjacency_list with any containers, adjacency_matrix,
// compressed_sparse_row_graph, filtered_graph, grid_graph, your own. It must model the VertexListGraph and
// EdgeListGraph concepts; no vertex_index is needed. Vertex descriptors must be integers, hashable by std::hash, or
// ordered by <.
//
//   boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> square(4);
//   for (int v = 0; v < 4; ++v) add_edge(v, (v + 1) % 4, square);
//   const auto adapted = matchcount::bipartite_graph_from(square);
//   adapted.num_rows();       // 2: it is a BipartiteGraph
//   adapted.row_vertices[1];  // the vertex of `square` that is row 1: here 2
//
// Weights come from a property map on edges, `get(boost::edge_weight, g)` say, whose values are integers,
// floating-point numbers, std::complex, DoubleDouble or ComplexDoubleDouble. All take time linear in vertices and edges
// (with a logarithm where descriptors are only ordered), one pass over each of `vertices(g)` and `edges(g)`.
//
// All throw InputError: for parallel edges under Duplicates::refuse, weights that are not finite or do not fit 64 bits,
// and 2^32 vertices or more.

#include <boost/graph/graph_traits.hpp>
#include <boost/property_map/property_map.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/api.hpp"
#include "core/error.hpp"
#include "graph/bipartite_graph.hpp"
#include "graph/digraph.hpp"
#include "graph/undirected_graph.hpp"

namespace MATCHCOUNT_API matchcount {

template <class G>
using BoostVertex = typename boost::graph_traits<G>::vertex_descriptor;
template <class G>
using BoostEdge = typename boost::graph_traits<G>::edge_descriptor;

// A BipartiteGraph that knows which vertices its rows and columns are.
template <class G>
struct AdaptedBipartiteGraph : BipartiteGraph {
  std::vector<BoostVertex<G>> row_vertices;
  std::vector<BoostVertex<G>> column_vertices;
};

// A Digraph that knows its vertices: in the order of vertices(g).
template <class G>
struct AdaptedDigraph : Digraph {
  std::vector<BoostVertex<G>> vertices;
};

// An UndirectedGraph that knows its vertices: in the order of vertices(g).
template <class G>
struct AdaptedUndirectedGraph : UndirectedGraph {
  std::vector<BoostVertex<G>> vertices;
};

namespace boost_adapter {

// A graph with its vertices numbered in the order of vertices(g), and what else was said of it.
template <class G>
struct Numbered {
  Vertex num_vertices() const { return static_cast<Vertex>(vertices.size()); }

  std::vector<BoostVertex<G>> vertices;
  std::vector<Edge> edges;
  Weights weights;
  std::optional<std::vector<bool>> is_column;
  Duplicates duplicates = Duplicates::refuse;
};

struct Split {
  BipartiteGraph graph;
  std::vector<Vertex> rows;  // the numbers of the vertices
  std::vector<Vertex> columns;
};
// Puts the vertices on the sides that are told, else those that a colouring in two finds: the first of every component
// is a row. Throws InputError for an edge within a side, or one that names a self-loop or the vertices of an odd cycle.
Split split(Vertex num_vertices, std::optional<std::vector<bool>> is_column, std::vector<Edge> edges, Weights weights,
            Duplicates duplicates);

// Appends every edge the other way round with its weight; a self-loop stands once.
void add_opposites(std::vector<Edge>& edges, Weights& weights);

template <class G>
concept Graph = requires(const G& g) {
  typename boost::graph_traits<G>::vertex_descriptor;
  vertices(g);
  edges(g);
  source(*edges(g).first, g);
};

template <class F, class G>
concept SideOf = std::predicate<const F&, BoostVertex<G>>;

template <class Map, class G>
concept EdgeMapOf = !std::invocable<const Map&, BoostVertex<G>> && !std::same_as<Map, Duplicates> &&
                    requires(const Map& map, const BoostEdge<G>& edge) {
  get(map, edge);
};

template <class T, class G>
concept OptionOf = EdgeMapOf<T, G> || std::same_as<T, Duplicates>;

// Maps a vertex descriptor to its number.
template <class Descriptor>
class Numbers {
 public:
  explicit Numbers(const std::vector<Descriptor>& vertices) {
    if constexpr (std::integral<Descriptor>) {
      while (num_equal_ < vertices.size() && std::cmp_equal(+vertices[num_equal_], num_equal_)) ++num_equal_;
    }
    for (std::size_t i = num_equal_; i < vertices.size(); ++i) map_.emplace(vertices[i], static_cast<Vertex>(i));
  }

  Vertex operator()(const Descriptor& v) const {
    if constexpr (std::integral<Descriptor>) {
      if (static_cast<std::size_t>(v) < num_equal_) return static_cast<Vertex>(v);
    }
    const auto found = map_.find(v);
    if (found == map_.end()) throw InputError("an edge whose end is no vertex of the graph", "ends among its vertices");
    return found->second;
  }

 private:
  static constexpr bool is_hashable = requires(const Descriptor& v) { std::hash<Descriptor>()(v); };

  std::size_t num_equal_ = 0;  // descriptors from 0 on that are their own numbers
  std::conditional_t<is_hashable, std::unordered_map<Descriptor, Vertex>, std::map<Descriptor, Vertex>> map_;
};

// Exact.
template <class Value>
auto to_weight(const Value& value) {
  if constexpr (std::same_as<Value, DoubleDouble> || std::same_as<Value, ComplexDoubleDouble>) {
    return value;
  } else if constexpr (std::integral<Value>) {
    if (!std::in_range<std::int64_t>(+value)) {
      throw InputError("the weight " + std::to_string(value), "weights within 64 bits with a sign");
    }
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::floating_point<Value>) {
    // A long double has at most 64 bits on x86 and 113 elsewhere: two doubles, the second exact or rounded at 2^-106.
    const auto hi = static_cast<double>(value);
    return DoubleDouble(hi, static_cast<double>(value - static_cast<Value>(hi)));
  } else {
    static_assert(
        requires { Value().real() + Value().imag(); },
        "weights are integers, floating-point numbers, std::complex, DoubleDouble or ComplexDoubleDouble");
    return ComplexDoubleDouble(to_weight(value.real()), to_weight(value.imag()));
  }
}

// The options are a property map of weights, a predicate for columns and Duplicates.
template <class G, class... Options>
Numbered<G> number(const G& g, const Options&... options) {
  Numbered<G> numbered;
  for (auto range = vertices(g); range.first != range.second; ++range.first) numbered.vertices.push_back(*range.first);
  if (numbered.vertices.size() >= std::numeric_limits<Vertex>::max()) {
    throw InputError(std::to_string(numbered.vertices.size()) + " vertices", "fewer than 2^32 - 1");
  }
  const Numbers<BoostVertex<G>> numbers(numbered.vertices);
  for (auto range = edges(g); range.first != range.second; ++range.first) {
    const BoostEdge<G> edge = *range.first;
    numbered.edges.push_back({numbers(source(edge, g)), numbers(target(edge, g))});
  }
  [[maybe_unused]] const auto take = [&]<class Option>(const Option& option) {
    if constexpr (std::same_as<Option, Duplicates>) {
      numbered.duplicates = option;
    } else if constexpr (SideOf<Option, G>) {
      numbered.is_column.emplace();
      for (const BoostVertex<G>& v : numbered.vertices) numbered.is_column->push_back(static_cast<bool>(option(v)));
    } else {
      using Value = std::remove_cvref_t<typename boost::property_traits<Option>::value_type>;
      std::vector<decltype(to_weight(std::declval<Value>()))> weights;
      weights.reserve(numbered.edges.size());
      for (auto range = edges(g); range.first != range.second; ++range.first)
        weights.push_back(to_weight<Value>(get(option, *range.first)));
      numbered.weights = std::move(weights);
    }
  };
  (take(options), ...);
  return numbered;
}

}  // namespace boost_adapter

// The options of these functions stand in any order, and each may be left out: a property map of the edges' weights;
// Duplicates; and, of the first, a predicate is_column(v).

// Makes rows and columns. The vertices with is_column(v) are columns, the others rows; from a colour map: [&](auto v) {
// return get(colour, v) == boost::black_color; }. Without it colours in two: the first vertex of every component, in
// the order of vertices(g), is a row. Rows and columns keep that order. The directions of a directed graph's edges do
// not matter. Throws InputError for an edge within a side, or where g is not bipartite, with an odd cycle (a self-loop
// is one); its vertices are numbered from 0 in the order of vertices(g).
template <boost_adapter::Graph G, class... Options>
requires((boost_adapter::OptionOf<Options, G> || boost_adapter::SideOf<Options, G>)&&...)
    AdaptedBipartiteGraph<G> bipartite_graph_from(const G& g, const Options&... options) {
  auto numbered = boost_adapter::number(g, options...);
  boost_adapter::Split parts =
      boost_adapter::split(numbered.num_vertices(), std::move(numbered.is_column), std::move(numbered.edges),
                           std::move(numbered.weights), numbered.duplicates);
  AdaptedBipartiteGraph<G> adapted{std::move(parts.graph), {}, {}};
  for (const Vertex v : parts.rows) adapted.row_vertices.push_back(numbered.vertices[v]);
  for (const Vertex v : parts.columns) adapted.column_vertices.push_back(numbered.vertices[v]);
  return adapted;
}

// Vertices in the order of vertices(g). An undirected edge goes both ways, an undirected self-loop once.
template <boost_adapter::Graph G, boost_adapter::OptionOf<G>... Options>
AdaptedDigraph<G> digraph_from(const G& g, const Options&... options) {
  auto numbered = boost_adapter::number(g, options...);
  if constexpr (!std::is_convertible_v<typename boost::graph_traits<G>::directed_category, boost::directed_tag>)
    boost_adapter::add_opposites(numbered.edges, numbered.weights);
  return {Digraph::from_arcs(numbered.num_vertices(), std::move(numbered.edges), std::move(numbered.weights),
                             numbered.duplicates),
          std::move(numbered.vertices)};
}

// Adapts any graph, bipartite or not, vertices in the order of vertices(g). The directions of a directed graph's edges
// do not matter: u -> v and v -> u are the same edge, given twice. Throws InputError for a self-loop.
template <boost_adapter::Graph G, boost_adapter::OptionOf<G>... Options>
AdaptedUndirectedGraph<G> undirected_graph_from(const G& g, const Options&... options) {
  auto numbered = boost_adapter::number(g, options...);
  return {UndirectedGraph::from_edges(numbered.num_vertices(), std::move(numbered.edges), std::move(numbered.weights),
                                      numbered.duplicates),
          std::move(numbered.vertices)};
}

}  // namespace matchcount
