// Small graphs by recursion on bit masks, and by expansion from the definition.

#include "permanent/engine/small_graphs.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matchcount/count.hpp"
#include "permanent/reference/oracles.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

using namespace matchcount;

namespace {

struct Drawn {
  UndirectedGraph graph;
  BipartiteGraph bipartite;
  std::vector<std::int64_t> weights, bipartite_weights;
  std::vector<Integer> dense, bipartite_dense;
};

// Draws a symmetric matrix of n rows with zeros on its diagonal, and another one, of weights from -least to most.
Drawn drawn(Vertex n, double density, int least, int most, Random& random) {
  Drawn result;
  result.dense.assign(std::size_t{n} * n, 0);
  result.bipartite_dense.assign(std::size_t{n} * n, 0);
  std::vector<Edge> edges, pairs;
  const auto weight = [&] {
    const auto drawn_weight =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(least + most) + 1)) - least;
    return drawn_weight == 0 ? 1 : drawn_weight;
  };
  for (Vertex u = 0; u < n; ++u) {
    for (Vertex v = 0; v < n; ++v) {
      if (random.uniform() >= density) continue;
      result.bipartite_dense[u * n + v] = result.bipartite_weights.emplace_back(weight());
      pairs.push_back({u, v});
      if (u >= v) continue;
      result.dense[u * n + v] = result.dense[v * n + u] = result.weights.emplace_back(weight());
      edges.push_back({u, v});
    }
  }
  result.graph = UndirectedGraph::from_edges(n, edges);
  result.bipartite = BipartiteGraph::from_edges(n, n, pairs);
  return result;
}

}  // namespace

TEST_CASE("small graphs on bit masks have the sums of expansion, and nothing where there is none") {
  Random random(20261123);
  int answered = 0;
  for (int round = 0; round < 400; ++round) {
    const auto n = static_cast<Vertex>(round % 13);
    const int least = round % 3 == 0 ? 3 : -1, most = round % 3 == 1 ? 1 : 5;
    const Drawn matrix = drawn(n, 0.2 + 0.2 * (round % 5), least, most, random);
    CAPTURE(round, n, least, most);
    const Integer hafnian = n % 2 != 0 ? Integer(0) : reference::hafnian_by_expansion(matrix.dense, n);
    const auto found = small_count(matrix.graph, matrix.weights);
    if (found) CHECK(Integer(*found) == hafnian);
    CHECK((n == 0 || n > 10 || found.has_value() == (hafnian != 0)));
    if (n > 8) continue;
    const Integer permanent = reference::permanent_by_expansion(matrix.bipartite_dense, n);
    const auto of_sides = small_count(matrix.bipartite, matrix.bipartite_weights);
    if (of_sides) CHECK(Integer(*of_sides) == permanent);
    CHECK((n == 0 || n > 5 || of_sides.has_value() == (permanent != 0)));
    answered += found.has_value() + of_sides.has_value();
  }
  CHECK(answered > 150);
}

TEST_CASE("bit masks take 32 vertices, sums of 63 bits and a few thousand steps") {
  const std::vector<std::int64_t> ones(34, 1);
  for (const Vertex n : {30, 32}) CHECK(small_count(test::cycle(n), {ones.begin(), ones.begin() + n}) == 2);
  CHECK_FALSE(small_count(test::cycle(34), ones));
  const UndirectedGraph edge = UndirectedGraph::from_edges(2, {{0, 1}});
  CHECK(small_count(edge, {std::int64_t{1} << 62}) == std::int64_t{1} << 62);
  CHECK_FALSE(small_count(edge, {std::numeric_limits<std::int64_t>::min()}));
  const UndirectedGraph two = UndirectedGraph::from_edges(4, {{0, 1}, {2, 3}});
  CHECK_FALSE(small_count(two, {std::int64_t{1} << 32, std::int64_t{1} << 32}));
  const BipartiteGraph complete = complete_graph(16, 16);
  CHECK_FALSE(small_count(complete, std::vector<std::int64_t>(256, 1)));
  CHECK_FALSE(small_count(BipartiteGraph::from_edges(1, 2, {{0, 0}, {0, 1}}), {1, 1}));
}

TEST_CASE("where nothing but the value is wanted, small graphs are counted at once, and the value is the same") {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const Drawn matrix = drawn(static_cast<Vertex>(round % 10), 0.6, 2, 4, random);
    CountOptions options;
    const UndirectedGraph weighted = matrix.graph.with_weights(matrix.weights);
    const BipartiteGraph sides = matrix.bipartite.with_weights(matrix.bipartite_weights);
    const Value all = hafnian(weighted, options).value, of_sides = permanent(sides, options).value;
    options.value_only = true;
    CHECK(std::get<Integer>(hafnian(weighted, options).value) == std::get<Integer>(all));
    CHECK(std::get<Integer>(permanent(sides, options).value) == std::get<Integer>(of_sides));
    CHECK(hafnian(weighted, options).plan.has_perfect_matching() == hafnian(weighted).plan.has_perfect_matching());
  }
}
