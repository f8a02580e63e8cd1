// Checks which kind of graph a file is taken for when the command line does not say.

#include <optional>
#include <string>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

constexpr InputKind all_kinds[] = {InputKind::bipartite, InputKind::undirected, InputKind::directed, InputKind::matrix};

}  // namespace

TEST_CASE("the kind that a comment before the data states needs no option") {
  const std::string hexagon = "1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n";
  for (const std::string comment : {"# kind: undirected\n", "% kind: undirected\n", "#kind:undirected\n",
                                    "# made by hand\n\n  # Kind : Undirected \r\n# more\n"}) {
    CAPTURE(comment);
    const Input input = read_usual(comment + hexagon);
    CHECK(input.kind == InputKind::undirected);
    CHECK(input.graph.num_rows() == 3);
    CHECK(input.notes.empty());
  }
  CHECK(read_usual("# kind: bipartite\n" + hexagon).graph.num_rows() == 6);
  CHECK(read_usual("# kind: bipartite\n" + hexagon).kind == InputKind::bipartite);
  CHECK(read_usual("# kind: bipartite\n1 1\n3 2\n3 1\n", InputKind::matrix).graph.num_rows() == 2);
  CHECK(read_usual("# kind: matrix\n# format: edgelist\n1 1\n3 2\n4 1\n").graph.num_rows() == 4);
  CHECK(read_usual("# kind: directed\na b\nb a\n", InputKind::directed).kind == InputKind::directed);
  // An undirected edge goes both ways.
  const Input arcs = read_usual("# kind: undirected\na b\nb c\n", InputKind::directed);
  CHECK(arcs.kind == InputKind::directed);
  CHECK(named_edges(arcs) == NamedEdges{{"a", "b"}, {"b", "a"}, {"b", "c"}, {"c", "b"}});
  // A kind that is given wins, and a comment behind the first edge states nothing.
  InputOptions given{.kind = InputKind::bipartite};
  CHECK(read_usual("# kind: undirected\n1 2\n2 1\n1 1\n", InputKind::bipartite, given).graph.num_rows() == 2);
  given.kind = InputKind::undirected;
  CHECK(read_usual("1 2\n# kind: tree\n2 3\n3 4\n", InputKind::bipartite, given).kind == InputKind::undirected);
}

TEST_CASE("a comment that states an unknown kind, or two kinds, is refused") {
  check_refused("# kind: tree\n1 2\n", usual(), 1, "", "undirected", "matrix");
  check_refused("# kind:\n1 2\n", usual(), 1, "", "undirected", "matrix");
  check_refused("# kind: undirected\n# x\n# kind: directed\n1 2\n", usual(), 3, "", "'undirected'", "line 1");
  CHECK(read_usual("# kind: matrix\n% kind: matrix\n# format: edgelist\n1 2\n").kind == InputKind::matrix);
  // The SuiteSparse collection describes its matrices in such comments.
  const std::string steam =
      banner + "coordinate real general\n% id: 7\n% kind: directed weighted graph\n1 1 1\n1 1 2.5\n";
  CHECK(read_usual(steam).kind == InputKind::bipartite);
  CHECK(read_usual(steam, InputKind::matrix).kind == InputKind::matrix);
  // Other words with a colon are no statement.
  CHECK(read_usual("# mankind: none\n# kinds: two\n1 2\n").kind == InputKind::bipartite);
}

