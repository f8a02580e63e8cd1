#include "graph/undirected_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/boost_adapter.hpp"
#include "graph/generate.hpp"
#include "graph/two_colouring.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

using Ints = std::vector<std::int64_t>;

template <class T>
std::vector<T> list(std::span<const T> items) {
  return {items.begin(), items.end()};
}

// Returns the first promise of the header that is broken; empty where all are kept.
std::string broken_promise(const UndirectedGraph& graph) {
  const std::vector<Edge>& edges = graph.edges();
  if (edges.size() != graph.num_edges()) return "edges() has num_edges() of them";
  if (!std::is_sorted(edges.begin(), edges.end())) return "edges ascend";
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return "edges are distinct";
  for (const Edge& edge : edges) {
    if (edge.row >= edge.column || edge.column >= graph.num_vertices()) return "the ends of an edge";
  }
  EdgeId ends = 0;
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    const auto neighbours = graph.neighbours(v);
    const auto ids = graph.incident_edges(v);
    if (neighbours.size() != ids.size() || !std::is_sorted(neighbours.begin(), neighbours.end())) {
      return "the order of the neighbours of " + std::to_string(v);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= edges.size() || edges[ids[i]] != Edge{std::min(v, neighbours[i]), std::max(v, neighbours[i])}) {
        return "the ids of the edges at " + std::to_string(v);
      }
    }
    ends += ids.size();
  }
  return ends == 2 * graph.num_edges() ? "" : "every edge has two ends";
}

TEST_CASE("an undirected graph sorts its edges whichever way round they are given") {
  const UndirectedGraph graph = UndirectedGraph::from_edges(4, {{3, 2}, {0, 1}, {2, 0}}, Ints{5, 6, 7});
  CHECK(graph.num_vertices() == 4);
  CHECK(graph.edges() == std::vector<Edge>{{0, 1}, {0, 2}, {2, 3}});
  CHECK(std::get<Ints>(graph.weights()) == Ints{6, 7, 5});
  CHECK(list(graph.neighbours(2)) == std::vector<Vertex>{0, 3});
  CHECK(list(graph.incident_edges(2)) == std::vector<EdgeId>{1, 2});
  CHECK(graph.weight_kind() == WeightKind::integer);
}

TEST_CASE("an undirected graph's lists agree with its edges, from 0 to 65 vertices") {
  for (const Vertex n : {0u, 1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u}) {
    Random random(7, n);
    std::vector<Edge> edges;
    for (Vertex u = 0; u < n; ++u) {
      for (Vertex v = u + 1; v < n; ++v) {
        if (random.uniform() < 0.3) edges.push_back(random.below(2) == 0 ? Edge{u, v} : Edge{v, u});
      }
    }
    for (std::size_t i = edges.size(); i > 1; --i) std::swap(edges[i - 1], edges[random.below(i)]);
    const UndirectedGraph graph = UndirectedGraph::from_edges(n, edges);
    CAPTURE(n);
    CHECK(graph.num_edges() == edges.size());
    CHECK(broken_promise(graph) == "");
  }
  CHECK(UndirectedGraph().num_vertices() == 0);
  CHECK(broken_promise(UndirectedGraph::from_edges(3, {})) == "");
}

TEST_CASE("self-loops, vertices out of range and repeated edges are refused in an undirected graph's own words") {
  CHECK_THROWS_WITH(UndirectedGraph::from_edges(3, {{0, 1}, {2, 2}}), ContainsSubstring("self-loop at vertex 2"));
  CHECK_THROWS_WITH(UndirectedGraph::from_edges(3, {{0, 3}}), ContainsSubstring("vertices 0 and 3"));
  CHECK_THROWS_AS(UndirectedGraph::from_edges(0, {{0, 1}}), InputError);
  CHECK_THROWS_WITH(UndirectedGraph::from_edges(3, {{1, 2}, {0, 1}, {2, 1}}),
                    ContainsSubstring("vertices 1 and 2") && ContainsSubstring("twice"));
  CHECK_THROWS_AS(UndirectedGraph::from_edges(3, {{0, 1}}, Ints{1, 2}), InputError);
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(UndirectedGraph::from_edges(3, {{0, 1}}, std::vector<DoubleDouble>{infinite}), InputError);
}

TEST_CASE("repeated undirected edges follow the choice, either way round") {
  const std::vector<Edge> edges{{1, 0}, {0, 1}, {1, 2}};
  CHECK(UndirectedGraph::from_edges(3, edges, Ints{4, 5, 6}, Duplicates::one).weights() == Weights(Ints{4, 6}));
  CHECK(UndirectedGraph::from_edges(3, edges, Ints{4, 5, 6}, Duplicates::sum).weights() == Weights(Ints{9, 6}));
  CHECK(UndirectedGraph::from_edges(3, edges, {}, Duplicates::sum).weights() == Weights(Ints{2, 1}));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_AS(UndirectedGraph::from_edges(3, edges, Ints{most, 1, 1}, Duplicates::sum), InputError);
}

