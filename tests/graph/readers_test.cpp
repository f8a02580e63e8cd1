// Each format by itself: Matrix Market, DIMACS, METIS and GraphML.

#include "graph/input.hpp"

#include <cstdint>
#include <random>
#include <sstream>
#include <string>

#include "core/error.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

TEST_CASE("Matrix Market: coordinate pattern general, in any case, with comments, blank lines and CRLF") {
  for (const std::string& text :
       {banner + "coordinate pattern general\n2 3 3\n1 1\n2 3\n1 2\n",
        std::string("%%matrixmarket MATRIX Coordinate PATTERN General\r\n% note\r\n\r\n 2\t3 3\r\n1 1\r\n\r\n 2  3 "
                    "\r\n1 2\r\n\r\n% end\r\n")}) {
    CAPTURE(text);
    const Input input = read(text);
    CHECK(input.format == InputFormat::matrix_market);
    CHECK(input.graph.num_rows() == 2);
    CHECK(input.graph.num_columns() == 3);
    CHECK(input.row_labels.empty());
    CHECK(named_edges(input) == NamedEdges{{"1", "1"}, {"1", "2"}, {"2", "3"}});
    CHECK(input.graph.weight_kind() == WeightKind::none);
  }
}

TEST_CASE("Matrix Market: a real matrix of integer texts is one of integers") {
  CHECK(dense<std::int64_t>(read(banner + "coordinate real general\n2 2 2\n1 1 3\n2 1 -4\n")) == Integers{3, 0, -4, 0});
  CHECK(dense<std::int64_t>(read(banner + "coordinate integer general\n1 1 1\n1 1 7\n")) == Integers{7});
  CHECK(dense<DoubleDouble>(read(banner + "coordinate double general\n2 2 2\n1 1 3\n2 1 -4.5\n")) ==
        Reals{3.0, 0.0, -4.5, 0.0});
}

TEST_CASE("Matrix Market: symmetric, skew-symmetric and hermitian storage is unfolded") {
  CHECK(dense<std::int64_t>(read(banner + "coordinate integer symmetric\n3 3 3\n1 1 1\n3 1 5\n3 2 7\n")) ==
        Integers{1, 0, 5, 0, 0, 7, 5, 7, 0});
  CHECK(dense<std::int64_t>(read(banner + "coordinate integer skew-symmetric\n3 3 2\n3 1 5\n3 2 -7\n")) ==
        Integers{0, 0, -5, 0, 0, 7, 5, -7, 0});
  CHECK(dense<DoubleDouble>(read(banner + "coordinate real skew-symmetric\n2 2 1\n2 1 0.5\n")) ==
        Reals{0.0, -0.5, 0.5, 0.0});
  const ComplexDoubleDouble below(2.0, 3.0), above(2.0, -3.0);
  CHECK(dense<ComplexDoubleDouble>(read(banner + "coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 2 3\n")) ==
        Complexes{4.0, above, below, 0.0});
  CHECK(dense<ComplexDoubleDouble>(read(banner + "coordinate complex symmetric\n2 2 1\n2 1 2 3\n")) ==
        Complexes{0.0, below, below, 0.0});
  CHECK(dense<ComplexDoubleDouble>(read(banner + "coordinate complex skew-symmetric\n2 2 1\n2 1 2 3\n")) ==
        Complexes{0.0, -below, below, 0.0});
  CHECK(read(banner + "coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n").graph.num_edges() == 3);
}

