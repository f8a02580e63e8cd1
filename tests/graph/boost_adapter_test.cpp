#include "graph/boost_adapter.hpp"

#include <algorithm>
#include <array>
#include <boost/array.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/grid_graph.hpp>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

using Ints = std::vector<std::int64_t>;
using Reals = std::vector<DoubleDouble>;
using Complexes = std::vector<ComplexDoubleDouble>;

template <class VertexList, class Direction, class EdgeProperty = boost::no_property>
using List = boost::adjacency_list<boost::vecS, VertexList, Direction, boost::no_property, EdgeProperty>;

template <class T>
using Weighted = boost::property<boost::edge_weight_t, T>;

// Vertices of a fresh graph, rows before columns.
template <class G>
std::vector<BoostVertex<G>> fill(G& g, const BipartiteGraph& from) {
  std::vector<BoostVertex<G>> all;
  for (Vertex v = 0; v < from.num_rows() + from.num_columns(); ++v) all.push_back(add_vertex(g));
  for (const Edge& edge : from.edges()) add_edge(all[edge.row], all[from.num_rows() + edge.column], g);
  return all;
}

// Rows that are no isolated column keep their sides when coloured.
BipartiteGraph connected_instance() { return grid_graph(5, 7); }

template <class VertexList, class Direction>
void require_adapts() {
  const BipartiteGraph expected = connected_instance();
  List<VertexList, Direction> g;
  const auto all = fill(g, expected);
  const auto adapted = bipartite_graph_from(g);
  CHECK(adapted.row_vertices.size() == adapted.num_rows());
  CHECK(adapted.column_vertices.size() == adapted.num_columns());
  CHECK(adapted.num_rows() + adapted.num_columns() == all.size());
  // setS hands out vertices in order of their addresses, so that either colour may come first: compare through them.
  std::vector<Edge> mapped;
  for (const Edge& edge : adapted.edges()) {
    const auto at = [&](const auto& v) {
      return static_cast<Vertex>(std::find(all.begin(), all.end(), v) - all.begin());
    };
    Edge ends{at(adapted.row_vertices[edge.row]), at(adapted.column_vertices[edge.column])};
    if (ends.row > ends.column) std::swap(ends.row, ends.column);
    mapped.push_back({ends.row, ends.column - expected.num_rows()});
  }
  std::sort(mapped.begin(), mapped.end());
  CHECK(mapped == expected.edges());
}

TEST_CASE("adjacency lists with every kind of vertex container and direction become the graph that they hold") {
  require_adapts<boost::vecS, boost::undirectedS>();
  require_adapts<boost::listS, boost::undirectedS>();
  require_adapts<boost::setS, boost::undirectedS>();
  require_adapts<boost::vecS, boost::directedS>();
  require_adapts<boost::listS, boost::directedS>();
  require_adapts<boost::setS, boost::bidirectionalS>();
}

TEST_CASE("the example of the header is right") {
  List<boost::vecS, boost::undirectedS> square(4);
  for (int v = 0; v < 4; ++v) add_edge(v, (v + 1) % 4, square);
  const auto adapted = bipartite_graph_from(square);
  CHECK(adapted.num_rows() == 2);
  CHECK(adapted.row_vertices[1] == 2);
  CHECK(adapted.column_vertices == std::vector<std::size_t>{1, 3});
  const BipartiteGraph& graph = adapted;
  CHECK(graph.num_edges() == 4);
  const BipartiteGraph copy = bipartite_graph_from(square);
  CHECK(copy.edges() == graph.edges());
}

TEST_CASE("adjacency matrices, compressed rows, filtered graphs and lattices are adapted") {
  boost::adjacency_matrix<boost::undirectedS> matrix(4);
  add_edge(0, 1, matrix);
  add_edge(2, 1, matrix);
  add_edge(2, 3, matrix);
  const auto path = bipartite_graph_from(matrix);
  CHECK(path.row_vertices == std::vector<std::size_t>{0, 2});
  CHECK(path.edges() == std::vector<Edge>{{0, 0}, {1, 0}, {1, 1}});

  const std::vector<std::pair<int, int>> arcs{{0, 3}, {1, 3}, {1, 4}, {2, 4}};
  using Compressed = boost::compressed_sparse_row_graph<boost::directedS>;
  const Compressed compressed(boost::edges_are_unsorted, arcs.begin(), arcs.end(), 5);
  CHECK(bipartite_graph_from(compressed).edges() == std::vector<Edge>{{0, 0}, {1, 0}, {1, 1}, {2, 1}});

  // Without its middle vertex, the path falls apart and its numbers have a gap.
  const auto keep = [](auto v) { return v != 1; };
  List<boost::vecS, boost::undirectedS> line(4);
  for (int v = 0; v < 3; ++v) add_edge(v, v + 1, line);
  const boost::filtered_graph<decltype(line), boost::keep_all, std::function<bool(std::size_t)>> parts(
      line, boost::keep_all(), keep);
  const auto adapted = bipartite_graph_from(parts);
  CHECK(adapted.row_vertices == std::vector<std::size_t>{0, 2});
  CHECK(adapted.column_vertices == std::vector<std::size_t>{3});
  CHECK(adapted.edges() == std::vector<Edge>{{1, 0}});

  // Its vertices are arrays: neither integers nor hashable. Directed both ways.
  const boost::array<std::size_t, 2> lengths{{4, 3}};
  const boost::grid_graph<2> lattice(lengths);
  CHECK(bipartite_graph_from(lattice, Duplicates::one).edges() == grid_graph(3, 4).edges());
}

