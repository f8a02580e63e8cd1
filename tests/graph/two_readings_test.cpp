// Texts that two formats would read, each to another graph.

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "graph/formats.hpp"
#include "graph/input.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

constexpr InputKind all_kinds[] = {bipartite, undirected, directed, matrix};

InputOptions with_header(bool header, InputFormat format = InputFormat::automatic) {
  return {.format = format, .header = header};
}

InputOptions as_edge_list() { return {.format = InputFormat::edge_list}; }

std::string konect(const std::string& words) { return "% " + words + "\n% 4 3 3\n"; }

}  // namespace

TEST_CASE("what fits METIS's header and lines is refused with both formats named, whatever the kind") {
  const std::string square = "4 4\n2 4\n1 3\n2 4\n1 3\n";
  const std::string path = "% a path\n4 3\n2\n1 3\n2 4\n3\n\n";
  const std::string isolated = "3 1\n2\n1\n\n";
  const std::string empty = "3 0\n\n\n\n";
  const std::string weighted = "2 1 001\n2 5\n1 5\n";
  for (const std::string& text : {square, path, isolated, empty, weighted, std::string("2 1 11 1\n7 2 5\n7 1 5\n")}) {
    for (const InputKind kind : all_kinds) {
      check_refused(text, usual(kind), text[0] == '%' ? 2 : 1, "fit METIS", "--format metis", "--format edgelist");
    }
    CHECK(read_metis(text, undirected).format == InputFormat::metis);
  }
  CHECK(read("2 1\n2\n1\n", bipartite, as_edge_list()).graph.num_rows() == 1);
  // A header that the lines don't fit, or comments of other formats.
  for (const std::string& text :
       {std::string("4 3\n2 4\n1 3\n2 4\n1 3\n"), std::string("4 4\n2 4\n1 3\n2 4\n"), "# edges\n" + isolated + "9\n",
        std::string("4 4\n2 4\n1 3\n2 4\n1 5\n"), std::string("1 2\n3 4\n5 6\n7 8\n"), std::string("3 0\n\n\n")}) {
    CAPTURE(text);
    CHECK(read(text, bipartite,
               [] {
                 InputOptions options = with_header(false);
                 options.duplicates = Duplicates::one;
                 return options;
               }())
              .format == InputFormat::edge_list);
  }
}

TEST_CASE("a molecule whose name is a graph in sparse6 is refused with both formats named") {
  const std::string molecule =
      ":An\n\n\n  2  1  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 C   0  0\n"
      "    1.0000    0.0000    0.0000 C   0  0\n  1  2  2  0\nM  END\n";
  check_refused(molecule, usual(), 1, "sparse6", "--format sparse6", "--format mol");
  InputOptions options = usual();
  options.format = InputFormat::mol;
  CHECK(read_input_text(molecule, "test", options).graph.num_edges() == 1);
}

TEST_CASE("an edge of networkx that is an empty graph of DOT as well is refused") {
  for (const std::string text : {"graph source {}\n", "digraph a {}\nb c {}\n", "# edges\ngraph a {}\n"})
    check_refused(text, usual(undirected), text[0] == '#' ? 2 : 1, "an empty graph of DOT, or an edge", "--format dot",
                  "--format edgelist");
  CHECK(read("graph source {}\na b {}\n", undirected, as_edge_list()).graph.num_edges() == 2);
}

