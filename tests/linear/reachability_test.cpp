#include "linear/reachability.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/permutations.hpp"

using namespace matchcount;

namespace {

constexpr std::uint64_t seed = 20261127;

// Searches along the arcs themselves, from one vertex.
std::vector<Vertex> reached_by_oracle(const Digraph& graph, Vertex source) {
  std::set<Vertex> reached;
  std::vector<Vertex> open{source};
  while (!open.empty()) {
    const Vertex v = open.back();
    open.pop_back();
    for (const Vertex to : graph.successors(v)) {
      if (reached.insert(to).second) open.push_back(to);
    }
  }
  return {reached.begin(), reached.end()};
}

struct Shape {
  bool acyclic;
  bool loops;
};

Digraph random_digraph(Vertex n, double arcs_a_vertex, Shape shape, Random& random) {
  const auto name = test::random_permutation<Vertex>(n, random);
  std::vector<Edge> arcs;
  const auto count = static_cast<std::size_t>(arcs_a_vertex * n);
  for (std::size_t i = 0; i < count; ++i) {
    auto u = static_cast<Vertex>(random.below(n)), v = static_cast<Vertex>(random.below(n));
    if (u == v && !shape.loops) continue;
    if (shape.acyclic && u < v) std::swap(u, v);
    arcs.push_back({name[u], name[v]});
  }
  return Digraph::from_arcs(n, std::move(arcs), {}, Duplicates::one);
}

// The lower half leads nowhere, and a vertex of the upper half to many of the lower: no arc is replaced by a path.
Digraph two_layers(Vertex n, double density, Random& random) {
  std::vector<Edge> arcs;
  for (Vertex u = n / 2; u < n; ++u) {
    for (Vertex v = 0; v < n / 2; ++v) {
      if (random.uniform() < density) arcs.push_back({u, v});
    }
  }
  return Digraph::from_arcs(n, std::move(arcs));
}

RunContext run_with(int threads, std::uint64_t memory_limit = 0) {
  return RunContext({.num_threads = threads, .memory_limit_bytes = memory_limit});
}

// The count and every pair, by searches from every vertex.
void check_all_pairs(const Digraph& graph, const RunContext& run) {
  std::vector<Edge> expected;
  for (Vertex u = 0; u < graph.num_vertices(); ++u) {
    const std::vector<Vertex> reached = reached_by_oracle(graph, u);
    CHECK(reachable_from(graph, u, run) == reached);
    for (const Vertex v : reached) expected.push_back({u, v});
  }
  const Condensation components = condensation(graph);
  std::vector<Edge> told;
  const std::uint64_t count = count_reachable_pairs(components, run, [&](auto sources, auto targets) {
    for (const Vertex u : sources) {
      for (const Vertex v : targets) told.push_back({u, v});
    }
  });
  std::sort(told.begin(), told.end());
  CHECK(told == expected);
  CHECK(count == expected.size());
  CHECK(count_reachable_pairs(components, run) == expected.size());
}

}  // namespace

TEST_CASE("the closure agrees with searches from every vertex, cyclic, acyclic, with self-loops and without arcs") {
  Random random(seed, 1);
  for (int instance = 0; instance < 60; ++instance) {
    const auto n = static_cast<Vertex>(1 + random.below(140));
    const double arcs = instance % 10 == 0 ? 0 : 4 * random.uniform();
    const Digraph graph = random_digraph(n, arcs, {instance % 2 == 0, instance % 3 == 0}, random);
    INFO("seed " << seed << ", instance " << instance << ", " << n << " vertices, " << graph.num_arcs() << " arcs");
    check_all_pairs(graph, run_with(1));
  }
  check_all_pairs(Digraph(), run_with(1));
}

TEST_CASE("the closure agrees with searches where it takes several blocks") {
  Random random(seed, 2);
  for (const Digraph& graph : {random_digraph(1100, 1.3, {true, true}, random),
                               random_digraph(1030, 40, {true, false}, random), two_layers(2000, 0.3, random)}) {
    INFO("seed " << seed << ", " << graph.num_vertices() << " vertices, " << graph.num_arcs() << " arcs");
    check_all_pairs(graph, run_with(2));
    ClosureReport report;
    count_reachable_pairs(condensation(graph), run_with(2), {}, &report);
    CHECK(report.multiplied_blocks == 0);
  }
}

