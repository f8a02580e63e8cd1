// --matchings, --activity and --loops, as a user would ask.

#include <sstream>

#include "apps/json_output.hpp"

using namespace matchcount::test;

namespace {

std::string out_of(const std::string& line, const std::string& input) {
  const Outcome outcome = run_line(line, input);
  CAPTURE(line, outcome.err);
  CHECK(outcome.status == 0);
  return outcome.out;
}

const std::string square = "1 2\n2 3\n3 4\n4 1\n";
const std::string triangle = "1 2\n2 3\n3 1\n";

}  // namespace

TEST_CASE("count --matchings gives one number, by size a line for each") {
  CHECK(out_of("count - --kind undirected --matchings all", square) == "7\n");
  CHECK(out_of("count - --kind undirected --matchings by-size", square) == "0 1\n1 4\n2 2\n");
  CHECK(out_of("count - --kind undirected --matchings by-size", triangle) == "0 1\n1 3\n");
  CHECK(out_of("count - --kind undirected --matchings maximum", triangle) == "3\n");
  CHECK(out_of("count - --kind undirected --matchings perfect", square) == "2\n");
  CHECK(out_of("count - --kind undirected --matchings all --activity 1/2", triangle) == "13/8\n");
  CHECK(out_of("count - --matchings saturating", "a x\na y\nb y\nb z\n") == "3\n");
  CHECK(out_of("count - --matchings maximal --verify", "a x\nb x\nb y\n") == "2\n");
  CHECK(out_of("count - --kind undirected --matchings maximal --activity 1/2", triangle) == "3/2\n");
  CHECK(out_of("permanent - --format edgelist --matchings maximal", "a x 2\nb x 3\nb y 5\n") == "13\n");
  CHECK(out_of("count - --matchings all --threads 1", "a x 5\na y 5\n") == "3\n");
  CHECK(out_of("count - --matchings all --duplicates sum", "a x\na x\na y\n") == "4\n");
}

TEST_CASE("count --sextets gives Clar covers and resonant sets, and the Clar number") {
  const std::string kekulene = "count " MATCHCOUNT_SOURCE_DIR "/datasets/kekulene.txt --kind undirected --sextets";
  const std::string lines = "0 200 1\n1 594 12\n2 699 48\n3 408 76\n4 123 48\n5 18 12\n6 1 1\n";
  CHECK(run_line(kekulene, "").out == lines);
  CHECK_THAT(run_line(kekulene, "").err, ContainsSubstring("Clar number 6"));
  CHECK(Json::parse(out_of(kekulene + " --json", ""))["result"]["sextets"][6] == Json{{"covers", "1"}, {"sets", "1"}});
  CHECK(out_of("count - --kind undirected --sextets", triangle) == "0 0 0\n");
  check_refused("count - --kind undirected --sextets --verify", square, {"--sextets with --verify"});
  check_refused("count - --kind undirected --sextets --duplicates sum", "1 2\n1 2\n3 4\n",
                {"--duplicates sum with --sextets"});
}

TEST_CASE("the data of southern women have 5068242 matchings that saturate the smaller side") {
  const std::string file = MATCHCOUNT_SOURCE_DIR "/datasets/southern-women.csv";
  CHECK(out_of("count " + file + " --matchings saturating", "") == "5068242\n");
  CHECK(out_of("count " + file + " --matchings maximum", "") == "5068242\n");
  CHECK(out_of("count " + file + " --matchings saturating --method frontier --verify", "") == "5068242\n");
  CHECK(out_of("count " + file + " --matchings saturating --method staged", "") == "5068242\n");
}

TEST_CASE("a rectangular permanent is 0 unless it is asked for, and weights count by size too") {
  const std::string matrix = "1 2 3\n4 5 6\n";
  CHECK(out_of("permanent - --format dense", matrix) == "0\n");
  // 1 (5 + 6) + 2 (4 + 6) + 3 (4 + 5).
  CHECK(out_of("permanent - --format dense --matchings saturating", matrix) == "58\n");
  CHECK(out_of("permanent - --format dense --matchings by-size", matrix) == "0 1\n1 21\n2 58\n");
  CHECK(out_of("permanent - --format dense --matchings saturating", "1/2 1/3\n") == "5/6\n");
  CHECK(out_of("permanent - --format dense --matchings saturating --digits 3", "0.5 0.25\n") == "7.50e-1\n");
}

