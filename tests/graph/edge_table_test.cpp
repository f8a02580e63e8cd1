// Tables of edges with attributes and numbers of rows.

#include <string>

#include "graph/reading.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions with_key(const std::string& key, InputOptions options = usual(matrix)) {
  options.weight_key = key;
  return options;
}

InputOptions as_edges(InputOptions options = usual()) {
  options.format = InputFormat::edge_list;
  return options;
}

}  // namespace

TEST_CASE("a table that names the ends of edges is read without an option, whatever else stands in it") {
  // pandas with and without the numbers of rows, R, a spreadsheet of another country, one pasted, columns in any order.
  for (const std::string text :
       {",source,target,weight,color\n0,Ann,cook,2,red\n1,Bob Lee,\"wash, dry\",3,\n",
        ",source,target\n0,Ann,cook\n1,Bob Lee,\"wash, dry\"\n",
        "source,target,color,weight\nAnn,cook,\"red, green\",2\nBob Lee,\"wash, dry\",,3\n",
        "\"\",\"from\",\"to\",\"n\"\n\"1\",\"Ann\",\"cook\",2\n\"2\",\"Bob Lee\",\"wash, dry\",3\n",
        "# people\n\nFrom;To;since;how\r\nAnn;cook;2001;x\r\n\r\nBob Lee;wash, dry;2002;y\r\n# end\r\n",
        "\tsource\ttarget\n0\tAnn\tcook\n1\tBob Lee\twash, dry\n",
        "id,kind,Source,Target\n7,x,Ann,cook\n8,y,Bob Lee,\"wash, dry\"\n"}) {
    for (InputOptions options : {usual(bipartite), usual(directed), as_edges()}) {
      INFO(text);
      const Input input = read_input_text(text, "test", options);
      CHECK(input.format == InputFormat::edge_list);
      CHECK(named_edges(input) == NamedEdges{{"Ann", "cook"}, {"Bob Lee", "wash, dry"}});
    }
  }
}

TEST_CASE("the weights of a table of edges are in the column of their name, and a note names the columns passed over") {
  const std::string text = "source,target,cost,weight,color\na,x,5,2,red\nb,y,7,0.5,blue\n";
  const Input usual_key = read_usual(text, matrix);
  CHECK(std::get<Reals>(usual_key.graph.weights()) == Reals{2.0, 0.5});
  REQUIRE(usual_key.notes.size() == 1);
  CHECK_THAT(usual_key.notes[0], ContainsSubstring("passed over: 'cost', 'color'"));
  CHECK(std::get<Integers>(read_input_text(text, "test", with_key("cost")).graph.weights()) == Integers{5, 7});
  CHECK(read_input_text(text, "test", with_key("")).graph.weight_kind() == WeightKind::none);
  check_refused(text, with_key("price"), 1, "no column 'price'", "cost", "color");
  // Weights are not guessed if the answer depends on them.
  const std::string costs = "source,target,cost,color\na,x,5,red\n";
  check_refused(costs, usual(matrix), 1, "no column 'weight'", "--weight-key", "cost");
  CHECK(read_usual(costs).graph.weight_kind() == WeightKind::none);
  check_refused("source,target,weight,color\na,x,1,red\nb,y,many,blue\n", usual(matrix), 3, "'many'", "number");
}

TEST_CASE("a table of numbers alone may be edges or a matrix, and is refused with both") {
  const std::string text = "# three\nu,v,w,x\n1,2,3,4\n5,6,7,8\n1,6,2,2\n";
  InputOptions header = usual(matrix);
  header.header = true;
  for (const InputOptions& options : {usual(bipartite), usual(matrix), header})
    check_refused(text, with_key("w", options), 2, "numbers alone below 'u' and 'v'", "--format edgelist",
                  "--format dense");
  CHECK(read_input_text(text, "test", as_edges()).graph.num_edges() == 3);
  header.format = InputFormat::dense;
  CHECK(read_input_text(text, "test", header).graph.num_columns() == 4);
  CHECK(read_usual("# format: edgelist\n" + text).graph.num_edges() == 3);
}

