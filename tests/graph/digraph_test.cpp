#include "graph/digraph.hpp"

#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

TEST_CASE("a digraph keeps its arcs, self-loops and two-cycles apart") {
  const Digraph graph = Digraph::from_arcs(3, {{2, 2}, {1, 0}, {0, 1}, {1, 1}});
  CHECK(graph.num_vertices() == 3);
  CHECK(graph.num_arcs() == 4);
  CHECK(std::vector<Vertex>(graph.successors(1).begin(), graph.successors(1).end()) == std::vector<Vertex>{0, 1});
  CHECK(std::vector<Vertex>(graph.predecessors(1).begin(), graph.predecessors(1).end()) == std::vector<Vertex>{0, 1});
  CHECK(graph.bipartite().edges() == std::vector<Edge>{{0, 1}, {1, 0}, {1, 1}, {2, 2}});
}

TEST_CASE("an arc out of range is refused in a digraph's own words") {
  CHECK_THROWS_WITH(Digraph::from_arcs(3, {{0, 3}}), ContainsSubstring("0 -> 3"));
  CHECK_THROWS_AS(Digraph::from_arcs(3, {{3, 0}}), InputError);
  CHECK_THROWS_AS(Digraph::from_arcs(0, {{0, 0}}), InputError);
}

TEST_CASE("repeated arcs follow the choice") {
  const std::vector<Edge> arcs{{0, 0}, {0, 0}};
  CHECK_THROWS_AS(Digraph::from_arcs(1, arcs), InputError);
  CHECK(Digraph::from_arcs(1, arcs, {}, Duplicates::one).num_arcs() == 1);
  const Digraph sum = Digraph::from_arcs(1, arcs, std::vector<std::int64_t>{4, 5}, Duplicates::sum);
  CHECK(std::get<std::vector<std::int64_t>>(sum.weights()) == std::vector<std::int64_t>{9});
}

TEST_CASE("the default digraph has no vertices") {
  const Digraph graph;
  CHECK(graph.num_vertices() == 0);
  CHECK(graph.num_arcs() == 0);
}

}  // namespace
}  // namespace matchcount
