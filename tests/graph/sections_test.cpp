// TGF, LGF and Pajek's networks.

#include <string>

#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

constexpr InputFormat tgf = InputFormat::tgf, lgf = InputFormat::lgf, pajek = InputFormat::pajek;

Integers weights(const Input& input) { return std::get<Integers>(input.graph.weights()); }

}  // namespace

TEST_CASE("TGF: vertices with labels, a line # and edges, whose numbers are weights") {
  const std::string text = "1 one\n2 two\n3 a third\n4 4th\n#\n1 2 5\n3 4 7\n2 3 2\n";
  const Input input = read_input_text(text, "test", as(tgf, undirected));
  CHECK(named_edges(input) == NamedEdges{{"one", "two"}, {"a third", "two"}, {"a third", "4th"}});
  CHECK(weights(input) == Integers{5, 2, 7});
  // By the file's name; labels that are no numbers; vertices without labels.
  const Input plain = read_input_text("a\nb\n#\nb a calls\n", "x.tgf", usual());
  CHECK(plain.kind == undirected);
  CHECK(named_edges(plain) == NamedEdges{{"a", "b"}});
  CHECK(plain.weight_kind() == WeightKind::none);
  CHECK(read_input_text(text, "test", given(tgf, directed)).graph.num_edges() == 3);
  check_refused(text, as(tgf, directed), 0, "may be arcs or go both ways", "--kind directed", "--kind undirected");
  check_refused("1\n2\n", as(tgf), 0, "no line '#'", "edges");
  check_refused("1\n1\n#\n", as(tgf), 2, "the node '1' again", "once");
  check_refused("1\n2\n#\n1 3\n", as(tgf), 4, "an edge at '3'", "id of a node");
  check_refused("1\n2\n#\n1\n", as(tgf), 4, "only '1'", "two vertices");
  check_refused("1\n2\n3\n#\n1 2 5\n2 3 x\n", as(tgf, undirected), 6, "without 'weight'", "every edge or on none");
  InputOptions options = as(tgf, undirected);
  options.weight_key = "";
  CHECK(read_input_text(text, "test", options).weight_kind() == WeightKind::none);
}

TEST_CASE("LGF: sections of nodes and of arcs or edges, with columns") {
  const std::string nodes = "# by LEMON\n@nodes\nlabel name\n0 \"first one\"\n1 b\n2 c\n\n";
  const std::string edges = "@edges\n    label cost weight\n0 1 0 9 5\n1 2 1 8 7\n@attributes\nsource 0\n";
  const Input input = read_usual(nodes + edges, undirected);
  CHECK(input.format == lgf);
  CHECK(named_edges(input) == NamedEdges{{"0", "1"}, {"2", "1"}});
  CHECK(weights(input) == Integers{5, 7});
  InputOptions options = usual(undirected);
  options.weight_key = "cost";
  CHECK(weights(read_input_text(nodes + edges, "test", options)) == Integers{9, 8});
  CHECK(read_usual("@arcs\n-\n0 1\n1 2\n" + nodes, directed).kind == directed);
  check_refused(nodes + "@arcs\n-\n0 1\n", usual(), 0, "a directed graph", "--kind undirected");
  check_refused(nodes + "@edges\n cost\n0 1 2\n", usual(undirected), 10, "numbers under 'cost'", "--weight-key");
  check_refused(nodes + "@edges\n cost\n0 1\n", usual(), 10, "2 fields", "1 column");
  check_refused(nodes + "@edges\n -\n0 3\n", usual(), 10, "an edge at '3'", "id of a node");
  check_refused(nodes + "@edges\n", usual(), 8, "no names of columns", "'-'");
  check_refused(nodes + nodes, usual(), 9, "a second section '@nodes'", "one graph");
  check_refused(nodes + "@arcs\n-\n0 1\n@edges\n-\n1 2\n", usual(), 11, "a second section", "one graph");
  check_refused(nodes + "@faces\n", usual(), 8, "'@faces'", "'@nodes'");
  check_refused("@nodes\nname\na\n", usual(), 2, "without a column 'label'", "name them");
  check_refused("@edges\n-\n", usual(), 0, "no section '@nodes'", "'@edges'");
  check_refused("@nodes\nlabel\n0 1\n", usual(), 3, "2 fields", "1 column");
}