TEST_CASE("a first line that may be the size of the matrix behind it is refused, and options tell") {
  for (const std::string text : {"2 2\n1 2\n3 4\n", "2\n1 2\n3 4\n", "# size\n2 2\n0.5 1\n1e3 4\n", "2,2\n1,2\n3,4\n",
                                 "3 3\n1 2 3\n4 5 6\n7 8 10\n", "3\n1 2 3\n4 5 6\n7 8 10\n", "2;2\n1;2\n3;4\n"}) {
    for (const InputKind kind : all_kinds) {
      check_refused(text, usual(kind), text[0] == '#' ? 2 : 1, "may be the size of a matrix", "--format dense",
                    "--header yes", "--header no");
    }
    const Input input = read_usual(text, matrix, with_header(true, InputFormat::dense));
    CHECK(input.graph.num_rows() == input.graph.num_columns());
  }
  CHECK(named_edges(read("2 2\n1 2\n3 4\n", bipartite, with_header(false, InputFormat::edge_list))) ==
        NamedEdges{{"1", "2"}, {"2", "2"}, {"3", "4"}});
  CHECK(read("2 2\n1 2\n3 4\n", bipartite, as_edge_list()).graph.num_edges() == 3);
  // Another number of lines, or of numbers on them.
  CHECK(read("2 2\n1 4\n3 4\n5 6\n", bipartite).graph.num_edges() == 4);
  CHECK(read_usual("1 2\n3 4\n5 6\n7 8\n").graph.num_edges() == 4);
}

TEST_CASE("a first line that may count the edges behind it is refused, and options tell") {
  const std::string cycle = "1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n";
  for (const std::string& text : {"6 6\n" + cycle, "6 7\n" + cycle + "1 4\n", "6\n" + cycle,
                                  std::string("4 2\n0 1\n2 3\n"), std::string("3 3 2\n1 1 5\n2 2 6\n"),
                                  std::string("3 4 3\n1 4 5\n2 2 6\n3 1 0.5\n"), std::string("2 1\n1 2\n")}) {
    for (const InputKind kind : all_kinds) {
      check_refused(text, usual(kind), 1, "the number of edges", "--header yes", "--header no");
    }
  }
  CHECK(read("6 6\n" + cycle, undirected, with_header(true)).graph.num_edges() == 6);
  CHECK(read("6 7\n" + cycle + "1 4\n", undirected, with_header(false)).graph.num_edges() == 8);
  check_refused("2 0\n", usual(), 1, "'2 0', which may be the number of edges", "--header no");
  // A header may stand on two lines.
  for (const std::string text : {"4\n6\n1 2\n1 3\n1 4\n2 3\n2 4\n3 4\n", "2\n2\n0.5 2\n3 4\n"}) {
    check_refused(text, usual(undirected), 1, "the first of two lines", "alone", "--format edgelist");
  }
  CHECK(read("1 2\n4\n5\n", undirected).graph.num_edges() == 1);
  // Vertices from 0, of which the number is none.
  check_refused("6\n0 1\n1 2\n2 3\n3 4\n4 5\n", usual(undirected), 1, "the number of edges or vertices",
                "--header yes");
  // Vertices from 1, of which an edge list would lack 3 and 5.
  check_refused("6\n2 1\n2 6\n6 4\n", usual(undirected), 1, "the number of edges or vertices", "--header yes");
  // A number alone above edges may be a size in any case. One that is announced has to be theirs.
  check_refused("6\n1 2\n3 4\n", usual(undirected), 1, "the number of edges or vertices", "--header no");
  CHECK(read("6\n1 2\n3 4\n", undirected, with_header(false)).graph.num_rows() == 3);
  for (const std::string text :
       {"6 3\n1 2\n3 4\n1 4\n", "4\n4\n0 1\n1 2\n2 3\n3 0\n", "5\n1 2\n3 4\n", "3 4 2\n1 5\n2 6\n", "1 -2\n1 2\n3 4\n"})
    check_refused(text, usual(undirected, with_header(true)), 1, "", "");
  for (const std::string text : {"4 3\n1 2\n3 4\n1 4\n", "3\n1 2\n3 4\n1 4\n", "4\n1 2\n3 4\n", "0 1\n1 2\n3 4\n5 6\n"})
    CHECK(read(text, undirected, with_header(true)).graph.num_edges() >= 2);
  // Another number of lines, or a name beyond the number.
  CHECK(read("6 6\n1 2\n2 3\n3 4\n", bipartite).graph.num_edges() == 4);
  CHECK(read("6 7\n" + cycle + "1 7\n", directed).graph.num_edges() == 8);
  CHECK(read("3 3 4\n1 1 5\n2 4 6\n3 1 2\n5 1 2\n", bipartite).graph.num_edges() == 5);
  CHECK(read("6 7\n" + cycle + "a 4\n", undirected).graph.num_edges() == 8);
}

