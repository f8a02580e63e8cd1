#include "graph/surface.hpp"

#include <set>

#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

// Makes C_height x C_width, the last line joined to the first moved by `twist`.
UndirectedGraph torus(Vertex height, Vertex width, Vertex twist = 0) {
  std::vector<Edge> edges;
  for (Vertex i = 0; i < height; ++i) {
    for (Vertex j = 0; j < width; ++j) {
      edges.push_back({i * width + j, i * width + (j + 1) % width});
      const Vertex to = i + 1 < height ? (i + 1) * width + j : (j + twist) % width;
      edges.push_back({i * width + j, to});
    }
  }
  return UndirectedGraph::from_edges(height * width, edges);
}

}  // namespace

TEST_CASE("grids on a torus are recognised under any names") {
  for (const auto& [height, width] :
       std::vector<std::pair<Vertex, Vertex>>{{5, 5}, {5, 6}, {6, 6}, {6, 9}, {31, 7}, {8, 32}}) {
    Random random(20260909, height);
    for (const UndirectedGraph& graph : {torus(height, width), test::shuffled(torus(height, width), random)}) {
      CAPTURE(height, width);
      const auto grid = torus_grid(graph);
      REQUIRE(grid);
      CHECK(std::set<Vertex>{grid->height, grid->width} == std::set<Vertex>{height, width});
      CHECK(std::set<Vertex>(grid->vertices.begin(), grid->vertices.end()).size() == graph.num_vertices());
    }
  }
  CHECK(torus_grid(UndirectedGraph::from_bipartite(torus_graph(6, 8))));
}

TEST_CASE("what is no grid on a torus is not taken for one") {
  CHECK_FALSE(torus_grid(UndirectedGraph()));
  CHECK_FALSE(torus_grid(torus(6, 7, 1)));
  CHECK_FALSE(torus_grid(torus(6, 8, 2)));
  CHECK_FALSE(torus_grid(UndirectedGraph::from_bipartite(grid_graph(8, 8))));
  CHECK_FALSE(torus_grid(UndirectedGraph::from_bipartite(hypercube_graph(4))));
  CHECK_FALSE(torus_grid(UndirectedGraph::from_bipartite(torus_graph(4, 8))));
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    CHECK_FALSE(torus_grid(UndirectedGraph::from_bipartite(random_regular_graph(32, 4, seed))));
  }
  // Two edges of a torus exchanged.
  std::vector<Edge> edges = torus(8, 8).edges();
  std::swap(edges[20].column, edges[90].column);
  CHECK_FALSE(torus_grid(UndirectedGraph::from_edges(64, edges)));
}

}  // namespace matchcount