TEST_CASE("Pajek: vertices by number, arcs or edges, lists of them, and networks of two sides") {
  const std::string vertices = "% by networkx\n*Vertices 4\n1 \"a b\" 0.0 0.0 ellipse\n2 c\n3 d 0.1 0.2\n4 e\n";
  const Input input = read_usual(vertices + "*Arcs\n*Edges\n1 2 5.0\n3 4 7\n", undirected);
  CHECK(input.format == pajek);
  CHECK(named_edges(input) == NamedEdges{{"a b", "c"}, {"d", "e"}});
  CHECK(input.graph.weight_kind() == WeightKind::real);
  CHECK(named_edges(read_usual("*network x\n*vertices 4\n*edgeslist\n1 2 3\n4 2\n")) ==
        NamedEdges{{"1", "2"}, {"1", "3"}, {"4", "2"}});
  CHECK(read_usual("*Vertices 2\r\n*Arcslist\r\n1 2\r\n2 1\r\n", directed).graph.num_edges() == 2);
  // The labels of vertices 1 and 2 are the same.
  CHECK(named_edges(read_usual("*Vertices 2\n1 x\n2 x\n*Edges\n1 2\n")) == NamedEdges{{"1", "2"}});
  const std::string sides = "*Vertices 4 2\n*Edges\n1 3\n4 2\n1 4\n";
  CHECK(read_usual(sides).graph.num_edges() == 3);
  // The first two vertices are rows, whichever end of an edge they are.
  CHECK(row_names(read_usual(sides, matrix)) == NameList{"1", "2"});
  CHECK(read_usual(sides).kind == bipartite);
  CHECK(read_usual(sides, undirected).kind == undirected);
  check_refused(sides, usual(directed), 0, "a graph of two sides", "--kind undirected");
  check_refused(sides + "1 2\n", usual(), 6, "within one side", "between");
  check_refused(vertices + "*Arcs\n1 2\n", usual(), 0, "a directed graph", "--kind undirected");
  check_refused(vertices + "*Edges :2 \"likes\"\n1 2\n", usual(), 7, "a relation of its own", "one relation");
  check_refused(vertices + "*Loops\n0 1\n", usual(), 7, "'*Loops'", "'*Matrix'");
  check_refused(vertices + "*Edges\n1 5\n", usual(), 8, "an edge at '5'", "id of a node");
  check_refused(vertices + "*Edges\n1 a\n", usual(), 8, "'a'", "number of a vertex");
  check_refused(vertices + "*Edges\n1 2 3\n3 4\n", usual(undirected), 9, "without 'weight'", "on none");
  check_refused("*Vertices 3\n1 a\n2 b\n*Edges\n", usual(), 1, "2 vertices behind", "or none");
  check_refused("*Vertices 3\n2 a\n", usual(), 2, "'2'", "in order");
  check_refused("*Vertices 2000000000\n*Edges\n", usual(), 1, "vertices declared", "at most");
  check_refused("*Vertices 2 3\n", usual(), 1, "'*Vertices 2 3'", "'*Vertices N'");
}

TEST_CASE("Pajek: a network of arcs and edges is what the kind says, edges of a directed graph go both ways") {
  const std::string text = "*Vertices 4\n*Arcs\n1 2 5\n*Edges\n3 4 2\n2 3 3\n4 1 7\n";
  CHECK(read(text, undirected).graph.num_edges() == 4);
  const NamedEdges arcs{{"1", "2"}, {"3", "4"}, {"4", "3"}, {"2", "3"}, {"3", "2"}, {"4", "1"}, {"1", "4"}};
  CHECK(named_edges(read(text, directed)) == arcs);
  CHECK(named_edges(read_usual(text, directed)) == arcs);
  CHECK(weights(read(text, matrix)) == Integers{5, 7, 3, 3, 2, 7, 2});
  for (const InputKind kind : {bipartite, undirected, matrix})
    check_refused(text, usual(kind), 5, "both arcs and edges", "--kind undirected", "--kind directed");
}

