// Adjacency lists, of networkx and of those who tell every edge twice.

#include <string>

#include "graph/column_sets.hpp"
#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions adjlist = as(InputFormat::adjacency_list);

Input read_adjlist(const std::string& text, InputOptions options = adjlist) {
  return read_input_text(text, "test", options);
}

}  // namespace

TEST_CASE("adjacency lists: what networkx wrote, a vertex without neighbours included") {
  const Input grid = read_input_text(file("grid.adjlist"), "grid.adjlist");
  CHECK(grid.format == InputFormat::adjacency_list);
  CHECK(grid.kind == InputKind::undirected);
  CHECK(grid.graph.num_rows() + grid.graph.num_columns() == 17);
  CHECK(grid.graph.num_edges() == 24);
  CHECK(count_by_column_sets(grid.graph) == 0);
  // Without the vertex "alone" it is the grid 4 x 4.
  std::string text = file("grid.adjlist");
  text.erase(text.find("alone"), 5);
  CHECK(count_by_column_sets(read_adjlist(text).graph) == 36);
}

TEST_CASE("adjacency lists: every edge from one end, or every edge from both") {
  for (const std::string text :
       {"a b c\nb d\nc\nd c\n", "a b c\nb a d\nc a d\nd b c\n", "# note\n a\tb  c # end\r\n\nb d#end\nc \nd c"}) {
    CAPTURE(text);
    const Input input = read_adjlist(text);
    CHECK(named_edges(input) == NamedEdges{{"a", "b"}, {"a", "c"}, {"d", "b"}, {"d", "c"}});
    CHECK(input.graph.weight_kind() == WeightKind::none);
  }
  check_refused("a b\nb a c\nc\n", adjlist, 2, "an edge from b to c that is told once", "--kind directed");
  check_refused("1 2\n2 3\n3 2\n", adjlist, 1, "an edge from 1 to 2 that is told once", "--duplicates one");
  InputOptions options = adjlist;
  options.duplicates = Duplicates::one;
  CHECK(read_adjlist("a b\nb a c\nc\n", options).graph.num_edges() == 2);
  CHECK(read_adjlist("a b\nb a\n", options).graph.num_edges() == 1);
  options.duplicates = Duplicates::sum;
  check_refused("a b\nb a\n", options, 0, "told from both its ends", "--duplicates refuse");
  CHECK(dense<std::int64_t>(read_adjlist("a b b\n", options)) == Integers{2});
  check_refused("a c\nb c c\n", adjlist, 2, "c b again, after line 2", "every edge once");
  check_refused("a b\nb b\n", adjlist, 2, "a loop at b", "two vertices");
}

TEST_CASE("adjacency lists: half a name is refused where the name of the file alone says what it is") {
  const auto read = [](const std::string& text, const InputOptions& options) {
    return read_input_text(text, "test.adjlist", options);
  };
  const InputOptions by_name = as(InputFormat::automatic, InputKind::undirected);
  for (const std::string text : {"New York\nLos Angeles\n", "node 0\nnode 1\n", "a b\n"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(read(text, by_name),
                      ContainsSubstring("without a line of its own") && ContainsSubstring("--format adjlist"));
  }
  for (const std::string text : {"(0, 0)\n", "(0, 0) (0, 1)\n(0, 1)\n", "0;1\n1;2\n", "a|b\n"})
    CHECK_THROWS_WITH(read(text, by_name), ContainsSubstring("names apart by blanks"));
  CHECK(read("a b\nb\n", by_name).graph.num_edges() == 1);
  CHECK(read("a b\n", adjlist).graph.num_edges() == 1);
}

TEST_CASE("adjacency lists: directed where that is asked, undirected by nature") {
  const std::string text = "1 2 1\n2 1\n3 1\n";
  for (const InputOptions& options : {as(InputFormat::adjacency_list, InputKind::directed),
                                      given(InputFormat::adjacency_list, InputKind::directed)}) {
    const Input arcs = read_adjlist(text, options);
    CHECK(arcs.kind == InputKind::directed);
    CHECK(named_edges(arcs) == NamedEdges{{"1", "2"}, {"1", "1"}, {"2", "1"}, {"3", "1"}});
  }
  const std::string path = "1 2\n2 3\n3\n";
  check_refused(path, as(InputFormat::adjacency_list, InputKind::matrix), 0, "an undirected graph",
                "--kind undirected");
  CHECK(named_edges(read_adjlist(path, given(InputFormat::adjacency_list, InputKind::matrix))).size() == 4);
  CHECK(read_adjlist(path, given(InputFormat::adjacency_list, InputKind::bipartite)).kind == InputKind::undirected);
  CHECK(read_adjlist("# kind: directed\n1 2\n2 1\n", as(InputFormat::adjacency_list, InputKind::directed))
            .graph.num_edges() == 2);
  check_refused("# kind: directed\n1 2\n2 1\n", adjlist, 1, "a directed graph", "--kind undirected");
}

TEST_CASE("adjacency lists: what is no name is refused with its line") {
  check_refused("# nothing\n\n", adjlist, 0, "no vertex", "at least one line");
  check_refused("a b\nc \x01\n", adjlist, 2, "the control character '\\x01'", "text");
  check_refused("a b\nc d\x7F\n", adjlist, 2, "a control character", "text");
  check_refused("a b\nc \xFF\n", adjlist, 2, "the name '\\xff'", "UTF-8");
  check_refused("a " + std::string(5000, 'x') + "\n", adjlist, 1, "a name of 5000 bytes", "at most 4096");
}

TEST_CASE("adjacency lists: edges told once are arcs or go both ways, which a question about digraphs has to be told") {
  const std::string square = "1 2 4\n2 3\n3 4\n4\n";
  const InputOptions cycles = as(InputFormat::adjacency_list, InputKind::directed);
  check_refused("# written by networkx\n" + square, cycles, 2, "an edge from 1 to 2 that is told once",
                "--kind directed", "'# kind: undirected'");
  InputOptions one = cycles;
  one.duplicates = Duplicates::one;
  check_refused("1 2\n2 1 3\n3\n", one, 2, "an edge from 2 to 3 that is told once", "--kind directed");
  CHECK(read_adjlist(square, given(InputFormat::adjacency_list, InputKind::directed)).graph.num_edges() == 4);
  CHECK(read_adjlist("# kind: directed\n" + square, cycles).graph.num_edges() == 4);
  CHECK(read_adjlist("# kind: undirected\n" + square, cycles).graph.num_edges() == 8);
  // Told from both ends, or some so and some not: one reading.
  CHECK(read_adjlist("1 2 4\n2 1 3\n3 2 4\n4 1 3\n", cycles).graph.num_edges() == 8);
  CHECK(read_adjlist("1 2 1\n2 1\n3 1\n", cycles).graph.num_edges() == 4);
  CHECK(read_adjlist("1 1\n2 2\n", cycles).graph.num_edges() == 2);
}

TEST_CASE("adjacency lists: characters that can't be seen, or that Python takes for blanks, are refused in names") {
  for (const std::string hidden : {"\xC2\xA0", "\xE2\x80\x8B", "\xEF\xBB\xBF", "\xE3\x80\x80"}) {
    check_refused("a b\nb c" + hidden + "d\n", adjlist, 2, "the name 'c", "blanks of ASCII");
  }
  CHECK(read_adjlist("\xC3\xA9 \xCE\xA9\n").graph.num_edges() == 1);
}