TEST_CASE("Matrix Market: an array stands column by column, its lower triangle alone where it is symmetric") {
  CHECK(dense<std::int64_t>(read(banner + "array integer general\n2 3\n1\n2\n3\n4\n5\n6\n")) ==
        Integers{1, 3, 5, 2, 4, 6});
  CHECK(dense<std::int64_t>(read(banner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")) ==
        Integers{1, 2, 3, 2, 4, 5, 3, 5, 6});
  CHECK(dense<std::int64_t>(read(banner + "array real skew-symmetric\n3 3\n1\n2\n3\n")) ==
        Integers{0, -1, -2, 1, 0, -3, 2, 3, 0});
  CHECK(dense<ComplexDoubleDouble>(read(banner + "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n")) ==
        Complexes{1.0, ComplexDoubleDouble(2.0, -3.0), ComplexDoubleDouble(2.0, 3.0), 4.0});
  // Zeros are no entries.
  CHECK(read(banner + "array integer general\n2 2\n1\n0\n0\n1\n").graph.num_edges() == 2);
}

TEST_CASE("Matrix Market: empty matrices are read as such") {
  const Input nothing = read(banner + "coordinate pattern general\n0 0 0\n");
  CHECK(nothing.graph.num_rows() == 0);
  CHECK(nothing.graph.num_columns() == 0);
  const Input zero = read(banner + "coordinate real general\n2 3 0\n");
  CHECK(zero.graph.num_rows() == 2);
  CHECK(zero.graph.num_columns() == 3);
  CHECK(zero.graph.num_edges() == 0);
  CHECK(read(banner + "array real general\n0 5\n").graph.num_columns() == 5);
  CHECK(read(banner + "array real skew-symmetric\n1 1\n").graph.num_rows() == 1);
  CHECK(read(banner + "array real skew-symmetric\n0 0\n").graph.num_rows() == 0);
}

TEST_CASE("Matrix Market: as an undirected graph rows and columns have the same names") {
  const NamedEdges expected{{"1", "2"}, {"3", "2"}, {"3", "4"}};
  const Input half = read(banner + "coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 3\n", InputKind::undirected);
  CHECK(half.kind == InputKind::undirected);
  CHECK(named_edges(half) == expected);
  const Input whole =
      read(banner + "coordinate pattern general\n4 4 6\n2 1\n1 2\n3 2\n2 3\n4 3\n3 4\n", InputKind::undirected);
  CHECK(named_edges(whole) == expected);
  const Input weighted =
      read(banner + "coordinate integer general\n2 2 3\n2 1 5\n1 2 5\n1 1 0\n", InputKind::undirected);
  CHECK(dense<std::int64_t>(weighted) == Integers{5});
  // A vertex without edges is a row.
  CHECK(read(banner + "coordinate pattern symmetric\n3 3 1\n2 1\n", InputKind::undirected).graph.num_rows() == 2);
}

TEST_CASE("Matrix Market: as a directed graph rows and columns are the vertices") {
  const Input input = read(banner + "coordinate pattern general\n2 2 2\n1 2\n2 2\n", InputKind::directed);
  CHECK(input.kind == InputKind::directed);
  CHECK(named_edges(input) == NamedEdges{{"1", "2"}, {"2", "2"}});
}

TEST_CASE("DIMACS: an edge or col file is an undirected graph") {
  for (const std::string word : {"edge", "col"}) {
    const std::string text = "c a path\nc\np " + word + " 4 3\ne 1 2\ne 3 2\nc more\ne 3 4\n";
    const Input input = read(text);
    CHECK(input.format == InputFormat::dimacs);
    CHECK(input.kind == InputKind::undirected);
    CHECK(named_edges(input) == NamedEdges{{"1", "2"}, {"3", "2"}, {"3", "4"}});
    const Input arcs = read(text, InputKind::directed);
    CHECK(arcs.kind == InputKind::directed);
    CHECK(arcs.row_labels.empty());
    CHECK(named_edges(arcs) == NamedEdges{{"1", "2"}, {"2", "1"}, {"3", "2"}, {"2", "3"}, {"3", "4"}, {"4", "3"}});
    CHECK(read(text, InputKind::matrix).graph.num_edges() == 6);
  }
}

TEST_CASE("DIMACS: PACE and shortest-path files are read too") {
  CHECK(named_edges(read("c note\np tw 3 2\n1 2\n3 2\n")) == NamedEdges{{"1", "2"}, {"3", "2"}});
  const std::string path = "c note\np sp 3 3\na 1 2 5\na 2 3 -1\na 3 3 2\n";
  const Input arcs = read(path, InputKind::matrix);
  CHECK(dense<std::int64_t>(arcs) == Integers{0, 5, 0, 0, 0, -1, 0, 0, 2});
  CHECK(read("p edge 0 0\n").graph.num_rows() == 0);
}

TEST_CASE("an edge list whose vertices are called c and p is no DIMACS file") {
  CHECK(named_edges(read("c d\np q\n")) == NamedEdges{{"c", "d"}, {"p", "q"}});
  CHECK(named_edges(read("p col 3\n")) == NamedEdges{{"p", "col"}});
}

TEST_CASE("METIS: every format of weights, comments and vertices without neighbours") {
  const NamedEdges square{{"1", "2"}, {"1", "4"}, {"3", "2"}, {"3", "4"}};
  const Input plain = read_metis("% note\n4 4\n2 4\n1 3\n% note\n2 4\n1 3\n");
  CHECK(plain.format == InputFormat::metis);
  CHECK(plain.kind == InputKind::undirected);
  CHECK(named_edges(plain) == square);
  CHECK(plain.graph.weight_kind() == WeightKind::none);

  const Input edges = read_metis("4 4 1\n2 5 4 6\n1 5 3 7\n2 7 4 8\n1 6 3 8\n");
  CHECK(named_edges(edges) == square);
  CHECK(dense<std::int64_t>(edges) == Integers{5, 6, 7, 8});
  CHECK(named_edges(read_metis("4 4 10\n9 2 4\n9 1 3\n9 2 4\n9 1 3\n")) == square);
  CHECK(named_edges(read_metis("4 4 010 2\n9 9 2 4\n9 9 1 3\n9 9 2 4\n9 9 1 3\n")) == square);
  CHECK(named_edges(read_metis("4 4 100\n9 2 4\n9 1 3\n9 2 4\n9 1 3\n")) == square);
  const Input all = read_metis("4 4 111 1\n1 1 2 5 4 6\n1 1 1 5 3 7\n1 1 2 7 4 8\n1 1 1 6 3 8\n");
  CHECK(dense<std::int64_t>(all) == Integers{5, 6, 7, 8});

  const Input isolated = read_metis("3 1\n\n3\n2\n");
  CHECK(row_names(isolated) == NameList{"1", "2"});
  CHECK(column_names(isolated) == NameList{"3"});
  CHECK(read_metis("0 0\n").graph.num_rows() == 0);
  CHECK(read_metis("2 1\n2\n1\n", InputKind::directed).graph.num_edges() == 2);
  const Input doubled = read_metis("2 2\n2 2\n1 1\n", InputKind::undirected, {.duplicates = Duplicates::sum});
  CHECK(dense<std::int64_t>(doubled) == Integers{2});
  CHECK(doubled.weights_are_multiplicities);
}

TEST_CASE("GraphML: nodes by id, weights by the key called weight, defaults included") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const std::string undirected = R"(<?xml version="1.0" encoding="UTF-8"?>
<!-- a <graph> in a comment -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="w" for="edge" attr.name="weight" attr.type="double"><default>2</default></key>
  <key id="c" for="node" attr.name="colour" attr.type="string"/>
  <graph id="G" edgedefault="undirected">
    <node id="b"><data key="c">green</data></node>
    <node id="a &amp; o"/>
    <node id="c"/>
    <edge source="b" target="a &amp; o"><data key="w"> 3 </data></edge>
    <edge source="c" target="a &amp; o"/>
  </graph>
</graphml>
)";
  const Input input = read(undirected);
  CHECK(input.format == InputFormat::graphml);
  CHECK(input.kind == InputKind::undirected);
  CHECK(row_names(input) == NameList{"b", "c"});
  CHECK(column_names(input) == NameList{"a & o"});
  CHECK(dense<std::int64_t>(input) == Integers{3, 2});
  CHECK(dense<std::int64_t>(read(undirected, InputKind::matrix)) == Integers{0, 3, 0, 3, 0, 2, 0, 2, 0});

  const std::string directed =
      "<graphml><graph edgedefault='directed'><node id='1'/><node id='2'/>"
      "<edge source='1' target='2'/><edge source='2' target='2' directed='true'/></graph></graphml>";
  const Input arcs = read(directed, InputKind::directed);
  CHECK(named_edges(arcs) == NamedEdges{{"1", "2"}, {"2", "2"}});
  CHECK(arcs.graph.weight_kind() == WeightKind::none);
  CHECK_THROWS_AS(read(directed), InputError);
}

