// Edge lists of other programs: networkx, spreadsheets, and what only looks like an edge list.

#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "graph/input.hpp"
#include "graph/readers/readings.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions with_delimiter(char delimiter) {
  InputOptions options;
  if (delimiter != '\0') options.delimiter = delimiter;
  return options;
}

InputOptions with_header(bool header) { return {.header = header}; }

InputOptions with_kind(InputKind kind) { return {.kind = kind}; }

}  // namespace

TEST_CASE("a name in both columns is refused with its lines and both kinds named, unless the kind is known") {
  const std::vector<std::string> kinds{"--kind undirected", "--kind bipartite"};
  check_refused("1 2\n2 3\n3 4\n4 5\n5 6\n6 1\n", usual(), 2,
                "'2' in both columns, in the first on line 2 and in the second on line 1", kinds);
  check_refused("# x\nb a\nc d\n\na c\n", usual(), 5,
                "'a' in both columns, in the first on line 5 and in the second on line 2", kinds);
  check_refused("1 1\n", usual(), 1, "'1' in both columns, in the first on line 1 and in the second on line 1", kinds);
  check_refused("5000000000 1\n2 5000000000\n7 8\n", usual(), 2, "'5000000000'", kinds);
  check_refused("4294967295 1\n7 4294967295\n7 8\n", usual(), 2, "'4294967295'", kinds);
  check_refused("a b 1\nb c 2.5\n", usual(), 2, "'b'", kinds);
  // Integers are indices of a matrix, and other names are not.
  CHECK(read_usual("# format: edgelist\n1 2\n2 3\n3 4\n4 1\n", matrix).graph.num_rows() == 4);
  check_refused("# format: edgelist\na b\nb c\n", usual(matrix), 3, "'b'", {"--kind directed", "--kind matrix"});
  CHECK(read_usual("# format: edgelist\na x\nb y\n", matrix).graph.num_rows() == 2);
  // Known kinds.
  for (const InputKind kind : {bipartite, undirected, directed}) {
    CHECK(read("1 2\n2 3\n3 4\n", kind).graph.num_edges() == 3);
  }
  CHECK(read_usual("u w\nw u\n", directed).graph.num_edges() == 2);
  // Names of two sides.
  CHECK(read_usual("1 2\n1 4\n3 2\n3 4\n").graph.num_edges() == 4);
}

TEST_CASE("every name in both columns is found, at every size of the tables of names") {
  for (const int size : {1, 2, 31, 32, 33, 63, 64, 65, 1000}) {
    for (const std::string prefix : {"", "name", "a name longer than sixteen bytes "}) {
      CAPTURE(size, prefix);
      InputOptions options = with_delimiter(prefix.find(' ') == std::string::npos ? '\0' : ',');
      options.format = InputFormat::edge_list;
      options.header = false;
      const auto line = [&](int u, int v) {
        return prefix + std::to_string(u) + "," + prefix + std::to_string(v) + "\n";
      };
      std::string text;
      for (int i = 0; i < size; ++i) text += line(i, size + 7 * i + 1);
      CHECK_NOTHROW(read_usual(text, bipartite, options));
      const int again = size / 2;
      check_refused(text + line(9 * size + 9, again), options, static_cast<std::uint64_t>(size) + 1,
                    "'" + prefix + std::to_string(again) + "'", "--kind undirected");
    }
  }
}

