// Orders of vertices in files: names, tree decompositions, and what is wrong with them.

#include "graph/vertex_order.hpp"

#include <algorithm>

#include "graph/file_of_graph.hpp"
#include "graph/tree_decomposition.hpp"
#include "support/catch.hpp"
#include "support/graphs.hpp"

namespace matchcount::test {
namespace {

using Reading = FileOfGraph<read_vertex_order>;

// Names the vertices of a path.
VertexNames names() { return {{"a", "b", "c d", "e"}, {}}; }

TEST_CASE("names, one a line, are an order; comments and quotes are read") {
  const Reading reading(path(4), names());
  CHECK(reading.found("# an order\nb\n\"c d\"\n\n% more\n e \na\n") == std::vector<Vertex>{1, 2, 3, 0});
}

TEST_CASE("an order that is not one of all vertices once is refused with the vertex") {
  const Reading reading(path(4), names());
  CHECK(has(reading.refusal("a\nb\ne\n"), "without the vertex 'c d'"));
  CHECK(has(reading.refusal("a\nb\na\ne\n"), "'a' again, after line 1"));
  CHECK(has(reading.refusal("a\nb\nx\n"), "the name 'x'"));
  CHECK(has(reading.refusal("a\nb e\n"), "several fields"));
  CHECK(has(reading.refusal("a\n\"b\n"), "quote"));
}

TEST_CASE("names that rows and columns share have to say their side") {
  const Reading reading(UndirectedGraph::from_edges(3, {{0, 2}, {1, 2}}), {{"1", "x", "1"}, 2});
  CHECK(reading.found("column 1\nx\nrow 1\n") == std::vector<Vertex>{2, 1, 0});
  CHECK(has(reading.refusal("1\nx\n"), "that of a row and of a column"));
  CHECK(has(reading.refusal("column x\n"), "the name of a column"));
  CHECK(has(reading.refusal("row 1\nx\n"), "without the column '1'"));
}

TEST_CASE("a tree decomposition gives the order of its bags") {
  const Reading reading(path(4), names());
  // The bags hang in a path: the order goes from one end to the other.
  CHECK(reading.found("c one\ns td 3 2 4\nb 1 1 2\nb 2 2 3\nb 3 3 4\n1 2\nc two\n2 3\n") ==
        std::vector<Vertex>{0, 1, 2, 3});
  CHECK(reading.found("s td 1 4 4\nb 1 4 3 2 1\n").size() == 4);
  CHECK(reading.found("s td 2 4 4\nb 1\nb 2 4 3 2 1\n1 2\n").size() == 4);
}

TEST_CASE("bags that are no tree decomposition of the graph are refused with what they lack") {
  const Reading reading(path(4), names());
  const auto refused = [&](const char* text, const char* why) {
    CAPTURE(text);
    CHECK(has(reading.refusal(text), why));
  };
  refused("s td 2 2 4\nb 1 1 2\nb 2 3 4\n1 2\n", "no bag with both ends of the edge 'b' 'c d'");
  refused("s td 2 3 4\nb 1 1 2\nb 2 2 3\n1 2\n", "no bag with the vertex 'e'");
  refused("s td 3 2 4\nb 1 1 2\nb 2 3 4\nb 3 2 3\n1 2\n2 3\n", "bags of the vertex 'b' that lie apart");
  refused("s td 3 2 4\nb 1 1 2\nb 2 2 3\nb 3 3 4\n1 2\n", "no tree");
  refused("s td 3 2 4\nb 1 1 2\nb 2 2 3\nb 3 3 4\n1 2\n1 2\n", "no tree");
  refused("s td 3 2 4\nb 1 1 2\nb 2 2 3\nb 3 3 4\n1 2\n2 3\n3 1\n", "no tree");
  refused("s td 4 2 4\nb 1 1 2\nb 2 2 3\nb 3 3 4\nb 4 4\n1 2\n2 3\n3 1\n", "no tree");
  refused("s td 2 2 4\nb 1 1 2\n1 2\n", "no bag 2");
  refused("s td 1 4 4\nb 1 1 2 3 4\nb 1 1\n", "bag 1 again");
  refused("s td 1 3 4\nb 1 1 2 3 4\n", "a bag of 4");
  refused("s td 1 4 4\nb 1 1 2 3 5\n", "'5'");
  refused("s td 1 4 4\nb 1 1 2 3 3\n", "a vertex twice");
  refused("s td 1 4 5\nb 1 1 2 3 4\n", "another graph");
  refused("s td 1 4\nb 1 1 2 3 4\n", "the end of the line");
  refused("s td 0 0 4\n", "no bags");
}

TEST_CASE("eliminated along the order of a decomposition, vertices have bags within its own") {
  Random random(7);
  for (const Vertex n : {1U, 2U, 3U, 20U, 33U}) {
    const UndirectedGraph graph = random_graph(n, 0.2, random);
    CAPTURE(to_string(graph));
    const Adjacency adjacency(graph);
    const RunContext run;
    StepCheck steps(run);
    std::uint64_t work = 0;
    const auto tree = decompose_by_elimination(adjacency.view(), EliminationRule::fill, 1, n, 1'000'000, work, steps);
    const std::vector<Vertex> order = order_along_tree(*tree, farthest_bag(*tree, 0));
    const auto again = decompose_along(adjacency.view(), order, n, steps);
    REQUIRE(again);
    for (const std::vector<Vertex>& bag : again->bags)
      CHECK(std::ranges::any_of(tree->bags, [&](const auto& other) { return std::ranges::includes(other, bag); }));
    CHECK(again->width() == tree->width());
    if (tree->width() > 0) CHECK_FALSE(decompose_along(adjacency.view(), order, tree->width() - 1, steps));
  }
}

}  // namespace
}  // namespace matchcount::test
