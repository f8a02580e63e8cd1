// GML in the dialects of the programs that write it.

#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "graph/column_sets.hpp"
#include "graph/formats.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions gml = as(InputFormat::gml);

Input read_gml(const std::string& text, InputOptions options = gml) { return read_input_text(text, "test", options); }

// Writes two nodes, 1 and 2, and what is said beside them.
std::string graph(const std::string& content) { return "graph [\nnode [ id 1 ]\nnode [ id 2 ]\n" + content + "\n]\n"; }

}  // namespace

TEST_CASE("GML: what networkx wrote is the graph that it wrote elsewhere") {
  const Input grid = read_input_text(file("grid.gml"), "test");
  CHECK(grid.format == InputFormat::gml);
  CHECK(grid.kind == InputKind::undirected);
  CHECK(count_by_column_sets(grid.graph) == 36);

  // Names with quotes, ampersands, letters beyond ASCII; weights.
  const Input names = read_gml(file("names.gml"));
  std::istringstream reference(file("names.edges"));
  std::map<std::pair<std::string, std::string>, std::int64_t> weights;
  std::string u, v, weight;
  while (std::getline(reference, u, '\t') && std::getline(reference, v, '\t') && std::getline(reference, weight)) {
    weights[{u, v}] = std::stoll(weight);
  }
  CHECK(row_names(names) == NameList{"Åse & Per", "\"quoted\"", "<tag>", "it's", "semi;colon", "comma, blank"});
  CHECK(column_names(names) == NameList{"7", "-3", "Ωmega", "a/b", "x", "y"});
  CHECK(names.graph.num_edges() == 27);
  CHECK(weights.size() == 27);
  const std::vector<Edge> edges = names.graph.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    CHECK(weights.at({names.row_label(edges[i].row), names.column_label(edges[i].column)}) ==
          std::get<Integers>(names.graph.weights())[i]);
  }

  check_refused(file("multi.gml"), gml, 24, "a b again", "every edge once");
  InputOptions sum = gml;
  sum.duplicates = Duplicates::sum;
  const Input multi = read_gml(file("multi.gml"), sum);
  CHECK(multi.weights_are_multiplicities);
  CHECK(dense<std::int64_t>(multi) == Integers{2, 0, 1, 1});

  const Input arcs = read_gml(file("arcs.gml"), as(InputFormat::gml, InputKind::directed));
  CHECK(arcs.kind == InputKind::directed);
  CHECK(dense<DoubleDouble>(arcs) == Reals{0.0, 2.5, 1.5, 0.25});
  check_refused(file("arcs.gml"), gml, 0, "a directed graph", "--kind undirected");
}