TEST_CASE("with --keep-zeros edges of weight 0 are in matchings of every kind, else in none") {
  const std::string path = "a x 2\na y 0\nb x 3\n";
  CHECK(out_of("permanent - --format edgelist --matchings maximum", path) == "5\n");
  CHECK(out_of("permanent - --format edgelist --matchings maximum --keep-zeros", path) == "0\n");
  CHECK(out_of("permanent - --format edgelist --matchings by-size", path) == "0 1\n1 5\n");
  CHECK(out_of("permanent - --format edgelist --matchings by-size --keep-zeros", path) == "0 1\n1 5\n2 0\n");
  CHECK(out_of("hafnian - --matchings by-size --keep-zeros", path) == "0 1\n1 5\n2 0\n");
  CHECK(out_of("permanent - --format edgelist --matchings all --keep-zeros", path) == "6\n");
  CHECK(out_of("permanent - --format edgelist --matchings saturating --keep-zeros", "a x 0\na y 0\n") == "0\n");
  CHECK(out_of("permanent - --format edgelist --matchings by-size --keep-zeros", "a x 1/2\na y 0\nb x 1/3\n") ==
        "0 1\n1 5/6\n2 0\n");
}

TEST_CASE("a matrix without edges has one matching by size, in its own numbers") {
  for (const std::string command : {"permanent", "hafnian"}) {
    for (const std::string field : {"complex", "real", "integer"}) {
      const std::string matrix = "%%MatrixMarket matrix coordinate " + field + " general\n1 1 0\n";
      CAPTURE(command, field);
      CHECK_THAT(out_of(command + " - --matchings by-size", matrix), StartsWith("0 1"));
      const Json answer = Json::parse(out_of(command + " - --matchings by-size --json", matrix));
      CHECK(answer["result"]["values"].size() == 1);
    }
  }
}

TEST_CASE("hafnian --loops takes the diagonal, which is refused without it") {
  const std::string pair = "a b 2\na a 3\nb b 5\n";
  CHECK(out_of("hafnian - --loops", pair) == "17\n");
  check_refused("hafnian -", pair, {"hafnian --loops takes"});
  CHECK(out_of("hafnian - --loops", "a b 1/2\na a 1/3\nb b 5\n") == "13/6\n");
  CHECK(out_of("hafnian - --loops", "a b 2\nb c 3\nc d 5\nd a 7\n") == "31\n");
  CHECK(out_of("hafnian - --loops --digits 4", "a b 0.5\na a 0.25\n") == "5.000e-1\n");
}

TEST_CASE("JSON has the kind, the size, and the list by size as strings") {
  const Json by_size = Json::parse(out_of("count - --kind undirected --matchings by-size --json", square));
  CHECK(by_size["result"]["matchings"] == "by-size");
  CHECK(by_size["result"]["values"] == Json({"1", "4", "2"}));
  CHECK(by_size["result"]["value"] == "7");
  const Json maximum = Json::parse(out_of("count - --kind undirected --matchings maximum --json", triangle));
  CHECK(maximum["result"]["matching_size"] == 1);
  CHECK(maximum["result"]["value"] == "3");
  const Json none = Json::parse(out_of("count - --matchings saturating --json", "a x\nb x\nc x\nc y\n"));
  CHECK(none["result"]["value"] == "2");
  const Json maximal = Json::parse(out_of("count - --kind undirected --matchings maximal --json", square));
  CHECK(maximal["result"]["matchings"] == "maximal");
  CHECK(maximal["result"]["value"] == "2");
}

