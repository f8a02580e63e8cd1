// Dense text: a matrix line by line.

#include <string>

#include "core/error.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

Input read_dense(const std::string& text, InputKind usual = matrix, InputOptions options = {}) {
  options.format = InputFormat::dense;
  return read_usual(text, usual, options);
}

void check_dense_refused(const std::string& text, std::uint64_t line, const std::string& found,
                         const std::string& expected, InputOptions options = {}) {
  options.format = InputFormat::dense;
  check_refused(text, usual(matrix, options), line, found, expected);
}

}  // namespace

TEST_CASE("four or more numbers on every line are a dense matrix, whatever separates them") {
  for (const std::string text :
       {"-1 2 3 4\n5 6 7 8\n", "-1\t2\t3\t4\n5\t6\t7\t8", "-1,2,3,4\n5,6,7,8\n", "-1;2;3;4\r\n5;6;7;8\r\n",
        "# a matrix\n\n  -1, 2 ,3,  4 # first\n% note\n5, 6 ,7,8\n", "\xEF\xBB\xBF -1 2 3 4\n5 6 7 8\n"}) {
    CAPTURE(text);
    for (const InputKind usual : {bipartite, matrix}) {
      const Input input = read_usual(text, usual);
      CHECK(input.format == InputFormat::dense);
      CHECK(input.kind == usual);
      CHECK(input.graph.num_rows() == 2);
      CHECK(dense<std::int64_t>(input) == Integers{-1, 2, 3, 4, 5, 6, 7, 8});
      CHECK(input.row_labels.empty());
    }
  }
  // Names among them: an edge list, which is refused then.
  CHECK_THROWS_AS(read_usual("a 2 3 4\n5 6 7 8\n", matrix), InputError);
}

TEST_CASE("two lines of two numbers, and three of three, are refused with both formats named") {
  check_refused("1 2\n3 4\n", usual(matrix), 1, "lines of 2 numbers", "--format dense");
  check_refused("# x\n1 2\n\n3 4\n", usual(matrix), 2, "lines of 2 numbers", "--format edgelist");
  check_refused("1 3\n2 4\n", usual(bipartite), 1, "lines of 2 numbers", "--format dense");
  check_refused("3 7 9\n9 0 7\n5 1 1\n", usual(bipartite), 1, "lines of 3 numbers", "--format dense");
  check_refused("1 2 3\n4 5 6\n7 8 9\n", usual(matrix), 1, "lines of 3 numbers", "--format edgelist");
  check_refused("0.5 0.25\n1.5 2.5\n3.5 4.5\n", usual(matrix), 1, "lines of 2 numbers", "--format dense");
  check_refused("1.0 2.0 3.0\n4.0 5.0 6.0\n", usual(matrix), 1, "lines of 3 numbers", "--format dense");
  check_refused("0.5 0.2 0.3\n0.1 0.25 0.35\n0.7 0.8 0.9\n", usual(bipartite), 1, "lines of 3 numbers",
                "--format dense");
  CHECK(read_usual("1.5 2\n3 1e3\n", matrix).format == InputFormat::dense);  // no index is a decimal
  check_refused("0 1\n1 0\n", usual(bipartite), 1, "lines of 2 numbers", "--format dense");
  check_refused("0,1,1\n1,0,1\n1,1,0\n", usual(bipartite), 1, "lines of 3 numbers", "--format edgelist");
  check_refused("0 1\n1 1\n", usual(InputKind::undirected), 1, "lines of 2 numbers", "--format dense");
  // A graph's edges, other lines than that many, names.
  check_refused("1 3\n2 4\n", usual(InputKind::undirected), 1, "lines of 2 numbers", "--format edgelist");
  CHECK(read_usual("1 2\n3 4\n5 6\n7 8\n", bipartite).format == InputFormat::edge_list);
  check_refused("0.1 1.3\n2.5 0.1\n1.3 2.5\n", usual(undirected), 1, "lines of 2 numbers", "--format edgelist");
  // Said by an option or by the file.
  CHECK(dense<std::int64_t>(read_dense("1 2\n3 4\n")) == Integers{1, 2, 3, 4});
  CHECK(dense<std::int64_t>(read_usual("# format: dense\n1 2\n3 4\n", matrix)) == Integers{1, 2, 3, 4});
  CHECK(read_usual("# format: edgelist\n1 2\n3 4\n", matrix).format == InputFormat::edge_list);
  CHECK(read_usual("# format: u v\n1 5\n2 5\n3 6\n4 6\n", bipartite).format == InputFormat::edge_list);
}

