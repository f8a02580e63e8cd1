// Matrices with names above and beside them.

#include <string>

#include "graph/reading.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions dense_options(InputKind usual_kind = matrix) {
  InputOptions options = usual(usual_kind);
  options.format = InputFormat::dense;
  return options;
}

InputOptions header(bool yes, InputOptions options = usual(matrix)) {
  options.header = yes;
  return options;
}

}  // namespace

TEST_CASE("names of rows and columns around a matrix are kept, as pandas, R and spreadsheets write them") {
  for (const std::string text : {",a,b,c,d\nx,1,2,3,4\ny,5,6,7,8\n",                              // pandas
                                 "\"\",\"a\",\"b\",\"c\",\"d\"\n\"x\",1,2,3,4\n\"y\",5,6,7,8\n",  // write.csv
                                 "\"a\" \"b\" \"c\" \"d\"\n\"x\" 1 2 3 4\n\"y\" 5 6 7 8\n",       // write.table
                                 "\"\" \"a\" \"b\" \"c\" \"d\"\n\"x\" 1 2 3 4\n\"y\" 5 6 7 8\n",  // with col.names=NA
                                 "id,a,b,c,d\nx,1,2,3,4\ny,5,6,7,8\n",            // a word in the corner
                                 ";a;b;c;d\r\nx;1;2;3;4\r\ny;5;6;7;8\r\n",        // a German spreadsheet
                                 "\ta\tb\tc\td\nx\t1\t2\t3\t4\ny\t5\t6\t7\t8\n",  // pasted from one
                                 "# note\n\n , a , b , c , d \n x , 1 , 2 , 3 , 4 \n y , 5 , 6 , 7 , 8 \n"}) {
    for (const InputOptions& options : {usual(matrix), usual(bipartite), header(true), dense_options()}) {
      INFO(text);
      const Input input = read_input_text(text, "test", options);
      CHECK(input.format == InputFormat::dense);
      CHECK(dense<std::int64_t>(input) == Integers{1, 2, 3, 4, 5, 6, 7, 8});
      CHECK(row_names(input) == NameList{"x", "y"});
      CHECK(column_names(input) == NameList{"a", "b", "c", "d"});
    }
  }
}

TEST_CASE("names with separators, quotes and comment marks are names of a table") {
  const Input input = read_usual(",\"a, b\",\"c \"\"d\"\"\",e,f\n#1,1,0,0,0\n\"%, 2\",0,1,0,0\n", bipartite);
  CHECK(row_names(input) == NameList{"#1", "%, 2"});
  CHECK(column_names(input) == NameList{"a, b", "c \"d\"", "e", "f"});
  CHECK(input.graph.num_edges() == 2);
  CHECK(input.graph.weight_kind() == WeightKind::none);
}

TEST_CASE("a square table with the same names on both sides is that of a graph, of any size") {
  const std::string path = ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n";
  const Input graph = read(path, undirected);
  CHECK(graph.graph.num_edges() == 2);
  CHECK(named_edges(graph) == NamedEdges{{"a", "b"}, {"c", "b"}});
  CHECK(read_usual(path).graph.num_edges() == 4);
  const std::string arcs = ",u,v\nu,0,1\nv,0,0\n";
  CHECK(named_edges(read(arcs, directed)) == NamedEdges{{"u", "v"}});
  InputOptions options = dense_options();
  options.kind = undirected;
  check_refused(",a,b\nb,0,1\na,1,0\n", options, 0, "different names", "same names");
  check_refused(",a,a\na,0,1\na,1,0\n", options, 0, "two columns", "every vertex");
}

TEST_CASE("a narrow table with names of rows is a matrix or edges, and refused with both, unless dense is asked for") {
  for (const std::string text : {",A,B\nr1,1,2\nr2,3,4\n", ",A,B\n0,1,2\n1,3,4\n2,1,4\n",
                                 "\"V1\" \"V2\"\n\"1\" 1 2\n\"2\" 3 4\n", ",x,y,w\n1,3,4,0.5\n2,4,5,1/2\n"}) {
    for (const InputOptions& options : {usual(matrix), usual(undirected), header(true), header(true, usual(bipartite))})
      check_refused(text, options, 1, "may be a matrix or edges", "--format dense", "--columns", "index=False");
  }
  CHECK(dense<std::int64_t>(read_input_text(",A,B\nr1,1,2\nr2,3,4\n", "test", dense_options())) ==
        Integers{1, 2, 3, 4});
}

