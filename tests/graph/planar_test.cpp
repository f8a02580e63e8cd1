#include "graph/planar.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20260907;

using namespace test;

// Each edge is once in the rotation of each of its ends.
bool is_rotation(const UndirectedGraph& graph, const PlanarEmbedding& embedding) {
  for (Vertex v = 0; v < graph.num_vertices(); ++v) {
    std::vector<EdgeId> around(
        embedding.rotation.begin() + static_cast<std::ptrdiff_t>(embedding.rotation_begin[v]),
        embedding.rotation.begin() + static_cast<std::ptrdiff_t>(embedding.rotation_begin[v + 1]));
    std::vector<EdgeId> incident(graph.incident_edges(v).begin(), graph.incident_edges(v).end());
    std::sort(around.begin(), around.end());
    std::sort(incident.begin(), incident.end());
    if (around != incident) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("planar graphs are embedded with the faces that Euler's formula wants") {
  CHECK(planar_embedding(UndirectedGraph())->rotation.empty());
  CHECK(planar_embedding(UndirectedGraph::from_edges(3, {}))->rotation.empty());
  struct Case {
    UndirectedGraph graph;
    std::uint32_t faces;
  };
  for (const Case& c : {Case{UndirectedGraph::from_edges(2, {{0, 1}}), 1}, Case{complete(4), 4},
                        Case{UndirectedGraph::from_edges(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}}), 3},
                        Case{UndirectedGraph::from_bipartite(grid_graph(5, 7)), 25}, Case{test::dodecahedron(), 12},
                        Case{test::buckminsterfullerene(), 32}}) {
    const auto embedding = planar_embedding(c.graph);
    REQUIRE(embedding);
    CHECK(is_rotation(c.graph, *embedding));
    CHECK(faces_of(c.graph, *embedding).count == c.faces);
    CHECK(kuratowski_subgraph(c.graph).empty());
  }
}

TEST_CASE("graphs that are not planar have a Kuratowski subgraph") {
  CHECK(kuratowski_kind(complete(5), kuratowski_subgraph(complete(5))) == KuratowskiKind::k5);
  const auto k33 = UndirectedGraph::from_bipartite(complete_graph(3, 3));
  CHECK(kuratowski_kind(k33, kuratowski_subgraph(k33)) == KuratowskiKind::k33);
  CHECK(kuratowski_kind(petersen(), kuratowski_subgraph(petersen())) == KuratowskiKind::k33);
  for (const UndirectedGraph& graph :
       {complete(5), k33, petersen(), complete(9), UndirectedGraph::from_bipartite(torus_graph(6, 6)),
        UndirectedGraph::from_bipartite(hypercube_graph(5))}) {
    CHECK_FALSE(planar_embedding(graph));
    CHECK(kuratowski_kind(graph, kuratowski_subgraph(graph)) != KuratowskiKind::none);
  }
}

TEST_CASE("each random graph has an embedding or a Kuratowski subgraph") {
  int planar = 0, not_planar = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random(seed, i);
    const auto n = static_cast<Vertex>(5 + random.below(30));
    const UndirectedGraph graph = test::random_graph(n, (1.5 + 2.5 * random.uniform()) / n, random);
    CAPTURE(seed, i);
    const auto embedding = planar_embedding(graph);
    const std::vector<EdgeId> proof = kuratowski_subgraph(graph);
    CHECK(embedding.has_value() == proof.empty());
    if (embedding) {
      ++planar;
      CHECK(is_rotation(graph, *embedding));
    } else {
      ++not_planar;
      CHECK(kuratowski_kind(graph, proof) != KuratowskiKind::none);
    }
  }
  CHECK(planar > 50);
  CHECK(not_planar > 50);
}

TEST_CASE("what is no subdivision of K5 or K3,3 is not taken for one") {
  const UndirectedGraph k5 = complete(5), k6 = complete(6);
  std::vector<EdgeId> all(k5.num_edges());
  for (EdgeId id = 0; id < all.size(); ++id) all[id] = id;
  CHECK(kuratowski_kind(k5, all) == KuratowskiKind::k5);
  all.pop_back();
  CHECK(kuratowski_kind(k5, all) == KuratowskiKind::none);
  CHECK(kuratowski_kind(k5, {}) == KuratowskiKind::none);
  // The prism: six vertices of degree 3, but planar.
  const auto prism =
      UndirectedGraph::from_edges(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {0, 3}, {1, 4}, {2, 5}});
  CHECK(kuratowski_kind(prism, {0, 1, 2, 3, 4, 5, 6, 7, 8}) == KuratowskiKind::none);
  // K5 beside a triangle.
  std::vector<Edge> edges = complete(5).edges();
  edges.insert(edges.end(), {{5, 6}, {6, 7}, {5, 7}});
  const auto beside = UndirectedGraph::from_edges(8, edges);
  CHECK(kuratowski_kind(beside, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}) == KuratowskiKind::none);
}

TEST_CASE("faces of another graph's embedding are refused") {
  CHECK_THROWS_AS(faces_of(complete(4), *planar_embedding(complete(3))), InputError);
}

TEST_CASE("a stop ends the embedding of a large graph") {
  const UndirectedGraph grid = UndirectedGraph::from_bipartite(grid_graph(60, 60));
  std::stop_source source;
  const RunContext context({.stop = source.get_token()});
  CHECK(planar_embedding(grid, context).has_value());
  source.request_stop();
  CHECK_THROWS_AS(planar_embedding(grid, context), Cancelled);
}

}  // namespace matchcount