TEST_CASE("networkx's data dictionaries give weights by their key, or none") {
  const Input plain = read_usual("1 3 {}\n2 4 {}\n");
  CHECK(named_edges(plain) == NamedEdges{{"1", "3"}, {"2", "4"}});
  CHECK(plain.graph.weight_kind() == WeightKind::none);
  CHECK(dense<DoubleDouble>(read_usual(
            "a x {'weight': 2.5, 'color': 'red'}\nb x {\"color\": \"it's\", 'weight': 3}\n")) == Reals{2.5, 3.0});
  CHECK(dense<std::int64_t>(read_usual("a x {'weight': 2}\nb x { 'weight' : -3 } # note\n")) == Integers{2, -3});
  CHECK(dense<DoubleDouble>(read_usual("a x {'weight': np.float64(2.5)}\n")) == Reals{2.5});
  // Other keys and values of every kind are passed over.
  const Input other = read_usual(
      R"(a x {'colour': 'r\'e\\d\u00e9\x41', 'ok': True, 'no': None, 3: [1, (2, 3), {'weight': 7}], 'f': nan})"
      "\nb x {}\n");
  CHECK(other.graph.weight_kind() == WeightKind::none);
  CHECK(other.graph.num_edges() == 2);
  InputOptions options{.weight_key = "cost"};
  CHECK(dense<std::int64_t>(read_usual("a x {'weight': 'heavy', 'cost': 5}\n", bipartite, options)) == Integers{5});
  options.weight_key = "b\xC3\xA9";
  CHECK(dense<std::int64_t>(read_usual("a x {'b\\xe9': 5}\n", bipartite, options)) == Integers{5});
  CHECK(dense<std::int64_t>(read_usual("a,x,{'n': 'p, q', 'weight': 5}\n")) == Integers{5});
}

TEST_CASE("data dictionaries that are damaged, or disagree, are refused") {
  check_refused("a x {'weight': 2}\nb x {}\n", usual(), 2, "data without 'weight'", "data with 'weight' as on line 1");
  check_refused("a x {}\nb x {'weight': 2}\n", usual(), 2, "data with 'weight'", "data without 'weight' as on line 1");
  check_refused("a x {}\nb x\n", usual(), 2, "2 fields", "data without");
  check_refused("a x {}\nb x 3\n", usual(), 2, "3 fields", "data without");
  check_refused("a x {'weight': 2\n", usual(), 1, "the end of the line", "ends on its line");
  check_refused("a x {'weight: 2}\n", usual(), 1, "the end of the line", "ends on its line");
  check_refused("a x {'weight' 2}\n", usual(), 1, "'2}'", "a colon");
  check_refused("a x {'weight': 2 'b': 3}\n", usual(), 1, "b", "a comma");
  check_refused("a x {'weight': }\n", usual(), 1, "'}'", "a value");
  check_refused("a x {'weight': 2} 3\n", usual(), 1, "'3'", "the end of the line");
  check_refused("a x {'weight': 2, 'weight': 3}\n", usual(), 1, "twice", "once");
  check_refused("a x {'weight': 'heavy'}\n", usual(), 1, "'heavy'", "a finite number");
  check_refused("a x {'weight': nan}\n", usual(), 1, "'nan'", "a finite number");
  check_refused("a x {'weight': True}\n", usual(), 1, "'True'", "a finite number");
  check_refused("a x {'a': '\\q'}\n", usual(), 1, "q", "an escape");
  check_refused("a x {'a': " + std::string(100, '[') + "}\n", usual(), 1, "[", "nested less deep");
}

TEST_CASE("quoted fields hold separators and doubled quotes") {
  const NamedEdges expected{{"New York, NY", "say \"hi\""}, {"b", "# 1"}};
  CHECK(named_edges(read_usual("\"New York, NY\",\"say \"\"hi\"\"\"\nb,\"# 1\"\n")) == expected);
  CHECK(named_edges(read_usual("\"New York, NY\" \"say \"\"hi\"\"\"\nb \"# 1\"\n")) == expected);
  CHECK(dense<std::int64_t>(read_usual("\"a b\",\"c\",\"5\"\n")) == Integers{5});
  // A quoted number is the same name.
  CHECK(read_usual("\"1\",2\n1,\"4\"\n1,6\n1,8\n").graph.num_rows() == 1);
  // A quote within a name is a part of it.
  CHECK(named_edges(read_usual("5\" x\n")) == NamedEdges{{"5\"", "x"}});
  check_refused("\"a,b\nc,d\n", usual(), 1, "a quote without an end", "ends on its line");
  check_refused("\"a\"b,c\n", usual(), 1, "'b' behind a closing quote", "a separator");
  check_refused("\"\",c\n", usual(), 1, "an empty field", "a name");
  check_refused("\"a\x01\",c\n", usual(), 1, "control character", "text");
}