TEST_CASE("a file about another kind than the question is refused with both kinds to choose from") {
  check_refused("# x\n# kind: undirected\n1 2\n", usual(InputKind::matrix), 2, "", "--kind undirected",
                "--kind matrix");
  check_refused("# kind: directed\n1 2\n", usual(InputKind::matrix), 1, "", "--kind directed", "--kind matrix");
  check_refused("# kind: bipartite\n1 2\n", usual(InputKind::directed), 1, "", "--kind directed", "--kind matrix");
  check_refused("# kind: directed\n1 2\n", usual(), 1, "", "--kind directed", "--kind undirected");
  check_refused("# kind: directed\n1 2\n", usual(InputKind::undirected), 1, "", "--kind directed", "--kind undirected");
  check_refused("# kind: matrix\n# format: edgelist\na b\n", usual(InputKind::undirected), 1, "", "--kind undirected",
                "--kind matrix");
  // The format may say it too.
  check_refused("p edge 2 1\ne 1 2\n", usual(InputKind::matrix), 0, "", "--kind undirected", "--kind matrix");
  check_refused("p sp 2 1\na 1 2 5\n", usual(), 0, "", "--kind directed", "--kind undirected");
  CHECK(read_usual("p edge 2 1\ne 1 2\n").kind == InputKind::undirected);
  CHECK(read_usual("p edge 2 1\ne 1 2\n", InputKind::directed).graph.num_edges() == 2);
  CHECK(read_usual("p sp 2 1\na 1 2 5\n", InputKind::directed).kind == InputKind::directed);
  // The arcs' matrix is the same either way.
  CHECK(read_usual("p sp 2 1\na 1 2 5\n", InputKind::matrix).kind == InputKind::matrix);
}

TEST_CASE("a question about undirected graphs needs no kind either") {
  CHECK(read_usual("1 2\n2 3\n3 4\n", InputKind::undirected).kind == InputKind::undirected);
  const Input half = read_usual(banner + "coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", InputKind::undirected);
  CHECK(half.kind == InputKind::undirected);
  CHECK(half.graph.num_edges() == 2);
  CHECK_THROWS_AS(read_usual(banner + "coordinate pattern general\n2 2 1\n2 1\n", InputKind::undirected), InputError);
}

TEST_CASE("a symmetric matrix is read as rows and columns, and a note says how to read the graph") {
  const std::string path = "coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
  const Input input = read_usual(banner + path);
  CHECK(input.kind == InputKind::bipartite);
  CHECK(input.graph.num_edges() == 4);
  REQUIRE(input.notes.size() == 1);
  CHECK_THAT(input.notes[0], ContainsSubstring("rows and columns") && ContainsSubstring("--kind undirected"));
  CHECK(read_usual(banner + "coordinate integer general\n2 2 2\n1 2 5\n2 1 5\n").notes.size() == 1);
  // No graph: unequal values, a diagonal, no entries.
  CHECK(read_usual(banner + "coordinate integer general\n2 2 2\n1 2 5\n2 1 6\n").notes.empty());
  CHECK(read_usual(banner + "coordinate integer symmetric\n2 2 2\n1 1 5\n2 1 6\n").notes.empty());
  CHECK(read_usual(banner + "coordinate integer general\n2 2 1\n1 2 5\n").notes.empty());
  CHECK(read_usual(banner + "coordinate integer general\n2 2 0\n").notes.empty());
  // Nothing to say where the kind is known, or the question is about matrices.
  for (const InputKind kind : all_kinds) CHECK(read(banner + path, kind).notes.empty());
  CHECK(read_usual(banner + path, InputKind::matrix).notes.empty());
  const std::string stated = banner + "coordinate pattern symmetric\n% kind: undirected\n3 3 2\n2 1\n3 2\n";
  CHECK(read_usual(stated).notes.empty());
  CHECK(read_usual(stated).kind == InputKind::undirected);
}

TEST_CASE("a kind that is asked for and another that the file states are both named") {
  const auto notes = [](const char* stated, InputKind kind) {
    return read(std::string("# format: edgelist\n# kind: ") + stated + "\na b 1\nb c 1\n", kind).notes;
  };
  for (const InputKind kind : all_kinds) {
    const bool has_rows = kind == InputKind::bipartite || kind == InputKind::matrix;
    CHECK(notes("matrix", kind).empty() == has_rows);
    CHECK(notes("directed", kind).empty() == (kind == InputKind::directed));
  }
  CHECK_THAT(notes("bipartite", InputKind::directed)[0],
             ContainsSubstring("read as directed by --kind, but line 2 says that it is bipartite"));
  // The option answers what would be refused without it.
  for (const char* stated : {"# kind: of its own\n", "# Directed graph (each unordered pair of nodes is saved once)\n"})
    CHECK(read(std::string(stated) + "a b\nb c\nc a\n", InputKind::directed).notes.empty());
}