TEST_CASE("edges behind the numbers of their rows are refused with what those are, unless their columns are named") {
  for (const std::string text : {",x,y\n0,a,b\n1,b,c\n", ",one,other,much\n0,a,b,2\n1,b,c,3\n",
                                 "\"\",\"V1\",\"V2\"\n\"1\",\"a\",\"b\"\n", "\"from\" \"to\"\n\"1\" \"a\" \"b\"\n"}) {
    for (InputOptions options : {usual(bipartite), header(true), usual(undirected)}) {
      check_refused(text, options, 1, "names of rows", "--columns", "index=False", "row.names=FALSE");
      options.format = InputFormat::edge_list;
      check_refused(text, options, 1, "names of rows", "index=False");
    }
  }
}

TEST_CASE("a table with a name or a number missing is refused with its line") {
  check_refused(",a,,c,d\nx,1,2,3,4\n", usual(matrix), 1, "a column without a name", "a name for each");
  check_refused(",a,b,c,d\nx,1,2,3,4\n,5,6,7,8\n", usual(matrix), 3, "a row without a name", "a name for each");
  check_refused(",a,b,c,d\nx,1,2,3,4\ny,5,6,7\n", usual(matrix), 3, "3 numbers", "4 as on line 1");
  check_refused(",a,b,c,d\nx,1,2,3,4\ny,5,6,seven,8\n", usual(matrix), 3, "'seven'", "a number");
  check_refused(",a,b,c,d\nx,1,2,3,4\n\"y,5,6,7,8\n", usual(matrix), 3, "\"y,5,6,7,8", "the name of a row");
  check_refused(",a,b,c,d\nx\x01,1,2,3,4\n", usual(matrix), 2, "x", "ASCII or UTF-8");
  check_refused(",a,b,\xFF,d\nx,1,2,3,4\n", usual(matrix), 1, "", "ASCII or UTF-8");
}

TEST_CASE("a table with more columns of words than an edge has is refused as edges beside the numbers of rows") {
  check_refused(",one,other,much,color\n0,a,b,2,red\n1,b,c,3,blue\n", usual(matrix), 1, "names of rows",
                "two columns of the edges");
}

TEST_CASE("a word in the corner heads names of rows where dense text is asked for, of any width") {
  CHECK(dense<std::int64_t>(read_input_text("id,A,B\nr1,1,2\nr2,3,4\n", "test", dense_options())) ==
        Integers{1, 2, 3, 4});
  check_refused("id,A,B\n?,1,2\n5.4,3,4\n", dense_options(), 3, "'5.4' in the first column", "a name for every row");
  // Else the first is no number.
  check_refused("id,A,B\nr1,1,2\nr2,3,4\n", usual(matrix), 1, "'id' in column 1", "--format edgelist");
}

TEST_CASE("a line of words above lines of numbers is refused as the header of a matrix") {
  check_refused("A,B,C,D\n1,0,0,1\n0,1,0,1\n1,1,1,0\n0,0,1,1\n", usual(bipartite), 1, "4 words above lines",
                "--header yes", "--columns");
  CHECK(read_usual("A,B,C,D\n1,0,0,1\n0,1,0,1\n1,1,1,0\n0,0,1,1\n", bipartite, header(true)).graph.num_edges() == 9);
}

TEST_CASE("one column of numbers that R wrote with the numbers of its rows is refused") {
  check_refused("\"V1\"\n\"1\" 5\n\"2\" 7\n", usual(matrix), 1, "names above and beside 2 rows", "--format dense");
  CHECK(read_usual("\"x\"\n\"a\" b\n", bipartite).graph.num_rows() == 2);
}