TEST_CASE("a delimiter that is asked for is the only one, and blanks stay in names") {
  CHECK(named_edges(read_usual("New York, Boston \nA B,C\n", bipartite, with_delimiter(','))) ==
        NamedEdges{{"New York", "Boston"}, {"A B", "C"}});
  CHECK(named_edges(read_usual("a,b;c d\n", bipartite, with_delimiter(';'))) == NamedEdges{{"a,b", "c d"}});
  CHECK(named_edges(read_usual("a b\tc d\n", bipartite, with_delimiter('\t'))) == NamedEdges{{"a b", "c d"}});
  CHECK(named_edges(read_usual("a,b  c,d\n", bipartite, with_delimiter(' '))) == NamedEdges{{"a,b", "c,d"}});
  CHECK(dense<std::int64_t>(read_usual("a|b| 7\n", bipartite, with_delimiter('|'))) == Integers{7});
  CHECK(named_edges(read_usual("1;2\n3;4\n3;6\n7;2\n", bipartite, with_delimiter(';'))) ==
        NamedEdges{{"1", "2"}, {"3", "4"}, {"3", "6"}, {"7", "2"}});
  check_refused("1;2\n3;5\n7;8\n9;5\n3 4\n", with_delimiter(';'), 5, "only '3 4'", "in quotes");
  check_refused("a b\tc\nd\te,f\n", with_delimiter(','), 1, "a tab", "one or the other");
  check_refused("a;;b\n", with_delimiter(';'), 1, "';b'", "after the separator");
  check_refused("a\t\tb\n", with_delimiter('\t'), 1, "'b'", "after the separator");
  check_refused("New York,Boston\n", usual(), 1, "with ',' and blanks", "--delimiter ','");
  check_refused("New York,San Francisco\n", usual(), 1, "with ',' and blanks", "--delimiter ','");
  check_refused("Jane Doe,17\n", usual(), 1, "with ',' and blanks", "--delimiter ','");
  check_refused("Jane Doe\t17\n", usual(), 1, "tabs and blanks", "--delimiter tab");
  check_refused("a b\nJane Doe\tthe ball\n", usual(), 2, "tabs and blanks", "--delimiter tab");
  check_refused("New York;Boston\n", usual(), 1, "'New York;Boston'", "--delimiter ';'");
  check_refused("a b\nNew York|Boston\n", usual(), 2, "'New York|Boston'", {"--delimiter '|'", "--delimiter ' '"});
  CHECK(named_edges(read_usual("(0, 0);(0, 1);{}\n")) == NamedEdges{{"(0, 0)", "(0, 1)"}});
  // The first line has the separator of all.
  CHECK(named_edges(read_usual("1;2\n3;4\n3;6\n7;2\n")) == NamedEdges{{"1", "2"}, {"3", "4"}, {"3", "6"}, {"7", "2"}});
  check_refused("a,x\nb y\n", usual(), 2, "'b y', with ',' and blanks", "as on the first line");
  check_refused("a x\nb,y\n", usual(), 2, "'b,y'", "--delimiter ','");
  CHECK(named_edges(read_usual("a|1 b;2\n", bipartite, with_delimiter(' '))) == NamedEdges{{"a|1", "b;2"}});
  CHECK(named_edges(read_usual("\"a|1\" \"b;2\"\n")) == NamedEdges{{"a|1", "b;2"}});
  CHECK(dense<std::int64_t>(read_usual("a \t b  \t5\n")) == Integers{5});
}

TEST_CASE("what can't be a delimiter is refused") {
  for (const char delimiter : {'\n', '\r', '"', '\'', '#', '%', 'a', '7', '\x7F', '\x80', '\x1B'}) {
    CHECK_THROWS_AS(read_usual("a x\n", bipartite, with_delimiter(delimiter)), InputError);
    InputOptions options = with_delimiter(delimiter);
    options.format = InputFormat::dense;
    CHECK_THROWS_AS(read_usual("1 2\n", bipartite, options), InputError);
  }
}

