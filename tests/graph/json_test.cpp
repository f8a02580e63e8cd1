// Graphs in JSON, by networkx and D3.

#include <string>

#include "graph/formats.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::formats;
using namespace matchcount::test::reading;

namespace {

const std::string networkx = R"({"directed": false, "multigraph": false, "graph": {"nodes": 3, "x": [1, {"id": 2}]},)"
                             R"( "nodes": [{"color": "red", "id": 1}, {"id": "b"}, {"id": [0, 1]}, {"id": 2}],)"
                             "\n"
                             R"("links": [{"weight": 2.5, "source": 1, "target": "b"},)"
                             "\n"
                             R"({"source": [0, 1], "target": 2, "weight": 3e0, "key": 0}]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string nested(int depth) { return std::string(static_cast<std::size_t>(depth), '['); }

}  // namespace

TEST_CASE("JSON of networkx, with links or edges, names of all kinds and exact weights") {
  if (!built_with_json()) MATCHCOUNT_SKIP("this build does not read JSON");
  for (const std::string& text : {networkx, replaced(networkx, "links", "edges")}) {
    const Input input = read_usual(text, undirected);
    CHECK(input.format == InputFormat::json);
    CHECK(named_edges(input) == NamedEdges{{"1", "b"}, {"(0, 1)", "2"}});
    CHECK(std::get<Reals>(input.graph.weights()) == Reals{2.5, 3.0});
  }
  CHECK(read_usual(replaced(networkx, "false", "true"), directed).kind == directed);
  check_refused(replaced(networkx, "false", "true"), usual(), 0, "a directed graph", "--kind undirected");
  // Nodes behind the edges; integers beyond 64 bits.
  InputOptions options = usual(undirected);
  options.fractions = true;
  const Input input = read_input_text(
      R"({"directed": false, "edges": [{"source": 7, "target": 5, "weight": 123456789012345678901}], "nodes": [{"id": 5}, {"id": 7}]})",
      "test", options);
  CHECK(input.fractions.at(1) == *read_number("123456789012345678901"));
}

TEST_CASE("JSON of D3 names vertices by their places or by ids, and is refused where it may be either") {
  if (!built_with_json()) MATCHCOUNT_SKIP("this build does not read JSON");
  const auto graph = [](const std::string& nodes, const std::string& links) {
    return "{\"nodes\": [" + nodes + "],\n\"links\": [" + links + "]}";
  };
  const std::string link = R"({"source": 0, "target": 1, "value": 5})";
  const Input named = read_usual(graph(R"({"name": "Ann"}, {"name": "Bob", "group": 1})", link), undirected);
  CHECK(named_edges(named) == NamedEdges{{"Ann", "Bob"}});
  CHECK(std::get<Integers>(named.graph.weights()) == Integers{5});
  CHECK(named_edges(read_usual(graph("{}, {}", link))) == NamedEdges{{"0", "1"}});
  CHECK(named_edges(read_usual(graph(R"({"id": "x"}, {"id": "1"})", link))) == NamedEdges{{"x", "1"}});
  CHECK(named_edges(read_usual(graph(R"({"id": "x"}, {"id": "1"})", R"({"source": "x", "target": "1"})"))) ==
        NamedEdges{{"x", "1"}});
  CHECK(named_edges(read_usual(graph(R"({"id": 0}, {"id": 1})", link))) == NamedEdges{{"0", "1"}});
  const std::string shuffled = graph(R"({"id": 1}, {"id": 0}, {"id": 2})", link);
  check_refused(shuffled, usual(), 2, "which may be ids or places", "'directed' of networkx");
  CHECK(named_edges(read_usual(replaced(shuffled, "{", "{\"directed\": false, "))) == NamedEdges{{"1", "0"}});
  check_refused(graph("{}, {}", link), usual(directed), 0, "may be arcs or go both ways", "--kind directed");
  check_refused(graph("{}, {}", R"({"source": "0", "target": 1})"), usual(), 2, "an edge at '0'", "id of a node");
}

TEST_CASE("JSON that is no graph, damaged, deep or without what it needs is refused") {
  if (!built_with_json()) MATCHCOUNT_SKIP("this build does not read JSON");
  const auto check = [](const std::string& text, std::uint64_t line, const std::string& found,
                        const std::string& expected) {
    check_refused(text, as(InputFormat::json), line, found, expected);
  };
  check("{\"nodes\": []}", 0, "no list 'links' or 'edges'", "'nodes'");
  check("{\"links\": []}", 0, "no list 'nodes'", "'links'");
  check("{\"nodes\": [],\n\"links\": [], \"edges\": []}", 2, "a second list", "one");
  check("{\"nodes\": [1]}", 1, "'1' in the place of an object", "objects");
  check("{\"nodes\": {}}", 1, "no list of objects", "objects");
  check("{\"nodes\": [[]]}", 1, "no list of objects", "objects");
  check("[]", 1, "a list", "an object");
  check("true", 1, "a single value", "an object");
  check("{\"nodes\": [{\"id\": 1}, {}], \"links\": []}", 1, "without 'id'", "it on all");
  check("{\"nodes\": [{\"id\": 1}],\n\"links\": [{\"source\": 1}]}", 2, "without 'source' or 'target'", "both");
  check("{\"nodes\": [{\"id\": 1, \"id\": 1}], \"links\": []}", 1, "'id' again", "once");
  check("{\"nodes\": [{\"id\": 1}, {\"id\": 1}], \"links\": []}", 1, "the node '1' again", "once");
  check("{\"nodes\": [{\"id\": [[1], 2]}], \"links\": []}", 1, "a list within a name", "");
  check(replaced(networkx, "\"b\"},", "\"c\"},"), 2, "an edge at 'b'", "");
  check(replaced(networkx, "2.5", "\"2.5\""), 2, "a weight that is no number", "without quotes");
  check(replaced(networkx, "\"weight\": 2.5, ", ""), 2, "without 'weight'", "on none");
  check("{\"nodes\": [}", 1, "not well formed", "well-formed");
  check("{\"nodes\": []\n", 2, "not well formed", "well-formed");
  check("{\"a\": " + nested(2000) + "}", 1, "more than 1000 deep", "a graph");
  check_refused(replaced(networkx, "weight", "cost"), usual(undirected), 2, "without 'weight'", "on none");
  // Python prints other braces.
  check_refused("{1, 2}\n{3, 4}\n", usual(), 1, "Python", "json");
}
