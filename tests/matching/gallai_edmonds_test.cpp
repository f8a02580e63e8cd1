#include "matching/gallai_edmonds.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "matching/alternating_forest.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261124;

const RunContext& context() {
  static const RunContext unlimited;
  return unlimited;
}

// Finds for every set of vertices, as bits, the size of a maximum matching among them.
std::vector<int> sizes_by_set(const UndirectedGraph& graph) {
  std::vector<int> sizes(std::size_t{1} << graph.num_vertices(), 0);
  for (std::size_t set = 1; set < sizes.size(); ++set) {
    const auto v = static_cast<Vertex>(std::countr_zero(set));
    const std::size_t rest = set & (set - 1);
    sizes[set] = sizes[rest];
    for (const Vertex u : graph.neighbours(v)) {
      const std::size_t bit = std::size_t{1} << u;
      if ((rest & bit) != 0) sizes[set] = std::max(sizes[set], 1 + sizes[rest & ~bit]);
    }
  }
  return sizes;
}

// Finds the parts by the definition: deletes each vertex and matches again.
std::vector<GallaiEdmondsPart> parts_by_deleting(const UndirectedGraph& graph, const std::vector<int>& sizes) {
  const std::size_t all = sizes.size() - 1;
  std::vector<GallaiEdmondsPart> parts(graph.num_vertices(), GallaiEdmondsPart::c);
  for (Vertex v = 0; v < parts.size(); ++v) {
    if (sizes[all & ~(std::size_t{1} << v)] == sizes[all]) parts[v] = GallaiEdmondsPart::d;
  }
  for (Vertex v = 0; v < parts.size(); ++v) {
    if (parts[v] == GallaiEdmondsPart::d) continue;
    const auto neighbours = graph.neighbours(v);
    if (std::any_of(neighbours.begin(), neighbours.end(), [&](Vertex u) { return parts[u] == GallaiEdmondsPart::d; })) {
      parts[v] = GallaiEdmondsPart::a;
    }
  }
  return parts;
}

// Checks everything, the edges too, against matchings of all sets of vertices.
void check(const UndirectedGraph& graph) {
  CAPTURE(seed, test::to_string(graph));
  const std::vector<int> sizes = sizes_by_set(graph);
  const std::size_t all = sizes.size() - 1;
  const GraphMatching matching = maximum_matching(graph, context());
  REQUIRE(is_matching(graph, matching));
  REQUIRE(matching.size == static_cast<Vertex>(sizes[all]));
  if (!matching.is_perfect()) CHECK(is_tutte_set(graph, tutte_set(graph, matching)));
  const auto parts = gallai_edmonds(graph, matching);
  CHECK(parts == parts_by_deleting(graph, sizes));

  const TutteSet barrier = tutte_berge_barrier(matching, parts);
  CHECK(is_maximum(graph, matching, barrier));
  CHECK(is_tutte_set(graph, barrier) == !matching.is_perfect());

  const std::vector<bool> useful = edges_in_maximum_matchings(graph, matching, parts, context());
  for (EdgeId id = 0; id < graph.num_edges(); ++id) {
    const auto [u, v] = graph.edges()[id];
    CAPTURE(u, v);
    CHECK(useful[id] == (1 + sizes[all & ~(std::size_t{1} << u) & ~(std::size_t{1} << v)] == sizes[all]));
  }
}

// Cycles of odd length whose vertices are cycles of odd length: blossoms within blossoms. `depth` 0 is a vertex.
UndirectedGraph nested_cycles(int depth, Vertex length, Random& random) {
  if (depth == 0) return UndirectedGraph::from_edges(1, {});
  std::vector<Edge> edges;
  std::vector<Vertex> first, size;
  Vertex n = 0;
  for (Vertex i = 0; i < length; ++i) {
    const UndirectedGraph part = nested_cycles(i % 2 == 0 ? depth - 1 : 0, length, random);
    for (const Edge& edge : part.edges()) edges.push_back({edge.row + n, edge.column + n});
    first.push_back(n);
    size.push_back(part.num_vertices());
    n += part.num_vertices();
  }
  for (Vertex i = 0; i < length; ++i) {
    const Vertex next = (i + 1) % length;
    edges.push_back({first[i] + static_cast<Vertex>(random.below(size[i])),
                     first[next] + static_cast<Vertex>(random.below(size[next]))});
  }
  return UndirectedGraph::from_edges(n, std::move(edges));
}

// Joins both side by side, and some edges between them.
UndirectedGraph joined(const UndirectedGraph& one, const UndirectedGraph& other, int between, Random& random) {
  const Vertex n = one.num_vertices();
  std::set<Edge> edges(one.edges().begin(), one.edges().end());
  for (const Edge& edge : other.edges()) edges.insert({edge.row + n, edge.column + n});
  for (int i = 0; i < between; ++i) {
    edges.insert({static_cast<Vertex>(random.below(n)), n + static_cast<Vertex>(random.below(other.num_vertices()))});
  }
  return UndirectedGraph::from_edges(n + other.num_vertices(), {edges.begin(), edges.end()});
}