TEST_CASE("count --by tells matchings apart by labels in a column, by weight, and cycle covers by loops") {
  const std::string table = "source,target,way,cost\na,x,h,1\na,y,v,2\nb,x,v,2\nb,y,h,1\n";
  const std::string by_way = "h=0 v=2 1\nh=2 v=0 1\n";
  for (const std::string column : {"way", "3"}) CHECK(out_of("count - --by " + column, table) == by_way);
  CHECK(out_of("count - --by cost", table) == "1=0 2=2 1\n1=2 2=0 1\n");
  CHECK(out_of("count - --by way --matchings all", table) == "h=0 v=0 1\nh=0 v=1 2\nh=0 v=2 1\nh=1 v=0 2\nh=2 v=0 1\n");
  CHECK(out_of("count - --by way --matchings maximal --columns source,target", table) == by_way);
  CHECK(out_of("count - --by 3", "a x 1\na y 10\nb x 10\nb y 1\n") == "1=0 10=2 1\n1=2 10=0 1\n");
  CHECK(out_of("count - --by kind", "from to kind\na x 1\nb y 'far\n") == "1=1 'far=1 1\n");
  // A vertex alone on its line is one without edges.
  CHECK(out_of("count - --by 3 --matchings maximum", "a x h\nb\n") == "h=1 1\n");
  CHECK(out_of("count - --by 3 --kind undirected", "1 2 a\n2 3 b\n3 1 b\n3 4 a\n") == "a=2 b=0 1\n");
  const std::string weights = "a x 3\na y -1\nb x 0\nb y 4\n";
  CHECK(out_of("count - --by weight --keep-zeros", weights) == "-1 1\n7 1\n");
  CHECK(out_of("count - --by weight --matchings all --keep-zeros", weights) == "-1 2\n0 2\n3 1\n4 1\n7 1\n");
  CHECK(out_of("cycles - --by loops", "a b\nb a\na a\nb b\n") == "0 1\n2 1\n");
  CHECK(out_of("cycles - --by loops", "a b\nb a\n") == "0 1\n");
  CHECK(out_of("count - --by 3", "a x h\nb x h\n").empty());
  std::istringstream dominoes(
      out_of("count - --by weight", run_line("generate grid 8 8 --weights-by-direction 1,2").out));
  std::uint64_t sum = 0;
  for (std::uint64_t weight = 0, count = 0; dominoes >> weight >> count;) sum += count;
  CHECK(sum == 12988816);
}

TEST_CASE("JSON has the numbers by label of --by, and a plan says how many runs they take") {
  const std::string table = "u,v,way\na,x,h\na,y,v\nb,x,v\nb,y,h\n";
  const Json ways = Json::parse(out_of("count - --by way --json", table))["result"];
  CHECK(ways["value"] == "2");
  CHECK(ways["values"] == Json::parse(R"([{"labels": {"h": 0, "v": 2}, "count": "1"},
                                         {"labels": {"h": 2, "v": 0}, "count": "1"}])"));
  const Json weights = Json::parse(out_of("count - --by weight --json", "a x 7\n"))["result"]["values"];
  CHECK(weights == Json::parse(R"([{"weight": "7", "count": "1"}])"));
  const Json loops = Json::parse(out_of("cycles - --by loops --json", "a a\n"))["result"]["values"];
  CHECK(loops == Json::parse(R"([{"loops": 1, "count": "1"}])"));
  CHECK_THAT(out_of("plan - --by weight", run_line("generate grid 16 16 --weights-by-direction 1,2").out),
             ContainsSubstring(" times"));
}

TEST_CASE("labels that are not there, and what does not go with --by, are refused") {
  const std::string table = "source,target,way\na,x,h\na,y,v\n";
  check_refused("count - --by colour", table, {"'colour'"});
  check_refused("count - --by 4", table, {"number '4'"});
  check_refused("count - --by way --columns source,target,way", table, {"two ends"});
  check_refused("count - --by way --matchings by-size", table, {"by-size"});
  check_refused("count - --by way --activity 2 --matchings all", table, {"unmatched"});
  check_refused("count - --by way --duplicates sum", table + "a,x,v\n", {"--duplicates"});
  check_refused("count - --by 3", "source,target,way\na,x,\n", {"without a label"});
  check_refused("count - --by way", "graph [ node [ id 1 ] ]\n", {"the format gml"});
  check_refused("count - --by weight", "a x 0\n", {"--keep-zeros"});
  check_refused("count - --by weight", "a x 1/2\n", {"integers"});
  check_refused("count - --by weight", "a x 0.5\n", {"integers"});
  check_refused("permanent - --by 3 --format edgelist", "1 1 1\n", {"--by"});
  const Folder folder;
  check_refused("count - --by way --checkpoint " + folder.path("part"), table, {"checkpoint"}, 3);
}

