// Tests counts of matchings by how many edges of each label they have, and by total weight.

#include <map>

#include "core/error.hpp"
#include "core/random.hpp"
#include "core/work.hpp"
#include "graph/generate.hpp"
#include "matchcount/matchings.hpp"
#include "support/catch.hpp"
#include "support/clock.hpp"
#include "support/graphs.hpp"

namespace matchcount {
namespace {

constexpr std::uint64_t seed = 20261127;

using Counts = std::map<std::vector<std::int64_t>, Integer>;

MatchingOptions by_labels(MatchingKind kind, std::vector<std::uint32_t> labels) {
  return {.kind = kind, .labels = std::move(labels)};
}
MatchingOptions by_weight(MatchingKind kind) { return {.kind = kind, .by_weight = true}; }

template <class Graph>
Counts counts(const Graph& graph, const MatchingOptions& options) {
  const MatchingResult result = count_matchings(graph, options);
  Counts found;
  Integer sum = 0;
  for (const CountOfLabels& one : result.by_label) {
    CHECK(one.count.sign() > 0);
    CHECK(found.emplace(one.numbers, one.count).second);
    CHECK((&one == &result.by_label.front() || (&one - 1)->numbers < one.numbers));
    sum += one.count;
  }
  CHECK(sum == std::get<Integer>(result.run.value));
  return found;
}

// Counts by trying all sets of edges. numbers(edge ids) tells what is told apart. `smaller`: vertices of the smaller
// side, for saturating matchings.
template <class Numbers>
Counts by_definition(const UndirectedGraph& graph, MatchingKind kind, std::size_t smaller, const Numbers& numbers) {
  std::vector<bool> covered(graph.num_vertices(), false);
  std::vector<EdgeId> edges;
  std::map<std::size_t, Counts> by_size;
  const auto from = [&](const auto& self, EdgeId id) -> void {
    if (id < graph.num_edges()) {
      const Edge edge = graph.edges()[id];
      self(self, id + 1);
      if (covered[edge.row] || covered[edge.column]) return;
      covered[edge.row] = covered[edge.column] = true;
      edges.push_back(id);
      self(self, id + 1);
      edges.pop_back();
      covered[edge.row] = covered[edge.column] = false;
      return;
    }
    bool counts = true;
    for (const Edge& edge : graph.edges())
      counts = counts && (kind != MatchingKind::maximal || covered[edge.row] || covered[edge.column]);
    if (kind == MatchingKind::perfect) counts = 2 * edges.size() == graph.num_vertices();
    if (kind == MatchingKind::saturating) counts = edges.size() == smaller;
    if (counts) by_size[edges.size()][numbers(edges)] += 1;
  };
  from(from, 0);
  if (kind == MatchingKind::maximum) return by_size.rbegin()->second;
  Counts all;
  for (const auto& [size, of_size] : by_size) {
    for (const auto& [key, count] : of_size) all[key] += count;
  }
  return all;
}

constexpr MatchingKind kinds[] = {MatchingKind::perfect, MatchingKind::maximum, MatchingKind::all,
                                  MatchingKind::maximal, MatchingKind::saturating};

TEST_CASE("counts by 1 to 4 labels, and by weight, of 400 random graphs agree with their definition for every kind") {
  Random random(seed, 1);
  for (int instance = 0; instance < 400; ++instance) {
    const bool sides = instance % 2 == 0;
    const auto n = static_cast<Vertex>(random.below(9)), rows = static_cast<Vertex>(n == 0 ? 0 : random.below(n));
    const double density = 0.3 + 0.7 * random.uniform();
    std::vector<Edge> edges;
    for (Vertex u = 0; u < n; ++u) {
      for (Vertex v = u + 1; v < n; ++v) {
        const bool may_be = !sides || (u < rows && v >= rows);
        if (may_be && edges.size() < 14 && random.uniform() < density) edges.push_back({u, v});
      }
    }
    const UndirectedGraph graph = UndirectedGraph::from_edges(n, edges);
    for (Edge& edge : edges) edge.column -= sides ? rows : 0;
    const BipartiteGraph bipartite = sides ? BipartiteGraph::from_edges(rows, n - rows, edges) : BipartiteGraph();
    const auto num_labels = static_cast<std::uint32_t>(1 + random.below(4));
    const std::int64_t spread = std::vector<std::int64_t>{1, 3, 10, 40}[random.below(4)];
    std::vector<std::uint32_t> labels;
    std::vector<std::int64_t> weights;
    for (EdgeId id = 0; id < graph.num_edges(); ++id) {
      labels.push_back(
          static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(num_labels, graph.num_edges()))));
      weights.push_back((static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread) *
                        (instance % 3 == 0 ? 6 : 1));
    }
    const std::uint32_t last = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
    const MatchingKind kind = kinds[static_cast<std::size_t>(instance / 2 % (sides ? 5 : 4))];
    CAPTURE(seed, instance, to_string(kind), test::to_string(graph), labels, weights);
    const auto found = [&](const MatchingOptions& options, bool weighted) {
      if (sides) return counts(weighted ? bipartite.with_weights(weights) : bipartite, options);
      return counts(weighted ? graph.with_weights(weights) : graph, options);
    };
    const std::size_t smaller = std::min(rows, n - rows);
    CHECK(found(by_labels(kind, labels), false) == by_definition(graph, kind, smaller, [&](const auto& ids) {
            std::vector<std::int64_t> numbers(last, 0);
            for (const EdgeId id : ids) ++numbers[labels[id]];
            return numbers;
          }));
    CHECK(found(by_weight(kind), true) == by_definition(graph, kind, smaller, [&](const auto& ids) {
            std::int64_t sum = 0;
            for (const EdgeId id : ids) sum += weights[id];
            return std::vector{sum};
          }));
  }
}

