// Rotation systems in files, and what is wrong with them.

#include "graph/rotation.hpp"

#include "graph/file_of_graph.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount::test {
namespace {

using Reading = FileOfGraph<read_rotation>;

TEST_CASE("lines of a vertex and its neighbours are a rotation, whatever their order") {
  const Reading reading(complete(4), {{"a", "b", "c d", "e"}, {}});
  const std::string text = "# of K_4\n\"c d\" a b e\nb \"c d\" e a\n\na e b \"c d\"\ne a \"c d\" b\n";
  CHECK(reading.found(text) == RotationSystem{{3, 1, 2}, {2, 3, 0}, {0, 1, 3}, {0, 2, 1}});
  CHECK(has(reading.refusal("a b e\n"), ":1: found 2 neighbours, expected all 3"));
  CHECK(has(reading.refusal("a b e b\n"), "the neighbour 'b' twice"));
  CHECK(has(reading.refusal("a b e a\n"), "the neighbour 'a'"));
  CHECK(has(reading.refusal("a b e x\n"), "the name 'x'"));
  CHECK(has(reading.refusal("a b e \"c d\"\na b e \"c d\"\n"), ":2: found 'a' again, after line 1"));
  CHECK(has(reading.refusal("a b e \"c d\"\n"), "no line for the vertex 'b'"));
  CHECK(has(reading.refusal("a b \"e\n"), "quote"));
}

TEST_CASE("lines of two sides name theirs, and neighbours are of the other; lone vertices need none") {
  const Reading reading(UndirectedGraph::from_edges(5, {{0, 3}, {0, 4}, {1, 3}, {1, 4}}),
                        {{"1", "2", "3", "1", "2"}, 3});
  const std::string text = "row 1 2 1\nrow 2 1 2\ncolumn 1 1 2\ncolumn 2 2 1\n";
  CHECK(reading.found(text) == RotationSystem{{4, 3}, {3, 4}, {}, {0, 1}, {1, 0}});
  CHECK(has(reading.refusal("1 2 1\n"), "no side of a vertex"));
  CHECK(has(reading.refusal("row 4 1\n"), "the name '4', expected the name of a row"));
  CHECK(has(reading.refusal("row 3 1\n"), "the neighbour '1'"));
}

TEST_CASE("planar_code has rotations, of any genus") {
  // K_7 on the torus: around v are v + 1, v + 3, v + 2, v + 6, v + 4, v + 5 modulo 7.
  std::string code = ">>planar_code<<\7";
  RotationSystem expected(7);
  for (Vertex v = 0; v < 7; ++v) {
    for (const Vertex step : {1u, 3u, 2u, 6u, 4u, 5u}) {
      expected[v].push_back((v + step) % 7);
      code += static_cast<char>(expected[v].back() + 1);
    }
    code += '\0';
  }
  const UndirectedGraph graph = complete(7);
  const Reading reading(graph, {{"1", "2", "3", "4", "5", "6", "7"}, {}});
  const RotationSystem rotation = reading.found(code);
  CHECK(rotation == expected);
  CHECK(euler_genus(graph, faces_of(graph, embedding_of(graph, rotation))) == 2);
  CHECK(has(reading.refusal(code + code.substr(15)), "several graphs"));
  CHECK(has(Reading(complete(6), {{"1", "2", "3", "4", "5", "6"}, {}}).refusal(code), "a graph of 7 vertices"));
  code[16] = 3;
  CHECK(has(reading.refusal(code), "other neighbours of vertex 1"));
}

TEST_CASE("a rotation among some vertices keeps the order around them") {
  const RotationSystem rotation{{3, 1, 2}, {2, 3, 0}, {0, 1, 3}, {0, 2, 1}};
  CHECK(rotation_among(rotation, {3, 0, 2}) == RotationSystem{{1, 2}, {0, 2}, {1, 0}});
}

}  // namespace
}  // namespace matchcount::test
