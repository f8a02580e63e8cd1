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

#include <algorithm>
#include <boost/graph/graph_traits.hpp>
#include <boost/property_map/property_map.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
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

// The edges of a graph with its vertices numbered in the order of vertices(g).
template <class G>
struct Numbered {
  std::vector<BoostVertex<G>> vertices;
  std::vector<Edge> edges;
  Weights weights;
};

// Says which vertices are columns: the first of every component is a row. Throws InputError that names a self-loop or
// the vertices of an odd cycle by number.
std::vector<bool> colour_in_two(Vertex num_vertices, const std::vector<Edge>& edges);

struct Split {
  BipartiteGraph graph;
  std::vector<Vertex> rows;  // the numbers of the vertices
  std::vector<Vertex> columns;
};
// Throws InputError for an edge within a side.
Split split(const std::vector<bool>& is_column, std::vector<Edge> edges, Weights weights, Duplicates duplicates);

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

// Maps a vertex descriptor to its number.
template <class Descriptor>
class Numbers {
 public:
  explicit Numbers(const std::vector<Descriptor>& vertices) {
    if constexpr (std::integral<Descriptor>) {
      // A table, unless descriptors are much larger than there are of them.
      std::size_t size = 0;
      for (const Descriptor v : vertices) size = std::max(size, static_cast<std::size_t>(v) + 1);
      if (size <= 4 * vertices.size() + 1024) table_.assign(size, absent);
    }
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const auto number = static_cast<Vertex>(i);
      if constexpr (std::integral<Descriptor>) {
        if (!table_.empty()) {
          table_[static_cast<std::size_t>(vertices[i])] = number;
          continue;
        }
      }
      map_.emplace(vertices[i], number);
    }
  }

  Vertex operator()(const Descriptor& v) const {
    if constexpr (std::integral<Descriptor>) {
      if (!table_.empty()) return checked(static_cast<std::size_t>(v) < table_.size() ? table_[v] : absent);
    }
    const auto found = map_.find(v);
    return checked(found == map_.end() ? absent : found->second);
  }

 private:
  static constexpr Vertex absent = std::numeric_limits<Vertex>::max();
  static constexpr bool is_hashable = requires(const Descriptor& v) { std::hash<Descriptor>()(v); };
  // A type whose std::hash is missing can't even be named in an unordered_map, hence two steps.
  template <bool hashable, class Key>
  struct Choose {
    using type = std::map<Key, Vertex>;
  };
  template <class Key>
  struct Choose<true, Key> {
    using type = std::unordered_map<Key, Vertex>;
  };

  static Vertex checked(Vertex number) {
    if (number == absent) throw InputError("an edge whose end is no vertex of the graph", "ends among its vertices");
    return number;
  }

  std::vector<Vertex> table_;
  typename Choose<is_hashable, Descriptor>::type map_;
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

template <class G>
Numbered<G> number(const G& g) {
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
  return numbered;
}

template <class G, class WeightMap>
Numbered<G> number(const G& g, const WeightMap& weight_of) {
  Numbered<G> numbered = number(g);
  const auto weight = [&](const BoostEdge<G>& edge) {
    return to_weight(std::remove_cvref_t<typename boost::property_traits<WeightMap>::value_type>(get(weight_of, edge)));
  };
  std::vector<decltype(weight(*edges(g).first))> weights;
  weights.reserve(numbered.edges.size());
  for (auto range = edges(g); range.first != range.second; ++range.first) weights.push_back(weight(*range.first));
  numbered.weights = std::move(weights);
  return numbered;
}

template <class G>
AdaptedBipartiteGraph<G> split(Numbered<G> numbered, const std::vector<bool>& is_column, Duplicates duplicates) {
  Split parts = split(is_column, std::move(numbered.edges), std::move(numbered.weights), duplicates);
  AdaptedBipartiteGraph<G> adapted{std::move(parts.graph), {}, {}};
  for (const Vertex v : parts.rows) adapted.row_vertices.push_back(numbered.vertices[v]);
  for (const Vertex v : parts.columns) adapted.column_vertices.push_back(numbered.vertices[v]);
  return adapted;
}

template <class G>
AdaptedBipartiteGraph<G> coloured(Numbered<G> numbered, Duplicates duplicates) {
  const std::vector<bool> is_column = colour_in_two(static_cast<Vertex>(numbered.vertices.size()), numbered.edges);
  return split(std::move(numbered), is_column, duplicates);
}