TEST_CASE("GML: igraph's, Gephi's, yEd's and older files") {
  const Input igraph = read_input_text(
      "Creator \"igraph version 0.10.4 Fri\"\nVersion 1\ngraph\n[\n  directed 0\n  comment \"a [ b ]\"\n  node\n  [\n"
      "    id 0\n    name \"Ann\"\n  ]\n  node\n  [\n    id 1\n    name \"Bob\"\n  ]\n  edge\n  [\n    source 1\n"
      "    target 0\n    weight 2.5e0\n  ]\n]\n",
      "test");
  CHECK(igraph.format == InputFormat::gml);
  CHECK(row_names(igraph) == NameList{"Ann"});
  CHECK(dense<DoubleDouble>(igraph) == Reals{2.5});

  const Input gephi = read_input_text(
      "graph\n[\n  Creator \"Gephi\"\n  directed 0\n  node\n  [\n    id 7\n    label \"p\"\n    graphics\n    [\n"
      "      x 1.5\n      fill \"#FF0000\"\n      points [ point [ x 1 ] point [ x 2 ] ]\n    ]\n  ]\n  node\n  [\n"
      "    id 9\n    label \"q\"\n  ]\n  edge\n  [\n    id 0\n    source 7\n    target 9\n    value 3.0\n"
      "    fill \"#00FF00\"\n  ]\n]\n",
      "test");
  CHECK(row_names(gephi) == NameList{"p"});
  CHECK(dense<DoubleDouble>(gephi) == Reals{3.0});

  const Input yed = read_input_text(
      "Creator\t\"yFiles\"\r\nVersion\t\"2.18\"\r\ngraph\r\n[\r\n\thierarchic\t1\r\n\tlabel\t\"\"\r\n\tdirected\t1\r\n"
      "\tnode\r\n\t[\r\n\t\tid\t0\r\n\t\tlabel\t\"\"\r\n\t\tLabelGraphics\r\n\t\t[\r\n\t\t\ttext\t\"a\"\r\n\t\t]\r\n"
      "\t]\r\n\tnode\r\n\t[\r\n\t\tid\t4\r\n\t\tlabel\t\"\"\r\n\t]\r\n\tedge\r\n\t["
      "\r\n\t\tsource\t0\r\n\t\ttarget\t4\r\n"
      "\t]\r\n]\r\n",
      "test", as(InputFormat::automatic, InputKind::directed));
  CHECK(yed.format == InputFormat::gml);
  CHECK(row_names(yed) == NameList{"0", "4"});
  CHECK(named_edges(yed) == NamedEdges{{"0", "4"}});
  CHECK(yed.graph.weight_kind() == WeightKind::none);

  const Input plain =
      read_gml("# by hand\ngraph [ edge [ source 2 target 1 ] node [ id 1 label 5 ] # late\n node [ id 2 label 6 ] ]");
  CHECK(row_names(plain) == NameList{"5"});
  CHECK(column_names(plain) == NameList{"6"});
}

TEST_CASE("GML: names are the labels where these tell all nodes apart, else igraph's names, else the ids") {
  const auto names = [](const std::string& first, const std::string& second) {
    const Input input =
        read_gml("graph [ node [ id 3 " + first + " ] node [ id 8 " + second + " ] edge [ source 3 target 8 ] ]");
    return row_names(input).at(0) + " " + column_names(input).at(0);
  };
  CHECK(names("label \"a\"", "label \"b\"") == "a b");
  CHECK(names("label \"a\"", "label \"a\"") == "3 8");
  CHECK(names("label \"a\"", "") == "3 8");
  CHECK(names("label \"a\" name \"x\"", "label \"a\" name \"y\"") == "x y");
  CHECK(names("label \"two\nlines\"", "label \"b\"") == "3 8");
  CHECK(names("label \"\xFF\"", "label \"b\"") == "3 8");
  CHECK(names("label \"&#0;\"", "label \"b\"") == "3 8");
  CHECK(names("label \"&amp;&lt;&gt;&apos;&#xe9;&#937;&#128512;\"", "label \"AT&T &unknown; &#x110000000;\"") ==
        "&<>'é\u03A9\U0001F600 AT&T &unknown; &#x110000000;");
}

TEST_CASE("GML: the weight is under the key that was asked for, on every edge or on none") {
  const std::string both = graph("edge [ source 1 target 2 weight 2 value 3 cost 5 name \"x\" ]");
  CHECK(dense<std::int64_t>(read_gml(both)) == Integers{2});
  InputOptions options = gml;
  for (const auto& [key, weight] : {std::pair("value", 3), std::pair("cost", 5)}) {
    options.weight_key = key;
    CHECK(dense<std::int64_t>(read_gml(both, options)) == Integers{weight});
  }
  options.weight_key = "elsewhere";
  check_refused(both, options, 4, "no edge with 'elsewhere', and numbers under 'cost', 'value', 'weight'",
                "--weight-key");
  options.weight_key = "";
  CHECK(read_gml(both, options).graph.weight_kind() == WeightKind::none);
  options.weight_key = "name";
  check_refused(both, options, 4, "no number: 'x'", "a number without quotes");
  const std::string three = "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ]\n";
  check_refused(three + "edge [ source 1 target 2 weight 1 ]\nedge [ source 2 target 3 ]\n]", gml, 3,
                "an edge without 'weight'", "every edge or on none");
  check_refused(three + "edge [ source 1 target 2 ]\nedge [ source 2 target 3 value 1 ]\n]", gml, 2,
                "an edge without 'value'", "every edge or on none");
  check_refused(graph("edge [ source 1 target 2 weight NAN ]"), gml, 4, "'NAN'", "a finite number");
  check_refused(graph("edge [ source 1 target 2 weight [ ] ]"), gml, 4, "a list", "a number");
  check_refused(graph("edge [ source 1 target 2 weight 1 weight 1 ]"), gml, 4, "'weight' again", "once");
}

