// matchcount-bench published: on tables so small that they take no time, and on records.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "apps/json_output.hpp"
#include "support/skip.hpp"

using namespace matchcount::test;

namespace {

const std::string tables = std::string(MATCHCOUNT_SOURCE_DIR) + "/datasets/published";

Outcome published(const std::string& line) {
  return run_line("published --device cpu --tables " + tables + " " + line);
}

Json record_of(const std::string& line) {
  const Folder folder;
  const Outcome outcome = published(line + " --json " + folder.path("record.json"));
  CAPTURE(line, outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  return Json::parse(read_file(folder.path("record.json")));
}

}  // namespace

TEST_CASE("every published table is listed, and its file is read") {
  const Outcome listed = published("--list");
  CHECK(listed.status == 0);
  for (const char* name : {"superman", "6.16", "random sparse matrices", "not redone"})
    CHECK_THAT(listed.out, ContainsSubstring(name));
}

TEST_CASE("an installed program finds the tables beside it") {
  namespace fs = std::filesystem;
  const Folder folder;
  fs::create_directories(folder.path("bin"));
  fs::create_directories(folder.path("share/matchcount"));
  fs::copy_file(MATCHCOUNT_PROGRAM, folder.path("bin/matchcount-bench"));
  const std::string line = "cd " + folder.path("") +
                           " && bin/matchcount-bench published --device cpu --paper superman " +
                           "--table 4 --row-limit 1e-9 --json record.json > out 2>&1";
  CHECK(std::system(line.c_str()) != 0);
  CHECK_THAT(read_file(folder.path("out")), ContainsSubstring(folder.path("share/matchcount/published")));
  fs::create_directory_symlink(tables, folder.path("share/matchcount/published"));
  CHECK(std::system(line.c_str()) == 0);
  CHECK(Json::parse(read_file(folder.path("record.json")))["cases"].size() == 36 + 8);
}

TEST_CASE("command lines of published tables that make no sense are refused") {
  for (const char* line :
       {"--paper nobody", "--paper thesis --table 7", "--table 3", "--row-limit 0", "--sample-limit -1",
        "--matrices /no/such/folder", "superman", "--paper codegen --table 2 --tables /no/such/folder"}) {
    const Outcome outcome = published(line);
    CAPTURE(line, outcome.out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("printed determinants of Hilbert matrices agree or are called wrong") {
  const Json record = record_of("--paper condensation --table 26");
  const Json& rows = record["cases"];
  REQUIRE(rows.size() == 15 * 3 - 6);  // MATLAB's end with order 25
  for (const Json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row["right"] == true);
    const bool is_small = row["name"] == "order 5";
    // Every printed value of order 5 but Maple's, which has 10 digits, is right to four; none is from order 15 on.
    if (is_small && row["printed_by"] != "maple_software_floats") CHECK(row["printed_value_agrees"] == true);
    const int order = std::stoi(row["name"].get<std::string>().substr(6));
    if (order >= 15) CHECK(row["printed_value_agrees"] == false);
  }
  const auto five = std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row["name"] == "order 5"; });
  // 1 / 266716800000 (the sequence of the inverses, OEIS A005249).
  CHECK(five->at("value") == "3.749295e-12");
}

TEST_CASE("rows beyond the limit are predicted, and a page and a picture come from their record") {
  const Folder folder;
  const std::string record = folder.path("record.json");
  // No figure is cheap enough, so that nothing is run.
  REQUIRE(published("--paper superman --table 4 --row-limit 1e-9 --json " + record).status == 0);
  const Json rows = Json::parse(read_file(record))["cases"];
  REQUIRE(rows.size() == 36 + 8);  // those printed, and eight of matrices that no table has
  for (const Json& row : rows) {
    CHECK(row["group"] == "superman 4");
    CHECK(row["standing"] == "predicted");
    CHECK(row["ours"] > 0);
    if (!row.contains("printed")) continue;
    CHECK(row["printed_over_ours"].get<double>() * row["ours"].get<double>() >
          0.99 * std::stod(row["printed"].get<std::string>()));
  }
  const Setting setting{.program = "/usr/bin/env"};
  std::vector<std::string> words{"python3",       MATCHCOUNT_SOURCE_DIR "/bench/pages.py",
                                 "--grids",       "",
                                 "--families",    "",
                                 "--published",   record,
                                 record,          "--docs",
                                 folder.path(""), "--pictures",
                                 folder.path("")};
  const Outcome written = run_program(words, setting);
  if (written.status == 127) MATCHCOUNT_SKIP("there is no Python");
  CAPTURE(written.err);
  REQUIRE(written.status == 0);
  CHECK_THAT(read_file(folder.path("published.md")), ContainsSubstring("[4](published/superman-4.md)"));
  const std::string page = read_file(folder.path("published/superman-4.md"));
  CHECK_THAT(page, ContainsSubstring("| n = 35 | cpu_baseline, 44 cores | 23.15 | CPU | staged |"));
  CHECK_THAT(page, ContainsSubstring("(predicted)"));
  CHECK_THAT(read_file(folder.path("gallery.md")), ContainsSubstring("published-superman-4.svg"));
  CHECK(read_file(folder.path("published-superman-4.svg")).starts_with("<svg"));
  words.push_back("--check");
  CHECK(run_program(words, setting).status == 0);
  std::ofstream(folder.path("gallery.md"), std::ios::app) << "more";
  CHECK(run_program(words, setting).status == 1);
}

TEST_CASE("estimators of published tables hold the exact count, and grids beyond the table are there") {
  const Json record = record_of("--paper thesis --table 6.10 --sample-limit 0.2");
  const Json& rows = record["cases"];
  REQUIRE(rows.size() == 8);
  for (const Json& row : rows) {
    CHECK(row["ours"] > 0);
    CHECK(row["printed"].get<std::string>().size() >= 4);
  }
}