template <class G, class Side>
AdaptedBipartiteGraph<G> sided(Numbered<G> numbered, const Side& side, Duplicates duplicates) {
  std::vector<bool> is_column;
  is_column.reserve(numbered.vertices.size());
  for (const BoostVertex<G>& v : numbered.vertices) is_column.push_back(static_cast<bool>(side(v)));
  return split(std::move(numbered), is_column, duplicates);
}

template <class G>
AdaptedDigraph<G> directed(Numbered<G> numbered, Duplicates duplicates) {
  if constexpr (!std::is_convertible_v<typename boost::graph_traits<G>::directed_category, boost::directed_tag>) {
    add_opposites(numbered.edges, numbered.weights);
  }
  return {Digraph::from_arcs(static_cast<Vertex>(numbered.vertices.size()), std::move(numbered.edges),
                             std::move(numbered.weights), duplicates),
          std::move(numbered.vertices)};
}

template <class G>
AdaptedUndirectedGraph<G> undirected(Numbered<G> numbered, Duplicates duplicates) {
  return {UndirectedGraph::from_edges(static_cast<Vertex>(numbered.vertices.size()), std::move(numbered.edges),
                                      std::move(numbered.weights), duplicates),
          std::move(numbered.vertices)};
}

}  // namespace boost_adapter

// Colours in two: the first vertex of every component, in the order of vertices(g), is a row; rows and columns keep
// that order. The directions of a directed graph's edges do not matter. Throws InputError where g is not bipartite,
// with an odd cycle (a self-loop is one); its vertices are numbered from 0 in the order of vertices(g).
template <boost_adapter::Graph G>
AdaptedBipartiteGraph<G> bipartite_graph_from(const G& g, Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::coloured(boost_adapter::number(g), duplicates);
}

template <boost_adapter::Graph G, boost_adapter::EdgeMapOf<G> WeightMap>
AdaptedBipartiteGraph<G> bipartite_graph_from(const G& g, const WeightMap& weight_of,
                                              Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::coloured(boost_adapter::number(g, weight_of), duplicates);
}

// The vertices with is_column(v) are columns, the others rows. Throws InputError for an edge within a side. From a
// colour map: [&](auto v) { return get(colour, v) == boost::black_color; }.
template <boost_adapter::Graph G, boost_adapter::SideOf<G> Side>
AdaptedBipartiteGraph<G> bipartite_graph_from(const G& g, const Side& is_column,
                                              Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::sided(boost_adapter::number(g), is_column, duplicates);
}

template <boost_adapter::Graph G, boost_adapter::SideOf<G> Side, boost_adapter::EdgeMapOf<G> WeightMap>
AdaptedBipartiteGraph<G> bipartite_graph_from(const G& g, const Side& is_column, const WeightMap& weight_of,
                                              Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::sided(boost_adapter::number(g, weight_of), is_column, duplicates);
}

// Vertices in the order of vertices(g). An undirected edge goes both ways, an undirected self-loop once.
template <boost_adapter::Graph G>
AdaptedDigraph<G> digraph_from(const G& g, Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::directed(boost_adapter::number(g), duplicates);
}

template <boost_adapter::Graph G, boost_adapter::EdgeMapOf<G> WeightMap>
AdaptedDigraph<G> digraph_from(const G& g, const WeightMap& weight_of, Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::directed(boost_adapter::number(g, weight_of), duplicates);
}

// Adapts any graph, bipartite or not, vertices in the order of vertices(g). The directions of a directed graph's edges
// do not matter: u -> v and v -> u are the same edge, given twice. Throws InputError for a self-loop.
template <boost_adapter::Graph G>
AdaptedUndirectedGraph<G> undirected_graph_from(const G& g, Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::undirected(boost_adapter::number(g), duplicates);
}

template <boost_adapter::Graph G, boost_adapter::EdgeMapOf<G> WeightMap>
AdaptedUndirectedGraph<G> undirected_graph_from(const G& g, const WeightMap& weight_of,
                                                Duplicates duplicates = Duplicates::refuse) {
  return boost_adapter::undirected(boost_adapter::number(g, weight_of), duplicates);
}

}  // namespace matchcount
