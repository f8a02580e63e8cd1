// matchcount-bench published: on tables so small that they take no time, and on records.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/program.hpp"
#include "support/catch.hpp"

using namespace matchcount::test;
using Json = nlohmann::json;

namespace {

const std::string tables = std::string(MATCHCOUNT_SOURCE_DIR) + "/datasets/published";

Outcome published(const std::string& line) {
  std::istringstream stream("published --device cpu --tables " + tables + " " + line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return run_program(words);
}

Json record_of(const std::string& line) {
  const TemporaryFolder folder;
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

TEST_CASE("command lines of published tables that make no sense are refused") {
  for (const char* line : {"--paper nobody", "--paper thesis --table 7", "--table 3", "--row-limit 0",
                           "--sample-limit -1", "--matrices /no/such/folder", "--records /no/such/file", "superman",
                           "--paper codegen --table 2 --tables /no/such/folder"}) {
    const Outcome outcome = published(line);
    CAPTURE(line, outcome.out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("printed determinants of Hilbert matrices agree or are called wrong") {
  const Json record = record_of("--paper condensation --table 26");
  const Json& rows = record["tables"][0]["comparisons"];
  REQUIRE(rows.size() == 15 * 3 - 6);  // MATLAB's end with order 25
  for (const Json& row : rows) {
    CAPTURE(row.dump());
    CHECK(row["right"] == true);
    const bool is_small = row["row"] == "order 5";
    // Every printed value of order 5 but Maple's, which has 10 digits, is right to four; none is from order 15 on.
    if (is_small && row["printed_by"] != "maple_software_floats") CHECK(row["printed_value_agrees"] == true);
    const int order = std::stoi(row["row"].get<std::string>().substr(6));
    if (order >= 15) CHECK(row["printed_value_agrees"] == false);
  }
  const auto five = std::find_if(rows.begin(), rows.end(), [](const Json& row) { return row["row"] == "order 5"; });
  // 1 / 266716800000 (the sequence of the inverses, OEIS A005249).
  CHECK(five->at("value") == "3.749295e-12");
}

TEST_CASE("rows beyond the limit are predicted, and a page and pictures come from records") {
  const TemporaryFolder folder;
  const std::string record = folder.path("record.json");
  // Nothing is cheap enough, so that nothing is run.
  REQUIRE(published("--paper codegen --table 3 --row-limit 1e-9 --json " + record + " --page " + folder.path("a.md"))
              .status == 0);
  const Json rows = Json::parse(read_file(record))["tables"][0]["comparisons"];
  REQUIRE(rows.size() == 70);
  for (const Json& row : rows) {
    CHECK(row["standing"] == "predicted");
    CHECK(row["ours"] > 0);
    CHECK(row["printed_over_ours"].get<double>() * row["ours"].get<double>() >
          0.99 * std::stod(row["printed"].get<std::string>()));
  }
  const Outcome outcome = published("--records " + record + "," + record + " --page " + folder.path("b.md") +
                                    " --gallery " + folder.path("gallery.md") + " --pictures " + folder.path(""));
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const std::string page = read_file(folder.path("b.md"));
  CHECK_THAT(page, ContainsSubstring("| n = 48, density 0.5 | CodeGen-Hybrid, Arch-3 | 2023.94 | CPU |"));
  CHECK_THAT(page, ContainsSubstring("(predicted)"));
  CHECK_THAT(read_file(folder.path("gallery.md")), ContainsSubstring("published-codegen-3.svg"));
  CHECK(read_file(folder.path("published-codegen-3.svg")).starts_with("<svg"));
}

TEST_CASE("estimators of published tables hold the exact count, and grids beyond the table are there") {
  const Json record = record_of("--paper thesis --table 6.10 --sample-limit 0.2");
  const Json& rows = record["tables"][0]["comparisons"];
  REQUIRE(rows.size() == 8);
  for (const Json& row : rows) {
    CHECK(row["ours"] > 0);
    CHECK(row["printed"].get<std::string>().size() >= 4);
  }
}
