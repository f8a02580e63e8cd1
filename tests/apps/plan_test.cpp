// Tests the commands plan and devices.

#include <cmath>

#include "apps/json_output.hpp"

using namespace matchcount::test;

TEST_CASE("an expansion counts what others count, however far it goes, and a plan says how many matrices it leaves") {
  const Folder folder;
  const std::string graph = folder.path("graph.txt");
  REQUIRE(run_line("generate regular 24 3 --seed 4 --output " + graph).status == 0);
  const Outcome expected = run_line("count " + graph);
  for (const char* options : {"", "--expand-rows 4", "--expand-rows 12 --expand-degree 3 --no-prune --no-reduce"}) {
    const Outcome outcome = run_line("count " + graph + " --method forbert-marx " + options);
    CAPTURE(options, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out == expected.out);
  }
  const Outcome plan = run_line("plan " + graph + " --method forbert-marx --no-reduce --expand-rows 23");
  CHECK_THAT(plan.out, ContainsSubstring("2 matrices, in the mean of 23 rows"));
}

TEST_CASE("plan --effort says what the search saved, the same on any number of threads") {
  const std::string graph = generated("regular 40 3");
  const auto reason = [&](const std::string& words) {
    const Json plan = parsed(run_line("plan - --json --method frontier " + words, graph));
    return plan["blocks"][0]["methods"][0]["reason"].get<std::string>();
  };
  const std::string long_search = reason("--effort 0.1 --threads 1");
  CHECK_THAT(long_search, ContainsSubstring("transitions (2^") && ContainsSubstring("before the search"));
  CHECK(reason("--effort 0.1 --threads 3") == long_search);
  CHECK_THAT(reason(""), !ContainsSubstring("before the search"));
}

TEST_CASE("plan names every method and runs nothing") {
  const Outcome outcome = run_line("plan -", generated("random 60 60 0.5"));
  CHECK(outcome.status == 0);
  // A run would take years.
  for (const char* method :
       {"frontier", "complement", "classes", "low-rank", "ryser", "sparyser", "skipper", "staged", "expansion"}) {
    CHECK_THAT(outcome.out, ContainsSubstring(method));
  }
  const Json json = parsed(run_line("plan - --json --time-limit 60", generated("random 60 60 0.5")));
  CHECK(json["within_limits"] == false);
  REQUIRE(json["blocks"].size() == 1);
  CHECK(json["blocks"][0]["size"] == 60);
  CHECK(json["blocks"][0]["methods"].size() == 13);
  for (const Json& method : json["blocks"][0]["methods"]) CHECK(method["reason"].get<std::string>() != "");
  const Outcome zero = run_line("plan -", "a x\nb x\n");
  CHECK_THAT(zero.out, ContainsSubstring("the answer is 0"));
}

TEST_CASE("a plan that takes longer than its time limit and a second is ended", "[timing]") {
  const Setting setting{.input = generated("aztec 300"), .passing_s = 1002, .after_cpu_s = 0.2};
  const std::vector<std::string> words = {"plan", "-", "--time-limit", "1000"};
  const Outcome ended = run_program(words, setting);
  CHECK(ended.status == 3);
  // The reader of the file and the plan say so in words of their own.
  CHECK_THAT(ended.err, ContainsSubstring("the time limit") && ContainsSubstring("is over"));
  for (const char* command : {"sample", "marginals"}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--of", command});
    const Outcome outcome = run_program(all, setting);
    CHECK_THAT(outcome.out + outcome.err, ContainsSubstring("the time limit") && ContainsSubstring("is over"));
  }
}

TEST_CASE("a plan of a graph with odd cycles names its blocks and methods") {
  std::string complete;
  for (int u = 1; u <= 24; ++u) {
    for (int v = 1; v < u; ++v) complete += std::to_string(u) + " " + std::to_string(v) + "\n";
  }
  const Outcome outcome = run_line("plan - --kind undirected", complete);
  CHECK_THAT(outcome.out, ContainsSubstring("24 vertices, an odd cycle of 3, 276 edges, maximum matching 12") &&
                              ContainsSubstring("block 1: 24 vertices, odd cycles, 276 edges") &&
                              ContainsSubstring("complement") && ContainsSubstring("frontier") &&
                              ContainsSubstring("expansion takes 20"));
  const Json plan = parsed(run_line("plan - --kind undirected --json", complete));
  CHECK(plan["blocks"][0]["bipartite"] == false);
  CHECK(plan["blocks"][0]["methods"][0]["name"] == "complement");
  const Json count = parsed(run_line("count - --kind undirected --json --verify", complete));
  CHECK(count["result"]["value"] == "316234143225");
  CHECK(count["method"]["name"] == "complement");
  CHECK(count["checks"].back()["name"] == "verify");
  CHECK_THAT(count["checks"].back()["detail"].get<std::string>(),
             ContainsSubstring("by ") && !ContainsSubstring("complement"));
  CHECK(run_line("count - --kind undirected --method frontier --memory-limit 64K", complete).status == 3);
}

