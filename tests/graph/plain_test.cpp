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
  check_refused("a b\nb c\nc d\n", {.no_edge = "inf"}, 0, "--no-edge for the format edgelist", "dense");
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

TEST_CASE("a line that another separator than the first line's would split otherwise is refused") {
  // A tab and blanks, an empty cell between tabs or before them, what stands behind a quote.
  check_refused("0\t-3\t3\n11 2 10\n", usual(), 2, "tabs and blanks", "--delimiter tab");
  check_refused("a\tb\nc\t\td\n", usual(), 2, "'d'", "after the separator");
  check_refused("\ta\nb c\n", usual(undirected), 1, "'a' behind an empty field", "two names");
  check_refused("% bip\n\ta\tx\n", usual(), 2, "behind an empty field", "two names");
  InputOptions tabs = usual();
  tabs.delimiter = "\t";
  check_refused("\"a x\" \"b x\"\n", tabs, 1, "behind a closing quote", "a separator");
  CHECK(read_usual("a\tb\nc \t d\n").num_edges() == 2);
  CHECK(read_usual("1\t7\n2\t8\n3\t9\n4 \t6\n").num_edges() == 4);
}

TEST_CASE("lines of separators alone at the end of numbers leave them a matrix or edges") {
  for (const std::string text : {"6,3,-2\n11,4,12\n0,10,12\n,,\n", "9;8;4\n7;3;-2\n-1;7;-3\n;;\n", "1,2\n3,4\n,\n"})
    check_refused(text, usual(), 1, "numbers that may be a matrix", "--format dense", "--format edgelist");
}

TEST_CASE("complex numbers in brackets may be names, and a square of them is refused") {
  check_refused("(1, 4),(3, 3)\n(1, 4),(1, 3)\n", usual(directed), 1, "lines of 2 numbers", "--format dense");
  CHECK(read_usual("(0, 2) (0, 1)\n(1, 0) (1, 1)\n(1, 0) (0, 1)\n").num_edges() == 3);
  for (const std::string text : {"(3) (4)\n(7) (3)\n(8) (9)\n", "(4+1j) b\n", "(\"2,0) b\n", "|a b\nc d|\n"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_usual(text, undirected), InputError);
  }
}

TEST_CASE("words are no numbers for beginning as such") {
  // Above others they may be a header, whatever the format; and others may be theirs.
  for (const InputFormat format : {InputFormat::automatic, InputFormat::edge_list}) {
    for (const std::string text : {"1kg,2kg\n3kg,4kg\n3kg,5kg\n5kg,6kg\n", "0xf 0x4\n0x6 0x5\na b\nc d\n",
                                   "ann,kim\n1kg,2kg\n3kg,4kg\n3kg,5kg\n"})
      check_refused(text, as(format, InputOptions()), 1, "looks like a header", "--header yes", "--header no");
    for (const std::string text :
         {"0 1\nbob cat\nann bob\n", "1 2\nbob cat\nann bob\nann dan\n", "1 2 3\nbob cat 5\nann bob 6\n"})
      check_refused(text, as(format, usual(undirected)), 1, "may number the columns", "--header yes", "--header no");
  }
  // A minus of typesetters begins a number, and wide blanks part its digits.
  check_refused("\u22125 \u22128\n\u22122 \u22128\n", usual(), 1, "among lines of 2 numbers", "--format edgelist");
  InputOptions semicolon = usual();
  semicolon.delimiter = ";";
  for (const std::string blank : {"\u2009", "\u00a0", "\u202f"})
    check_refused("1" + blank + "000;2\n3;4\n", semicolon, 1, "1" + blank + "000", "--format edgelist");
}

TEST_CASE("a header is as wide as the lines below it, but for names alone") {
  for (const std::string text : {"x y\n1\n3 4\n1 2\n1 4\n", "zed , yak\n1\n1 , 2\n"})
    CHECK_THROWS_AS(read_input_text(text, "test", InputOptions()), InputError);
  check_refused("c1 c2\nn00\nn00 n01\n", InputOptions(), 1, "looks like a header", "--header yes");
  InputOptions header = usual();
  header.header = true;
  check_refused("one two three\na x\n", header, 1, "a header of 3 words", "fields below");
  check_refused("user_id ; item_id ; year\n1 ; 2 ; \n", header, 1, "a header of 3 words", "fields below");
  // No header settles what stands beside numbers.
  header.header = false;
  CHECK_THROWS_AS(read_input_text("r1, 0, 9\nr2, 9, 0\n", "test", header), InputError);
}

TEST_CASE("a column that is called weight has numbers, also where weights are left aside") {
  InputOptions ones = usual();
  ones.weight_key = "";
  check_refused("u v Weight\na x 0x3\nb y 0x7\n", ones, 2, "'0x3'", "a finite number");
  check_refused("author;paper;weight\na;i;(7)\nb;j;(1)\n", ones, 2, "'(7)'", "a finite number");
  check_refused(
      "node1 node2 w\na x 2e\nb y 1e\n",
      [&] {
        InputOptions weights = usual(undirected);
        weights.weight_key = "";
        return weights;
      }(),
      2, "'2e'", "a finite number");
  CHECK(read_input_text("source,target,weight\na,x,2\nb,y,1+2i\n", "test", ones).num_edges() == 2);
}

TEST_CASE("KONECT's times stand on each line or on none, and separators behind its first line are none of it") {
  check_refused("% sym\nbob,cat,2,1\ncat,dan,8\n", usual(undirected), 3, "3 fields", "a time on each line");
  check_refused("% sym\nbob cat 2\ncat dan 8 1\n", usual(undirected), 3, "4 fields", "a time on each line");
  CHECK(read_usual("% sym,\nbob,hal,\nann,gus,\n", undirected).kind == undirected);
}