TEST_CASE("two or three numbers a line may be a matrix that is not square, and are refused with both formats named") {
  const std::string tall = "1 2 3\n2 3 4\n3 1 5\n1 1 2\n";
  for (const std::string& text : {tall, std::string("1 2 3\n4 5 6\n"), std::string("1 4\n3 5\n2 6\n")}) {
    check_refused(text, usual(matrix), 1, "numbers that may be a matrix", "--format dense", "--format edgelist");
    CHECK_THROWS_AS(read_usual(text, bipartite), InputError);
    CHECK(read_usual("# format: edgelist\n" + text, matrix).format == InputFormat::edge_list);
  }
  CHECK(dense<std::int64_t>(read_dense(tall)) == Integers{1, 2, 3, 2, 3, 4, 3, 1, 5, 1, 1, 2});
  // A matrix has any shape behind a header, on one line, or many lines; that of a graph hardly.
  for (const std::string text : {"1 2\n", "1 2 0.5\n2 1 3\n", "1 5\n2 6\n3 7\n4 8\n", "1 1 7\n2 2 7\n3 3 7\n4 4 7\n"})
    check_refused(text, usual(matrix), 1, "numbers that may be a matrix", "--format edgelist");
  check_refused("a b c\n" + tall, usual(matrix, {.header = true}), 2, "lines of 3 numbers", "--format dense");
  CHECK(read_usual("1 5\n2 6\n3 7\n4 8\n").graph.num_edges() == 4);
  // One line more or less, unless somebody says that there are two sides.
  for (const std::string text : {"1 4 3\n2 5 6\n", "1 4\n3 5\n2 6\n", "1 5 3\n2 6 4\n3 7 5\n4 5 2\n"}) {
    check_refused(text, usual(bipartite), 1, "numbers that may be a matrix", "--format dense", "--format edgelist");
    CHECK(read(text, bipartite).format == InputFormat::edge_list);
    CHECK(read_usual("# kind: bipartite\n" + text, bipartite).format == InputFormat::edge_list);
  }
  // Adjacency matrices of two sides are zeros and ones, with numbers beside them or without.
  for (const std::string text : {"0 1\n1 0\n1 1\n0 0\n", "0 1 1\n1 0 1\n", "0 1\n0 0\n1 1\n"})
    check_refused(text, usual(bipartite), 1, "numbers that may be a matrix", "--format dense");
  // One set of vertices has as many rows as columns.
  CHECK(read_usual("1 2 3\n4 5 6\n", undirected).graph.num_edges() == 2);
  CHECK(read_usual("4 2 9\n2 3 4\n3 1 5\n1 1 2\n", directed).graph.num_edges() == 4);
  // A loop, or an edge told twice, is allowed.
  const InputOptions twice{.duplicates = Duplicates::one};
  check_refused("3 5\n5 2\n", usual(undirected, twice), 1, "lines of 2 numbers", "--format dense");
  const InputOptions loops{.odd_cycles = true, .loops = Loops::keep};
  check_refused("3 5\n5 2\n", usual(undirected, loops), 1, "lines of 2 numbers", "--format dense");
}

TEST_CASE("a cell that is no number does not make edges of a matrix") {
  for (const std::string cell : {"O", "NA", "0x10", "1e400", "five", "?", "10%", "1..5"}) {
    for (const InputKind kind : {bipartite, undirected, directed}) {
      check_refused("1 2\n3 " + cell + "\n", usual(kind), 2, "'" + cell + "' among lines of 2 numbers", "a number",
                    "--format edgelist");
      check_refused("1," + cell + ",3\n4,5,6\n7,8,9\n", usual(kind), 1, "'" + cell + "' among lines of 3 numbers",
                    "--format edgelist");
    }
    // It does so nowhere in a matrix that is asked for.
    for (const std::string lines : {"1 2\n3 4\n", "0.5 2\n3 4\n5 6\n7 8\n", "a 2\n", "1 2 3 4\n1 2 3 4\n"})
      CHECK_THROWS_AS(read_usual(lines + cell + " 9\n", matrix), InputError);
  }
  for (const std::string text : {"a 2\nb 4\n", "1a 1b\n2a 2b\n", "a x\nb y\n", "10% 20%\n30% 40%\n", "1 2\n3 O\n"})
    check_refused(text, usual(matrix), text == "1 2\n3 O\n" ? 2 : 1, "in column", "a number", "--format edgelist");
  // Names in a column of their own, or half of the cells.
  CHECK(read_usual("1 a\nb 2\n").format == InputFormat::edge_list);
  CHECK(read_usual("1 2\n3 4\n5 6\n7 8\nO 9\n").graph.num_edges() == 5);
  CHECK(read_usual("1 2\n3 O\n", bipartite, {.format = InputFormat::edge_list}).graph.num_edges() == 2);
}

