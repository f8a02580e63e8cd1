#include "matching/graph_matching.hpp"

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "graph/two_colouring.hpp"
#include "matching/gallai_edmonds.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261122;

const RunContext& context() {
  static const RunContext unlimited;
  return unlimited;
}

void check(const UndirectedGraph& graph, Vertex size) {
  const GraphMatching matching = maximum_matching(graph, context());
  CHECK(is_matching(graph, matching));
  CHECK(matching.size == size);
  if (matching.is_perfect()) {
    CHECK_THROWS_AS(tutte_set(graph, matching), InputError);
  } else {
    CHECK(is_tutte_set(graph, tutte_set(graph, matching)));
  }
}

TEST_CASE("components are numbered, coloured, and told by their odd cycles") {
  // 0-1-2-0, 3, 4-5-6-7-4
  const UndirectedGraph graph =
      UndirectedGraph::from_edges(8, {{0, 1}, {1, 2}, {2, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}});
  const ColouredComponents components = coloured_components(graph);
  CHECK(components.component == std::vector<Vertex>{0, 0, 0, 1, 2, 2, 2, 2});
  CHECK(components.has_odd_cycle == std::vector<bool>{true, false, false});
  CHECK(components.is_column[3] == false);
  CHECK(components.is_column[4] == false);
  for (const Edge& edge : graph.edges()) {
    if (edge.row >= 4) CHECK(components.is_column[edge.row] != components.is_column[edge.column]);
  }
  CHECK(coloured_components(UndirectedGraph()).count() == 0);
}

TEST_CASE("graphs with long blossoms and none on both sides of 32, 64 and beyond") {
  Random random(seed, 2);
  for (const Vertex n : {31u, 32u, 33u, 63u, 64u, 65u, 500u, 501u}) {
    CAPTURE(n);
    check(test::cycle(n), n / 2);
    check(test::shuffled(test::wheel(n), random), n / 2);
    check(test::shuffled(test::closed_ladder(n, true), random), n);
    const UndirectedGraph sparse = test::random_graph(n, 2.0 / n, random);
    check(sparse, maximum_matching(sparse, context()).size);
  }
}

TEST_CASE("two triangles hanging from a vertex have a perfect matching, three have none for want of a second one") {
  // Vertex 0 joined to one corner of each triangle.
  const auto triangles = [](Vertex count) {
    std::vector<Edge> edges;
    for (Vertex i = 0; i < count; ++i) {
      const Vertex a = 1 + 3 * i;
      edges.insert(edges.end(), {{0, a}, {a, a + 1}, {a, a + 2}, {a + 1, a + 2}});
    }
    return UndirectedGraph::from_edges(1 + 3 * count, edges);
  };
  CHECK(maximum_matching(triangles(1), context()).is_perfect());
  const UndirectedGraph three = triangles(3);
  const TutteSet set = tutte_set(three, maximum_matching(three, context()));
  CHECK(set.removed == std::vector<Vertex>{0});
  CHECK(set.odd_components == 3);
  // An odd number of vertices needs no further reason.
  const TutteSet odd = tutte_set(triangles(2), maximum_matching(triangles(2), context()));
  CHECK(odd.removed.empty());
  CHECK(odd.odd_components == 1);
}

TEST_CASE("a star without an odd cycle has its centre for a reason") {
  const UndirectedGraph star = UndirectedGraph::from_edges(6, {{2, 0}, {2, 1}, {2, 3}, {2, 4}, {4, 5}});
  const TutteSet set = tutte_set(star, maximum_matching(star, context()));
  CHECK(set.removed == std::vector<Vertex>{2});
  CHECK(set.odd_components == 3);
  CHECK(is_tutte_set(star, set));
}

TEST_CASE("certificates that prove nothing are refused") {
  const UndirectedGraph square = test::cycle(4);
  CHECK_FALSE(is_tutte_set(square, {{}, 0}));
  CHECK_FALSE(is_tutte_set(square, {{0, 2}, 2}));  // as many as were removed
  CHECK_FALSE(is_tutte_set(square, {{0}, 2}));     // there is one
  CHECK_FALSE(is_tutte_set(square, {{0, 0}, 3}));
  CHECK_FALSE(is_tutte_set(square, {{9}, 2}));
  CHECK_FALSE(is_matching(square, {{1, 0, unmatched, unmatched}, 2}));
  CHECK_FALSE(is_matching(square, {{2, unmatched, 0, unmatched}, 1}));  // no edge
  CHECK_FALSE(is_matching(square, {{1, 2, 1, unmatched}, 1}));
  CHECK_FALSE(is_matching(square, {{1, 0}, 1}));
  CHECK(is_matching(square, {{1, 0, 3, 2}, 2}));
  CHECK_THROWS_AS(tutte_set(square, {{1, 0, unmatched, unmatched}, 1}), InputError);
  CHECK_THROWS_AS(edges_in_perfect_matchings(square, {{1, 0, unmatched, unmatched}, 1}, context()), InputError);
}

TEST_CASE("useless edges of larger graphs are those without whose ends no matching is perfect") {
  Random random(seed, 4);
  int useless = 0, useful = 0;
  for (int instance = 0; instance < 60; ++instance) {
    const auto n = static_cast<Vertex>(30 + 2 * random.below(20));
    const UndirectedGraph graph = test::random_graph(n, (2 + 1.5 * random.uniform()) / n, random);
    const std::vector<GallaiEdmondsPart> parts = gallai_edmonds(graph, maximum_matching(graph, context()));
    std::vector<Vertex> c;
    for (Vertex v = 0; v < n; ++v)
      if (parts[v] == GallaiEdmondsPart::c) c.push_back(v);
    const UndirectedGraph rest = graph.induced(c);
    const std::vector<bool> found = edges_in_perfect_matchings(rest, maximum_matching(rest, context()), context());
    CAPTURE(seed, test::to_string(rest));
    for (EdgeId id = 0; id < rest.num_edges(); ++id) {
      std::vector<Vertex> others;
      for (Vertex v = 0; v < c.size(); ++v)
        if (v != rest.edges()[id].row && v != rest.edges()[id].column) others.push_back(v);
      REQUIRE(found[id] == maximum_matching(rest.induced(others), context()).is_perfect());
      ++(found[id] ? useful : useless);
    }
  }
  CHECK(useless > 100);
  CHECK(useful > 500);
}

TEST_CASE("a time limit ends the search for a matching") {
  const RunContext over({.time_limit_s = 0});
  CHECK_THROWS_AS(maximum_matching(test::cycle(5), over), Unable);
}

}  // namespace
}  // namespace matchcount