TEST_CASE("odd cycles and self-loops are refused and named") {
  List<boost::vecS, boost::undirectedS> g(6);
  add_edge(0, 1, g);
  add_edge(1, 2, g);
  add_edge(2, 3, g);
  add_edge(3, 4, g);
  add_edge(4, 2, g);
  try {
    bipartite_graph_from(g);
    FAIL("a triangle was taken");
  } catch (const InputError& error) {
    CHECK_THAT(error.found(), ContainsSubstring("odd cycle of 3 vertices"));
    for (const char* vertex : {"2", "3", "4"}) CHECK_THAT(error.found(), ContainsSubstring(vertex));
  }
  List<boost::vecS, boost::undirectedS> loop(2);
  add_edge(1, 1, loop);
  CHECK_THROWS_WITH(bipartite_graph_from(loop), ContainsSubstring("self-loop at vertex 1"));
  CHECK_THROWS_WITH(bipartite_graph_from(loop, [](auto v) { return v == 1; }), ContainsSubstring("1 and 1"));
}

TEST_CASE("sides can be given") {
  List<boost::vecS, boost::undirectedS, Weighted<int>> g(4);
  add_edge(0, 3, 5, g);
  add_edge(2, 1, 7, g);
  const auto is_column = [](std::size_t v) { return v < 2; };
  const auto adapted = bipartite_graph_from(g, is_column);
  CHECK(adapted.row_vertices == std::vector<std::size_t>{2, 3});
  CHECK(adapted.column_vertices == std::vector<std::size_t>{0, 1});
  CHECK(adapted.edges() == std::vector<Edge>{{0, 1}, {1, 0}});
  const auto weighted = bipartite_graph_from(g, is_column, get(boost::edge_weight, g));
  CHECK(std::get<Ints>(weighted.weights()) == Ints{7, 5});
  CHECK_THROWS_WITH(bipartite_graph_from(g, [](std::size_t v) { return v == 0 || v == 3; }),
                    ContainsSubstring("vertices 0 and 3") && ContainsSubstring("both columns"));
}

TEST_CASE("weights of every arithmetic type are taken exactly") {
  const auto weights_of = [](auto value) {
    List<boost::listS, boost::undirectedS, Weighted<decltype(value)>> g;
    const auto u = add_vertex(g);
    const auto v = add_vertex(g);
    add_edge(u, v, value, g);
    return bipartite_graph_from(g, get(boost::edge_weight, g)).weights();
  };
  CHECK(weights_of(-3) == Weights(Ints{-3}));
  CHECK(weights_of(true) == Weights(Ints{1}));
  CHECK(weights_of(std::uint8_t{200}) == Weights(Ints{200}));
  CHECK(weights_of(std::numeric_limits<std::int64_t>::min()) ==
        Weights(Ints{std::numeric_limits<std::int64_t>::min()}));
  CHECK_THROWS_AS(weights_of(std::numeric_limits<std::uint64_t>::max()), InputError);
  CHECK(weights_of(0.1f) == Weights(Reals{DoubleDouble(0.1f)}));
  CHECK(weights_of(0.1) == Weights(Reals{DoubleDouble(0.1)}));
  const long double third = 1.0L / 3;
  const Weights long_weights = weights_of(third);
  const DoubleDouble kept = std::get<Reals>(long_weights)[0];
  CHECK(static_cast<long double>(kept.hi) + static_cast<long double>(kept.lo) == third);
  CHECK(weights_of(std::complex<double>(1, -2)) == Weights(Complexes{{DoubleDouble(1), DoubleDouble(-2)}}));
  CHECK(weights_of(DoubleDouble(1, 0x1p-60)) == Weights(Reals{DoubleDouble(1, 0x1p-60)}));
  CHECK_THROWS_AS(weights_of(std::numeric_limits<double>::infinity()), InputError);
}