TEST_CASE("names in brackets, as networkx has them of lattices, are one name") {
  const Input input = read("(0, 0) (0, 1) {}\n(0, 0) (1, 0) {}\n(1, 1) (0, 1) {}\n(1, 0) (1, 1) {}\n", undirected);
  CHECK(named_edges(input) ==
        NamedEdges{{"(0, 0)", "(0, 1)"}, {"(0, 0)", "(1, 0)"}, {"(1, 1)", "(0, 1)"}, {"(1, 1)", "(1, 0)"}});
  CHECK(named_edges(read_usual("('a', (1, 2)) x\nb y\n")) == NamedEdges{{"('a', (1, 2))", "x"}, {"b", "y"}});
  CHECK(dense<std::int64_t>(read_usual("(a)b,x,5\n")) == Integers{5});
}

TEST_CASE("a header that is announced is passed over, and one that is not is refused with both options") {
  const std::vector<std::string> options{"--header yes", "--header no"};
  // Words of a pair that tables use, in any spelling, of which none stands below.
  for (const std::string header :
       {"source,target", "From,To", "node1 node2", "u v", "row,col", "Row,Column", "src\tdst", "Source_ID,Target-ID",
        "FromNodeId ToNodeId", "user,item", "Author;Paper"}) {
    CAPTURE(header);
    const char separator = header.find_first_of(",;\t") != header.npos ? header[header.find_first_of(",;\t")] : ' ';
    const std::string lines = std::string("\na") + separator + "x\nb" + separator + "y\n";
    InputOptions all;
    CHECK(read_input_text(header + lines, "test", all).graph.num_edges() == 2);
    CHECK(read_usual(header + lines, bipartite, with_header(true)).graph.num_edges() == 2);
    CHECK(read_usual(header + lines, bipartite, with_header(false)).graph.num_edges() == 3);
  }
  CHECK(named_edges(read_usual("to,from\nb,a\n")) == NamedEdges{{"a", "b"}});
  // A word that stands below may be a vertex in both lines; other words above words may be one or the other.
  for (const std::string text : {"from,to\nfrom,b\nb,to\n", "u v\nw v\n", "from to\na TO\n", "source target\n"})
    check_refused(text, usual(undirected), 1, "looks like a header", options);
  for (const std::string text :
       {"person,event\nann,e1\nbob,e2\n", "ann bob\ncat dan\n", "a x\nb y\n", "V1 X2\na b\n"}) {
    check_refused(text, InputOptions(), 1, "looks like a header", options);
    CHECK(read_input_text(text, "test", with_header(true)).graph.num_edges() + 1 ==
          read_input_text(text, "test", with_header(false)).graph.num_edges());
    // The first edge by itself is in every perfect matching, if it is one.
    CHECK(read_usual(text).graph.num_edges() == read_usual(text, bipartite, with_header(false)).graph.num_edges());
  }
  CHECK(read_input_text("person event\nperson e2\nann e1\n", "test").graph.num_edges() == 3);
  // Words above numbers.
  CHECK(read_input_text("person,event\n1,2\n3,4\n5,6\n7,8\n", "test").graph.num_edges() == 4);
  check_refused("person,event\n1,2\n3,4\n", usual(), 2, "a matrix", "--format dense", "");
  check_refused("name score\nann 5\nbob 7\n", usual(), 1, "looks like a header", options);
  // No other column than the one called so is a weight.
  const std::string years = "source,target,year\na,x,1999\nb,y,2004\n";
  for (const InputOptions& how : {InputOptions(), with_header(true)}) {
    check_refused(years, usual(undirected, how), 1, "no column 'weight'", "--weight-key", "'year'");
    CHECK(read_usual(years, bipartite, how).graph.weight_kind() == WeightKind::none);
  }
  check_refused("a,b,cost\nc,d,2.5\n", usual(), 1, "looks like a header", "--columns");
  check_refused("one two\na x 5\n", usual(bipartite, with_header(true)), 2, "no word of the header", "--columns");
  check_refused("row,column,value\n1,1,5\n2,2,7\n", usual(matrix), 1, "numbers alone below", "--format edgelist");
  check_refused("one two three four five\na x\n", with_header(true), 1, "a header of 5 words", "below");
  check_refused("source,target\n", with_header(true), 0, "no edge", "at least one line");
  check_refused("a,b,cost\n1,2,3\n", with_header(false), 1, "'cost'", "a finite number");
}

