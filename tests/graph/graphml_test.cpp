// GraphML: what networkx wrote, keys and their data, the tricks of XML, limits; and builds that do not read it. More is
// in readers_test.cpp and bad_input_test.cpp.

#include <string>

#include "core/error.hpp"
#include "graph/column_sets.hpp"
#include "graph/formats.hpp"
#include "graph/input.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const InputOptions graphml = as(InputFormat::graphml);

std::string document(const std::string& keys, const std::string& edge) {
  return "<?xml version='1.0' encoding='UTF-8'?>\n<graphml>" + keys +
         "<graph edgedefault='undirected'>\n<node id='a'/><node id='b'/>\n<edge source='a' target='b'>" + edge +
         "</edge>\n</graph></graphml>\n";
}

const std::string weight_key = "<key id='w' for='edge' attr.name='weight'/>";

}  // namespace

TEST_CASE("GraphML that this build does not read is unable, with the package that would help") {
  if (built_with_graphml()) MATCHCOUNT_SKIP("this build reads GraphML");
  InputOptions options;
  for (const InputFormat format : {InputFormat::automatic, InputFormat::graphml}) {
    options.format = format;
    CHECK_THROWS_AS(read_input_text("<graphml/>", "a.graphml", options), NotCompiled);
    CHECK_THROWS_WITH(read_input_text("<graphml/>", "a.graphml", options),
                      ContainsSubstring("a.graphml") && ContainsSubstring("libexpat1-dev"));
  }
}

TEST_CASE("GraphML: what networkx wrote is the graph that it wrote elsewhere") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  CHECK(count_by_column_sets(read_input_text(file("grid.graphml"), "test").graph) == 36);
  const Input names = read_input_text(file("names.graphml"), "test");
  const Input same = read_input_text(file("names.gml"), "test");
  CHECK(row_names(names) == row_names(same));
  CHECK(column_names(names) == column_names(same));
  CHECK(names.graph.edges() == same.graph.edges());
  CHECK(names.graph.weights() == same.graph.weights());
}

TEST_CASE("GraphML: edges may come before their nodes, and data of other keys is skipped") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const Input input = read_input_text(
      "\n<graphml xmlns:y='x'>\n<key id='w' for='all' attr.name='weight'/><key id='c' attr.name='colour'/>\n"
      "<key id='w2' for='node' attr.name='weight'><default>9</default></key><data key='r'><y:Resources/></data>\n"
      "<graph edgedefault='undirected'><desc>of two</desc><data key='g'>x</data>\n"
      "<edge source='p' target='q'><data key='c'>red<y:deep><y:er/></y:deep></data><data key='w'><![CDATA[ 7 "
      "]]></data>\n"
      "</edge><node id='q'><data key='w2'>1</data></node><node id='p'/></graph></graphml>",
      "test");
  CHECK(row_names(input) == NameList{"q"});
  CHECK(dense<std::int64_t>(input) == Integers{7});
}

TEST_CASE("GraphML: the weight is the attribute that was asked for") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const std::string keys = weight_key + "<key id='c' for='edge' attr.name='cost'/>";
  const std::string text = document(keys, "<data key='w'>2</data><data key='c'>3</data>");
  CHECK(dense<std::int64_t>(read_input_text(text, "test")) == Integers{2});
  InputOptions options{.weight_key = "cost"};
  CHECK(dense<std::int64_t>(read_input_text(text, "test", options)) == Integers{3});
  options.weight_key = "length";
  CHECK_THROWS_AS(read_input_text(text, "test", options), InputError);
  options.weight_key = "";
  CHECK(read_input_text(text, "test", options).graph.weight_kind() == WeightKind::none);

  const auto check = [](const std::string& content, std::uint64_t line, const std::string& found,
                        const std::string& expected) { check_refused(content, graphml, line, found, expected); };
  check(document(weight_key, "<data key='w'>2</data><data key='w'>2</data>"), 4, "a second weight", "one");
  check(document(weight_key, "<data key='w'>2<b/></data>"), 4, "'b' within a weight", "a number");
  check(document(weight_key, "<data key='x'>2</data>"), 4, "data of 'x'", "the id of a <key>");
  check(document(weight_key, "<data>2</data>"), 4, "without key", "that attribute");
  check(document(weight_key + weight_key, ""), 2, "the key 'w' again", "once");
  // networkx writes integers beside reals so.
  const std::string two = weight_key + "<key id='v' for='edge' attr.name='weight' attr.type='double'/>";
  CHECK(dense<std::int64_t>(read_input_text(document(two, "<data key='v'>2</data>"), "test")) == Integers{2});
  check(document(two, "<data key='w'>2</data><data key='v'>2</data>"), 4, "a second weight", "one");
  const std::string one = "<default>1</default></key>";
  check(
      document("<key id='w' for='edge' attr.name='weight'>" + one + "<key id='v' for='edge' attr.name='weight'>" + one,
               ""),
      2, "a second default", "one");
  check("<graphml><graph edgedefault='undirected'/>\n" + weight_key + "</graphml>", 2, "a key behind the graph",
        "before");
  check("<graphml><graph edgedefault='undirected'>\n<nodes/></graph></graphml>", 2, "'nodes'", "nodes and edges only");
  check("<graphml><graph edgedefault='undirected'>\n<node id='a&#10;b'/></graph></graphml>", 2, "a control character",
        "one line");
}

