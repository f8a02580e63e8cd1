// matchcount-bench, on matrices so small that timing them says nothing.

#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;
using Json = nlohmann::json;

namespace {

Outcome bench(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  Setting setting;
  setting.program = MATCHCOUNT_BENCH;
  return run_program(words, setting);
}

// The JSON of a run on the CPU.
Json record_of(const std::string& words) {
  const TemporaryFolder folder;
  const Outcome outcome = bench("ryser --device cpu " + words + " --json " + folder.path("bench.json"));
  CAPTURE(words, outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(read_file(folder.path("bench.json")));
}

}  // namespace

TEST_CASE("the benchmark lists its workloads and explains itself") {
  const Outcome listed = bench("ryser --list --device cpu");
  CHECK(listed.status == 0);
  CHECK(listed.err.empty());
  for (const char* name : {"dense-28", "zero-one-28-0.5", "scaling-N", "sparse-N-DENSITY"}) {
    CHECK_THAT(listed.out, ContainsSubstring(name));
  }
  CHECK_THAT(bench("--help").out, ContainsSubstring("ryser"));
  CHECK_THAT(bench("ryser --help").out, ContainsSubstring("--workload"));
  CHECK_THAT(bench("--version").out, ContainsSubstring("matchcount-bench "));
}

TEST_CASE("a benchmark's command line that makes no sense ends with status 2 and no answer") {
  for (const char* line : {"",
                           "rysr",
                           "--frobnicate",
                           "ryser dense-8",
                           "ryser --frobnicate",
                           "ryser --workload",
                           "ryser --workload cube-3",
                           "ryser --workload dense-8,cube-3",
                           "ryser --workload dense-0",
                           "ryser --workload dense-63",
                           "ryser --workload dense-8-0.5",
                           "ryser --workload sparse-8",
                           "ryser --workload sparse-8-0",
                           "ryser --workload sparse-8-1.5",
                           "ryser --workload sparse-40-0.001",
                           "ryser --repeat 0",
                           "ryser --kernels fused",
                           "ryser --repeat two",
                           "ryser --threads 0",
                           "ryser --seed -1",
                           "ryser --device tpu",
                           "ryser --device cpu --workload ones-4 --json /no/such/folder/bench.json"}) {
    const Outcome outcome = bench(line);
    CAPTURE(line, outcome.out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}

TEST_CASE("a benchmark on a GPU that is not there is unable") {
  if (bench("ryser --device cuda --list").status == 0) MATCHCOUNT_SKIP("there is a GPU");
  const Outcome outcome = bench("ryser --device cuda --workload ones-10");
  CHECK(outcome.status == 3);
  CHECK(outcome.out.empty());
  CHECK_FALSE(outcome.err.empty());
}

TEST_CASE("a benchmark keeps what ran, where, and the right values") {
  const Json record = record_of("--workload ones-10,zero-one-12-1 --seed 7 --repeat 2 --threads 2");
  CHECK(record["command"] == "ryser");
  CHECK(record["seed"] == 7);
  CHECK(record["machine"]["cores"] >= 1);
  CHECK(record["machine"]["gpus"].empty());
  for (const char* key : {"version", "commit", "date", "command_line"}) CHECK_FALSE(record[key].empty());
  const Json& runs = record["runs"];
  REQUIRE(runs.size() == 6);
  CHECK(runs[0]["whole_from"] == "process start");
  CHECK(runs[1]["whole_from"] == "call");
  CHECK(runs[1]["repetition"] == 2);
  CHECK(runs[0]["arithmetic"] == "double");
  CHECK(std::stod(std::string(runs[0]["value"])) == 3628800);
  CHECK(runs[0]["relative_error"] < 1e-6);
  CHECK(runs[0]["checks"][0] == Json({{"name", "contains 10!"}, {"passed", true}}));
  CHECK(runs[1]["checks"][1] == Json({{"name", "equals the first"}, {"passed", true}}));
  // Every entry is a one.
  CHECK(runs[2]["arithmetic"] == "exact");
  CHECK(runs[2]["value"] == "479001600");
  CHECK(runs[2]["edges"] == 144);
  CHECK(runs[2]["relative_error"] == 0);
  CHECK(runs[4]["checks"][0]["name"] == "agrees with exact");
  for (const Json& run : runs) {
    CHECK(run["kernel_s"] > 0);
    CHECK(run["whole_s"] >= run["kernel_s"]);
    CHECK(run["threads"] == 2);
    for (const Json& check : run["checks"]) CHECK(check["passed"] == true);
  }
}

TEST_CASE("every family of workloads passes its own checks, and the same seed gives the same values") {
  const std::string words =
      "--workload dense-9,ones-9,sparse-10-0.3,zero-one-10-0.4,methods-10-0.5,precisions-9,complex-9,scaling-12";
  const Json first = record_of(words + " --threads 2"), second = record_of(words + " --threads 1");
  // scaling runs on one and on two threads in the first.
  REQUIRE(first["runs"].size() == 18);
  REQUIRE(second["runs"].size() == 17);
  for (std::size_t i = 0; i < second["runs"].size(); ++i) {
    CAPTURE(first["runs"][i].dump());
    CHECK(first["runs"][i]["value"] == second["runs"][i]["value"]);
    CHECK(first["runs"][i]["seed"] == second["runs"][i]["seed"]);
  }
  CHECK(first["runs"][17]["threads"] == 2);
  CHECK(first["runs"][17]["speedup"] > 0);
  const Json other = record_of("--workload dense-9 --seed 2");
  CHECK(other["runs"][0]["value"] != first["runs"][0]["value"]);
}