TEST_CASE("devices says what is here and what is not built") {
  const Outcome outcome = run_line("devices");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("cpu") && ContainsSubstring("core"));
  const Json json = parsed(run_line("devices --json"));
  CHECK(json["devices"][0]["cores"].get<int>() >= 1);
  CHECK(json["backends"]["mpi"] == bool{MATCHCOUNT_HAS_MPI});
  CHECK(outcome.out.ends_with(MATCHCOUNT_HAS_MPI ? "  built\n" : "not built\n"));
  const Json& cuda = json["cuda"];
  CHECK(cuda["built"] == json["backends"]["cuda"]);
  if (json["devices"].size() > 1) {
    CHECK(json["devices"][1]["name"] == "cuda:0");
    CHECK(json["devices"][1]["memory_bytes"].get<double>() > 0);
    CHECK(cuda["reason"].is_null());
    CHECK_THAT(outcome.out, ContainsSubstring("cuda:0") && ContainsSubstring("capability"));
  } else {
    CHECK(cuda["driver"].is_null());
    const std::string reason = cuda["reason"].get<std::string>();
    CHECK_THAT(outcome.out, ContainsSubstring(cuda["built"] == true ? "no GPU: " + reason : "not built"));
  }
}

TEST_CASE("plan for ranks and for devices that are not here divides the time") {
  const std::string dense = run_line("generate complete 40 40").out;
  const auto seconds = [&](const std::string& options) {
    const Outcome outcome = run_line("plan - --json --method ryser " + options, dense);
    CAPTURE(options, outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["seconds"].get<double>();
  };
  const double one = seconds("--device h200");
  CHECK(one > 0.5);
  CHECK(one < 100);
  CHECK(seconds("--device h200 --ranks 8") < one / 7.9);
  CHECK(seconds("--device 8xh200") < one / 4);  // eight take longer to start
  CHECK(seconds("--device 1xh200") == one);
  CHECK(seconds("--device a100") > one);
  CHECK(seconds("--device cpu --ranks 2") < seconds("--device cpu") / 1.9);
  CHECK(run_line("plan - --ranks 0", dense).status == 2);
  for (const char* unknown : {"h300", "0xh200", "8h200", "8xcuda", "8x", "xh200", "-1xh200", "9999xh200", "8x8xh200"}) {
    CAPTURE(unknown);
    CHECK(run_line("plan - --device " + std::string(unknown), dense).status == 2);
  }
  // Ranks without number among whom the frontier method's states would be shared.
  const std::string wide = run_line("generate random 34 34 0.25 --seed 5").out;
  CHECK(run_line("plan - --ranks 2147483647", wide).status == 0);
}

TEST_CASE("count --explain tells of every block, in words, in JSON and in a picture") {
  const Folder folder;
  const std::string graph = folder.path("graph.txt");
  // Two blocks and an edge in no perfect matching.
  const std::string text =
      "1 1\n1 2\n1 3\n2 1\n2 2\n2 3\n3 1\n3 2\n3 3\n4 4\n4 5\n4 6\n5 4\n5 5\n5 6\n6 4\n6 5\n6 6\n3 4\n";
  const Outcome told = run_line("count - --kind bipartite --explain", text);
  CHECK(told.out == "36\n");
  CHECK_THAT(told.err, ContainsSubstring("1 edge in no perfect matching; 2 blocks") &&
                           ContainsSubstring("block 2: 3 x 3, 9 edges: by ") && ContainsSubstring("counting "));
  const Json json = parsed(run_line("count - --kind bipartite --explain --json", text))["explanation"];
  REQUIRE(json["blocks"].size() == 2);
  double taken = 0, predicted = 0;
  for (const Json& block : json["blocks"]) {
    taken += block["taken_s"].get<double>();
    predicted += block["predicted_s"].get<double>();
    CHECK(block["predicted_s"] == block["methods"][0]["seconds"]);
  }
  CHECK(taken > 0);
  CHECK(taken <= json["taken_s"].get<double>());
  CHECK(std::fabs(predicted - json["predicted_s"].get<double>()) <= 1e-9 * predicted);
  const std::string file = folder.path("times.svg");
  REQUIRE(run_line("count - --kind bipartite --explain --svg " + file, text).status == 0);
  CHECK_THAT(read_file(file),
             ContainsSubstring("block 2, ") && ContainsSubstring("predicted") && ContainsSubstring("</svg>"));
}

TEST_CASE("an explanation adds up runs, and is refused where it would be of one of many counts") {
  const std::string reals = generated("random 8 8 1 --weights uniform --seed 2");
  const Json json = parsed(run_line("permanent - --precision exact --json --explain", reals))["explanation"];
  CHECK(json["blocks"][0]["taken_s"].get<double>() <= json["taken_s"].get<double>());
  CHECK_THAT(run_line("count - --explain", "a x\nb x\n").err,
             ContainsSubstring("a certificate proves that there is no such matching"));
  const std::string odd = generated("complete 8 --weights integers:1:9");
  const Json heaviest = parsed(run_line("count - --matchings maximum-weight --json --explain", odd))["explanation"];
  CHECK(heaviest["blocks"][0]["taken_s"].get<double>() <= heaviest["taken_s"].get<double>());
  CHECK(run_line("cycles - --explain --by loops", "a b\nb a\n").status == 2);
  CHECK(run_line("count - --explain --sextets", "a b\n").status == 2);
  CHECK(run_line("count - --explain --quiet", "a b\n").status == 2);
  CHECK(run_line("count - --svg x.svg", "a b\n").status == 2);
  CHECK(run_line("count - --explain --svg x.svg --write-order y.txt", "a b\n").status == 2);
}