// Labels of a grid's edges: along its lines, and from line to line.
std::vector<std::uint32_t> directions(const BipartiteGraph& grid, Vertex width) {
  std::vector<std::uint32_t> labels;
  // Rows and columns are the squares of two colours, each line by line.
  const auto line = [&](Vertex place, bool second) {
    std::vector<Vertex> lines;
    for (Vertex square = 0; lines.size() <= place; ++square) {
      if (((square / width + square % width) % 2 == 1) == second) lines.push_back(square / width);
    }
    return lines.back();
  };
  for (const Edge& edge : grid.edges()) labels.push_back(line(edge.row, false) != line(edge.column, true));
  return labels;
}

TEST_CASE("dominoes by direction add up to all, and a square has as many of either in a mirror") {
  for (const Vertex size : {2u, 8u, 12u}) {
    const BipartiteGraph grid = grid_graph(size, size);
    const Counts found = counts(grid, by_labels(MatchingKind::perfect, directions(grid, size)));
    CHECK(found.begin()->first == std::vector<std::int64_t>{0, size * size / 2});
    CHECK(found.begin()->second == 1);
    Integer sum = 0;
    for (const auto& [numbers, count] : found) {
      CHECK(found.at({numbers[1], numbers[0]}) == count);
      sum += count;
    }
    if (size == 8) CHECK(sum == 12988816);
  }
  // More of them than 62 bits tell, in which they are found modulo several primes.
  const BipartiteGraph grid = grid_graph(14, 14);
  CHECK(counts(grid, by_labels(MatchingKind::perfect, directions(grid, 14))).size() == 50);
}

