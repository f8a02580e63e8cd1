#include "permanent/planar/dissection.hpp"

#include "graph/generate.hpp"
#include "permanent/planar/cpu/elimination_program.hpp"
#include "support/catch.hpp"
#include "support/planar_graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20260906;

Dissection dissect(const UndirectedGraph& graph) {
  const RunContext context;
  return nested_dissection(graph, seed, context);
}

// Every vertex in one node, children before parents, and every edge between a node and itself or one above it.
bool is_dissection(const UndirectedGraph& graph, const Dissection& dissection) {
  std::vector<std::uint32_t> node_of(graph.num_vertices(), Dissection::no_parent);
  for (std::uint32_t node = 0; node < dissection.num_nodes(); ++node) {
    if (dissection.parent[node] <= node) return false;
    for (std::size_t i = dissection.begin[node]; i < dissection.begin[node + 1]; ++i) {
      if (node_of[dissection.vertices[i]] != Dissection::no_parent) return false;
      node_of[dissection.vertices[i]] = node;
    }
  }
  if (dissection.vertices.size() != graph.num_vertices()) return false;
  for (const Edge& edge : graph.edges()) {
    const std::uint32_t low = std::min(node_of[edge.row], node_of[edge.column]);
    const std::uint32_t high = std::max(node_of[edge.row], node_of[edge.column]);
    std::uint32_t node = low;
    while (node < high) node = dissection.parent[node];
    if (node != high) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("separators separate, on graphs of every kind") {
  CHECK(dissect(UndirectedGraph()).num_nodes() == 0);
  std::vector<Edge> star, wheel;
  for (Vertex v = 1; v < 300; ++v) {
    star.push_back({0, v});
    wheel.insert(wheel.end(), {{0, v}, {v, v == 299 ? 1 : v + 1}});
  }
  for (const UndirectedGraph& graph :
       {UndirectedGraph::from_edges(1, {}), UndirectedGraph::from_edges(64, {}), UndirectedGraph::from_edges(300, star),
        UndirectedGraph::from_edges(300, wheel), UndirectedGraph::from_bipartite(complete_graph(20, 20)),
        UndirectedGraph::from_bipartite(grid_graph(31, 33)), UndirectedGraph::from_bipartite(hexagon_graph(8, 8, 8)),
        UndirectedGraph::from_bipartite(aztec_graph(15))}) {
    CAPTURE(graph.num_vertices(), graph.num_edges());
    CHECK(is_dissection(graph, dissect(graph)));
  }
  for (std::uint64_t i = 0; i < 40; ++i) {
    Random random(seed, i);
    const UndirectedGraph graph = test::random_planar(static_cast<Vertex>(random.below(400)), random.uniform(), random);
    CAPTURE(seed, i);
    CHECK(is_dissection(graph, dissect(graph)));
  }
}

TEST_CASE("the same graph and seed give the same separators") {
  const auto graph = UndirectedGraph::from_bipartite(grid_graph(20, 30));
  CHECK(dissect(graph).vertices == dissect(graph).vertices);
}

TEST_CASE("the work on grids grows as the third power of their side") {
  std::vector<double> work;
  for (const Vertex n : {16, 32, 64}) {
    const BipartiteGraph grid = grid_graph(n, n);
    const auto graph = UndirectedGraph::from_bipartite(grid);
    std::vector<bool> is_column(graph.num_vertices(), false);
    for (Vertex v = grid.num_rows(); v < graph.num_vertices(); ++v) is_column[v] = true;
    work.push_back(analyse_elimination(graph, is_column, dissect(graph)).multiplications);
  }
  CHECK(work[1] < 10 * work[0]);
  CHECK(work[2] < 10 * work[1]);
  CHECK(work[2] < 1e6);
}

}  // namespace matchcount