TEST_CASE("D, A and C of random graphs are what deleting each vertex says, and so are the edges in maximum matchings") {
  Random random(seed, 1);
  for (int instance = 0; instance < 600; ++instance) {
    const auto n = static_cast<Vertex>(random.below(11));
    check(test::random_graph(n, 0.05 + 0.5 * random.uniform() * random.uniform(), random));
  }
}

TEST_CASE("D, A and C are right for empty, complete, odd, lonely and separate graphs") {
  check(UndirectedGraph());
  for (Vertex n = 1; n <= 10; ++n) {
    check(UndirectedGraph::from_edges(n, {}));
    check(test::complete(n));
    if (n >= 3) check(test::cycle(n));
    if (n >= 4) check(test::wheel(n));
  }
  check(test::petersen());
  Random random(seed, 2);
  check(joined(test::cycle(5), test::cycle(7), 0, random));
  check(joined(test::cycle(3), UndirectedGraph::from_edges(4, {{0, 1}, {0, 2}, {0, 3}}), 0, random));
}

TEST_CASE("blossoms within blossoms are found, whatever hangs from them") {
  Random random(seed, 3);
  for (int instance = 0; instance < 200; ++instance) {
    const UndirectedGraph blossom = nested_cycles(2, 3, random);  // 7 vertices
    const auto n = static_cast<Vertex>(1 + random.below(6));
    const UndirectedGraph other = test::random_graph(n, 0.4, random);
    check(test::shuffled(joined(blossom, other, static_cast<int>(random.below(4)), random), random));
  }
  // Every vertex of it can be the one that is left out.
  for (const int depth : {3, 4, 5}) {
    const UndirectedGraph blossom = test::shuffled(nested_cycles(depth, 5, random), random);
    const GraphMatching matching = maximum_matching(blossom, context());
    CAPTURE(depth, blossom.num_vertices());
    CHECK(2 * matching.size + 1 == blossom.num_vertices());
    const auto parts = gallai_edmonds(blossom, matching);
    CHECK(std::count(parts.begin(), parts.end(), GallaiEdmondsPart::d) == blossom.num_vertices());
  }
}

TEST_CASE("a bridge between two triangles is in their perfect matching, and without it there is a barrier") {
  // 0-1-2 and 3-4-5 with the bridge 2-3, and without it.
  const UndirectedGraph bridged =
      UndirectedGraph::from_edges(6, {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {4, 5}});
  const GraphMatching perfect = maximum_matching(bridged, context());
  const std::vector<bool> useful =
      edges_in_maximum_matchings(bridged, perfect, gallai_edmonds(bridged, perfect), context());
  CHECK(useful == std::vector<bool>{true, false, false, true, false, false, true});
  CHECK(is_maximum(bridged, perfect, {{}, 0}));

  const UndirectedGraph apart = bridged.filtered({true, true, true, false, true, true, true});
  const GraphMatching two = maximum_matching(apart, context());
  CHECK(is_maximum(apart, two, {{}, 2}));
  CHECK_FALSE(is_maximum(apart, two, {{0}, 1}));                     // allows three
  CHECK_FALSE(is_maximum(apart, {{1, 0, 4, 5, 2, 3}, 3}, {{}, 2}));  // no matching
  CHECK_FALSE(is_maximum(apart, {{1, 0, unmatched, unmatched, unmatched, unmatched}, 1}, {{}, 2}));
}

TEST_CASE("a matching that can be augmented has no decomposition of Gallai and Edmonds") {
  // 0-1-2-3 with 1-2 matched; and a triangle with a tail at each of two corners, the triangle's edge matched.
  const UndirectedGraph path = UndirectedGraph::from_edges(4, {{0, 1}, {1, 2}, {2, 3}});
  CHECK_THROWS_AS(gallai_edmonds(path, {{unmatched, 2, 1, unmatched}, 1}), InputError);
  CHECK_THROWS_AS(gallai_edmonds(path, {{2, unmatched, 0, unmatched}, 1}), InputError);
  const UndirectedGraph tails = UndirectedGraph::from_edges(6, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 4}, {2, 5}});
  CHECK_THROWS_AS(gallai_edmonds(tails, {{1, 0, unmatched, unmatched, unmatched, unmatched}, 1}), InputError);
  CHECK_THROWS_AS(gallai_edmonds(tails, {{3, 2, 1, 0, unmatched, unmatched}, 2}), InputError);
}

TEST_CASE("a forest that was grown once more tells what a new one does") {
  Random random(seed, 4);
  const UndirectedGraph graph = test::closed_ladder(33, false);
  const GraphMatching matching = maximum_matching(graph, context());
  AlternatingForest forest(graph, matching.partner);
  for (const Vertex without : {0u, 40u, 7u, 0u}) {
    AlternatingForest fresh(graph, matching.partner);
    REQUIRE(forest.grow(without));
    REQUIRE(fresh.grow(without));
    for (Vertex v = 0; v < graph.num_vertices(); ++v) CHECK(forest.state(v) == fresh.state(v));
  }
}

}  // namespace
}  // namespace matchcount