TEST_CASE("parts of an undirected graph keep their weights") {
  const UndirectedGraph graph =
      UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}, Ints{1, 2, 0, 4, 5});
  CHECK(graph.pattern().weight_kind() == WeightKind::none);
  CHECK(graph.pattern().edges() == graph.edges());
  CHECK(graph.with_weights(Ints{5, 4, 3, 2, 1}).weights() == Weights(Ints{5, 4, 3, 2, 1}));
  CHECK_THROWS_AS(graph.with_weights(Ints{5}), InputError);
  CHECK(graph.drop_zeros().edges() == std::vector<Edge>{{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(graph.filtered({true, false, false, false, true}).weights() == Weights(Ints{1, 5}));
  CHECK_THROWS_AS(graph.filtered({true}), InputError);
  // 3, 1 and 2 become 0, 1 and 2: every edge turns over.
  const UndirectedGraph part = graph.induced(std::vector<Vertex>{3, 1, 2});
  CHECK(part.edges() == std::vector<Edge>{{0, 1}, {0, 2}, {1, 2}});
  CHECK(part.weights() == Weights(Ints{4, 5, 0}));
  CHECK(broken_promise(part) == "");
  CHECK_THROWS_AS(graph.induced(std::vector<Vertex>{1, 1}), InputError);
  CHECK_THROWS_AS(graph.induced(std::vector<Vertex>{4}), InputError);
}

TEST_CASE("a bipartite graph is an undirected one whose columns follow the rows") {
  const BipartiteGraph grid = grid_graph(3, 4);
  const UndirectedGraph graph = UndirectedGraph::from_bipartite(grid);
  CHECK(graph.num_vertices() == 12);
  CHECK(graph.num_edges() == grid.num_edges());
  CHECK(broken_promise(graph) == "");
  for (const Edge& edge : graph.edges()) CHECK((edge.row < 6 && edge.column >= 6));
  CHECK(two_colour(graph.num_vertices(), graph.edges()).odd_cycle.empty());
}

TEST_CASE("the symmetric matrix has every edge both ways") {
  const UndirectedGraph graph = UndirectedGraph::from_edges(3, {{0, 1}, {1, 2}}, Ints{5, 6});
  const BipartiteGraph matrix = graph.symmetric_matrix();
  CHECK(matrix.edges() == std::vector<Edge>{{0, 1}, {1, 0}, {1, 2}, {2, 1}});
  CHECK(matrix.weights() == Weights(Ints{5, 5, 6, 6}));
  CHECK(graph.pattern().symmetric_matrix().weight_kind() == WeightKind::none);
}

TEST_CASE("two colours or an odd cycle, checked edge by edge on random graphs") {
  int odd = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 11);
    const auto n = static_cast<Vertex>(random.below(12));
    const std::vector<Edge> edges = test::random_graph(n, 0.2, random).edges();
    CAPTURE(seed);
    const TwoColouring colouring = two_colour(n, edges);
    if (colouring.odd_cycle.empty()) {
      for (const Edge& edge : edges) CHECK(colouring.is_column[edge.row] != colouring.is_column[edge.column]);
      continue;
    }
    ++odd;
    const std::vector<Vertex>& cycle = colouring.odd_cycle;
    CHECK(cycle.size() % 2 == 1);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const Vertex a = cycle[i], b = cycle[(i + 1) % cycle.size()];
      CHECK(std::find(edges.begin(), edges.end(), Edge{std::min(a, b), std::max(a, b)}) != edges.end());
      CHECK(std::count(cycle.begin(), cycle.end(), a) == 1);
    }
  }
  CHECK(odd > 20);
}

TEST_CASE("a Boost graph with odd cycles is adapted, with its weights and vertices") {
  using Weighted = boost::property<boost::edge_weight_t, int>;
  boost::adjacency_list<boost::vecS, boost::listS, boost::undirectedS, boost::no_property, Weighted> g;
  std::vector<decltype(add_vertex(g))> all;
  for (int v = 0; v < 5; ++v) all.push_back(add_vertex(g));
  for (std::size_t v = 0; v < 5; ++v) add_edge(all[v], all[(v + 1) % 5], static_cast<int>(v) + 1, g);
  const auto adapted = undirected_graph_from(g, get(boost::edge_weight, g));
  CHECK(adapted.vertices == all);
  CHECK(adapted.edges() == std::vector<Edge>{{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(adapted.weights() == Weights(Ints{1, 5, 2, 3, 4}));
  CHECK(undirected_graph_from(g).weight_kind() == WeightKind::none);

  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> arcs(2);
  add_edge(0, 1, arcs);
  add_edge(1, 0, arcs);
  CHECK_THROWS_AS(undirected_graph_from(arcs), InputError);
  CHECK(undirected_graph_from(arcs, Duplicates::one).num_edges() == 1);
  add_edge(1, 1, arcs);
  CHECK_THROWS_WITH(undirected_graph_from(arcs, Duplicates::one), ContainsSubstring("self-loop at vertex 1"));
}

}  // namespace
}  // namespace matchcount
