// matchcount-bench, on matrices so small that timing them says nothing.

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "apps/json_output.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

// Returns the JSON of a run on the CPU.
Json record_of(const std::string& words) {
  const Folder folder;
  const Outcome outcome = run_line("ryser --device cpu " + words + " --json " + folder.path("bench.json"));
  CAPTURE(words, outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(read_file(folder.path("bench.json")));
}

}  // namespace

TEST_CASE("the benchmark lists its workloads and explains itself") {
  const Outcome listed = run_line("ryser --list --device cpu");
  CHECK(listed.status == 0);
  CHECK(listed.err.empty());
  for (const char* name : {"dense-28", "zero-one-28-0.5", "scaling-N", "sparse-N-DENSITY"}) {
    CHECK_THAT(listed.out, ContainsSubstring(name));
  }
  CHECK_THAT(run_line("--help").out, ContainsSubstring("ryser"));
  CHECK_THAT(run_line("ryser --help").out, ContainsSubstring("--workload"));
  CHECK_THAT(run_line("--version").out, ContainsSubstring("matchcount-bench "));
}

TEST_CASE("every method is compared on one's own files, and one that does not apply says why") {
  const Folder folder;
  std::string sides = "# kind: bipartite\n", one_set = "# kind: undirected\n",
              weights = "# kind: matrix\n# format: edgelist\n";
  for (int u = 1; u <= 6; ++u) {
    for (int v = 1; v <= 6; ++v) {
      const std::string edge = std::to_string(u) + " " + std::to_string(v);
      sides += edge + "\n";
      if (u < v) one_set += edge + "\n";
      weights += edge + " 0.5\n";
    }
  }
  const std::string files[] = {folder.file("a.txt", sides), folder.file("b.txt", one_set),
                               folder.file("c.txt", weights)};
  const Outcome outcome = run_line("compare --device cpu " + files[0] + " " + files[1] + " " + files[2] + " --json " +
                                   folder.path("compare.json"));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  const Json record = Json::parse(read_file(folder.path("compare.json")));
  std::map<std::string, int> answers;
  bool says_why = false;
  for (const Json& row : record["cases"]) {
    const std::string value = row["value"];
    says_why = says_why || (value == "-" && row["note"] == "not planar");
    if (value != "-") ++answers[row["group"].get<std::string>() + value.substr(0, 3)];
  }
  CHECK(says_why);
  CHECK(answers.size() == 3);
  CHECK(answers[files[0] + "720"] >= 8);
  CHECK(answers[files[1] + "15"] >= 2);
  CHECK(answers[files[2] + "1.1"] >= 8);
  CHECK(run_line("compare").status == 2);
  CHECK(run_line("compare --device cpu " + folder.path("none.txt")).status == 2);
}

TEST_CASE("constants that are fitted are those of their room, and scaled by what was taken over what was predicted") {
  const Folder folder;
  const Outcome outcome = run_line("fit --size 12 --repeat 1 --json " + folder.path("fit.json"));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  const Json record = Json::parse(read_file(folder.path("fit.json")));
  CHECK(record["frontier_scale"] > 0);
  CHECK(record["ryser_scale"] > 0);
  std::map<std::string, int> constants;
  std::map<std::string, double> ratio;
  for (const Json& one : record["cases"]) {
    CAPTURE(one.dump());
    const std::string room = one["group"], name = one["name"];
    ++constants[room];
    const std::string costs = read_file(MATCHCOUNT_SOURCE_DIR "/permanent/" + room + "/costs.hpp");
    CHECK(std::regex_search(costs, std::regex(" " + name.substr(0, name.find('.')) + "(\\[\\])? = ")));
    const double present = one["present"], fitted = one["fitted"], taken = one["seconds"],
                 predicted = one["predicted_s"];
    CHECK((std::isfinite(fitted) && fitted > 0));
    CHECK(std::fabs(fitted / present * predicted / taken - 1) < 1e-12);
    CHECK(one["fitted_over_present"] == ratio.try_emplace(one["question"], one["fitted_over_present"]).first->second);
    CHECK(one["alone"] == (std::ranges::count(record["cases"], one["question"],
                                              [](const Json& other) { return other["question"]; }) == 1));
  }
  for (const char* room : {"frontier", "ryser", "planar", "trees", "complement", "classes", "low_rank", "power_traces"})
    CHECK(constants[room] >= 1);
  const Outcome one_room = run_line("fit low_rank --size 12 --repeat 1");
  CHECK(one_room.status == 0);
  CHECK_THAT(one_room.out, ContainsSubstring("low_rank, multiplication_s") && !ContainsSubstring("frontier,"));
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
                           "fit nowhere",
                           "fit low_rank --size two",
                           "ryser --repeat 0",
                           "ryser --kernels fused",
                           "ryser --repeat two",
                           "ryser --threads 0",
                           "ryser --seed -1",
                           "ryser --device tpu",
                           "ryser --device cpu --workload ones-4 --json /no/such/folder/bench.json",
                           "grid 8",
                           "grid --sizes 7",
                           "grid --sizes 2",
                           "grid --sizes 1000",
                           "grid --estimators auto",
                           "grid --estimators guided/5",
                           "grid --estimators scaling",
                           "grid --estimators scaling/0",
                           "grid --samples 1",
                           "grid --rounds -1",
                           "grid --time-limit 0",
                           "grid --threads 0",
                           "grid --device tpu",
                           "grid --output /no/such/folder"}) {
    const Outcome outcome = run_line(line);
    CAPTURE(line, outcome.out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK_FALSE(outcome.err.empty());
  }
}