TEST_CASE("weights come from any property map") {
  using G = List<boost::vecS, boost::directedS>;
  G g(4);
  std::map<BoostEdge<G>, double> table;
  table[add_edge(0, 2, g).first] = 0.5;
  table[add_edge(1, 3, g).first] = 0.25;
  const boost::associative_property_map<std::map<BoostEdge<G>, double>> weights(table);
  CHECK(bipartite_graph_from(g, weights).weights() == Weights(Reals{DoubleDouble(0.5), DoubleDouble(0.25)}));
  const auto constant = boost::make_static_property_map<BoostEdge<G>>(std::int64_t{9});
  CHECK(digraph_from(g, constant).weights() == Weights(Ints{9, 9}));
}

TEST_CASE("parallel edges follow the choice") {
  List<boost::vecS, boost::undirectedS, Weighted<int>> g(2);
  add_edge(0, 1, 2, g);
  add_edge(1, 0, 5, g);
  CHECK_THROWS_AS(bipartite_graph_from(g), InputError);
  CHECK(bipartite_graph_from(g, Duplicates::one).num_edges() == 1);
  CHECK(bipartite_graph_from(g, Duplicates::sum).weights() == Weights(Ints{2}));
  CHECK(bipartite_graph_from(g, get(boost::edge_weight, g), Duplicates::sum).weights() == Weights(Ints{7}));
}

TEST_CASE("digraphs keep directions and self-loops; undirected edges go both ways") {
  List<boost::listS, boost::directedS, Weighted<int>> directed;
  std::vector<BoostVertex<decltype(directed)>> all;
  for (int v = 0; v < 3; ++v) all.push_back(add_vertex(directed));
  add_edge(all[2], all[0], 4, directed);
  add_edge(all[1], all[1], 6, directed);
  const auto adapted = digraph_from(directed, get(boost::edge_weight, directed));
  CHECK(adapted.vertices == all);
  CHECK(adapted.bipartite().edges() == std::vector<Edge>{{1, 1}, {2, 0}});
  CHECK(adapted.weights() == Weights(Ints{6, 4}));
  const Digraph& digraph = digraph_from(directed);
  CHECK(digraph.num_arcs() == 2);

  List<boost::vecS, boost::undirectedS, Weighted<int>> undirected(2);
  add_edge(0, 1, 3, undirected);
  add_edge(1, 1, 8, undirected);
  const auto both = digraph_from(undirected, get(boost::edge_weight, undirected));
  CHECK(both.bipartite().edges() == std::vector<Edge>{{0, 1}, {1, 0}, {1, 1}});
  CHECK(both.weights() == Weights(Ints{3, 3, 8}));
}

TEST_CASE("a graph without vertices is adapted") {
  const List<boost::vecS, boost::undirectedS> g;
  CHECK(bipartite_graph_from(g).num_rows() == 0);
  CHECK(digraph_from(g).num_vertices() == 0);
}

TEST_CASE("random graphs with shuffled vertices come back edge by edge, through descriptors of every kind") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const BipartiteGraph from = random_graph(9, 11, 0.3, seed);
    Random random(seed, 1);
    std::vector<std::size_t> order(20);
    for (std::size_t i = 0; i < 20; ++i) {
      const std::size_t j = random.below(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    List<boost::listS, boost::undirectedS, Weighted<int>> g;
    std::vector<BoostVertex<decltype(g)>> made;
    for (int v = 0; v < 20; ++v) made.push_back(add_vertex(g));
    std::map<BoostVertex<decltype(g)>, Vertex> number;
    for (Vertex v = 0; v < 20; ++v) number[made[order[v]]] = v;  // v < 9: row v, else column v - 9
    int weight = 0;
    for (const Edge& edge : from.edges()) add_edge(made[order[edge.row]], made[order[edge.column + 9]], weight++, g);
    const auto adapted = bipartite_graph_from(
        g, [&](auto v) { return number.at(v) >= 9; }, get(boost::edge_weight, g));
    REQUIRE(adapted.row_vertices.size() == 9);
    std::vector<Edge> edges(from.num_edges());
    EdgeId id = 0;
    for (const Edge& edge : adapted.edges()) {
      edges[static_cast<std::size_t>(std::get<Ints>(adapted.weights())[id++])] = {
          number.at(adapted.row_vertices[edge.row]), number.at(adapted.column_vertices[edge.column]) - 9};
    }
    REQUIRE(id == from.num_edges());
    REQUIRE(edges == from.edges());
  }
}

}  // namespace
}  // namespace matchcount