TEST_CASE("a table of edges that is not whole, or hides a name, is refused with its line") {
  const std::string head = "source,target,weight,color\n";
  check_refused(head + "a,x,1,red\nb,y,1\n", usual(), 3, "3 fields", "4 as on line 1");
  check_refused(head + "a,x,1,red,5\n", usual(), 2, "more fields", "4 as on line 1");
  check_refused(head + "a,x,1,\"red\nb,y,1,red\n", usual(), 2, "a quote without an end", "ends on its line");
  check_refused(head + "#a,x,1,red\n", usual(), 2, "a comment mark before 4 fields", "in quotes");
  check_refused(head + "a,,1,red\n", usual(), 2, "", "a name");
  check_refused(head, usual(), 0, "no edge", "at least one");
  // A mark within the line begins a name there.
  CHECK(named_edges(read_usual("id,source,target\nx,#a,%b\n")) == NamedEdges{{"#a", "%b"}});
  // Which two of these would be guessed; a word among names is one of them.
  CHECK_THROWS_AS(read_usual("source,target,from,to\na,b,c,d\n"), InputError);
  CHECK(read_usual("source,target\na,b\n").graph.num_edges() == 1);
}

TEST_CASE("three columns of which the last is called weight are edges, of numbers too") {
  for (const std::string text : {"source,target,weight\n1,7,2\n3,9,5\n", "from to weight\n1 7 2\n3 9 5\n",
                                 "From\tTo\tWeight\n1\t7\t2\n3\t9\t5\n"}) {
    for (const InputKind kind : {bipartite, undirected, matrix}) {
      INFO(text);
      const Input input = read(text, kind);
      CHECK(input.num_edges() == 2);
      if (kind == bipartite) CHECK(named_edges(input) == NamedEdges{{"1", "7"}, {"3", "9"}});
      CHECK(std::get<Integers>(input.graph.weights()) == Integers{2, 5});
    }
  }
  check_refused("source,target,weight\na,b,many\n", usual(matrix), 2, "'many'", "number");
}

TEST_CASE("labels of edges stand in a column by name or by number, and their places for weights") {
  const auto read = [](const std::string& text, const std::string& label, const std::string& columns = "") {
    InputOptions options = usual(bipartite);
    options.label = label;
    options.columns = columns;
    const Input input = read_input_text(text, "test", options);
    CHECK(std::get<Integers>(input.graph.weights()) == Integers{1, 2, 1});
    CHECK(named_edges(input) == NamedEdges{{"a", "x"}, {"a", "y"}, {"b", "x"}});
    return input.edge_labels;
  };
  using Labels = std::vector<std::string>;
  CHECK(read("id,from,to,way\n1,a,x,far\n2,a,y,\"7, up\"\n3,b,x,far\n", "way") == Labels{"", "far", "7, up"});
  CHECK(read("id,from,to,way\n1,a,x,1\n2,a,y,0\n3,b,x,1\n", "4") == Labels{"", "1", "0"});
  CHECK(read("way,u,v\nh,a,x\nv,a,y\nh,b,x\n", "way", "u,v") == Labels{"", "h", "v"});
  CHECK(read("# kind: bipartite\na x h\na y v\nb x h\n", "3") == Labels{"", "h", "v"});
  CHECK(read("h\ta\tx\nv\ta\ty\nh\tb\tx\n", "1", "2,3") == Labels{"", "h", "v"});
  // A line of a file of another format may not be an edge.
  InputOptions options = usual(bipartite);
  const std::string matrix = "%%MatrixMarket matrix coordinate integer general\n3 4 1\n1 1 7\n";
  options.columns = "1,2";
  check_refused(matrix, options, 0, "the format mtx", "edgelist");
  options.columns = "";
  options.label = "3";
  check_refused(matrix, options, 0, "the format mtx", "edgelist");
  check_refused("graph [ node [ id 1 ] ]\n", options, 0, "the format gml", "edgelist");
}