TEST_CASE("random matrices come back from every Matrix Market form of theirs") {
  const std::uint64_t seed = GENERATE(range(1, 21));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t bound) { return static_cast<int>(random() % bound); };
  const int size = below(6) + 1;
  Integers entries(static_cast<std::size_t>(size * size));
  const bool symmetric = below(2) == 0;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      const auto value = [&] { return below(2) == 0 ? 0 : below(2001) - 1000; };
      entries[static_cast<std::size_t>(i * size + j)] = value();
      entries[static_cast<std::size_t>(j * size + i)] =
          symmetric ? entries[static_cast<std::size_t>(i * size + j)] : value();
    }
  }
  std::ostringstream array, coordinate;
  std::size_t count = 0;
  for (int j = 0; j < size; ++j) {
    for (int i = symmetric ? j : 0; i < size; ++i) {
      const std::int64_t value = entries[static_cast<std::size_t>(i * size + j)];
      array << value << "\n";
      if (value == 0 && below(3) != 0) continue;  // some zeros are stored
      coordinate << i + 1 << " " << j + 1 << " " << value << "\n";
      ++count;
    }
  }
  const std::string symmetry = symmetric ? "symmetric" : "general";
  const std::string shape = std::to_string(size) + " " + std::to_string(size);
  const std::string texts[] = {
      banner + "array integer " + symmetry + "\n" + shape + "\n" + array.str(),
      banner + "coordinate real " + symmetry + "\n" + shape + " " + std::to_string(count) + "\n" + coordinate.str()};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Input input = read(text, InputKind::matrix);
    REQUIRE(input.graph.num_rows() == static_cast<Vertex>(size));
    CHECK(dense<std::int64_t>(input) == entries);
  }
}

