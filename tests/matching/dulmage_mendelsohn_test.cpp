#include "matching/dulmage_mendelsohn.hpp"

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "matching/small_graphs.hpp"
#include "support/catch.hpp"

namespace matchcount {
namespace {

using namespace test;

struct Decomposition {
  Matching matching;
  CoarseDecomposition coarse;
  FineDecomposition fine;
};
Decomposition decompose(const BipartiteGraph& graph) {
  Decomposition d;
  d.matching = maximum_matching(graph);
  d.coarse = coarse_decomposition(graph, d.matching);
  d.fine = fine_decomposition(graph, d.matching, d.coarse);
  return d;
}

// The edge and a maximum matching of what its ends leave are together a maximum matching.
bool brute_force_in_maximum_matching(const BipartiteGraph& graph, const Edge& edge) {
  return 1 + test::brute_force_matching_size(graph, 1u << edge.column, 1u << edge.row) ==
         test::brute_force_matching_size(graph);
}

TEST_CASE("a triangular matrix has blocks of size one in upper triangular order") {
  const BipartiteGraph graph = graph_of(3, 3, {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}});
  const Decomposition d = decompose(graph);
  CHECK(d.fine.num_blocks == 3);
  CHECK(d.fine.block_of_row == std::vector<Vertex>{2, 1, 0});
  CHECK(d.fine.block_of_column == std::vector<Vertex>{2, 1, 0});
  CHECK(edges_in_perfect_matchings(graph, d.fine) == std::vector<bool>{true, false, true, false, false, true});
}

TEST_CASE("the three coarse parts of a small graph") {
  // Row 0 has columns 0, 1 to itself; row 1 and column 2 are square; rows 2, 3 share column 3.
  const BipartiteGraph graph = graph_of(4, 4, {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {3, 3}});
  const Decomposition d = decompose(graph);
  using enum CoarsePart;
  CHECK(d.matching.size == 3);
  CHECK(d.coarse.part_of_row == std::vector<CoarsePart>{horizontal, square, vertical, vertical});
  CHECK(d.coarse.part_of_column == std::vector<CoarsePart>{horizontal, horizontal, square, vertical});
  CHECK(d.fine.num_blocks == 1);
  CHECK(edges_in_perfect_matchings(graph, d.fine) == std::vector<bool>{false, false, false, true, false, false, false});
  CHECK(edges_in_maximum_matchings(graph, d.matching, d.coarse, d.fine) ==
        std::vector<bool>{true, true, false, true, false, true, true});
}

TEST_CASE("kept edges and coarse parts are what brute force over all maximum matchings says") {
  const std::uint64_t seed = GENERATE(range(0, 600));
  Random random(seed, 2);
  const BipartiteGraph graph = random_small_graph(random, 7, seed % 2 == 0);
  CAPTURE(seed, to_text(graph));
  const Decomposition d = decompose(graph);
  const auto in_maximum = edges_in_maximum_matchings(graph, d.matching, d.coarse, d.fine);
  const auto in_perfect = edges_in_perfect_matchings(graph, d.fine);
  const auto edges = graph.edges();
  for (std::size_t id = 0; id < edges.size(); ++id) {
    CAPTURE(edges[id].row, edges[id].column);
    REQUIRE(in_maximum[id] == brute_force_in_maximum_matching(graph, edges[id]));
    if (d.matching.is_perfect()) REQUIRE(in_perfect[id] == in_maximum[id]);
  }
  // A column is horizontal exactly when some maximum matching misses it.
  const Vertex size = test::brute_force_matching_size(graph);
  for (Vertex column = 0; column < graph.num_columns(); ++column) {
    const bool can_miss = test::brute_force_matching_size(graph, 1u << column) == size;
    REQUIRE(can_miss == (d.coarse.part_of_column[column] == CoarsePart::horizontal));
  }
  for (Vertex row = 0; row < graph.num_rows(); ++row) {
    const bool can_miss = test::brute_force_matching_size(graph, 0, 1u << row) == size;
    REQUIRE(can_miss == (d.coarse.part_of_row[row] == CoarsePart::vertical));
  }
}

TEST_CASE("blocks are square, are upper triangular in their order, and cannot be split") {
  const std::uint64_t seed = GENERATE(range(0, 400));
  Random random(seed, 4);
  const auto size = static_cast<Vertex>(1 + random.below(40));
  std::vector<Edge> edges;
  for (Vertex row = 0; row < size; ++row) edges.push_back({row, row});
  for (std::uint64_t i = random.below(2 * size); i > 0; --i) {
    edges.push_back({static_cast<Vertex>(random.below(size)), static_cast<Vertex>(random.below(size))});
  }
  const BipartiteGraph graph = shuffled(BipartiteGraph::from_edges(size, size, edges, {}, Duplicates::one), random);
  CAPTURE(seed, to_text(graph));
  const Decomposition d = decompose(graph);
  REQUIRE(d.matching.is_perfect());
  std::vector<int> rows_less_columns(d.fine.num_blocks, 0);
  for (const Vertex block : d.fine.block_of_row) ++rows_less_columns.at(block);
  for (const Vertex block : d.fine.block_of_column) --rows_less_columns.at(block);
  REQUIRE(rows_less_columns == std::vector<int>(d.fine.num_blocks, 0));
  // Reachability between rows by Warshall's closure: same block exactly when each reaches the other.
  std::vector<std::vector<bool>> reaches(size, std::vector<bool>(size, false));
  for (const Edge& edge : graph.edges()) {
    REQUIRE(d.fine.block_of_row[edge.row] <= d.fine.block_of_column[edge.column]);
    reaches[edge.row][d.matching.row_of_column[edge.column]] = true;
  }
  for (Vertex via = 0; via < size; ++via) {
    for (Vertex from = 0; from < size; ++from) {
      for (Vertex to = 0; to < size; ++to) {
        if (reaches[from][via] && reaches[via][to]) reaches[from][to] = true;
      }
    }
  }
  for (Vertex a = 0; a < size; ++a) {
    for (Vertex b = 0; b < size; ++b) {
      REQUIRE((d.fine.block_of_row[a] == d.fine.block_of_row[b]) == (reaches[a][b] && reaches[b][a]));
    }
  }
}

TEST_CASE("a cycle is one block and a path falls apart, at any length and without recursion") {
  const Vertex size = GENERATE(as<Vertex>{}, 2, 31, 32, 33, 63, 64, 65, 200'000);
  const BipartiteGraph path = path_graph(size);
  const Decomposition of_path = decompose(path);
  CHECK(of_path.fine.num_blocks == size);
  const auto keep = edges_in_perfect_matchings(path, of_path.fine);
  CHECK(std::count(keep.begin(), keep.end(), true) == size);
  if (size == 2) return;  // a cycle of length 4 needs no closing edge
  const Decomposition of_cycle = decompose(path_graph(size, true));
  CHECK(of_cycle.fine.num_blocks == 1);
}

TEST_CASE("a matching that is not maximum is refused") {
  const BipartiteGraph graph = graph_of(1, 1, {{0, 0}});
  CHECK_THROWS_AS(coarse_decomposition(graph, {{unmatched}, {unmatched}, 0}), InputError);
  CHECK_THROWS_AS(coarse_decomposition(graph, {{unmatched}, {}, 0}), InputError);
}

}  // namespace
}  // namespace matchcount