TEST_CASE("what looks like a header only a little is an edge") {
  // Names among names, or one number.
  CHECK(read_usual("a 1\n2 3\n4 5\n6 7\n").graph.num_edges() == 4);
  CHECK(read_usual("a b\n").graph.num_edges() == 1);
  // No weight is a number: not a header's fault.
  check_refused("a b x\nc d y\n", usual(), 1, "'x'", "a finite number");
}

TEST_CASE("a line with one name adds a vertex without edges") {
  const Input graph = read("1 2\n3\n", undirected);
  CHECK(row_names(graph) == NameList{"1", "3"});
  CHECK(graph.graph.num_edges() == 1);
  CHECK(row_names(read("b a\nc\n", directed)) == NameList{"b", "a", "c"});
  CHECK(row_names(read("c\nb a\na\n", directed)) == NameList{"c", "b", "a"});
  // A row, unless it is a column.
  const Input sides = read("x\na x\nb\na\n", bipartite);
  CHECK(row_names(sides) == NameList{"a", "b"});
  CHECK(column_names(sides) == NameList{"x"});
  const Input numbers = read("1 2\n9\n3\n2\n", bipartite);
  CHECK(row_names(numbers) == NameList{"1", "3", "9"});
  CHECK(column_names(numbers) == NameList{"2"});
  CHECK(row_names(read_usual("1 2\n4000000000\n")) == NameList{"1", "4000000000"});
  CHECK(row_names(read("a b 5\nc\n", undirected)) == NameList{"a", "c"});
  CHECK(row_names(read("\"a->b\"\nc d\n", undirected)) == NameList{"a->b", "c"});
  CHECK(row_names(read("\"a b\"\nc d\n", undirected)) == NameList{"a b", "c"});
  // No edge at all is a graph where the format is known.
  CHECK(read("# format: edgelist\n1\n2\n3\n", undirected).graph.num_rows() == 3);
  CHECK(read_usual("# kind: undirected\n# format: edgelist\na\n").graph.num_rows() == 1);
  CHECK(read("# format: edgelist\na\nb\n", bipartite).graph.num_columns() == 0);
  check_refused("# x\n1\n2\n", usual(), 2, "no edge, only names", {"at least one line", "--format edgelist"});
  check_refused("# format: edgelist\na x\nb\n", usual(matrix), 3, "only 'b'", "an entry");
}

TEST_CASE("brackets, braces and colons of other notations are no part of names that nobody quotes") {
  const std::vector<std::string> expected{"without brackets", "--format edgelist"};
  for (const std::string text : {"[1, 2]\n[3, 4]\n", "[1 2]\n", "a: 2\nb: 4\nc: 6\nd: 8\n", "a->b 3\n", "a = 3\n",
                                 "['a', 'b']\n", "a b]\n", "(3) b\n"}) {
    check_refused(text, usual(), 1, "in the place of a name", expected);
    InputOptions options = with_header(false);
    options.format = InputFormat::edge_list;
    CHECK(read_usual(text, bipartite, options).format == InputFormat::edge_list);
  }
  CHECK(named_edges(read_usual("x[1] y{2}\n\"[1\" \"2]\"\na:b c:d\n")) ==
        NamedEdges{{"x[1]", "y{2}"}, {"[1", "2]"}, {"a:b", "c:d"}});
}

TEST_CASE("a lone token that may be an edge is refused, and in quotes it is a vertex") {
  for (const std::string token : {"1-2", "a-b", "Jean-Luc", "1:2", "a=b", "a~b", "n=4"}) {
    check_refused(token + "\n", usual(), 1, "only '" + token + "'", "'u v'", "in quotes");
    check_refused("1 2\n" + token + "\n", usual(undirected), 2, "only '" + token + "'", "'u v'", "in quotes");
    CHECK(row_names(read("\"" + token + "\"\nc d\n", undirected)) == NameList{token, "c"});
  }
  CHECK(row_names(read("-7\n1 2\n", undirected)) == NameList{"-7", "1"});
  CHECK(read("Jean-Luc E-1\nJean-Luc 2020-01\nAnn 1-2\nAnn E-1\n", bipartite).graph.num_edges() == 4);
}