TEST_CASE("products and arcs give the same closure where layers follow each other") {
  // Three layers, each densely joined to the next one: what is reached comes through the middle one.
  Random random(seed, 3);
  constexpr Vertex layer = 1700;
  std::vector<Edge> arcs;
  for (Vertex u = layer; u < 3 * layer; ++u) {
    for (Vertex v = u / layer * layer - layer; v < u / layer * layer; ++v) {
      if (random.uniform() < 0.2 && v % 5 != 3) arcs.push_back({u, v});
    }
  }
  const Digraph graph = Digraph::from_arcs(3 * layer, std::move(arcs));
  ClosureReport report;
  std::vector<std::vector<Vertex>> told(3 * layer);
  const std::uint64_t count = count_reachable_pairs(
      condensation(graph), run_with(2),
      [&](auto sources, auto targets) {
        for (const Vertex u : sources) told[u].insert(told[u].end(), targets.begin(), targets.end());
      },
      &report);
  CHECK(report.multiplied_blocks != 0);
  std::uint64_t expected = 0;
  for (std::vector<Vertex>& targets : told) {
    std::sort(targets.begin(), targets.end());
    expected += targets.size();
  }
  CHECK(count == expected);
  for (Vertex u = 0; u < 3 * layer; u += 37) REQUIRE(told[u] == reached_by_oracle(graph, u));
}

TEST_CASE("the number of pairs depends on neither threads nor memory") {
  Random random(seed, 4);
  constexpr Vertex n = 12'000;
  std::vector<Edge> path;
  for (Vertex v = 0; v + 1 < n; ++v) path.push_back({v, v + 1});
  const Condensation chain = condensation(Digraph::from_arcs(n, path));
  const Digraph sparse = random_digraph(n, 1.2, {true, false}, random);
  const Condensation components = condensation(sparse);
  std::uint64_t expected = 0;
  for (Vertex v = 0; v < n; ++v) expected += reachable_from(sparse, v).size();
  for (const int threads : {1, 2, 3}) {
    for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{12} << 20, std::uint64_t{3} << 20}) {
      INFO(threads << " threads, limit " << limit << ", seed " << seed);
      CHECK(count_reachable_pairs(chain, run_with(threads, limit)) == std::uint64_t{n} * (n - 1) / 2);
      CHECK(count_reachable_pairs(components, run_with(threads, limit)) == expected);
    }
  }
}

TEST_CASE("the closure of a dense digraph of 65536 vertices agrees with searches from some of them", "[slow]") {
  Random random(seed, 5);
  const Digraph graph = random_digraph(65536, 100, {true, false}, random);
  std::vector<std::uint64_t> told(65536, 0);
  const std::uint64_t count = count_reachable_pairs(condensation(graph), run_with(2), [&](auto sources, auto targets) {
    for (const Vertex u : sources) told[u] += targets.size();
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t targets : told) sum += targets;
  CHECK(count == sum);
  for (Vertex u = 0; u < 65536; u += 4099) CHECK(told[u] == reachable_from(graph, u).size());
}

TEST_CASE("components count by their vertices") {
  // Two cycles of 3 and 4, the first leading to the second through two single vertices.
  const std::vector<Edge> arcs{{0, 1}, {1, 2}, {2, 0}, {2, 7}, {7, 8}, {8, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 3}};
  const Digraph graph = Digraph::from_arcs(9, arcs);
  // 3 (3 + 2 + 4) + 1 (1 + 4) + 1 (4) + 4 (4)
  CHECK(count_reachable_pairs(condensation(graph)) == 27 + 5 + 4 + 16);
  constexpr Vertex n = 100'000;
  std::vector<Edge> cycle;
  for (Vertex v = 0; v < n; ++v) cycle.push_back({v, (v + 1) % n});
  CHECK(count_reachable_pairs(condensation(Digraph::from_arcs(n, cycle))) == std::uint64_t{n} * n);
}

TEST_CASE("a closure past the memory limit is refused with the size that would fit, and ends when it is cancelled") {
  std::vector<Edge> path;
  for (Vertex v = 0; v + 1 < 50'000; ++v) path.push_back({v, v + 1});
  const Digraph graph = Digraph::from_arcs(50'000, path);
  const Condensation components = condensation(graph);
  try {
    count_reachable_pairs(components, run_with(1, 1 << 20));
    FAIL("nothing was refused");
  } catch (const OverLimit& error) {
    CHECK(error.is_forecast());
    CHECK_THAT(error.what(), ContainsSubstring("rows would fit"));
  }
  const RunOptions options{.stop = test::raised_stop()};
  CHECK_THROWS_AS(count_reachable_pairs(components, RunContext(options)), Cancelled);
  CHECK_THROWS_AS(reachable_from(graph, 0, RunContext(options)), Cancelled);
  CHECK_THROWS_AS(reachable_from(graph, 50'000), InputError);
}