TEST_CASE("columns are picked by name or by number") {
  InputOptions options = usual(bipartite);
  const auto edges = [&](const std::string& text, const std::string& columns) {
    options.columns = columns;
    return named_edges(read_input_text(text, "test", options));
  };
  const std::string text = "user,when,item,rating\n1,100,7,2\n3,200,9,5\n";
  CHECK(edges(text, "user,item") == NamedEdges{{"1", "7"}, {"3", "9"}});
  CHECK(edges(text, "item, user ,rating") == NamedEdges{{"7", "1"}, {"9", "3"}});
  CHECK(edges("1,100,7\n3,200,9\n", "1,3") == NamedEdges{{"1", "7"}, {"3", "9"}});
  CHECK(edges("1 100 7\n3 200 9\n", "1,3,2") == NamedEdges{{"1", "7"}, {"3", "9"}});
  CHECK(edges("a b\nc d\n", "2,1") == NamedEdges{{"b", "a"}, {"d", "c"}});
  options.header = true;
  CHECK(edges(text, "1,3") == NamedEdges{{"1", "7"}, {"3", "9"}});
  options.header.reset();
  options.columns = "user,item,rating";
  CHECK(std::get<Integers>(read_input_text(text, "test", options).graph.weights()) == Integers{2, 5});
  for (const std::string columns : {"user,film", "user,user", "1,5", "0,1", "user,1", "1,1"}) {
    options.columns = columns;
    check_refused(text, options, 1, "no column of its own", "of the 4 columns");
  }
  for (const std::string columns : {"user", "user,item,rating,when", ","}) {
    options.columns = columns;
    CHECK_THROWS_AS(read_input_text(text, "test", options), InputError);
  }
  options.columns = "user,item";
  options.header = false;
  CHECK_THROWS_WITH(read_input_text(text, "test", options), ContainsSubstring("numbers of columns"));
  options.header.reset();
  options.format = InputFormat::dense;
  CHECK_THROWS_WITH(read_input_text(text, "test", options), ContainsSubstring("edgelist"));
}

TEST_CASE("a delimiter may have several characters") {
  InputOptions options = usual(bipartite);
  options.delimiter = "::";
  const Input input = read_input_text("1::b:c::3\n\"x::y\"::z::5\n", "test", options);
  CHECK(named_edges(input) == NamedEdges{{"1", "b:c"}, {"x::y", "z"}});
  check_refused("a::b\nc::d\te\n", options, 2, "a tab", "one or the other");
  options.columns = "1,2,3";
  CHECK(read_input_text("1::1193::5::978300760\n2::661::3::978302109\n", "test", options).num_edges() == 2);
  options.columns.clear();
  for (const std::string delimiter : {"  ", "ab", ": x", "\"\"", "::\n"}) {
    options.delimiter = delimiter;
    CHECK_THROWS_AS(read_input_text("a b\n", "test", options), InputError);
  }
}

TEST_CASE("the comments of the SNAP collection tell edge lists and their kind") {
  const std::string head = " graph (or so): x.txt\n# Nodes: 4 Edges: 2\n# FromNodeId\tToNodeId\n";
  const Input input = read_usual("# Undirected" + head + "1\t2\n2\t3\n3\t4\n");
  CHECK(input.kind == undirected);
  CHECK(input.num_edges() == 3);
  CHECK(read_usual("# Directed" + head + "1\t2\n2\t1\n", directed).kind == directed);
  check_refused("# Directed" + head + "1\t2\n3\t4\n", usual(), 1, "a directed graph", "--kind undirected");
  check_refused("# Directed graph (each unordered pair of nodes is saved once): x\n#FromNodeId\tToNodeId\n1\t2\n2\t1\n",
                usual(), 1, "each unordered pair of nodes once", "--kind directed");
  // Without such a line these are a matrix or edges.
  CHECK(read_usual("# FromNodeId\tToNodeId\n1\t2\n3\t4\n").num_edges() == 2);
  CHECK_THROWS_AS(read_usual("# From\tTo\n1\t2\n3\t4\n"), InputError);
}