TEST_CASE("a first line that counts edges between other names, or numbers their columns, is refused") {
  for (const std::string text : {"5 2\n103 110\n117 110\n124\n", "2 3\nv2,v3\nv1,v3\nv1,v2\n", "4 3 2\na x 1\nb y 5\n",
                                 "9\n3\na b\nb c\nc d\n", "3\na b\nb c\nc d\n"})
    check_refused(text, usual(undirected), 1, text[0] == '9' ? "the first of two lines" : "the number of edges",
                  text[0] == '9' ? "alone" : "--header yes");
  for (const std::string text : {"0 1\nv1 v2\nv3 v2\n", "0,1\n3,4\n5,4\n", "0,1,2\na,b,0.5\nc,b,3\nc,d,1\n"})
    check_refused(text, usual(undirected), 1, "which may number the columns", "--header yes", "--header no");
  // A third column that numbers alone head is a weight where --columns says it.
  InputOptions weights = usual(undirected, with_header(true));
  check_refused("0 1 2\na b 3\nc d 4\n", weights, 2, "a third column", "--columns");
  weights.columns = "1,2,3";
  CHECK(read_input_text("0 1 2\na b 3\nc d 4\n", "test", weights).graph.num_edges() == 2);
  // Another separator stands in the header than below.
  check_refused("0\t1\n9, 3\n7, 5\n", usual(bipartite, with_header(true)), 1, "", "");
  CHECK(read("0 1\nv1 v2\nv3 v2\n", undirected, with_header(true)).graph.num_edges() == 2);
  CHECK(read("0 1\nv1 v2\nv3 v2\n", undirected, with_header(false)).graph.num_edges() == 3);
  // One of them is an edge's end, or the number is another.
  CHECK(read("0 1\n1 2\n2 3\n", undirected).graph.num_edges() == 3);
  CHECK(read("5 3\n103 110\n117 110\n", undirected).graph.num_edges() == 3);
  CHECK(read("2 3\na b\na 2\nb 3\n", undirected).graph.num_edges() == 4);
  // A size with a number of columns of its own.
  check_refused("2 3\n0.5 1 2\n3 4 5\n", usual(matrix), 1, "the size of a matrix", "--format dense");
  check_refused("2\n3\n0.5 1 2\n3 4 5\n", usual(matrix), 1, "the first of two lines", "alone");
  // Words above a column of numbers.
  check_refused("name score\nann 5\nbob 7\n", usual(bipartite), 1, "looks like a header", "--header yes");
}

TEST_CASE("a line '#' between others, as before the edges of TGF, is refused") {
  for (const std::string text :
       {"1 First node\n2 Second node\n#\n1 2 an edge\n", "1 a\n2 b\n#\n1 2\n", "0 a\r\n1 b\r\n#\r\n", "1\n2\n#\n1 2\n"})
    for (const InputKind kind : all_kinds)
      check_refused(text, usual(kind), 3, "the Trivial Graph Format (TGF)", "--format tgf", "--format edgelist");
  CHECK(read("#\n1 a\n2 b\n", bipartite).graph.num_edges() == 2);
  CHECK(read("1 a\n2 b\n#\n1 2\n", undirected, as_edge_list()).graph.num_edges() == 3);
}

TEST_CASE("numbers that count from 0 above or beside a matrix of any shape are refused") {
  check_refused("0,1,2,3\n-9.5,7,0,2\n", usual(matrix), 1, "may be names of columns", "--header yes", "--header no");
  check_refused("0,5,1,0,1\n1,1,1,1,0\n2,1,1,0,0\n", usual(matrix), 1, "beside rows of 4, which may be their names",
                "--format dense");
  CHECK(read_usual("0 1 1 1\n1 0 1 1\n", matrix).graph.num_rows() == 2);
}