TEST_CASE("a single number is a matrix where the question is about matrices") {
  CHECK(dense<std::int64_t>(read_usual("7\n", matrix)) == Integers{7});
  CHECK(dense<DoubleDouble>(read_usual("-0.5", matrix)) == Reals{-0.5});
  CHECK_THROWS_AS(read_usual("7\n", bipartite), InputError);
  CHECK_THROWS_AS(read_usual("7\n8\n", matrix), InputError);
}

TEST_CASE("dense entries are integers, reals, fractions or complex numbers as their texts say") {
  CHECK(dense<DoubleDouble>(read_dense("1 2.5\n-3e2 0\n")) == Reals{1.0, 2.5, -300.0, 0.0});
  const Complexes expected{{1.0, 2.0}, {3.0, 0.0}, {0.0, -1.0}, {-0.25, 0.5}};
  CHECK(dense<ComplexDoubleDouble>(read_dense("1+2j 3\n-1j -0.25+.5j\n")) == expected);
  CHECK(dense<ComplexDoubleDouble>(read_dense("1+2i,3+0i\n-i,-0.25+0.5i\n")) == expected);
  // numpy.savetxt of [[1+2j, 3], [-1j, -0.25+0.5j]]
  CHECK(dense<ComplexDoubleDouble>(read_dense(" (1.000000000000000000e+00+2.000000000000000000e+00j)  "
                                              "(3.000000000000000000e+00+0.000000000000000000e+00j)\n "
                                              "(-0.000000000000000000e+00-1.000000000000000000e+00j)  "
                                              "(-2.500000000000000000e-01+5.000000000000000000e-01j)\n")) == expected);
  CHECK(dense<ComplexDoubleDouble>(read_dense("1e-1-1e+1j\n")).front().im == DoubleDouble(-10.0));

  const Input fractions = read_dense("1/2 1/3\n0 -2\n", matrix, {.fractions = true});
  const auto& places = std::get<Integers>(fractions.graph.weights());
  REQUIRE(places.size() == 3);
  CHECK(fractions.fractions[static_cast<std::size_t>(places[1])] == Rational(1, 3));
  CHECK(fractions.fractions[static_cast<std::size_t>(places[2])] == -2);
}

TEST_CASE("dense zeros are no edges unless they are kept, and zeros and ones are a graph without weights") {
  const Input graph = read_usual("1 0 0 1\n0 1 0 0\n0 0 1 0\n1 0 0 1\n", bipartite);
  CHECK(graph.graph.num_edges() == 6);
  CHECK(graph.graph.weight_kind() == WeightKind::none);
  CHECK(read_dense("0.0 1\n1 0\n").graph.num_edges() == 2);
  CHECK(read_dense("0 0\n0 0\n").graph.num_rows() == 2);
  CHECK(read_dense("0 1\n1 0\n", matrix, {.keep_zeros = true}).graph.num_edges() == 4);
}

TEST_CASE("a dense matrix may be that of an undirected or a directed graph") {
  const std::string square = "0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n";
  const Input undirected = read(square, InputKind::undirected);
  CHECK(undirected.format == InputFormat::dense);
  CHECK(named_edges(undirected) == NamedEdges{{"1", "2"}, {"1", "4"}, {"3", "2"}, {"3", "4"}});
  CHECK(read_usual(square, InputKind::directed).graph.num_edges() == 8);
  CHECK(read_usual("# kind: undirected\n" + square, bipartite).graph.num_rows() == 2);
  const Input noted = read_usual(square, bipartite);
  CHECK(noted.graph.num_rows() == 4);
  REQUIRE(noted.notes.size() == 1);
  CHECK_THAT(noted.notes[0], ContainsSubstring("--kind undirected"));
  CHECK(read_usual(square, matrix).notes.empty());
  const auto as = [](InputKind kind) { return InputOptions{.kind = kind}; };
  check_dense_refused("1 2 3\n4 5 6\n", 0, "2 rows and 3 columns", "a directed graph", as(InputKind::directed));
  check_dense_refused("1 2 3\n4 5 6\n", 0, "2 rows and 3 columns", "an undirected graph", as(InputKind::undirected));
  check_dense_refused("0 1\n0 0\n", 1, "from 1 to 2", "both directions", as(InputKind::undirected));
}

