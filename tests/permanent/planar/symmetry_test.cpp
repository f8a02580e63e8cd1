#include "permanent/planar/symmetric_pfaffian.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <variant>

#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/planar/kasteleyn.hpp"
#include "support/catch.hpp"
#include "support/dense_matrices.hpp"
#include "support/graphs.hpp"
#include "support/surface_graphs.hpp"

using namespace matchcount;
using namespace matchcount::test;

namespace {

constexpr std::uint64_t seed = 20261126;

Integer by_frontier(const UndirectedGraph& graph) {
  return std::get<Integer>(hafnian(graph, {.method = Method::frontier}).value);
}

// How many of the Pfaffians are found by a symmetry.
std::size_t num_symmetric(const UndirectedGraph& graph, const std::vector<std::int64_t>& weights,
                          const KasteleynPlan& plan) {
  if (!plan.surface) return 0;
  const EntryTable table(weights);
  const auto symmetry = symmetry_of(graph, table, plan, 100, RunContext());
  if (!symmetry) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(plan.surface->terms, [&](const SurfacePfaffians::Term& term) {
    return orbit_matrices(graph, *symmetry, table.places(), term.orientation, plan.is_column).has_value();
  }));
}

// 0, .., n - 1, each joined to those that are so much larger modulo n, in this order around it.
EmbeddedGraph circulant(Vertex n, const std::vector<Vertex>& around) {
  EmbeddedGraph result;
  std::vector<Edge> edges;
  for (Vertex v = 0; v < n; ++v) {
    for (const Vertex offset : around) {
      if (v < (v + offset) % n) edges.push_back({v, (v + offset) % n});
    }
  }
  std::ranges::sort(edges);
  result.graph = UndirectedGraph::from_edges(n, edges);
  auto& [rotation, begin] = result.embedding.rotation;
  for (Vertex v = 0; v < n; ++v) {
    begin.push_back(rotation.size());
    for (const Vertex offset : around) {
      const auto [low, high] = std::minmax({v, (v + offset) % n});
      rotation.push_back(static_cast<EdgeId>(std::ranges::lower_bound(edges, Edge{low, high}) - edges.begin()));
    }
  }
  begin.push_back(rotation.size());
  result.embedding.twisted.assign(edges.size(), false);
  return result;
}

}  // namespace

TEST_CASE("lattices on tori of any lengths have the sums that the frontier method finds") {
  Random random(2601);
  std::size_t by_symmetry = 0;
  for (const char* name : {"grid", "triangular", "honeycomb", "kagome", "square-octagon", "lieb"}) {
    const bool is_large = std::string(name) == "kagome" || std::string(name) == "square-octagon";
    const std::size_t directions = is_large ? 6 : 3;
    for (const auto& [height, width] : {std::pair<Vertex, Vertex>{3, 8}, {4, 9}, {8, 3}, {9, 4}, {4, 10}, {5, 12}}) {
      if (is_large && height * width > 36) continue;
      for (const bool weighted : {false, true}) {
        Weights weights;
        if (weighted) {
          std::vector<std::int64_t> values;
          const std::size_t count = std::string(name) == "grid" || std::string(name) == "lieb" ? 2 : directions;
          for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::int64_t>(random.below(7)) - 3);
          weights = values;
        }
        std::variant<BipartiteGraph, UndirectedGraph> made;
        try {
          made = lattice_graph(name, height, width, Boundary::torus, weights);
        } catch (const InputError&) {
          continue;
        }
        const UndirectedGraph given = std::holds_alternative<BipartiteGraph>(made)
                                          ? UndirectedGraph::from_bipartite(std::get<BipartiteGraph>(made))
                                          : std::get<UndirectedGraph>(made);
        const auto* found = std::get_if<std::vector<std::int64_t>>(&given.weights());
        const std::vector<std::int64_t> entries = found ? *found : std::vector<std::int64_t>(given.num_edges(), 1);
        const UndirectedGraph graph = given.pattern();
        const auto plan = plan_kasteleyn(graph, seed, RunContext());
        if (!plan || !plan->surface) continue;
        INFO(name << " " << height << " x " << width << (weighted ? ", weighted" : ""));
        by_symmetry += num_symmetric(graph, entries, *plan);
        REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{graph, entries}, *plan, RunContext()) ==
                by_frontier(graph.with_weights(entries)));
      }
    }
  }
  REQUIRE(by_symmetry > 60);
}