TEST_CASE("permutations by fixed points are Montmort's numbers, modulo one prime or several, by label and weight") {
  for (const Vertex n : {1u, 2u, 7u, 20u, 24u}) {
    const BipartiteGraph complete = complete_graph(n, n);
    std::vector<std::uint32_t> labels;
    std::vector<std::int64_t> weights;
    for (const Edge& edge : complete.edges()) {
      labels.push_back(edge.row == edge.column);
      weights.push_back(edge.row == edge.column ? 5 : -2);
    }
    if (n == 1) labels = {0};
    std::vector<Integer> derangements{1, 0};
    for (Vertex k = 2; k <= n; ++k) derangements.push_back((k - 1) * (derangements[k - 1] + derangements[k - 2]));
    const Counts found = counts(complete, by_labels(MatchingKind::perfect, labels));
    const Counts weighed = counts(complete.with_weights(weights), by_weight(MatchingKind::perfect));
    Integer choices = 1;
    for (Vertex k = 0; k <= n; ++k) {
      const Integer expected = choices * derangements[n - k];
      CAPTURE(n, k);
      if (expected != 0) {
        if (n > 1) CHECK(found.at({n - k, k}) == expected);
        CHECK(weighed.at({5 * std::int64_t{k} - 2 * std::int64_t{n - k}}) == expected);
      }
      choices = choices * (n - k) / (k + 1);
    }
    CHECK(weighed.size() == (n == 1 ? 1 : n));
  }
}

TEST_CASE("plans say how many runs there are, and limits hold in each") {
  const BipartiteGraph grid = grid_graph(14, 14);
  const MatchingOptions options = by_labels(MatchingKind::perfect, directions(grid, 14));
  const Plan plan = plan_matchings(grid, options);
  REQUIRE(plan.blocks.size() == 1);
  CHECK_THAT(plan.blocks[0].forecasts[0].reason, ContainsSubstring(" times"));
  const BipartiteGraph dense = complete_graph(10, 10);
  std::vector<std::uint32_t> labels;
  for (EdgeId id = 0; id < dense.num_edges(); ++id) labels.push_back(static_cast<std::uint32_t>(id));
  MatchingOptions many = by_labels(MatchingKind::perfect, labels);
  CHECK_THROWS_AS(count_matchings(dense, many), OverLimit);
  for (EdgeId id = 0; id < dense.num_edges(); ++id) many.labels->at(id) = static_cast<std::uint32_t>(id % 7);
  test::StepClock clock;
  clock.end_at_look(20, many.count.run);
  CHECK_THROWS_AS(count_matchings(dense, many), Unable);
  many.count.run.time_limit_s = 100;
  many.count.run.stop = test::raised_stop();
  CHECK_THROWS_AS(count_matchings(dense, many), Cancelled);
}

TEST_CASE("no matching has no numbers, and what does not go with labels is refused") {
  const BipartiteGraph none = BipartiteGraph::from_edges(2, 2, {{0, 0}, {1, 0}});
  const MatchingResult result = count_matchings(none, by_labels(MatchingKind::perfect, {0, 1}));
  CHECK(result.by_label.empty());
  CHECK(std::get<Integer>(result.run.value) == 0);
  CHECK(result.run.plan.hall_violator);
  const BipartiteGraph grid = grid_graph(2, 2);
  const auto refused = [&](MatchingOptions options) { CHECK_THROWS_AS(count_matchings(grid, options), InputError); };
  refused(by_labels(MatchingKind::perfect, {0, 1}));
  refused(by_labels(MatchingKind::perfect, {0, 1, 0, 5}));
  refused(by_labels(MatchingKind::by_size, {0, 1, 0, 1}));
  refused(by_weight(MatchingKind::lightest));
  MatchingOptions options = by_weight(MatchingKind::all);
  options.activity = 2;
  refused(options);
  options.activity = 1;
  options.weighted = true;
  refused(options);
  options.weighted = false;
  options.labels = {0, 1, 0, 1};
  refused(options);
  CHECK_THROWS_AS(count_matchings(grid.with_weights(std::vector<DoubleDouble>(4, DoubleDouble(0.5))),
                                  by_weight(MatchingKind::perfect)),
                  InputError);
  CHECK_THROWS_AS(count_matchings(grid.with_weights(std::vector<std::int64_t>(4, std::int64_t{1} << 41)),
                                  by_weight(MatchingKind::perfect)),
                  InputError);
  CHECK_THROWS_AS(count_matchings(grid.with_weights(std::vector<std::int64_t>{0, 1, std::int64_t{1} << 40, 3}),
                                  by_weight(MatchingKind::all)),
                  Unable);
}

}  // namespace
}  // namespace matchcount
