#include "matching/maximum_matching.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "graph/generate.hpp"
#include "matching/small_graphs.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

using namespace test;

// Checks by definition, with sets and nothing of the library's.
bool violates_hall(const BipartiteGraph& graph, const HallViolator& violator) {
  std::vector<Vertex> neighbours;
  for (const Vertex member : violator.members) {
    for (const Edge& edge : graph.edges()) {
      if ((violator.of_rows ? edge.row : edge.column) != member) continue;
      neighbours.push_back(violator.of_rows ? edge.column : edge.row);
    }
  }
  std::sort(neighbours.begin(), neighbours.end());
  neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  return neighbours == violator.neighbours && neighbours.size() < violator.members.size();
}

TEST_CASE("a side without partners is left out, and is its own Hall violator") {
  const BipartiteGraph graph = graph_of(3, 0, {});
  const Matching matching = maximum_matching(graph);
  CHECK(matching.size == 0);
  CHECK_FALSE(matching.is_perfect());
  const HallViolator violator = hall_violator(graph, matching, true);
  CHECK(violator.members == std::vector<Vertex>{0});
  CHECK(violator.neighbours.empty());
  CHECK(is_hall_violator(graph, violator));
  CHECK_THROWS_AS(hall_violator(graph, matching, false), InputError);
}

TEST_CASE("three rows that share two columns violate Hall's condition") {
  const BipartiteGraph graph = graph_of(4, 4, {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {3, 0}, {3, 1}, {3, 3}});
  const Matching matching = maximum_matching(graph);
  CHECK(matching.size == 3);
  const HallViolator rows = hall_violator(graph, matching, true);
  CHECK(rows.members == std::vector<Vertex>{0, 1, 2});
  CHECK(rows.neighbours == std::vector<Vertex>{1, 2});
  const HallViolator columns = hall_violator(graph, matching, false);
  CHECK(columns.members == std::vector<Vertex>{0, 3});
  CHECK(columns.neighbours == std::vector<Vertex>{3});
}

TEST_CASE("of several violators a small one is given") {
  // Five rows share four columns, and row 5 has no column at all.
  std::vector<Edge> edges;
  for (Vertex row = 0; row < 5; ++row) {
    for (Vertex column = 0; column < 4; ++column) edges.push_back({row, column});
  }
  const BipartiteGraph graph = graph_of(6, 6, edges);
  CHECK(hall_violator(graph, maximum_matching(graph), true).members == std::vector<Vertex>{5});
}

TEST_CASE("matchings are maximum and violators exist exactly where brute force finds one") {
  const std::uint64_t seed = GENERATE(range(0, 600));
  Random random(seed, 1);
  const BipartiteGraph graph = random_small_graph(random, 8, seed % 2 == 0);
  CAPTURE(seed, to_text(graph));
  const Matching matching = maximum_matching(graph);
  REQUIRE(is_matching(graph, matching));
  REQUIRE(matching.size == test::brute_force_matching_size(graph));
  for (const bool of_rows : {true, false}) {
    CAPTURE(of_rows);
    const bool deficient = matching.size < (of_rows ? graph.num_rows() : graph.num_columns());
    REQUIRE(deficient == test::brute_force_violator_exists(graph, of_rows));
    if (!deficient) continue;
    const HallViolator violator = hall_violator(graph, matching, of_rows);
    REQUIRE(violator.of_rows == of_rows);
    REQUIRE(violates_hall(graph, violator));
    REQUIRE(is_hall_violator(graph, violator));
  }
}

TEST_CASE("a planted perfect matching is found at word boundaries and above") {
  const Vertex size = GENERATE(as<Vertex>{}, 1, 2, 31, 32, 33, 63, 64, 65, 1000);
  const int extra = GENERATE(0, 1, 2, 5);
  Random random(size, static_cast<std::uint64_t>(extra));
  const auto columns = test::random_permutation<Vertex>(size, random);
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) {
    edges.push_back({row, columns[row]});
    for (int i = 0; i < extra; ++i) edges.push_back({row, static_cast<Vertex>(random.below(size))});
  }
  const auto graph = BipartiteGraph::from_edges(size, size, edges, {}, Duplicates::one);
  const Matching matching = maximum_matching(graph);
  CHECK(matching.is_perfect());
  CHECK(is_matching(graph, matching));
}