TEST_CASE("a benchmark on a GPU that is not there is unable") {
  if (run_line("ryser --device cuda --list").status == 0) MATCHCOUNT_SKIP("there is a GPU");
  const Outcome outcome = run_line("ryser --device cuda --workload ones-10");
  CHECK(outcome.status == 3);
  CHECK(outcome.out.empty());
  CHECK_FALSE(outcome.err.empty());
}

TEST_CASE("a benchmark keeps what ran, where, and the right values") {
  const Json record = record_of("--workload ones-10,zero-one-12-1 --seed 7 --repeat 2 --threads 2");
  CHECK(record["benchmark"] == "ryser");
  CHECK(record["seed"] == 7);
  CHECK(record["machine"]["cores"] >= 1);
  CHECK(record["machine"]["gpus"].empty());
  for (const char* key : {"version", "commit", "date", "command"}) CHECK_FALSE(record[key].empty());
  CHECK(record["first_run_s"] > 0);
  const Json& cases = record["cases"];
  REQUIRE(cases.size() == 3);
  CHECK(cases[0]["group"] == "ones-10");
  CHECK(cases[0]["arithmetic"] == "double");
  CHECK(std::stod(std::string(cases[0]["value"])) == 3628800);
  CHECK(cases[0]["relative_error"] < 1e-6);
  CHECK(cases[0]["passed"] == "contains 10!, repetition 2");
  // Every entry is a one.
  CHECK(cases[1]["arithmetic"] == "exact");
  CHECK(cases[1]["value"] == "479001600");
  CHECK(cases[1]["edges"] == 144);
  CHECK(cases[1]["relative_error"] == 0);
  CHECK(cases[2]["passed"] == "agrees with exact, repetition 2");
  for (const Json& one : cases) {
    CHECK(one["kernel_s"] > 0);
    CHECK(one["seconds"] >= one["kernel_s"]);
    CHECK(one["median_s"] >= one["seconds"]);
    CHECK(one["threads"] == 2);
    CHECK(one["right"] == true);
  }
}

TEST_CASE("a record has a case a line") {
  const Folder folder;
  REQUIRE(run_line("ryser --device cpu --workload ones-4,methods-6-0.9 --json " + folder.path("a.json")).status == 0);
  const std::string text = read_file(folder.path("a.json"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 9 + 3);  // the head, the beginning and the end of the cases
}

TEST_CASE("every family of workloads passes its own checks, and the same seed gives the same values") {
  const std::string words =
      "--workload dense-9,ones-9,sparse-10-0.3,zero-one-10-0.4,methods-10-0.5,precisions-9,complex-9,scaling-12";
  const Json first = record_of(words + " --threads 2"), second = record_of(words + " --threads 1");
  // scaling runs on one and on two threads in the first.
  REQUIRE(first["cases"].size() == 20);
  REQUIRE(second["cases"].size() == 19);
  for (std::size_t i = 0; i < second["cases"].size(); ++i) {
    CAPTURE(first["cases"][i].dump());
    CHECK(first["cases"][i]["value"] == second["cases"][i]["value"]);
    CHECK(first["cases"][i]["seed"] == second["cases"][i]["seed"]);
  }
  CHECK(first["cases"].back()["threads"] == 2);
  CHECK(first["cases"].back()["speedup"] > 0);
  const Json other = record_of("--workload dense-9 --seed 2");
  CHECK(other["cases"][0]["value"] != first["cases"][0]["value"]);
}

TEST_CASE("the grid experiment writes numbers beside the exact counts") {
  const Folder folder;
  const Outcome outcome = run_line(
      "grid --sizes 6,8 --samples 2000 --estimators rasmussen+,scaling+/5,guided,population --device cpu --output " +
      folder.path(""));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("scaling+/5"));
  const Json record = Json::parse(read_file(folder.path("grids.json")));
  CHECK(record["benchmark"] == "grid");
  const Json& cells = record["cases"];
  REQUIRE(cells.size() == 2 * 4 * 2);  // at 1000 and at 2000 samples
  for (const Json& cell : cells) {
    CAPTURE(cell.dump());
    const double exact = cell["size"] == 6 ? 6728 : 12988816;
    CHECK(std::fabs(cell["log_exact"].get<double>() - std::log(exact)) < 1e-12);
    CHECK(std::fabs(std::exp(cell["log_value"].get<double>()) / exact - cell["estimate_over_exact"].get<double>()) <
          1e-9);
    // An interval of 95 % is 2 standard errors wide each way, less where samples are skew: 5 of them at most.
    CHECK(std::fabs(cell["estimate_over_exact"].get<double>() - 1) < 3 * cell["relative_error"].get<double>());
    const double low = cell["low_over_exact"], high = cell["high_over_exact"];
    CHECK(cell["covered"].get<bool>() == (low <= 1 && 1 <= high));
    CHECK(cell["out_of_time"] == false);
  }
  CHECK(cells[1]["samples"] == 2000);
  CHECK(cells[15]["samples"] == 1984);  // 31 populations of 64
}