TEST_CASE("what is written as an edge list is read back, though it may look like a matrix or a list of neighbours") {
  for (const std::string text : {"2 1\n2 2\n", "1 2 3\n2 3 1\n3 1 2\n", "1 2\n2 1\n"}) {
    CAPTURE(text);
    CHECK(read_usual("# format: edgelist\n" + text, directed).format == InputFormat::edge_list);
    CHECK(read("# kind: bipartite\n# format: edgelist\n" + text, bipartite).format == InputFormat::edge_list);
  }
}

TEST_CASE("lines of a vertex and two neighbours are refused with both formats named") {
  const std::string square = "1 2 4\n2 1 3\n3 2 4\n4 1 3\n";
  const std::string once = "1 2 4\n3 2 4\n2\n4\n";  // every edge in the line of one end
  const std::string arcs = "1 2 3\n2 3 4\n3 4 1\n4 1 2\n";
  for (const std::string& text : {square, once, arcs, "# x\n" + square}) {
    for (const InputKind kind : all_kinds) {
      check_refused(text, usual(kind), text[0] == '#' ? 2 : 1, "a vertex and two neighbours", "--format adjlist",
                    "--format edgelist");
    }
  }
  const InputOptions lists{.format = InputFormat::adjacency_list};
  CHECK(read(square, undirected, lists).graph.num_edges() == 4);
  CHECK(read(once, undirected, lists).graph.num_edges() == 4);
  CHECK(dense<std::int64_t>(read_usual(square, matrix, as_edge_list())).size() == 8);
  // Edges with weights: a vertex without a line, two lines of one vertex, a weight that is none of them.
  for (const std::string text : {"1 2 3\n2 3 1\n3 4 2\n4 5 1\n", "1 2 4\n2 1 3\n3 2 4\n4 1 3\n1 3 2\n",
                                 "1 2 1\n2 3 1\n3 4 1\n4 1 1\n", "1 2 0.5\n2 1 3\n3 2 4\n4 1 3\n"}) {
    CAPTURE(text);
    CHECK(read(text, directed).format == InputFormat::edge_list);
  }
  // Many vertices, as in a permutation matrix.
  std::string permutation;
  for (int i = 1; i <= 200; ++i) permutation += std::to_string(i) + " " + std::to_string(201 - i) + " 7\n";
  CHECK(read_usual(permutation, directed).graph.num_edges() == 200);
  std::string ring;
  for (int i = 0; i < 200; ++i) {
    ring += std::to_string(i) + " " + std::to_string((i + 1) % 200) + " " + std::to_string((i + 199) % 200) + "\n";
  }
  check_refused(ring, usual(undirected), 1, "a vertex and two neighbours", "--format adjlist");
}

TEST_CASE("numbers from 0 on above a square may be those of its columns, and are refused without --header") {
  const InputOptions dense_form = with_header(false, InputFormat::dense), below = with_header(true, InputFormat::dense);
  InputOptions said;
  said.format = InputFormat::dense;
  for (const std::string text :
       {"0,1\n5,3\n2,4\n", "0 1 2\n5 3 8\n2 4 9\n1 1 7\n", "0 1 2 3\n5 3 8 1\n2 4 9 1\n1 1 7 1\n3 1 2 2\n"}) {
    check_refused(text, usual(matrix, said), 1, "may number the columns", "--header yes", "--header no");
    const Input square = read_usual(text, matrix, below), tall = read_usual(text, matrix, dense_form);
    CHECK(square.graph.num_rows() == square.graph.num_columns());
    CHECK(tall.graph.num_rows() == tall.graph.num_columns() + 1);
  }
  check_refused("0,1,2\n5,3,8\n2,4,9\n1,1,7\n", usual(), 1, "may number the columns",
                "--format dense and --header yes");
  // Other rows below, another order above, or words.
  for (const std::string text : {"0 1\n5 3\n", "0 1\n5 3\n2 4\n6 7\n", "2 1\n5 3\n2 4\n", "2 3\n5 3\n2 4\n"})
    CHECK(read_usual(text, matrix, said).graph.num_columns() == 2);
}