TEST_CASE("GML: what is wrong is refused with its line") {
  const auto check = [](const std::string& text, std::uint64_t line, const std::string& found,
                        const std::string& expected) { check_refused(text, gml, line, found, expected); };
  check(graph("edge [ source 1 target 3 ]"), 4, "an edge at '3'", "the id of a node");
  check(graph("node [ id 2 ]"), 4, "the node '2' again", "every node once");
  check(graph("node [ label \"x\" ]"), 4, "a node without id", "'id'");
  check(graph("edge [ source 1 ]"), 4, "an edge without target", "'source' and 'target'");
  check(graph("edge [ target 1 ]"), 4, "an edge without source", "'source' and 'target'");
  check(graph("edge [ source 1 source 2 target 1 ]"), 4, "'source' again", "once");
  check(graph("edge [ source 1.0 target 2 ]"), 4, "'1.0'", "an integer");
  check(graph("node [ id \"n\" ]"), 4, "'n'", "an integer");
  check(graph("node [ id 99999999999999999999 ]"), 4, "'99999999999999999999'", "within 64 bits");
  check(graph("edge [ source 1 target 1 ]"), 4, "a loop at 1", "two vertices");
  check(graph("directed 2"), 4, "'directed' of '2'", "0 or 1");
  check(graph("directed 0\ndirected 1"), 5, "'directed' again", "once");
  check(graph("graph [ ]"), 4, "a graph within a graph", "one graph");
  check(graph("node [ id 3 graph [ ] ]"), 4, "'graph' within a node", "alone");
  check(graph("Edge [ source 1 target 3 ]"), 4, "an edge at '3'", "the id of a node");
  check(graph("edge 5"), 4, "'5'", "'['");
  check(graph("") + graph(""), 6, "a second graph", "one graph");
  check("node [ id 1 ]", 1, "'node' outside of a graph", "within");
  check("Version 1\n", 0, "no graph", "'graph");
  check("graph 5\n", 1, "'5'", "'['");
  check("5 graph\n", 1, "'5'", "a key");
  check("graph [\nnode [ id 1\n", 3, "the end of the file within 'node'", "']'");
  check("graph [\nlabel \"x\n", 2, "a string without an end", "'\"'");
  check("graph [ x ]", 1, "']'", "a value of 'x'");
  check("graph [ x", 2, "the end of the file", "a value of 'x'");
  check("graph [ x [ y [", 2, "the end of the file within 'x'", "']'");
  check(graph("nöde 5"), 4, "'nöde'", "letters and digits");
  check("graph [ ] ]", 1, "']'", "a key");
  check("graph [ node [ id 1 \x01 2 ] ]", 1, "the control character '\\x01'", "text");
  std::string deep = "graph [ x ";
  for (int i = 0; i < 100'000; ++i) deep += "[ x ";
  check(deep, 1, "nested more than 1000 deep", "a GML file");
}

TEST_CASE("GML is told by its first words or by the file's name") {
  const auto format_of = [](const std::string& text, const std::string& name) {
    return read_input_text(text, name).format;
  };
  const std::string edge = graph("edge [ source 1 target 2 ]");
  CHECK(format_of(edge, "a.txt") == InputFormat::gml);
  CHECK(format_of("# note\n\n" + edge, "a.txt") == InputFormat::gml);
  CHECK(format_of("Creator \"me\" Version 1 comment \"x\"\n" + edge, "a.txt") == InputFormat::gml);
  CHECK(format_of("multigraph 1\n" + edge, "a.gml") == InputFormat::gml);
  CHECK(format_of("graph a\nb a\n", "a.txt") == InputFormat::edge_list);
}
