// Options of plain text: cells, bases, entries that are no edges, empty cells, loops that are left out.

#include <string>

#include "graph/reading.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions as(InputFormat format, InputOptions options = usual(undirected)) {
  options.format = format;
  return options;
}

}  // namespace

TEST_CASE("squares of a region are vertices with their places, joined to those beside them") {
  for (const std::string text : {"##.\n.##\n", "110\n011\n", "1 1 0\n0 1 1\n", "1,1,0\r\n0,1,1\r\n", "##\n.##"}) {
    CAPTURE(text);
    const Input input = read_input_text(text, "test", as(InputFormat::cells));
    CHECK(named_edges(input) == NamedEdges{{"1,1", "1,2"}, {"2,2", "1,2"}, {"2,2", "2,3"}});
    REQUIRE(input.coordinates.size() == 4);
    CHECK((input.coordinates[3].x == 2 && input.coordinates[3].y == -2));
  }
  CHECK(read_input_text("#\n\n#\n", "test", as(InputFormat::cells)).graph.num_edges() == 0);
  check_refused("##\n#x\n", as(InputFormat::cells), 2, "'x'", "# for a square");
  check_refused("##\n10\n", as(InputFormat::cells), 2, "'1'", "# for a square");
  check_refused("# #\n", as(InputFormat::cells), 1, "' '", "# for a square");
  check_refused("11\n1#\n", as(InputFormat::cells), 2, "'#'", "1 for a square");
  check_refused("\n\n", as(InputFormat::cells), 0, "no square", "lines of #");
}

TEST_CASE("indices of a matrix begin at the base that is asked for") {
  InputOptions options = usual(matrix);
  options.base = 0;
  CHECK(dense<std::int64_t>(read_input_text("0 0 2\n1 1 3\n0 1 1\n", "test", options)) == Integers{2, 1, 0, 3});
  options.base = 1;
  check_refused("0 0 2\n1 1 3\n", options, 1, "'0'", "--base 0");
  options.kind = bipartite;
  CHECK_THROWS_WITH(read_input_text("1 1\n2 2\n3 1\n", "test", options), ContainsSubstring("--kind matrix"));
}

TEST_CASE("entries that stand for none are no edges, where a format has entries") {
  InputOptions options = as(InputFormat::dense, usual(matrix));
  for (const auto& [none, text] : {std::pair<const char*, const char*>{"inf", "1 inf\nInfinity 3\n"},
                                   {"-1", "1 -1.0\n-1 3\n"},
                                   {"0.5", "1 1/2\n.5 3\n"},
                                   {"nan", "1 NaN\nnan 3\n"}}) {
    CAPTURE(none);
    options.no_edge = none;
    CHECK(read_input_text(text, "test", options).graph.num_edges() == 2);
  }
  options.no_edge = "inf";
  check_refused("1 -inf\n2 3\n", options, 1, "'-inf'", "a finite number");
  check_refused(
      "a b\nb c\nc d\n",
      [] {
        InputOptions edges;
        edges.no_edge = "inf";
        return edges;
      }(),
      0, "--no-edge for the format edgelist", "dense");
}

TEST_CASE("empty cells at the ends of lines are left aside, where every line has them") {
  CHECK(named_edges(read_usual("a,x,\nb,y,\n,,\n")) == NamedEdges{{"a", "x"}, {"b", "y"}});
  CHECK(named_edges(read_usual("Source;Target;\na;x;\n;;\n")) == NamedEdges{{"a", "x"}});
  CHECK(dense<std::int64_t>(read_usual("-1,2,3,4,\n5,6,7,8,\n", matrix)) == Integers{-1, 2, 3, 4, 5, 6, 7, 8});
  check_refused("-1,2,3,4\n5,6,7,8,\n", usual(matrix), 2, "an empty cell", "a number");
  check_refused("a,x,5\nb,y,\n", usual(), 2, "2 fields", "3 fields");
}

TEST_CASE("loops of undirected graphs are refused, left out with a note, or kept") {
  InputOptions options = usual(undirected);
  check_refused("a a\na b\n", options, 1, "a loop at a", "--loops drop");
  options.loops = Loops::drop;
  const Input input = read_input_text("a a\na b\nb b\n", "test", options);
  CHECK(input.num_edges() == 1);
  REQUIRE(input.notes.size() == 1);
  CHECK_THAT(input.notes[0], ContainsSubstring("2 loops left out"));
  CHECK(read_input_text("a a 5\na b 7\n", "test", options).weights() == Weights(Integers{7}));
  options.kind = directed;
  for (const Loops loops : {Loops::drop, Loops::keep}) {
    options.loops = loops;
    CHECK_THROWS_WITH(read_input_text("a a\na b\n", "test", options), ContainsSubstring("--kind undirected"));
  }
}

TEST_CASE("edges of weight 0 are left out with a note of how many, and all weights with an empty key") {
  const std::string text = "p q 0\np s 2\nr q 3\nr s 4\n";
  const Input input = read_usual(text);
  CHECK(input.num_edges() == 3);
  REQUIRE(input.notes.size() == 1);
  CHECK_THAT(input.notes[0], ContainsSubstring("1 edge of weight 0 left out") && ContainsSubstring("--keep-zeros"));
  InputOptions all = usual();
  all.weight_key = "";
  const Input ones = read_input_text(text, "test", all);
  CHECK((ones.num_edges() == 4 && ones.notes.empty() && ones.weight_kind() == WeightKind::none));
  CHECK(read_input_text("2 1 1\n2 9\n1 9\n", "test", as(InputFormat::metis, all)).weight_kind() == WeightKind::none);
  CHECK(read_input_text("0 5\n6 0\n", "test", as(InputFormat::dense, all)).num_edges() == 2);
}

TEST_CASE("a column of types of Gephi says the kind, and types that differ are refused") {
  const std::string head = "Source,Target,Type\n";
  CHECK(read_input_text(head + "a,b,Undirected\nb,c,Undirected\n", "test", usual(directed)).num_edges() == 4);
  CHECK(read_input_text(head + "a,b,Directed\nb,a,Directed\n", "test", usual(directed)).num_edges() == 2);
  check_refused(head + "a,b,Directed\nb,c,Undirected\n", usual(directed), 3, "'Undirected' among others", "one type");
  check_refused(head + "a,b,Directed\nb,c,Directed\n", usual(), 0, "a directed graph", "--kind undirected");
}