TEST_CASE("twisted tori have the sums that the frontier method finds") {
  Random random(2602);
  std::size_t by_symmetry = 0;
  for (int round = 0; round < 200; ++round) {
    const Vertex n = 16 + 2 * static_cast<Vertex>(random.below(14));
    const Vertex a = 1 + static_cast<Vertex>(random.below(n - 1)), b = 1 + static_cast<Vertex>(random.below(n - 1));
    std::vector<Vertex> around = {a, b, n - a, n - b};
    if (round % 2 == 1) around = {a, (a + b) % n, b, n - a, (2 * n - a - b) % n, n - b};
    std::vector<Vertex> sorted = around;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.front() == 0) continue;
    if (std::gcd(std::gcd(a, b), n) != 1) continue;
    const EmbeddedGraph given = circulant(n, around);
    const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
    REQUIRE(plan);
    // A weight for each direction, or one that comes again after half of all vertices.
    std::vector<std::int64_t> of(2 * n);
    for (auto& weight : of) weight = static_cast<std::int64_t>(random.below(9)) - 4;
    std::vector<std::int64_t> weights;
    for (const auto& [u, v] : given.graph.edges()) {
      const Vertex step = v - u;
      weights.push_back(round % 3 == 0 ? of[(u + v) % (n / 2)] : of[std::min(step, n - step)]);
    }
    INFO(round << ": " << n << " " << a << " " << b);
    by_symmetry += num_symmetric(given.graph, weights, *plan);
    REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, weights}, *plan, RunContext()) ==
            by_frontier(given.graph.with_weights(weights)));
  }
  REQUIRE(by_symmetry > 40);
}

TEST_CASE("symmetries that turn cycles of a surface into others do not change the sums of all matchings") {
  std::size_t seen[7] = {}, by_symmetry = 0, others = 0;
  for (const Vertex n : {Vertex{8}, Vertex{10}, Vertex{12}}) {
    for (Vertex a = 1; a < n / 2; ++a) {
      for (Vertex b = a + 1; b <= n / 2; ++b) {
        if (std::gcd(std::gcd(a, b), n) != 1) continue;
        std::vector<Vertex> around = {a, b, n - a};
        if (b != n / 2) around.push_back(n - b);
        std::sort(around.begin() + 1, around.end());
        do {
          const EmbeddedGraph given = circulant(n, around);
          const std::size_t genus = euler_genus(given.graph, faces_of(given.graph, given.embedding));
          if (genus == 0 || genus > 6) continue;
          const auto plan = plan_kasteleyn(given.graph, given.embedding, seed, RunContext());
          REQUIRE(plan);
          const std::vector<std::int64_t> ones(given.graph.num_edges(), 1);
          INFO(n << " " << a << " " << b << ", genus " << genus);
          const std::size_t count = num_symmetric(given.graph, ones, *plan);
          by_symmetry += count;
          others += plan->surface->terms.size() - count;
          ++seen[genus];
          REQUIRE(hafnian_kasteleyn(GraphBlock<std::int64_t>{given.graph, ones}, *plan, RunContext()) ==
                  by_frontier(given.graph));
        } while (std::next_permutation(around.begin() + 1, around.end()));
      }
    }
  }
  REQUIRE(std::min(seen[2], seen[4] + seen[6]) > 5);
  REQUIRE(std::min(by_symmetry, others) > 20);
}