TEST_CASE("infinities, wrong minus signs and separators alone are no names") {
  check_refused("-inf,nan\nnan,0\n", usual(matrix, with_header(false, InputFormat::dense)), 1, "'-inf'",
                "a finite number");
  check_refused(
      "\xE2\x88\x92"
      "6 4 1\n1 -2 4\n0 4 3\n",
      usual(bipartite, with_header(false)), 1,
      "\xE2\x88\x92"
      "6",
      "--format edgelist");
  InputOptions tabs;
  tabs.delimiter = '\t';
  check_refused(",\t11\n", usual(undirected, tabs), 1, "','", "in quotes");
  check_refused("(2,-2) (00-2)\n(0,3) (1,0)\n", usual(undirected, with_header(false)), 1, "'(00-2)'",
                "--format edgelist");
}

TEST_CASE("KONECT's first line says what its columns are, and times are passed over with a note") {
  const Input sides = read_usual(konect("bip unweighted") + "1 1\n2 2\n");
  CHECK(sides.kind == bipartite);
  CHECK(sides.graph.num_rows() == 2);
  CHECK(sides.notes.empty());
  const Input square = read_usual(konect("sym unweighted") + "1 2\n2 3\n3 4\n4 1\n");
  CHECK(square.kind == undirected);
  CHECK(square.graph.num_rows() == 2);
  CHECK(read_usual(konect("asym positive") + "1\t2\t1\n2\t1\t1\n", directed).kind == directed);
  check_refused(konect("asym positive") + "1 2 1\n2 1 1\n", usual(), 1, "a directed graph", "--kind undirected");
  const Input timed =
      read_usual(konect("bip weighted") + "1 1 5 874965758\n2 2 3 876893171.5 \n3 3 4 0\n4 4 1 7 # x\n", matrix);
  CHECK(timed.kind == bipartite);
  CHECK(dense<std::int64_t>(timed) == Integers{5, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1});
  REQUIRE(timed.notes.size() == 1);
  CHECK_THAT(timed.notes[0], ContainsSubstring("times") && ContainsSubstring("fourth column"));
  check_refused(konect("bip weighted") + "1 1 5 x\n", usual(), 3, "'x'", "a time");
  check_refused(konect("bip weighted") + "1 1 5 6 7\n", usual(), 3, "'7'", "the end of the line");
  check_refused(konect("bip weighted") + "# kind: matrix\n1 1 5\n", usual(), 3, "the kind 'matrix'", "'bipartite'");
  // A kind that is given wins; other comments say nothing.
  CHECK(read(konect("asym") + "1 3\n2 4\n", bipartite).kind == bipartite);
  CHECK(read_usual("% symmetric\n1 5\n2 5\n3 6\n4 6\n").kind == bipartite);
  CHECK(read("% sym matrices\n1 5\n2 5\n3 6\n4 6\n", bipartite).kind == bipartite);
  check_refused("% sym matrices\n1 5\n2 5\n3 6\n4 6\n", usual(), 1, "'matrices' behind '% sym'", "--kind");
  CHECK(read_usual("# x\n% sym\n1 5\n2 5\n3 6\n4 6\n").kind == bipartite);
}

TEST_CASE("lines of four numbers that may be edges with weights and times are refused with both formats named") {
  const std::string ratings = "1 1 5 874965758\n2 2 3 876893171\n3 3 4 878542960\n4 4 1 876893119\n";
  const std::string five = "1 2 1 4\n2 3 1 8\n3 4 1 9\n4 5 1 12\n5 1 1 13\n";
  for (const std::string& text : {ratings, five}) {
    for (const InputKind kind : all_kinds) {
      check_refused(text, usual(kind), 1, "an edge with its weight and time", "--format dense", "'% sym'", "'% bip'");
    }
  }
  // A matrix: square, zeros and ones, a sign or decimals in the first two columns.
  for (const std::string text : {"16 3 2 13\n5 10 11 8\n9 6 7 12\n4 15 14 1\n", "0 1 1 1\n1 0 0 1\n1 1 1 1\n",
                                 "1.5 2 3 4\n5 6 7 8\n", "1 -2 3 4\n5 6 7 8\n"}) {
    CHECK(read_usual(text, matrix).format == InputFormat::dense);
  }
}