TEST_CASE("Pajek: a matrix has a row for every vertex, or the rows of one side") {
  const std::string text = "*Vertices 3\n*Matrix\n0 2 0\n2 0 3.5\n0 3.5 0\n";
  CHECK(named_edges(read(text, undirected)) == NamedEdges{{"1", "2"}, {"3", "2"}});
  CHECK(read(text, directed).graph.num_edges() == 4);
  const Input sides = read_usual("*Vertices 5 2\n*Matrix\n5 0 1\n0 7 1\n", matrix);
  CHECK(dense<std::int64_t>(sides) == Integers{5, 0, 1, 0, 7, 1});
  check_refused(text, usual(), 0, "a directed graph", "--kind undirected");
  check_refused("*Vertices 2\n*Matrix\n0 1\n0 0\n", given(pajek, undirected), 3, "differs from the one back", "both");
  check_refused("*Vertices 2\n*Matrix\n0 1\n", usual(directed), 3, "1 row of", "2");
  check_refused("*Vertices 2\n*Matrix\n0 1\n1 0\n*Arcs\n1 2\n", usual(directed), 5, "'*Matrix' beside", "other");
  check_refused("*Vertices 2\n*Matrix\n0 1 1\n", usual(directed), 3, "row 1 of 3 numbers", "2 rows of 2");
  check_refused("*Vertices 2\n*Matrix\n0 x\n", usual(directed), 3, "'x'", "a number");
  check_refused("*Vertices 2\n*Arcs\n1 2\n*Matrix\n0 1\n1 0\n", usual(directed), 4, "'*Matrix' beside", "other");
}

TEST_CASE("Pajek: of a project the only network is read, or the one that is asked for") {
  const std::string first = "*Network one.net\n*Vertices 2\n*Edges\n1 2\n",
                    partition = "*Partition a\n*Vertices 2\n1\n2\n",
                    second = "*Network the other\n*Vertices 3\n*Edges\n1 2\n2 3\n";
  for (const std::string& text : {partition + first, first + partition}) {
    const Input input = read_input_text(text, "test.paj", usual());
    CHECK(input.graph.num_edges() == 1);
    REQUIRE(input.notes.size() == 1);
    CHECK_THAT(input.notes[0], ContainsSubstring("1 other object"));
  }
  InputOptions options = usual();
  check_refused(first + partition + second, options, 0, "2 networks: 'one.net', 'the other'", "--member");
  options.member = "the other";
  CHECK(read_input_text(partition + first + second, "test.paj", options).graph.num_edges() == 2);
  check_refused(first, options, 0, "1 network: 'one.net'", "--member");
}

TEST_CASE("LGF: red and blue nodes are two sides, whose labels may be the same") {
  const std::string red = "@red_nodes\nlabel\n0\n1\n", blue = "@blue_nodes\nlabel\n2\n1\n",
                    edges = "@edges\n  weight\n0 2 5\n1 1 7\n";
  const Input input = read_usual(red + blue + edges, matrix);
  CHECK(dense<std::int64_t>(input) == Integers{5, 0, 0, 7});
  CHECK(row_names(read_usual(blue + "@red_nodes\nlabel\na\n@arcs\n-\na 2\n")) == NameList{"a"});
  CHECK(read_usual(red + blue + edges, undirected).graph.num_edges() == 2);
  check_refused(red + blue + "@edges\n-\n2 0\n", usual(), 11, "an edge at 'red 2'", "the id of a node");
  check_refused(red + red, usual(), 5, "a second section '@red_nodes'", "one graph");
  check_refused(red + "@nodes\nlabel\n3\n", usual(), 5, "a second section '@nodes'", "one graph");
  check_refused("@edges\n-\n0 2\n" + red, usual(), 4, "'@red_nodes' behind edges", "before");
  check_refused(red + blue + edges, usual(directed), 0, "a graph of two sides", "--kind bipartite");
}