TEST_CASE("dense text that is no matrix is refused") {
  check_dense_refused("1 2 3\n4 5\n", 2, "2 numbers", "3 as on line 1");
  check_dense_refused("1 2 3\n4 5\n", 2, "2 numbers", "--format adjlist");
  check_dense_refused("1 2\n3 x\n", 2, "'x'", "a number");
  check_dense_refused("a b\n1 x\n3 4\n", 1, "'a'", "--header yes");
  check_dense_refused("1,,2\n", 1, "an empty cell in column 2", "a number");
  check_dense_refused("1,2,\n3,4\n,\n", 3, "an empty cell", "a number");
  check_dense_refused("1,5;2,5\n", 1, "'5;2'", "a number");
  check_dense_refused("1 2\n3 4\n\n5 6\n", 4, "a blank line before a row", "one matrix");
  check_dense_refused("1 2\n3 4\n# another\n5 6\n7 8\n", 4, "behind a comment", "one matrix");
  check_dense_refused("1 2; 3 4\n", 1, "'1 2'", "a number");
  check_dense_refused("1, 2 3\n", 1, "'2 3'", "a number");
  check_dense_refused("1 nan\n", 1, "'nan'", "a finite number");
  check_dense_refused("1 -inf\n", 1, "'-inf'", "a finite number");
  check_dense_refused("1 1/2\n", 1, "'1/2'", "a finite number");
  check_dense_refused("1 1+2k\n", 1, "'1+2k'", "a number");
  check_dense_refused("1 (1, 2)\n", 1, "'(1, 2)'", "a finite number");
  check_dense_refused("1 1+2+3j\n", 1, "'1+2+3j'", "a number");
  check_dense_refused("1 1e400+2j\n", 1, "'1e400+2j'", "a number");
  check_dense_refused("1 9223372036854775808\n", 1, "'9223372036854775808'", "within 64 bits");
  check_dense_refused("# nothing\n", 0, "no number", "a line of numbers");
  check_dense_refused("1 \x01\n", 1, "'\\x01'", "a number");
  // Found out from the lines, too.
  check_refused("1 2 3 4\n5 6 7\n", usual(matrix), 2, "3 numbers", "--format adjlist");
  check_refused("1 2 3 x\n5 6 7 8\n", usual(matrix), 1, "'x' in column 4", "--format edgelist");
}

TEST_CASE("a header of dense text is passed over where it is announced") {
  InputOptions options{.header = true};
  CHECK(dense<DoubleDouble>(read_usual("a,b,c,d,e\n1,2.5,3,4,5\n", matrix, options)) == Reals{1.0, 2.5, 3.0, 4.0, 5.0});
  options.delimiter = '|';
  CHECK(dense<std::int64_t>(read_usual("a|b\n1 | 2\n3|4\n", matrix, [&] {
          options.format = InputFormat::dense;
          return options;
        }())) == Integers{1, 2, 3, 4});
}

TEST_CASE("lines of integers that are lists of neighbours as well are refused with both formats named") {
  // K4, and as a matrix a Latin square.
  check_refused("1 2 3 4\n2 1 4 3\n3 4 1 2\n4 3 2 1\n", usual(bipartite), 1, "its neighbours", "--format adjlist");
  check_refused("1 2 3 4\n2 1 4 3\n3 4 1 2\n4 3 2 1\n", usual(matrix), 1, "its neighbours", "--format dense");
  // A magic square is none.
  CHECK(read_usual("16 3 2 13\n5 10 11 8\n9 6 7 12\n4 15 14 1\n", matrix).format == InputFormat::dense);
  CHECK(dense<std::int64_t>(read_dense("1 2 3 4\n2 1 4 3\n3 4 1 2\n4 3 2 1\n")).size() == 16);
}