TEST_CASE("two or three lines of as many integers may be the matrix of a directed graph") {
  check_refused("1 2\n2 1\n", usual(directed), 1, "lines of 2 numbers", "--format dense", "--format edgelist");
  check_refused("1,2,5\n2,3,5\n3,1,5\n", usual(directed), 1, "lines of 3 numbers", "--format dense");
  check_refused("1 2\n2 1\n", {.kind = directed}, 1, "lines of 2 numbers", "--format dense", "--format edgelist");
  CHECK(read("1 2\n2 1\n", directed, as_edge_list()).graph.num_edges() == 2);
  CHECK(read("1 2\n2 1\n1 1\n", directed).graph.num_edges() == 3);
  CHECK(read("a b\nb a\n", directed).graph.num_edges() == 2);
}

TEST_CASE("numbers of columns above a square matrix are refused unless the header is announced") {
  for (const std::string above : {"0,1,2,3\n", "1,2,3,4\n"}) {
    const std::string text = above + "0.5,2,3,4\n1,2,3,4\n4,3,2,1\n1,1,1,1.5\n";
    check_refused(text, usual(matrix), 1, "may be names of columns", "--header yes", "--header no");
    CHECK(read_usual(text, matrix, with_header(true)).graph.num_rows() == 4);
    CHECK(read_usual(text, matrix, with_header(false)).graph.num_rows() == 5);
  }
  CHECK(read_usual("0.5 1 2 3\n1 2 3 4\n1 2 3 4\n1 2 3 4\n1 2 3 4\n").graph.num_rows() == 5);
}

TEST_CASE("numbers of rows beside a square matrix, and one on a single line, are refused") {
  for (const std::string text : {"0 0.5 2 3\n1 1 2 3\n2 4 3 2\n", "1,4,0,2,7\n2,4,4,2,7\n3,4,0,2,7\n4,1,1,1,1\n"}) {
    check_refused(text, usual(matrix), 1, "which may be their names", "the matrix alone", "--format dense");
  }
  check_refused("1 2.5 3 4\n", usual(matrix), 1, "a single line of 4 numbers", "--format dense");
  CHECK(read_usual("1 2.5 3 4 5\n", matrix).graph.num_columns() == 5);
  CHECK(read_usual("1 0.5 2 3\n1 1 2 3\n2 4 3 2\n", matrix).graph.num_rows() == 3);
}

TEST_CASE("successive integers in any order above or beside a square matrix are refused, others are entries") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const int size = 5 + static_cast<int>(random() % 4), first = static_cast<int>(random() % 7) - 3;
    std::vector<int> names(size);
    std::iota(names.begin(), names.end(), first);
    std::shuffle(names.begin(), names.end(), random);
    const bool is_other = seed % 3 == 0;
    if (is_other) names[random() % size] += 2 * size;
    std::string above, matrix_alone, beside;
    for (int i = 0; i < size; ++i) {
      above += std::to_string(names[i]) + (i + 1 < size ? "," : "\n");
      beside += std::to_string(names[i]) + ",";
      for (int j = 0; j < size; ++j) {
        const std::string entry =
            std::to_string(random() % 3 + (is_other ? 0 : 2)) + (is_other ? "" : ".5") + (j + 1 < size ? "," : "\n");
        matrix_alone += entry;
        beside += entry;
      }
    }
    CAPTURE(seed, above, beside);
    if (is_other) {
      CHECK(read_usual(above + matrix_alone, matrix).graph.num_rows() == static_cast<Vertex>(size) + 1);
      CHECK(read_usual(beside, matrix).graph.num_columns() == static_cast<Vertex>(size) + 1);
      continue;
    }
    check_refused(above + matrix_alone, usual(matrix), 1, "a line of numbers", "--header yes", "--header no");
    CHECK(read_usual(above + matrix_alone, matrix, with_header(true)).graph.num_rows() == static_cast<Vertex>(size));
    check_refused(beside, usual(matrix), 1, "beside", "the matrix alone", "--format dense");
  }
}