TEST_CASE("a first line that says how large the graph is, is refused with both options") {
  for (const std::string size : {"n 4", "vertices 4", "Nodes: 4", "4 nodes", "edges= 7", "n=4 m=5", "nodes:4 edges:2",
                                 "V 4", "num_vertices,4"}) {
    for (const InputOptions& options : {usual(), usual(bipartite, with_header(true))})
      check_refused(size + "\n1 2\n3 4\n5 6\n7 8\n", options, 1, "the size of the graph", "alone", "--header no");
    if (size.find(": ") != size.npos || size.find(',') != size.npos) continue;
    CHECK(read_usual(size + "\n1 2\n3 5\n", bipartite, with_header(false)).graph.num_edges() == 3);
  }
  CHECK_THROWS_AS(read_usual("n = 4\n1 2\n3 4\n"), InputError);
  CHECK_THROWS_AS(read_usual("nodes 4 edges 5\n1 2\n3 4\n"), InputError);
  // A letter among other names is one.
  CHECK(read_usual("n 4\na 2\n").graph.num_edges() == 2);
  CHECK(read_usual("n 4\n").graph.num_edges() == 1);
}

TEST_CASE("lines of DIMACS without its problem line are refused") {
  check_refused("e 1 2\n", usual(), 1, "as edges stand in DIMACS", "that line");
  check_refused("e 1 2\ne 2 3\n", usual(), 1, "as edges stand in DIMACS", "that line", "--format edgelist");
  CHECK(read_usual("e 1 2\nf 2 3\ng 1 3\n").graph.num_edges() == 3);
  check_refused("a 1 2\na 2 3\n", usual(), 1, "as edges stand in DIMACS", "'a' is the name");
  CHECK(read_usual("e a 2\n").graph.num_edges() == 1);
  CHECK(read_usual("a 1 2\n").graph.num_edges() == 1);
}

TEST_CASE("entries as scipy and MATLAB print them, and rows behind their names, are refused") {
  for (const std::string text : {"  (0, 2)\t0.22\n  (1, 0)\t7\n", "(1,3)  0.5\n(2,1)  7\n", "   (1,1)       3\n",
                                 "1-2 5\n2-3 0.5\n", "1:2,5\n"}) {
    CHECK_THROWS_AS(read_usual(text, matrix), InputError);
    CHECK_THROWS_AS(read_usual(text), InputError);
  }
  check_refused("r0 0.79 0.73\nr1 0.1 0\nr2 0.5 1\n", usual(), 1, "'0.79' in the place of a name", "--format edgelist");
  CHECK(read_usual("r0 0.79 0.73\nr1 0.1 2\n", matrix, {.format = InputFormat::edge_list}).graph.num_edges() == 2);
  CHECK(read_usual("(0, 2) x\n(1, 0) 7\n").graph.num_edges() == 2);
  CHECK(read_usual("0-2 7\n0-x 8\n0-2 8\n0-y 9\n").graph.num_edges() == 4);
  CHECK(read_usual("-2 7\n-3 8\n5 9\n4 9\n").graph.num_edges() == 4);
  CHECK(read_usual("(0, 2) (0, 1)\n(1, 0) (1, 1)\n(1, 0) (0, 1)\n").graph.num_edges() == 3);
  // A table of two rows with their names, or edges with weights.
  check_refused("r0 4 0.73\nr1 5 0\n", usual(), 1, "'r0' among lines of 3 numbers", "--format edgelist");
}

