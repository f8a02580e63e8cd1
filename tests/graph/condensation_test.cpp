#include "graph/condensation.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261126;

Digraph random_digraph(Vertex n, double density, Random& random) {
  std::vector<Edge> arcs;
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = 0; v < n; ++v) {
      if (random.uniform() < density) arcs.push_back({u, v});
    }
  }
  return Digraph::from_arcs(n, std::move(arcs));
}

// reached[u][v]: by a path of at least one arc; Warshall's loops.
std::vector<std::vector<bool>> closure_by_oracle(const Digraph& graph) {
  const Vertex n = graph.num_vertices();
  std::vector<std::vector<bool>> reached(n, std::vector<bool>(n));
  for (const Edge& arc : graph.bipartite().edges()) reached[arc.row][arc.column] = true;
  for (Vertex k = 0; k < n; ++k) {
    for (Vertex u = 0; u < n; ++u) {
      for (Vertex v = 0; v < n && reached[u][k]; ++v) reached[u][v] = reached[u][v] || reached[k][v];
    }
  }
  return reached;
}

TEST_CASE("components are the vertices that reach each other, and arcs lead to lower ones") {
  Random random(seed);
  for (int instance = 0; instance < 120; ++instance) {
    const auto n = static_cast<Vertex>(random.below(24));
    const Digraph graph = random_digraph(n, 2.5 * random.uniform() / (n + 1), random);
    INFO("seed " << seed << ", instance " << instance << ", " << n << " vertices");
    const Condensation result = condensation(graph);
    const auto reached = closure_by_oracle(graph);
    REQUIRE(result.component.size() == n);
    for (Vertex u = 0; u < n; ++u) {
      REQUIRE(result.component[u] < result.num_components());
      CHECK(result.has_cycle[result.component[u]] == reached[u][u]);
      for (Vertex v = 0; v < n; ++v)
        CHECK((result.component[u] == result.component[v]) == (u == v || (reached[u][v] && reached[v][u])));
    }
    std::vector<Edge> arcs;
    for (const Edge& arc : graph.bipartite().edges()) {
      const Edge between{result.component[arc.row], result.component[arc.column]};
      if (between.row != between.column) arcs.push_back(between);
    }
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    std::size_t members = 0;
    for (Vertex c = 0; c < result.num_components(); ++c) {
      for (const Vertex v : result.members(c)) CHECK(result.component[v] == c);
      CHECK(std::is_sorted(result.members(c).begin(), result.members(c).end()));
      CHECK(result.size(c) == result.members(c).size());
      members += result.size(c);
      std::vector<Vertex> expected;
      for (const Edge& arc : arcs) {
        if (arc.row == c) expected.push_back(arc.column);
      }
      std::reverse(expected.begin(), expected.end());
      CHECK(std::vector<Vertex>(result.successors(c).begin(), result.successors(c).end()) == expected);
      for (const Vertex to : result.successors(c)) CHECK(to < c);
    }
    CHECK(members == n);
  }
}

TEST_CASE("a path and a cycle of a million vertices are condensed without recursion") {
  constexpr Vertex n = 1'000'000;
  std::vector<Edge> arcs;
  for (Vertex v = 0; v + 1 < n; ++v) arcs.push_back({v, v + 1});
  CHECK(condensation(Digraph::from_arcs(n, arcs)).num_components() == n);
  arcs.push_back({n - 1, 0});
  const Condensation cycle = condensation(Digraph::from_arcs(n, arcs));
  CHECK(cycle.num_components() == 1);
  CHECK(cycle.size(0) == n);
  CHECK(cycle.has_cycle[0]);
  CHECK(cycle.arc_targets.empty());
}

TEST_CASE("the empty digraph has no components, and condensation ends when it is cancelled") {
  CHECK(condensation(Digraph()).num_components() == 0);
  const RunOptions options{.stop = test::raised_stop()};
  std::vector<Edge> arcs;
  for (Vertex v = 0; v < 10'000; ++v) arcs.push_back({v, v});
  CHECK_THROWS_AS(condensation(Digraph::from_arcs(10'000, arcs), RunContext(options)), Cancelled);
}

}  // namespace
}  // namespace matchcount