TEST_CASE("GraphML: entities, external files and nested expansions are refused unread") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const std::string rest = "<graphml><graph edgedefault='undirected'><node id='&b;'/></graph></graphml>";
  std::string laughs = "<!DOCTYPE graphml [<!ENTITY a0 'ha'>";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "&a" + std::to_string(i - 1) + ";";
    laughs += "<!ENTITY a" + std::to_string(i) + " '" + before + before + before + "'>";
  }
  for (const std::string& text :
       {std::string("<!DOCTYPE graphml [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>"),
        std::string("<!DOCTYPE graphml [<!ENTITY % p SYSTEM 'x'> %p;]>"), laughs + "<!ENTITY b '&a29;'>]>"}) {
    check_refused(text + rest, graphml, 1, "a document type that declares", "without");
  }
  // One that declares nothing is passed over, whatever it names, and entities of its are none.
  for (const std::string type : {"<!DOCTYPE graphml SYSTEM 'http://localhost/x.dtd'>", "<!DOCTYPE graphml>"}) {
    const std::string graph = "\n" + type + "\n<!-- x -->\n" + document("", "<data key='x'/>").substr(39);
    check_refused(graph, graphml, 6, "data of 'x'", "the id of a <key>");
    CHECK(read_input_text("<?xml version='1.0'?>" + type +
                              "<graphml><graph edgedefault='undirected'><node id='a'/>"
                              "</graph></graphml>",
                          "test")
              .graph.num_rows() == 1);
    check_refused(type + rest, graphml, 1, "undefined entity", "well-formed");
  }
  // The declaration is believed about the encoding.
  const std::string latin = "<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph edgedefault='undirected'>";
  CHECK(row_names(read_input_text(latin + "<node id='\xE9'/></graph></graphml>", "test")) == NameList{"é"});
  check_refused("<?xml version='1.0' encoding='UTF-7'?><graphml/>", graphml, 1, "unknown encoding", "well-formed");
}

TEST_CASE("GraphML: ports have no meaning, and GEXF gives an edge without a weight 1 where others have one") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const Input ports = read_input_text(
      "<graphml><graph edgedefault='undirected'><node id='a'><port name='n'><port name='s'/></port></node><node "
      "id='b'/>"
      "<edge source='a' target='b' sourceport='n'/></graph></graphml>",
      "test");
  CHECK(ports.graph.num_edges() == 1);
  const auto gexf = [](const std::string& first, const std::string& second, const std::string& attributes = "") {
    return "<gexf><graph>" + attributes + "<nodes><node id='a'/><node id='b'/><node id='c'/></nodes>\n<edges>" +
           "<edge source='a' target='b' " + first + "<edge source='c' target='b' " + second + "</edges></graph></gexf>";
  };
  CHECK(dense<std::int64_t>(read_input_text(gexf("/>", "weight='3'/>"), "test")) == Integers{1, 3});
  CHECK(dense<std::int64_t>(read_input_text(gexf("weight='3'/>", "/>"), "test")) == Integers{3, 1});
  // An attribute of that name has the default that it tells, or none.
  const std::string column = "<attributes class='edge'><attribute id='w' title='weight' type='integer'";
  const std::string value = "><attvalues><attvalue for='w' value='3'/></attvalues></edge>";
  CHECK(dense<std::int64_t>(read_input_text(
            gexf(value, "/>", column + "><default>2</default></attribute></attributes>"), "test")) == Integers{3, 2});
  check_refused(gexf(value, "/>", column + "/></attributes>"), usual(undirected), 2, "without 'weight'",
                "--weight-key ''");
}