TEST_CASE("decimal commas and the first line of spreadsheets are named") {
  InputOptions options = usual(bipartite);
  options.delimiter = ';';
  check_refused("a;b;1,5\nc;d;2,5\n", options, 1, "'1,5'", "decimal commas are not read");
  const std::string half = "1,5 2,5\n3,5 4,5\n";
  const std::pair<std::string, std::string> made_names[] = {{",", half},
                                                            {" ", half},
                                                            {";", "1,5;2,25\n0,5;1,75\n"},
                                                            {";", "a;b\n1,5;2,5\n3,5;4,5\n"},
                                                            {",", "a x 1,5\nb y 2,5\n"},
                                                            {";", "$1;$2\n$3;$4\n"},
                                                            {";", "50 %;25 %\n10 %;75 %\n"}};
  for (const auto& [delimiter, text] : made_names) {
    options.delimiter = delimiter;
    CAPTURE(delimiter, text);
    CHECK_THROWS_AS(read_input_text(text, "test", options), InputError);
  }
  options.delimiter = "\t";
  options.header = false;
  CHECK(read_input_text("12 a\t3-4\n2020-01-01\t5\nx\t5\ny\t6\n", "test", options).num_edges() == 4);
  check_refused("a,x,50 %\nb,y,25 %\n", usual(), 1, "'%'", "a blank before a comment");
  options = usual(bipartite);
  options.format = InputFormat::dense;
  check_refused("50%,50%\n25%,75%\n", options, 1, "'50%'", "a number");
  check_refused("50 %;25 %\n10 %;75 %\n", options, 1, "'%' behind a number", "numbers alone");
  CHECK(read_input_text("1 2 % comment\n3 4 # comment\n", "test", options).num_edges() == 4);
  for (const std::string comment : {"// bonds", "! bonds", "REM bonds"})
    check_refused(comment + "\na b\nb bonds\n", usual(undirected), 1, "looks like a comment", "--format edgelist");
  for (const std::string comment : {"// bonds", "! bonds", "REM bonds", "rem 3", "c bonds", "c 3", "C"})
    check_refused("1 12\n" + comment + "\n2 13\n12 13\n1 20\n", usual(undirected), 2, "looks like a comment",
                  "--format edgelist");
  check_refused("c bonds\nv1 v2\nv2 bonds\n", usual(undirected), 1, "looks like a comment", "--format edgelist");
  for (const std::string text : {"c 1\nd 2\nc 2\nd 1\n", "1 2\n2 c\nc 3\n3 14\n15 16\n", "\"c\" 1\n2 3\n4 5\n6 7\n"})
    CHECK(read_input_text(text, "test", usual(undirected)).num_edges() >= 2);
  // A square of networkx's write_multiline_adjlist.
  const std::string square = "0 2\n1 {}\n3 {}\n1 1\n2 {}\n2 1\n3 {}\n3 0\n";
  for (const InputFormat format : {InputFormat::automatic, InputFormat::edge_list, InputFormat::adjacency_list}) {
    options = usual(undirected);
    options.format = format;
    options.duplicates = Duplicates::one;
    check_refused(square, options, 2, "multi-line", "write_adjlist");
  }
}

TEST_CASE("tables that are no table of edges by their header alone are refused with the columns to ask for") {
  const std::string lines = "1,10,3,99\n2,20,4,98\n3,10,5,97\n";
  check_refused("user,item,rating,time\n" + lines, usual(), 1, "numbers alone below 'user' and 'item'",
                "--format edgelist");
  InputOptions asked = usual();
  asked.columns = "user,item,rating";
  CHECK(read_input_text("user,item,rating,time\n" + lines, "test", asked).num_edges() == 3);
  check_refused(lines, usual(), 1, "its weight and time", "--columns 1,2,3");
  asked.columns = "1,2,3";
  CHECK(read_input_text(lines, "test", asked).num_edges() == 3);
}

TEST_CASE("a first line sep= of spreadsheets tells the separator, of edges, tables and matrices") {
  for (const std::string end : {"\n", "\r\n"}) {
    CHECK(named_edges(read_usual("sep=;" + end + "a;b;1" + end + "c d;e;1" + end)) ==
          NamedEdges{{"a", "b"}, {"c d", "e"}});
    CHECK(named_edges(read_usual("SEP=\t" + end + "id\tsource\ttarget" + end + "7\ta\tb" + end)) ==
          NamedEdges{{"a", "b"}});
    CHECK(read_usual("sep=|" + end + "1|2.5|3|4" + end + "1|2|3|4" + end, matrix).graph.num_rows() == 2);
  }
  check_refused("sep=;\na;b;1,5\n", usual(), 2, "'1,5'", "decimal point");
  check_refused("sep=;\na b\n", usual(), 2, "", "");
  CHECK_THROWS_AS(read_usual("sep=x\naxb\n"), InputError);
  InputOptions commas = usual();
  commas.delimiter = ",";
  check_refused("sep=;\na;b\n", commas, 1, "'sep=;' beside the delimiter ','", "");
}
