// Clar covers and resonant sets of hexagons against a search that takes one vertex after the other, and against
// published polynomials.

#include "matchcount/sextets.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "graph/generate.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"
#include "support/planar_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

using Numbers = std::vector<Integer>;

// Every set of six vertices that induces a cycle: each has two neighbours within, and they hang together.
std::vector<std::vector<Vertex>> hexagons_of(const UndirectedGraph& graph) {
  std::vector<std::vector<Vertex>> hexagons;
  const Vertex n = graph.num_vertices();
  for (std::uint32_t set = 0; set < 1u << n; ++set) {
    if (std::popcount(set) != 6) continue;
    std::vector<Vertex> members;
    for (Vertex v = 0; v < n; ++v)
      if ((set >> v & 1) != 0) members.push_back(v);
    const UndirectedGraph inner = graph.induced(members);
    bool is_cycle = inner.num_edges() == 6;
    for (Vertex v = 0; v < 6; ++v) is_cycle = is_cycle && inner.neighbours(v).size() == 2;
    if (!is_cycle) continue;
    // Else it is two triangles, in which the two neighbours of a vertex are joined.
    const auto of_second = inner.neighbours(inner.neighbours(0)[0]);
    if (std::ranges::count(of_second, inner.neighbours(0)[1]) == 0) hexagons.push_back(members);
  }
  return hexagons;
}

// Covers the least vertex that is left by an edge or a hexagon, in every way.
void search(const UndirectedGraph& graph, const std::vector<std::vector<Vertex>>& hexagons) {
  std::vector<bool> covered(graph.num_vertices());
  std::map<std::size_t, Integer> covers;
  std::map<std::size_t, std::set<std::set<std::size_t>>> sets;
  std::set<std::size_t> chosen;
  const std::function<void()> extend = [&] {
    const auto v = static_cast<Vertex>(std::ranges::find(covered, false) - covered.begin());
    if (v == graph.num_vertices()) {
      ++covers[chosen.size()];
      sets[chosen.size()].insert(chosen);
      return;
    }
    const auto with = [&](const std::vector<Vertex>& members) {
      for (const Vertex member : members)
        if (covered[member]) return;
      for (const Vertex member : members) covered[member] = true;
      extend();
      for (const Vertex member : members) covered[member] = false;
    };
    for (const Vertex u : graph.neighbours(v)) with({v, u});
    for (std::size_t h = 0; h < hexagons.size(); ++h) {
      if (std::ranges::count(hexagons[h], v) == 0) continue;
      chosen.insert(h);
      with(hexagons[h]);
      chosen.erase(h);
    }
  };
  extend();
  const Sextets found = count_sextets(graph);
  Numbers all{covers[0]}, resonant{sets[0].size()};
  for (std::size_t k = 1; covers.contains(k); ++k) {
    all.push_back(covers[k]);
    resonant.push_back(sets[k].size());
  }
  CHECK(found.covers == all);
  CHECK(found.resonant == resonant);
}

}  // namespace

TEST_CASE("Clar covers and resonant sets of random graphs are those that a search by vertices finds") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const Vertex n = 6 + 2 * (seed % 4);
    INFO("seed " << seed);
    const UndirectedGraph graph = graph_where(n, [&](Vertex, Vertex) { return random() % (n / 2 + 1) < 2; });
    search(graph, hexagons_of(graph));
  }
}

TEST_CASE("polynomials of benzenoids and of C60 are the published ones") {
  const auto check = [](GraphView graph, const Numbers& covers, const Numbers& resonant) {
    const Sextets found = count_sextets(graph);
    CHECK(found.covers == covers);
    CHECK(found.resonant == resonant);
  };
  check(UndirectedGraph(), {1}, {1});
  check(benzenoid({{0, 0}}), {2, 1}, {1, 1});
  check(benzenoid({{0, 0}, {2, 0}, {3, 1}}), {5, 5, 1}, {1, 3, 1});  // phenanthrene
  check(hexagon_graph(2, 2, 2), {20, 32, 15, 2}, {1, 7, 9, 2});      // coronene
  // Shiu, Lam and Zhang 2003 (sextets), Zhang and Zhang (covers).
  check(buckminsterfullerene(), {12500, 41580, 67650, 66900, 42000, 16352, 3620, 360, 5},
        {1, 20, 160, 660, 1510, 1912, 1240, 320, 5});
  check(UndirectedGraph::from_edges(3, {{0, 1}, {1, 2}, {0, 2}}), {0}, {0});
  CHECK(count_sextets(complete_graph(3, 2)).run.plan.hall_violator);
}

TEST_CASE("a time limit and a raised stop token hold for all counts together") {
  CountOptions late;
  test::StepClock clock;
  clock.end_at_look(100, late.run);
  CHECK_THROWS_AS(count_sextets(hexagon_graph(6, 6, 6), late), OverLimit);
  CHECK_THROWS_AS(count_sextets(hexagon_graph(2, 2, 2), {.run = {.stop = raised_stop()}}), Cancelled);
}