TEST_CASE("a side that can't be saturated is named") {
  const Outcome outcome = run_line("count - --matchings saturating", "a x\nb x\nc y\nc z\nc w\n");
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "0\n");
  CHECK_THAT(outcome.err, ContainsSubstring("no matching saturates the smaller side"));
  CHECK_THAT(outcome.err, ContainsSubstring("{a, b}"));
}

TEST_CASE("what does not go together is refused, and both are named") {
  check_refused("count - --kind undirected --matchings saturating", square, {"--matchings maximum"});
  check_refused("count - --activity 2", "a x\n", {"--matchings all"});
  check_refused("count - --matchings by-size --activity 2", "a x\n", {"--matchings all"});
  check_refused("count - --matchings all --activity few", "a x\n", {"--activity 'few'"});
  for (const char* command : {"marginals", "sample", "plan --of marginals"})
    check_refused(std::string(command) + " - --matchings minimum-weight --weighted", square, {"one of the two"});
  check_refused("count - --matchings most", "a x\n", {"by-size"});
  check_refused("hafnian - --loops --matchings all", "a b\na a\n", {"--loops"});
  for (const char* option : {"--order rows", "--engine dense", "--no-prune", "--no-reduce"})
    check_refused(std::string("count - --matchings all ") + option, "a x\n", {"perfect matchings alone"});
  check_refused("count - --matchings all --method staged", "a x\na y\n", {"frontier"}, 3);
  check_refused("count - --matchings maximal --method trees", "a x\na y\n", {"frontier"}, 3);
  check_refused("cycles - --matchings all", "a a\n", {"--matchings"});
}

TEST_CASE("limits hold, a plan says them beforehand, and several files have their lines") {
  const std::string wide = run_line("generate random 60 60 0.5").out;
  check_refused("count - --matchings all --time-limit 20", wide, {""}, 3);
  CHECK_THAT(out_of("plan - --matchings all", wide), ContainsSubstring("120 vertices"));
  check_refused("count - --matchings maximal --time-limit 5", wide, {""}, 3);
  const Json plan = Json::parse(out_of("plan - --matchings by-size --json", run_line("generate grid 6 6").out));
  REQUIRE(plan["blocks"].size() == 1);
  CHECK(plan["blocks"][0]["methods"][0]["name"] == "frontier");
  const Folder folder;
  const std::string files = folder.file("a", "a x\n") + " " + folder.file("b", "a x\na y\n");
  CHECK(out_of("count " + files + " --matchings all", "") == "2\n3\n");
}

TEST_CASE("an interrupted sum goes on from its checkpoint to the same number") {
  const Folder folder;
  const std::string graph = folder.file("grid", run_line("generate grid 10 10").out);
  const std::string line = "count " + graph + " --matchings by-size --checkpoint " + folder.path("part") + " --resume";
  const std::string expected = out_of("count " + graph + " --matchings by-size", "");
  const Outcome cut = run_line(line + " --time-limit 0.05");
  CHECK((cut.status == 0 || cut.status == 3));
  CHECK(out_of(line, "") == expected);
  CHECK(out_of(line, "") == expected);
  check_refused("count " + graph + " --matchings all --checkpoint " + folder.path("part") + " --resume", "", {""}, 2);
}

TEST_CASE("sizes of matchings that a graph has not take no time") {
  std::string star = "# kind: undirected\n# format: edgelist\n";
  for (int leaf = 1; leaf < 10000; ++leaf) star += "0 " + std::to_string(leaf) + "\n";
  const Outcome outcome = run_line("count - --matchings by-size --time-limit 10", star);
  CAPTURE(outcome.err);
  CHECK(outcome.out == "0 1\n1 9999\n");  // with room for 5000 edges it took a quarter of a minute
}