TEST_CASE("characters that can't be seen, or pass for blanks, are refused in names") {
  const std::vector<std::string> expected{"without it", "--format edgelist"};
  check_refused(
      "a\xC2\xA0"
      "b c\nd e\n",
      usual(), 1, "U+00A0, a blank", expected);
  check_refused("a x\na\xE2\x80\x8B y\n", usual(), 2, "U+200B, which can't be seen", expected);
  check_refused(
      "a x\n\xEF\xBB\xBF"
      "b y\n",
      usual(), 2, "U+FEFF", expected);
  check_refused("a x\nb \xE2\x80\x8Dy\n", usual(), 2, "U+200D", expected);
  check_refused("a x\nb y\xC2\xAD\n", usual(), 2, "U+00AD", expected);
  check_refused("a\xE2\x80\x89x y\n", usual(), 1, "U+2009", expected);
  check_refused("a\xC2\x85x y\n", usual(), 1, "U+0085", expected);
  check_refused("\"a\xE2\x80\x8B\" y\n", usual(), 1, "U+200B", expected);
  check_refused("\"a\xC2\xA0\" y\n", usual(), 1, "U+00A0", expected);
  check_refused("a \xC2\xA0\nb y\n", usual(undirected), 1, "U+00A0", expected);
  check_refused("b y\nc\xE2\x80\x8B\n", usual(undirected), 2, "U+200B", expected);
  // Blanks within quotes, or where only the delimiter separates; a joiner within a word; other letters.
  CHECK(read_usual("\"New\xC2\xA0York\" y\n").graph.num_edges() == 1);
  CHECK(read_usual("New\xC2\xA0York,y\n", bipartite, with_delimiter(',')).graph.num_edges() == 1);
  CHECK(read_usual("\xD9\x86\xE2\x80\x8C\xD9\x87 y\n").graph.num_edges() == 1);
  CHECK(read_usual("\xC3\x85se \xE6\x9D\xB1\xE4\xBA\xAC\n\xF0\x9F\x98\x80 b\n").graph.num_edges() == 2);
  CHECK(read_usual("a\xC2\xA0"
                   "b c\n",
                   bipartite, {.format = InputFormat::edge_list})
            .graph.num_edges() == 1);
}

TEST_CASE("R's names of columns are a header above names, and above numbers of edges or of a matrix") {
  for (const std::string text : {"\"V1\",\"V2\"\n\"a\",\"b\"\n\"c\",\"d\"\n", "V1 V2\na b\nc d\n",
                                 "node1 node2\na b\nc d\n", "X1\tX2\na\tb\nc\td\n", "left,right\na,b\nc,d\n"})
    CHECK(read_input_text(text, "test").graph.num_edges() == 2);
  for (const std::string text :
       {"\"V1\",\"V2\"\n0.5,0.25\n0.1,0.3\n", "\"x\",\"y\"\n1.5,2.5\n2.5,1\n", "X1\tX2\n1\t2\n3\t4\n"})
    check_refused(text, usual(bipartite), 2, "a matrix", "--format dense", "");
  CHECK(dense<DoubleDouble>(read_usual("\"V1\",\"V2\"\n0.5,0.25\n0.125,3\n", matrix)) == Reals{0.5, 0.25, 0.125, 3.0});
  check_refused("\"V1\",\"V2\",\"V3\"\n1,2,0.5\n", usual(bipartite), 1, "looks like a header", "--columns");
  // Names much like them are names.
  CHECK(read_usual("V1 V2\nV3 V4\nV1 V4\n", bipartite, with_header(false)).graph.num_edges() == 3);
  check_refused("v2 v1\nv2 b\n", usual(), 1, "looks like a header", "--header no");
}

TEST_CASE("a molecule in SMILES notation is refused as an edge and as a vertex") {
  for (const std::string smiles : {"C1=CC=CC=C1", "c1ccccc1", "[Na+].[Cl-]", "CC(=O)O", "C#N", "c1ccc2ccccc2c1",
                                   "N[C@@H](C)C(=O)O", "C1CC1", "[13CH4]", "F/C=C/F", "C%12CCCC%12"}) {
    CAPTURE(smiles);
    CHECK(readers::looks_like_smiles(smiles));
    const std::vector<std::string> expected{"MOL or SDF", "--format edgelist"};
    check_refused(smiles + " benzene\n", usual(), 1, "SMILES", expected);
    check_refused("# x\n" + smiles + "\n", usual(), 2, "SMILES", expected);
    check_refused("benzene," + smiles + "\n", usual(), 1, "SMILES", expected);
    check_refused("CCO ethanol\n" + smiles + " CCO\n", usual(bipartite, with_header(false)), 2, "SMILES", expected);
    check_refused(smiles + " a fourth word here\n", with_kind(undirected), 1, "SMILES", expected);
    CHECK(read_usual(smiles + " benzene\n", bipartite, {.format = InputFormat::edge_list}).graph.num_edges() == 1);
  }
}