TEST_CASE("lists of neighbours of networkx, and of igraph's LGL, are no edges with weights") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    const std::string stem = seed % 2 == 0 ? "" : "v";
    const auto name = [&](unsigned number) { return stem + std::to_string(number) + (seed % 3 == 0 ? ".5" : ""); };
    std::string lists = "#write.py\n# GMT Sat Nov 28 20:30:52 2026\n# \n", lgl;
    for (unsigned vertex = 0; vertex < 6; ++vertex) {
      lgl += "# " + name(vertex) + "\n";
      lists += name(vertex) + " " + name(6 + random() % 4) + " " + name(10 + random() % 4) + "\n";
      for (unsigned other = vertex + 1; other < 7; ++other)
        if (random() % 2 == 0) lgl += name(other) + " " + std::to_string(random() % 5) + ".25\n";
    }
    CAPTURE(seed, lists, lgl);
    check_refused(lists, usual(undirected), 2, "of neighbours", "--format adjlist", "--format edgelist");
    check_refused(lgl, usual(undirected), 1, "LGL", "--format edgelist");
  }
  CHECK(read_usual("# edges\n1 2\n3 2\n3 4\n", undirected).num_edges() == 3);
  CHECK(read_usual("# edges\na 2\nb 2\n# more\nc d\n", undirected).num_edges() == 3);
}

TEST_CASE("vertices in order with sets of neighbours, of two sides or with directions, are refused") {
  const std::string sides = "1 1 2 3\n2 1 3 4\n3 2 3 4\n4 1 3 4\n";
  check_refused(sides, usual(bipartite), 1, "a vertex and its neighbours", "--format dense", "--format adjlist");
  check_refused("1 5 6 7\n2 5 7 8\n3 6 7 8\n4 5 7 8\n", usual(bipartite), 1, "its neighbours", "--format dense");
  check_refused("1 1 2\n2 1 2\n", usual(directed), 1, "a vertex and two neighbours", "--format adjlist");
  const std::string arcs = "103 103 110 117\n110 103 110 117\n117 103 117 124\n124 103 117 124\n";
  check_refused(arcs, usual(directed), 1, "a vertex and its neighbours", "--format dense", "--format adjlist");
  CHECK(read_usual("103 103 110 117\n110 103 110 117\n117 103 117 124\n124 103 117 125\n", directed).num_edges() == 16);
  // A number twice on a line, or heads out of order.
  CHECK(read_usual("1 1 2 1\n2 1 3 4\n3 2 3 4\n4 1 3 4\n").format == InputFormat::dense);
  CHECK(read_usual("1 1 2 3\n3 2 3 4\n2 1 3 4\n4 1 3 4\n").format == InputFormat::dense);
}

TEST_CASE("files of networkx, SNAP and spreadsheets have one reading and need no option beside the kind") {
  using test::formats::file;
  CHECK(read(file("names.edges"), bipartite, {.delimiter = "\t"}).format == InputFormat::edge_list);
  CHECK(read_usual("# Nodes: 4 Edges: 4\n# FromNodeId\tToNodeId\n0\t4\n1\t5\n2\t6\n3\t7\n").graph.num_edges() == 4);
  CHECK(read("0 1\n0 3\n1 2\n2 3\n", undirected).graph.num_edges() == 4);
  CHECK(read("0 1 {}\n0 3 {}\n1 2 {}\n2 3 {}\n", undirected).graph.num_edges() == 4);
  CHECK(read("0 1 2.5\n0 3 1.5\n1 2 3\n2 3 4\n", undirected).graph.num_edges() == 4);
  CHECK(read_usual("Evelyn,E1\r\nEvelyn,E2\r\nJean-Luc,E1\r\nO'Neil,E-2\r\n").graph.num_edges() == 4);
  CHECK(read_usual("a,1,0.5\nb,2,0.25\na,2,1\n").graph.num_edges() == 3);
}