TEST_CASE("minimum and maximum weights compare decimals to their last digit, and sums of them") {
  const std::string close = "a b 0.1000000000000000000000000000000000001\nc d 1\na c 0.1\nb d 1\n";
  CHECK(out_of("count - --kind undirected --matchings minimum-weight", close) == "11/10 1\n");
  CHECK(out_of("count - --kind undirected --matchings minimum-weight", close + "a d 9\n") ==
        "11/10 1\n");  // odd cycles
  CHECK(out_of("count - --kind undirected --matchings maximum-weight --duplicates sum", "a b 0.1\na b 0.2\nc d 1\n") ==
        "13/10 1\n");
  const std::string gml =
      "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] node [ id 4 ] "
      "edge [ source 1 target 2 weight 0.1000000000000000000000000000000000001 ] "
      "edge [ source 3 target 4 weight 1 ] edge [ source 1 target 3 weight 0.1 ] "
      "edge [ source 2 target 4 weight 1 ] ]\n";
  CHECK(out_of("count - --matchings minimum-weight", gml) == "11/10 1\n");
}

TEST_CASE("count --matchings minimum-weight and maximum-weight prints the sum of values and the number") {
  const std::string square = "a x 0.1\na y 0.25\nb x 0.05\nb y 0.2\n";
  CHECK(run_line("count - --matchings minimum-weight", square).out == "3/10 2\n");
  CHECK(run_line("count - --matchings maximum-weight", "a x 1/3\na y 2\nb x 1\nb y 1\n").out == "3 1\n");
  CHECK(run_line("count - --matchings minimum-weight", square).err.find("ignored") == std::string::npos);
  const std::string odd = "1 2 5\n2 3 1\n3 1 2\n3 4 7\n1 4 1\n";
  CHECK(run_line("count - --matchings minimum-weight --kind undirected", odd).out == "2 1\n");
  CHECK(run_line("count - --matchings maximum-weight --kind undirected", odd).out == "12 1\n");
  // Without values every matching weighs as many as it has edges.
  CHECK(run_line("count - --matchings minimum-weight", run_line("generate grid 8 8").out).out == "32 12988816\n");
  const Outcome none = run_line("count - --matchings minimum-weight", "a x\nb x\n");
  CHECK(none.out == "none 0\n");
  CHECK(none.status == 0);
  CHECK_THAT(none.err, ContainsSubstring("no perfect matching"));
  CHECK_THAT(run_line("plan - --matchings maximum-weight --kind undirected", run_line("generate king 6 6").out).out,
             ContainsSubstring("frontier"));
  CHECK(run_line("count - --matchings minimum-weight --duplicates sum", "a x\na x\n").status == 2);
  // A cost of 0 is no missing edge.
  const std::string costs = "0 2 3\n1 0 4\n2 2 2\n";
  check_refused("count - --format dense --kind bipartite --matchings minimum-weight", costs,
                {"a weight of 0", "--keep-zeros"});
  CHECK(run_line("count - --format dense --kind bipartite --matchings minimum-weight --keep-zeros", costs).out ==
        "2 1\n");
  CHECK(run_line("permanent - --matchings minimum-weight", square).status == 2);
  CHECK(run_line("count - --matchings minimum-weight --activity 2", square).status == 2);
}

TEST_CASE("the older names lightest and heaviest ask the same, and are not in the help") {
  const std::string square = "a x 0.1\na y 0.25\nb x 0.05\nb y 0.3\n";
  CHECK(run_line("count - --matchings lightest", square).out == "3/10 1\n");
  CHECK(run_line("count - --matchings heaviest", square).out == "2/5 1\n");
  CHECK_THAT(run_line("count - --matchings lightest --json", square).out,
             ContainsSubstring("\"matchings\": \"minimum-weight\""));
  for (const char* command : {"count", "plan"}) {
    const std::string help = run_line(std::string(command) + " --help-all").out;
    CHECK_THAT(help, ContainsSubstring("minimum-weight") && !ContainsSubstring("lightest"));
  }
  CHECK(run_line("hafnian - --matchings lightest", square).status == 2);
}