TEST_CASE("a sequence gives the file's only graph, and then nothing") {
  InputSequence sequence = InputSequence::from_text("a x\n", "test");
  CHECK_FALSE(sequence.has_several());
  CHECK(sequence.position() == 0);
  const std::optional<Input> input = sequence.next();
  REQUIRE(input.has_value());
  CHECK(named_edges(*input) == NamedEdges{{"a", "x"}});
  CHECK(sequence.position() == 1);
  CHECK_FALSE(sequence.next().has_value());
  CHECK_FALSE(sequence.next().has_value());
  CHECK(sequence.position() == 1);
  // Behind a bad graph the file goes on, which here is its end.
  InputSequence bad = InputSequence::from_text("a\tb\tc\td\n", "test");
  CHECK_THROWS_AS(bad.next(), InputError);
  CHECK(bad.position() == 1);
  CHECK_FALSE(bad.next().has_value());
}

TEST_CASE("reading ends where the time of its run is over") {
  CHECK_THROWS_AS(read_input_text("a x\n", "test", {}, RunContext({.time_limit_s = 1e-9})), Unable);
}

TEST_CASE("METIS and adjacency lists state a format and a kind in comments, and two separate sides are one set there") {
  const std::string hexagon = "6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n5 1\n";
  CHECK_THROWS_AS(read_usual(hexagon), InputError);  // an edge list as well
  for (const std::string kind : {"undirected", "bipartite"}) {
    const Input input = read_usual("% kind: " + kind + "\n% format: metis\n" + hexagon);
    CHECK(input.format == InputFormat::metis);
    CHECK(input.kind == undirected);
    CHECK(input.graph.num_edges() == 6);
    CHECK(input.graph.num_rows() == 3);
    const Input list =
        read_usual("# kind: " + kind + "\n# format: adjlist\n1 2 6\n2 1 3\n3 2 4\n4 3 5\n5 4 6\n6 5 1\n");
    CHECK(list.format == InputFormat::adjacency_list);
    CHECK(list.graph.num_rows() == 3);
  }
  check_refused("% kind: directed\n% format: metis\n" + hexagon, usual(), 1, "a directed graph", "--kind undirected");
}

TEST_CASE("a comment tells whether there is a header, and an option overrides it") {
  const std::string names = "alice bob\ncarol dave\n";
  CHECK(read_usual("source target\n" + names).graph.num_edges() == 2);
  CHECK(read_usual("# header: no\nsource target\n" + names).graph.num_edges() == 3);
  CHECK(read_usual("# header: yes\nsource target\n" + names).graph.num_edges() == 2);
  CHECK(read_usual("# Header: source target\n" + names).graph.num_edges() == 2);  // says nothing of it
  CHECK(read_usual("# header: no\nsource target\n" + names, bipartite, {.header = true}).graph.num_edges() == 2);
  CHECK(read_usual("# header: yes\n# format: dense\nA B\n1 2\n3 4\n", matrix).graph.num_rows() == 2);
}

TEST_CASE("what a file says of its format counts more than its name") {
  const std::string edges = "# kind: bipartite\n# format: edgelist\n1 1\n2 2\n";
  for (const char* name : {"x.mtx", "x.graph", "x.gr", "x.adjlist"})
    CHECK(read_input_text(edges, name).format == InputFormat::edge_list);
}

TEST_CASE("a fault of a kind that the file does not say names the one that it says") {
  InputOptions asked = usual();
  asked.kind = undirected;
  check_refused("# kind: bipartite\n1 1\n1 2\n3 2\n", asked, 2, "a loop at 1", "or no --kind",
                "says that it is bipartite");
  try {
    read_input_text("1 1\n1 2\n3 2\n", "test", asked);
    FAIL_CHECK("it was read");
  } catch (const InputError& error) {
    CHECK(error.expected().find("no --kind") == std::string::npos);
  }
}
