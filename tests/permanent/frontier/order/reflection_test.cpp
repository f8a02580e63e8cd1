#include "permanent/frontier/order/reflection.hpp"

#include <algorithm>

#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

const RunContext& any_run() {
  static const RunOptions options;
  static const RunContext run(options);
  return run;
}

std::optional<Reflection> reflection_of(const UndirectedGraph& graph) {
  return find_reflection(graph, std::vector<bool>(graph.num_vertices(), true), any_run());
}

// Checks by the definition that the mirror is an automorphism, and what the two halves and the middle are.
void check(const UndirectedGraph& graph, const Reflection& reflection) {
  const std::vector<Vertex>& mirror = reflection.mirror;
  std::vector<int> side(graph.num_vertices(), 0);
  for (const Vertex v : reflection.sequence) {
    CHECK(side[v] == 0);
    side[v] = 1;
  }
  for (const Vertex v : reflection.sequence) {
    CHECK(side[mirror[v]] == 0);
    side[mirror[v]] = -1;
  }
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    CHECK(mirror[mirror[v]] == v);
    CHECK((side[v] == 0) == (std::ranges::count(reflection.middle, v) == 1));
  }
  std::size_t within = 0, inner = 0;
  for (const auto& [u, v] : graph.edges()) {
    CHECK(std::ranges::count(graph.neighbours(mirror[u]), mirror[v]) == 1);
    CHECK(side[u] * side[v] != -1);
    within += side[u] == 0 && side[v] == 0;
  }
  for (const auto& edge : reflection.inner) {
    CHECK(side[edge.u] == 0);
    CHECK(side[edge.v] == 0);
    const bool is_own = std::minmax({edge.u, edge.v}) == std::minmax({mirror[edge.u], mirror[edge.v]});
    CHECK(edge.is_halved == is_own);
    inner += is_own ? 1 : 2;
  }
  CHECK(inner == within);
}

TEST_CASE("boxes, boards, tori and cycles have reflections with middles as narrow as a level") {
  struct Case {
    UndirectedGraph graph;
    std::size_t most_in_middle;
  };
  const auto of = [](const BipartiteGraph& graph) { return UndirectedGraph::from_bipartite(graph); };
  const UndirectedGraph cycle = UndirectedGraph::from_edges(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}});
  for (const auto& [graph, most] :
       {Case{of(grid_graph(4, 4)), 4}, Case{of(grid_graph(5, 6)), 6}, Case{of(torus_graph(4, 6)), 8},
        Case{of(grid3d_graph(4, 4, 4)), 14}, Case{of(grid3d_graph(3, 3, 4)), 10}, Case{cycle, 3}}) {
    const auto reflection = reflection_of(graph);
    REQUIRE(reflection);
    check(graph, *reflection);
    CHECK(reflection->middle.size() <= most);
  }
}

TEST_CASE("a reflection keeps colours, and a graph without automorphisms has none") {
  // A path of five vertices is its own mirror image, but for one with a leaf at its second vertex.
  const UndirectedGraph path = UndirectedGraph::from_edges(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  REQUIRE(reflection_of(path));
  CHECK(reflection_of(path)->middle == std::vector<Vertex>{2});
  CHECK_FALSE(find_reflection(path, {true, true, true, true, false}, any_run()));
  CHECK_FALSE(reflection_of(UndirectedGraph::from_edges(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {2, 6}})));
  CHECK_FALSE(reflection_of(UndirectedGraph::from_edges(1, {})));
  CHECK_FALSE(reflection_of(UndirectedGraph::from_edges(0, {})));
}

}  // namespace
}  // namespace matchcount