TEST_CASE("a cell of the grid experiment that runs out of time says how far it came") {
  const Folder folder;
  const Outcome outcome =
      run_line("grid --sizes 24 --samples 100000000 --estimators scaling/1 --time-limit 0.5 --device cpu --output " +
               folder.path(""));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("time over"));
  const Json record = Json::parse(read_file(folder.path("grids.json")));
  const Json& last = record["cases"].back();
  CHECK(last["out_of_time"] == true);
  CHECK(last["samples"] < last["samples_asked"]);
  CHECK(last["samples"] > 0);
}

TEST_CASE("plain Rasmussen+ is off on the 20 x 20 grid, and warns") {
  // Published to fail by large factors at a million samples; the samples are 0 or worth far more than the mean.
  const Folder folder;
  const Outcome outcome =
      run_line("grid --sizes 20 --samples 30000 --estimators rasmussen+ --device cpu --output " + folder.path(""));
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  for (const Json& cell : Json::parse(read_file(folder.path("grids.json")))["cases"]) {
    CHECK_THAT(cell["warning"].get<std::string>(), ContainsSubstring("heavy-tailed"));
    CHECK(cell["effective_samples"].get<double>() < 50);
  }
}

TEST_CASE("the benchmark of dense batches says what they took, or that time was over") {
  const Folder folder;
  const std::string file = folder.path("dense.json");
  const Outcome outcome = run_line("dense --device cpu --repeat 1 --threads 2 --time-limit 0.02 --json " + file);
  CAPTURE(outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  const Json record = Json::parse(read_file(file));
  CHECK(record["cases"].size() == 13);
  for (const Json& run : record["cases"]) {
    CAPTURE(run.dump());
    if (run.contains("unable")) {
      CHECK_THAT(run["unable"].get<std::string>(), ContainsSubstring("time"));
    } else {
      CHECK(run["seconds"].get<double>() > 0);
      CHECK(run["relative_error"].get<double>() < 0.05);
    }
  }
  CHECK_THAT(outcome.out, ContainsSubstring("40 photons, 8 in each of 5 modes"));
  CHECK(run_line("dense --repeat 0").status == 2);
}

TEST_CASE("the benchmark of determinants agrees with condensation and, where it is found, with LAPACK") {
  const Outcome outcome = run_line("determinant --device cpu --rows 1,40,200 --repeat 1 --threads 2");
  CAPTURE(outcome.err, outcome.out);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("modulo 2147483647"));
  CHECK_THAT(outcome.out, ContainsSubstring("right"));
  CHECK(outcome.out.find("WRONG") == std::string::npos);
  // A library that does not exist is no failure where the usual ones are looked for after it.
  CHECK(run_line("determinant --device cpu --rows 3 --repeat 1 --lapack nowhere.so").status == 0);
  CHECK(run_line("determinant --rows 0").status == 2);
}

TEST_CASE("the benchmark of bit matrices checks rows of its products and keeps what was published") {
  const Folder folder;
  const std::string file = folder.path("bits.json");
  const Outcome outcome = run_line("bitmatrix --device cpu --rows 1,65,1024 --repeat 1 --threads 1,2 --json " + file);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("binary, 2 threads"));
  const Json record = Json::parse(read_file(file));
  CHECK(record["cases"].size() ==
        3 * 9);  // two products, a determinant and a closure on one thread and on two, and M4RI
  for (const Json& run : record["cases"]) {
    const bool is_product = run["group"] == "Boolean" || run["group"] == "binary";
    const bool is_ours = is_product && run["name"] != "M4RI";
    CHECK(run["right"].is_boolean() == is_ours);
    if (is_ours) CHECK(run["right"] == true);
    if (is_ours) CHECK(run["published_v100_s"].is_null() == (run["rows"] != 1024));
  }
  CHECK(run_line("bitmatrix --rows 0").status == 2);
  CHECK(run_line("bitmatrix --threads 0").status == 2);
  CHECK(run_line("bitmatrix --device cpu --rows 2 --repeat 1 --m4ri nowhere.so").status == 0);
}
