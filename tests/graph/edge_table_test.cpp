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
  check_refused("source,target\na,b\n", usual(), 1, "looks like a header", "--header yes");
}
