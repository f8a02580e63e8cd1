// Weights that stand under another key than the one that is read.

#include <string>

#include "graph/input.hpp"
#include "graph/reading.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;
using namespace matchcount::test::reading;

namespace {

InputOptions with_key(const std::string& key, InputKind kind = matrix) {
  InputOptions options = usual(kind);
  options.weight_key = key;
  return options;
}

std::string gml(const std::string& data) {
  return "graph [ node [ id 1 ] node [ id 2 ]\nedge [ source 1 target 2 " + data + " ] ]";
}

std::string graphml(const std::string& keys, const std::string& data, const std::string& attributes = "") {
  return "<graphml>" + keys + "<graph edgedefault='undirected'>\n<node id='a'/><node id='b'/>\n<edge source='a' " +
         attributes + " target='b'>" + data + "</edge></graph></graphml>";
}

// Requires that the weights matter to questions about weights alone, and that two keys tell what to do.
void check_needs_key(const std::string& text, std::uint64_t line, const std::string& found) {
  for (const InputKind kind : {matrix, undirected}) {
    InputOptions options = usual(kind);
    options.kind = undirected;
    check_refused(text, options, line, found, "--weight-key", "--weight-key ''");
    options.weight_key = "";
    CHECK(read_input_text(text, "test", options).weight_kind() == WeightKind::none);
  }
  for (const InputKind kind : {bipartite, directed}) {
    InputOptions options = usual(kind);
    options.kind = undirected;
    CHECK(read_input_text(text, "test", options).weight_kind() == WeightKind::none);
  }
}

}  // namespace

TEST_CASE("numbers in data dictionaries under other keys alone are refused where the question is about weights") {
  check_needs_key("a b {'cost': 2.5}\nb c {'cost': 3}\n", 1, "no edge with 'weight', and numbers under 'cost'");
  check_needs_key("# x\na b {'Weight': 2}\n", 2, "'Weight'");
  check_needs_key("a b {'colour': 'red'}\nb c {'colour': 'red', 'cost': '2.5'}\n", 1, "numbers under 'cost'");
  check_needs_key("a b {'cost': np.float64(2.5), 'size': 1}\n", 1, "'cost', 'size'");
  check_needs_key("a b {'a': 1, 'b': 1, 'c': 1, 'd': 1, 'e': 1, 'f': 1}\n", 1, "'d', 'e', 'f'");
  // The kind asks for weights too.
  check_refused("a b {'cost': 2.5}\n", {.kind = matrix}, 1, "numbers under 'cost'", "--weight-key");
  CHECK(dense<DoubleDouble>(read_input_text("a x {'cost': 2.5}\n", "test", with_key("cost"))) == Reals{2.5});
  // Words, truths and identifiers are no weights, and what stands beside a weight is none.
  for (const std::string data : {"{}", "{'colour': 'red', 'ok': True, 'no': None, 'id': 7, 'key': 0, 'at': (1, 2)}"}) {
    CHECK(read_usual("a x " + data + "\n", matrix).weight_kind() == WeightKind::none);
  }
  CHECK(dense<std::int64_t>(read_usual("a x {'cost': 3, 'weight': 2}\n", matrix)) == Integers{2});
}

TEST_CASE("a weight key that no edge has is refused, and the keys that there are are named") {
  for (const InputKind kind : {bipartite, matrix}) {
    check_refused("a x {'cost': 2.5}\n", with_key("coast", kind), 1, "no edge with 'coast', and numbers under 'cost'",
                  "--weight-key");
    check_refused("a x {'colour': 'red'}\n", with_key("coast", kind), 1, "no edge with 'coast'", "no --weight-key");
    check_refused("# format: edgelist\na x\n", with_key("cost", kind), 2, "no edge with 'cost'", "no --weight-key");
    check_refused("# format: edgelist\na x 3\n", with_key("cost", kind), 2, "no header names the third one",
                  "no --weight-key");
    check_refused(
        gml("Weight 3"),
        [&] {
          InputOptions options = with_key("weight", kind);
          options.kind = undirected;
          return options;
        }(),
        2, "no edge with 'weight', and numbers under 'Weight'", "--weight-key");
  }
  CHECK(read_input_text("# format: edgelist\na x 3\n", "test", with_key("")).weight_kind() == WeightKind::none);
}

TEST_CASE("GML: numbers under other keys alone are refused where the question is about weights") {
  check_needs_key(gml("Weight 3"), 2, "numbers under 'Weight'");
  check_needs_key(gml("cost 2.5 label \"x\""), 2, "numbers under 'cost'");
  check_needs_key(gml("value \"5\""), 2, "numbers under 'value'");
  CHECK(read_usual(gml("id 3 key 0 label \"x\" graphics [ width 1 ]"), undirected).weight_kind() == WeightKind::none);
  CHECK(read_usual(gml("value 5 cost 7"), undirected).weight_kind() == WeightKind::integer);
  // `value` is the weight of those who ask for none.
  check_refused(gml("value 5"), with_key("weight", undirected), 2, "numbers under 'value'", "--weight-key");
}

TEST_CASE("GraphML: numbers under other keys alone are refused where the question is about weights") {
  if (!built_with_graphml()) MATCHCOUNT_SKIP("this build does not read GraphML");
  const std::string cost = "<key id='c' for='edge' attr.name='cost'/>";
  check_needs_key(graphml(cost, "<data key='c'>2.5</data>"), 3, "numbers under 'cost'");
  check_needs_key(graphml("<key id='w' for='edge' attr.name='Weight'/>", "<data key='w'> 3 </data>"), 3, "'Weight'");
  check_needs_key(graphml("<key id='c' for='edge' attr.name='cost'><default>2</default></key>", ""), 3, "'cost'");
  check_needs_key(graphml("<key id='c'/>", "<data key='c'>2</data>"), 3, "'c'");
  check_needs_key(graphml("", "", "weight='3'"), 3, "'weight of the element edge'");
  CHECK(read_usual(graphml(cost, "<data key='c'>red</data>", "id='5'"), undirected).weight_kind() == WeightKind::none);
  CHECK(read_usual(graphml(cost, "<data key='c'>2<y/></data>"), undirected).weight_kind() == WeightKind::none);
  CHECK(read_usual(graphml("<key id='n' for='node' attr.name='cost'><default>2</default></key>", ""), undirected)
            .weight_kind() == WeightKind::none);
}