TEST_CASE("DIMACS: assignments and one-sided crossings have two sides, flows are directed, PACE has more words") {
  const std::string assignment = "p asn 4 2\nn 1\nn 2\na 1 3 5\na 2 4 7\n";
  const auto usual_of = [](const std::string& text, InputKind kind) { return read_usual(text, kind); };
  CHECK(dense<std::int64_t>(usual_of(assignment, InputKind::matrix)) == Integers{5, 0, 0, 7});
  const Input input = usual_of(assignment, InputKind::bipartite);
  CHECK(input.kind == InputKind::bipartite);
  CHECK((row_names(input) == NameList{"1", "2"} && column_names(input) == NameList{"3", "4"}));
  CHECK(usual_of(assignment, InputKind::undirected).kind == InputKind::undirected);
  check_refused(assignment, usual(InputKind::directed), 0, "a graph of two sides", "--kind matrix");
  check_refused("p asn 2 1\nn 1\na 2 1 5\n", usual(), 3, "an edge from 2 to 1", "the first side");
  check_refused("p asn 2 1\nn 3\n", usual(), 2, "'3'", "from 1 to 2");

  CHECK(named_edges(usual_of("c x\np ocr 2 3 2\n1 3\n2 5\n", InputKind::bipartite)) ==
        NamedEdges{{"1", "3"}, {"2", "5"}});
  check_refused("p ocr 2 3 1\n1 2\n", usual(), 2, "an edge from 1 to 2", "to the second");
  InputOptions dimacs = usual();
  dimacs.format = InputFormat::dimacs;
  check_refused("p ocr 2 3\n1 3\n", dimacs, 1, "the end of the line", "a number of edges");

  const Input flow = usual_of("p max 3 2\nn 1 s\nn 3 t\na 1 2 4\na 2 3 6\n", InputKind::directed);
  CHECK(dense<std::int64_t>(flow) == Integers{0, 4, 0, 0, 0, 6, 0, 0, 0});
  REQUIRE(flow.notes.size() == 1);
  CHECK_THAT(flow.notes[0], ContainsSubstring("source and sink are passed over"));
  for (const std::string word : {"cep", "td", "tdp", "tww", "ds"})
    CHECK(named_edges(usual_of("p " + word + " 4 2\n1 2\n4 3\n", InputKind::undirected)) ==
          NamedEdges{{"1", "2"}, {"3", "4"}});
}

TEST_CASE("Blossom V: a first line with sizes, then edges with weights between vertices from 0") {
  InputOptions options = usual(InputKind::undirected);
  options.format = InputFormat::blossom;
  const Input input = read_input_text("4 3\n0 1 5\n1 2 -2\n2 3 7\n", "test", options);
  CHECK(named_edges(input) == NamedEdges{{"0", "1"}, {"2", "1"}, {"2", "3"}});
  CHECK(std::get<Integers>(input.graph.weights()) == Integers{5, -2, 7});
  check_refused("4 3\n0 1 5\n", options, 3, "after 1 edges", "3 edges");
  check_refused("4 1\n0 1\n", options, 2, "the end of the line", "a weight");
  check_refused("4 1\n0 4 1\n", options, 2, "'4'", "from 0 to 3");
  check_refused("0 1\n0 0 1\n", options, 1, "edges without vertices", "");
  check_refused("4 1\n0 1 1\n1 2 1\n", options, 3, "'1'", "the end of the file");
}