TEST_CASE("a long path and a long cycle are matched without recursion") {
  const Vertex size = 200'000;  // as deep a recursion would end a stack of 8 MiB
  const bool closed = GENERATE(false, true);
  const BipartiteGraph graph = path_graph(size, closed);
  Random random(5);
  CHECK(maximum_matching(graph).is_perfect());
  CHECK(maximum_matching(shuffled(graph, random)).is_perfect());
}

TEST_CASE("a matching that is not maximum, or of another graph's size, yields no violator") {
  const BipartiteGraph graph = graph_of(1, 1, {{0, 0}});
  const Matching empty{{unmatched}, {unmatched}, 0};
  REQUIRE(is_matching(graph, empty));
  CHECK_THROWS_AS(hall_violator(graph, empty, true), InputError);
  CHECK_THROWS_AS(hall_violator(graph_of(2, 3, {{0, 0}}), maximum_matching(graph_of(3, 2, {})), true), InputError);
}

TEST_CASE("corrupted matchings are rejected") {
  const BipartiteGraph graph = graph_of(3, 3, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {2, 2}});
  const Matching good = maximum_matching(graph);
  REQUIRE(good.is_perfect());
  REQUIRE(is_matching(graph, good));
  Matching bad = good;
  SECTION("wrong size") { bad.size = 2; }
  SECTION("a column twice") { bad.column_of_row[0] = bad.column_of_row[1]; }
  SECTION("one direction only") { bad.row_of_column[0] = unmatched; }
  SECTION("a row that says unmatched") { bad.column_of_row[2] = unmatched; }
  SECTION("an edge that is not there") {
    std::swap(bad.column_of_row[0], bad.column_of_row[2]);
    std::swap(bad.row_of_column[0], bad.row_of_column[2]);
  }
  SECTION("a column out of range") { bad.column_of_row[1] = 3; }
  SECTION("too few rows") { bad.column_of_row.pop_back(); }
  SECTION("too many columns") { bad.row_of_column.push_back(unmatched); }
  CHECK_FALSE(is_matching(graph, bad));
}

TEST_CASE("corrupted violators are rejected") {
  const BipartiteGraph graph = graph_of(4, 3, {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {3, 2}});
  const HallViolator good{true, {0, 1, 2}, {0, 1}};
  REQUIRE(is_hall_violator(graph, good));
  HallViolator bad = good;
  SECTION("wrong side") { bad.of_rows = false; }
  SECTION("a member missing") { bad.members = {0, 1}; }
  SECTION("a neighbour missing") { bad.neighbours = {0}; }
  SECTION("a neighbour too many") { bad = {true, {0, 1, 2, 3}, {0, 1}}; }
  SECTION("not ascending") { bad.members = {1, 0, 2}; }
  SECTION("a member twice") { bad.members = {0, 1, 1}; }
  SECTION("a member out of range") { bad.members = {0, 1, 4}; }
  SECTION("a neighbour out of range") { bad.neighbours = {0, 3}; }
  SECTION("nothing") { bad = {true, {}, {}}; }
  CHECK_FALSE(is_hall_violator(graph, bad));
}

TEST_CASE("a stop ends matchings and scalings of large graphs") {
  const BipartiteGraph graph = random_regular_graph(20000, 3, 1);
  std::stop_source source;
  const RunContext context({.stop = source.get_token()});
  const std::vector<double> magnitudes(graph.num_edges(), 0.5);
  CHECK(maximum_matching(graph, context).is_perfect());
  CHECK_NOTHROW(maximum_product_scaling(graph, magnitudes, context));
  source.request_stop();
  CHECK_THROWS_AS(maximum_matching(graph, context), Cancelled);
  CHECK_THROWS_AS(maximum_product_scaling(graph, magnitudes, context), Cancelled);
}

}  // namespace

}  // namespace matchcount