TEST_CASE("names that are no molecules are not taken for such") {
  for (const std::string name :
       {"Evelyn", "E1",  "C1",   "C2",   "C12",   "CO",     "n=3", "m=4", "B",    "NO",  "1",
        "c",      "p",   "S1",   "a(b)", "f(x)",  "C(1)",   "[1]", "[a]", "[C]",  "C-3", "C.1",
        "P1Q1",   "N11", "C1C1", "#1",   "x=y",   "O'Neil", "C++", "C#",  "c%",   "(C)", "C)C(",
        "C=",     "=C",  "1=C",  "[Na",  "[Xx+]", "Cl",     "Br2", "",    "C1CC", "[",   "%12"}) {
    CAPTURE(name);
    CHECK_FALSE(readers::looks_like_smiles(name));
  }
  CHECK(read_usual("C1 C2\nC3 C4\n").graph.num_edges() == 2);
}

TEST_CASE("damaged edge lists and dense texts are read or refused, and never anything else") {
  constexpr std::uint64_t seed = 20251122;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<std::string> seeds{
      "# kind: undirected\n1 2\n2 3\n7\n",
      "source,target,weight\n\"New York, NY\",\"a \"\"b\"\"\",2.5\nb,c,-3\n",
      "a b {'weight': 2.5, 'colour': 'r\\u00e9d', 'x': [1, (2, None)]}\nb c {'weight': np.int64(3)}\n",
      "1 2 3 4\n5 6.5 7 8\n-1e3 0 1/2 1\n",
      "# format: dense\n (1.0e+00+2.0e+00j)  (0-1j)\n 1 2i\n",
      "C1=CC=CC=C1 benzene\n[Na+].[Cl-] salt\n",
      "1;2;3\n4;5;6\n"};
  const std::string pieces[] = {"\"", "{",    "}",    "'",  ",", ";", "\n", " ", "#", "% kind: matrix\n",
                                "\\", "(",    ")",    "j",  "=", "[", "]",  "0", "-", "9999999999",
                                "\t", "\x01", "\xFF", "->", ":"};
  int read = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text = seeds[random() % seeds.size()];
    for (std::uint64_t changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      const std::string& piece = pieces[random() % std::size(pieces)];
      const auto length = static_cast<std::size_t>(random() % 5);
      if (random() % 3 == 0) {
        text.erase(at, length);
      } else if (random() % 2 == 0) {
        text.insert(at, piece);
      } else {
        text.insert(at, text.substr(random() % text.size(), length));
      }
    }
    InputOptions options{.usual_kind = std::vector{bipartite, undirected, directed, matrix}[random() % 4]};
    if (random() % 2 == 0) options.kind = std::vector{bipartite, undirected, directed, matrix}[random() % 4];
    if (random() % 4 == 0) options.format = random() % 2 == 0 ? InputFormat::edge_list : InputFormat::dense;
    if (random() % 4 == 0) options.header = random() % 2 == 0;
    if (random() % 4 == 0) options.delimiter = ",; \t|"[random() % 5];
    options.odd_cycles = options.fractions = options.keep_zeros = random() % 2 == 0;
    CAPTURE(i, text);
    try {
      const Input input = read_input_text(text, "test", options);
      ++read;
      REQUIRE((input.row_labels.empty() || input.row_labels.size() >= input.graph.num_rows()));
    } catch (const InputError& error) {
      REQUIRE(error.file() == "test");
      REQUIRE_FALSE(error.expected().empty());
    }
  }
  CHECK(read > 500);
}
